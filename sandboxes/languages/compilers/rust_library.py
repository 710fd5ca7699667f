"""What is around the candidates of Rust's programs, and does not depend on them. Used by `rust`.

It is compiled once, for this machine's compiler. That spares a program with tests a fifth of its compiler's time, and a
program that calls a function most of it. Elsewhere it is a part of each program. Programs with tests name their library
by their tag, so that candidates can't name it in either form.

No function of a candidate's may take the place of one of the library's, by having its symbol. Functions that depend on
a type of the program, or are inlined, are compiled in the program and have no symbol in the library. The function that
catches panics takes too long to compile for that. It is in an archive that is linked as a whole: a second function with
its symbol is an error, and the plain build is made.
"""

from __future__ import annotations

import hashlib
import tempfile
from functools import lru_cache
from pathlib import Path

from sandboxes.backends.host_state import QUICK_FOLDERS
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.calls import rust as calls
from sandboxes.languages.calls.rust_results import SHOWN
from sandboxes.languages.compilers import library_stubs, rust_linker, warm_rustc
from sandboxes.languages.compilers.quick_builds import folder_states, prepare, prepared_path, run_tool

LIBRARY = "code_eval_library_"
"""Beginning of the library's name in programs, which ends in their tag."""

CRATE_FILE = "libcode_eval_library.rlib"
CALLS_FILE = f"lib{calls.CALLS_CRATE}.rlib"
LINKER_FILE = "link"
WARM_FILE = "warm.so"
OURS = "code_eval_"
"""Beginning of the names of both crates."""

ARCHIVE = "code_eval_run"
"""Name of the archive with the object, as linkers know it."""

# `main` may return each type that implements CodeEvalStatus.
STATUS = r"""
pub trait CodeEvalStatus {
    fn status(self) -> i32;
}
impl CodeEvalStatus for () {
    #[inline]
    fn status(self) -> i32 { 0 }
}
impl CodeEvalStatus for std::process::ExitCode {
    #[inline]
    fn status(self) -> i32 {
        let success = std::format!("{:?}", std::process::ExitCode::SUCCESS);
        (std::format!("{:?}", self) != success) as i32
    }
}
impl<T: CodeEvalStatus, E: std::fmt::Debug> CodeEvalStatus for Result<T, E> {
    fn status(self) -> i32 {
        match self {
            Ok(value) => value.status(),
            Err(error) => {
                std::eprintln!("Error: {:?}", error);
                1
            }
        }
    }
}
pub fn run<T: CodeEvalStatus>(main: fn() -> T) -> i32 {
    #[allow(unused_unsafe)]
    unsafe { code_eval_run(&|| main().status()) }
}
"""

RUN = r"""
fn code_eval_run(main: &dyn Fn() -> i32) -> i32 {
    // What is forgotten needs no code that frees it, which takes long to compile.
    let status = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(main)) {
        Ok(status) => status,
        Err(payload) => {
            std::mem::forget(payload);
            101
        }
    };
    std::mem::forget(std::io::Write::flush(&mut std::io::stdout()));
    status
}
"""
RUN_ELSEWHERE = """
extern "Rust" {
    fn code_eval_run(main: &dyn Fn() -> i32) -> i32;
}
"""

# The library is a module of crates of each edition, in which a candidate may have another `std`.
FIRST = """\
extern crate std;
#[allow(unused_imports)]
use self::std::{collections::VecDeque, prelude::v1::*};
"""
MODULE = f"{FIRST}{SHOWN}{STATUS}{RUN}"
"""The library as a module of a program."""

CRATE = f"{FIRST}{SHOWN}{STATUS}{RUN_ELSEWHERE}"
"""The library as a crate, which needs OBJECT."""

OBJECT = f"#[no_mangle]\npub {RUN.strip()}\n"
OPTIONS = "--edition 2021 --cap-lints allow -C opt-level=2 -C prefer-dynamic -C codegen-units=1"
COMPILE = ("rustc", *OPTIONS.split())


def library_path(file: str) -> str:
    """Return the path of a compiled library, which need not be there; "" if it can't be compiled here.

    Args:
        file: CRATE_FILE, CALLS_FILE, LINKER_FILE or WARM_FILE.
    """
    return prepared_path(library_folder, file)


def library_arguments(*more: str) -> str:
    """Return the compiler's arguments for a program that is built with what is compiled here, one a line.

    Args:
        more: arguments for the crates that the program calls.
    """
    return "".join(f"{each}\n" for each in (*linker_arguments(library_path(LINKER_FILE)), *more))


def linker_arguments(command: str | Path) -> tuple[str, ...]:
    """Return the compiler's arguments for the command that links programs."""
    return ("-C", f"linker={command}", *rust_linker.OPTIONS)


def crate_arguments(name: str, path: Path) -> tuple[str, ...]:
    """Return the compiler's arguments for a program that calls a compiled crate by a name.

    Args:
        name: of the crate in the program, and of the condition that there is one.
        path: of CRATE_FILE or CALLS_FILE.
    """
    linked = (f"-Lnative={path.parent}", f"-lstatic:+whole-archive={ARCHIVE}") if path.name == CRATE_FILE else ()
    return (f"--extern={name}={path}", f"--cfg={name}", *linked)


def library_folder() -> str:
    """Return the name of the folder of compiled libraries. It depends on the compilers and their sources.

    Raises:
        SandboxUnavailable: if there is no compiler here, or none that links.
    """
    if not compiler_version():
        raise SandboxUnavailable("there is no rustc here")
    if not linker():
        raise SandboxUnavailable("gcc does not say how it links a program")
    sources = (CRATE, calls.CRATE, OBJECT, linker(), warm_rustc.SOURCE)
    functions = (rust_linker.NUMBER_FUNCTIONS, rust_linker.TOKEN_FUNCTIONS)
    stubbed = folder_states(*rust_linker.stubbed_libraries())
    state = (compiler_version(), *sources, *functions, *stubbed, library_stubs.COMPILE, COMPILE, ARCHIVE)
    return f"{QUICK_FOLDERS}rust-{hashlib.sha256(repr(state).encode()).hexdigest()[:12]}"


@lru_cache(maxsize=1)
def compiler_version() -> str:
    """Return what the compiler says about itself; "" if there is none here."""
    try:
        return run_tool("rustc", "--version", "--verbose")
    except SandboxUnavailable:
        return ""


@lru_cache(maxsize=1)
def linker() -> str:
    """Return the text of the command that links programs; "" if there can be none here."""
    try:
        return rust_linker.linker_script(OURS)
    except SandboxUnavailable:
        return ""


def prepare_library() -> tuple[str, ...]:
    """Return the folder of the compiled libraries, which programs must see; () if they can't be compiled here."""
    return prepare(library_folder, compile_library)


def compile_library(partial: Path, folder: Path) -> None:
    """Compile the libraries into a folder."""
    with tempfile.TemporaryDirectory() as work:
        for file, source in ((CRATE_FILE, CRATE), (CALLS_FILE, calls.CRATE)):
            # Panics name the source.
            path = Path(work, f"{file.removeprefix('lib').removesuffix('.rlib')}.rs")
            path.write_text(source)
            run_tool(*COMPILE, "--crate-type", "rlib", "-o", str(partial / file), path.name, folder=work)
        Path(work, "run.rs").write_text(OBJECT)
        run_tool(*COMPILE, "--crate-type", "lib", "--emit", "obj", "-o", "run.o", "run.rs", folder=work)
        run_tool("ar", "crs", str(partial / f"lib{ARCHIVE}.a"), "run.o", folder=work)
        Path(work, "warm.c").write_text(warm_rustc.SOURCE)
        run_tool(*warm_rustc.COMPILE, "-o", str(partial / WARM_FILE), "warm.c", "-ldl", folder=work)
        command = partial / LINKER_FILE
        command.write_text(linker())
        command.chmod(0o755)
        rust_linker.write_stubs(partial)
        # A compiler that can't link it must not be asked to for each program.
        Path(work, "check.rs").write_text("fn main() { std::process::exit(checked::run(|| ())) }\n")
        checked = (*linker_arguments(command), *crate_arguments("checked", partial / CRATE_FILE))
        run_tool(*COMPILE, "-C", "rpath", *checked, "check.rs", folder=work)
        run_tool(str(Path(work, "check")))
