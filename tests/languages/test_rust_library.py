"""The library around Rust's candidates: compiled once or a part of each program, and out of candidates' reach."""

import json
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandboxes import Limits, Outcome, Pool, open_sandbox
from sandboxes.languages import rust
from sandboxes.languages.calls.rust import CALLS_CRATE
from sandboxes.languages.compilers import library_stubs, rust_library, rust_linker
from sandboxes.languages.compilers.quick_builds import QUICK_FILE, run_tool
from sandboxes.languages.native import TOKEN_FILE
from sandboxes.languages.programs import build_program
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support.languages import language_pool, require_command, require_languages
from support.observers import passes
from support.requirements import WALL_SECONDS, unavailable

pytestmark = [pytest.mark.slow, pytest.mark.languages]

LIMITS = Limits(wall_seconds=WALL_SECONDS)
APART = "fn main() { assert_eq!(add(2, 3), 5); }"
TOGETHER = "fn main() { let sum = add(2, 3); assert_eq!(sum, 5); }"
RESULT = 'fn main() -> Result<(), String> { if add(2, 3) == 5 { Ok(()) } else { Err("no sum".to_string()) } }'
KINDS = {"apart": APART, "together": TOGETHER, "a result": RESULT}
RIGHT = "fn add(a: i32, b: i32) -> i32 { a + b }\n"
WRONG = "fn add(a: i32, b: i32) -> i32 { a * b }\n"
# "ADD" is a wrong function in the attack, and a right one in its honest counterpart.
BOTH = {
    "a function for its own": "#[no_mangle]\npub fn code_eval_run(_: &dyn Fn() -> i32) -> i32 { 0 }\nADD",
    "a function of C for it": '#[no_mangle]\npub extern "C" fn code_eval_run() -> i32 { 0 }\nADD',
    "a variable for it": "#[no_mangle]\npub static code_eval_run: i32 = 0;\nADD",
    "a trait of its name": "trait Shown { fn write<W: Writer>(&self); }\ntrait Writer {}\n"
    "impl<T> Shown for T { fn write<W: Writer>(&self) {} }\nADD",
    "a module of its name": "mod code_eval_library { pub fn run(_: fn()) -> i32 { 0 } }\n"
    "use code_eval_library::run;\nADD",
    "another std": "mod std {}\nmod core {}\nADD",
    "macros": "macro_rules! format { ($($each:tt)*) => { () } }\nmacro_rules! eprintln { ($($each:tt)*) => { () } }\n"
    "macro_rules! whole { ($($each:tt)*) => { () } }\nADD",
}
NAMES_IT = {
    "a crate": "extern crate code_eval_library;\n",
    "a trait": "use code_eval_library::Shown;\n",
    "a trait for a type": "struct Sum;\nimpl ::code_eval_library::Shown for Sum {\n"
    '    fn write<W: ::code_eval_library::Writer>(&self) { W::put("5") }\n}\n',
    "the calls' crate": f"extern crate {CALLS_CRATE};\n",
    "an archive": '#[link(name = "code_eval_library", kind = "static")]\nextern "C" {}\n',
}
# Functions that need more of the machine than others, in a right `add`.
LINKED = {
    "functions of C's library for numbers": "(a as f64 + (b as f64).powf(1.0) + (b as f64).sin() * 0.0) as i32",
    "long numbers": "((a as i128 + b as i128) * (a as i128) / (b as i128 - 2) / (a as i128)) as i32",
    "a thread": "std::thread::spawn(move || a + b).join().unwrap()",
    "a variable of each thread": "{ thread_local!(static SUM: std::cell::Cell<i32> = std::cell::Cell::new(0)); "
    "SUM.with(|sum| { sum.set(a + b); sum.get() }) }",
    "a function of C": '{ extern "C" { fn labs(value: i64) -> i64; } unsafe { labs((a + b) as i64) as i32 } }',
    "another crate": 'regex::Regex::new("[0-9]").unwrap().is_match("7") as i32 - 1 + a + b',
}
LINKED_TWICE = ("a function of C", "another crate")
HAS_ITS_OWN = "mod code_eval_library { pub trait Shown {} }\nuse code_eval_library::Shown;\nimpl Shown for i32 {}\n"


@pytest.fixture(scope="module")
def pool():
    """Return a pool for programs in Rust on a machine that can compile the library."""
    pool = language_pool("rust")
    if not rust_library.prepare_library():
        unavailable("Rust's library can't be compiled here")
    return pool


def changed(program, change):
    """Return a program with other files: `change` gets them by path."""
    content = json.loads(program.candidate)
    change(content["files"])
    return replace(program, candidate=json.dumps(content))


def program(candidate, tests, line=None, grading="auto", **files):
    """Return a program with another line in QUICK_FILE, and other files. A file whose text is None is not there."""

    def change(known):
        if line is not None:
            known[QUICK_FILE] = f"{line}\n"
        for path in [path for path in known if files.get(path, "") is None]:
            del known[path]

    return changed(build_program("rust", candidate, tests, LIMITS, grading=grading), change)


def call_program(candidate):
    """Return a program that calls a function `double`."""
    reference = {"fn_name": "double", "inputs": [[[1, 2]]], "outputs": [[2, 4]]}
    options = TaskOptions(language="rust")
    batch = ProgramBatch.assemble([Task(reference, [candidate])], options, LIMITS, "auto")
    return batch.programs[0]


def without_text(files):
    """Remove what only a program with the library as a module reads."""
    [path] = [path for path in files if path.startswith(rust_library.LIBRARY) and path.endswith(".rs")]
    del files[path]
    del files[f"{TOKEN_FILE}.c"]


@pytest.mark.parametrize("tests", KINDS.values(), ids=KINDS)
def test_a_program_is_built_with_the_compiled_library_alone(pool, tests):
    """A program whose library is compiled reads no text of it."""
    built = build_program("rust", RIGHT, tests, LIMITS)
    passes(pool.run_all([changed(built, without_text)], 1)[0])


@pytest.mark.parametrize("tests", [TOGETHER, "#[test]\nfn adds() { assert_eq!(add(2, 3), 5); }"], ids=["main", "tests"])
@pytest.mark.parametrize("body", LINKED.values(), ids=LINKED)
def test_a_quick_build_has_what_a_program_needs(pool, body, tests):
    """The command that links quick builds finds all that GCC would."""
    first = "use regex;\n" if "regex" in body else ""
    built = build_program("rust", f"{first}fn add(a: i32, b: i32) -> i32 {{ {body} }}\n", tests, LIMITS)
    # The plain build would read this file.
    passes(pool.run_all([changed(built, lambda files: files.pop(f"{TOKEN_FILE}.c"))], 1)[0])


def test_a_quick_build_is_linked_once(pool, folder, monkeypatch):
    """The stubs of the machine's libraries have what most programs need."""
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    [prepared] = rust_library.prepare_library()
    command = Path(prepared, rust_library.LINKER_FILE)
    command.write_text(command.read_text().replace("|| link", "|| exit 1 #"))
    bodies = [body for name, body in LINKED.items() if name not in LINKED_TWICE]
    candidates = [f"fn add(a: i32, b: i32) -> i32 {{ {body} }}\n" for body in bodies]
    built = [build_program("rust", candidate, APART, LIMITS) for candidate in candidates]
    built = [changed(each, lambda files: files.pop(f"{TOKEN_FILE}.c")) for each in built]
    with closing(Pool(open_sandbox("subprocess", read_only_paths=rust.RUST.prepared_here()))) as own_pool:
        for verdict in own_pool.run_all(built, 1):
            passes(verdict)


@pytest.mark.languages("rust")
def test_stubs_have_the_versions_of_libraries(tmp_path):
    """A program that is linked with a stub needs the versions that it would with the library itself."""
    [path] = [path for path in rust_linker.stubbed_libraries() if "libm." in path]
    library_stubs.write_stub(path, ["pow", "no_such_name"], tmp_path)
    [(version, names)] = library_stubs.versions_of(str(tmp_path / Path(path).name), {"pow", "sin"}).items()
    assert names == ["pow"]
    assert library_stubs.versions_of(path, {"pow"}) == {version: ["pow"]}


def test_a_library_without_versions_is_linked_itself(pool, tmp_path):
    """The stub of such a library leads the linker to the library."""
    library, stubs = tmp_path / "libsum.so.1", tmp_path / "stubs"
    stubs.mkdir()
    Path(tmp_path, "sum.c").write_text("int sum(int a, int b) { return a + b; }\n")
    Path(tmp_path, "main.c").write_text("int sum(int, int);\nint main(void) { return sum(2, 3) - 5; }\n")
    run_tool("gcc", "-shared", "-fPIC", "-o", str(library), "sum.c", folder=str(tmp_path))
    library_stubs.write_stub(str(library), ["sum"], stubs)
    linked = ("gcc", "-o", "main", "main.c", str(stubs / library.name), f"-Wl,-rpath,{tmp_path}")
    run_tool(*linked, folder=str(tmp_path))
    run_tool(str(tmp_path / "main"))


@pytest.mark.parametrize("tests", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("line", ["library", "/nowhere/library.rlib"])
def test_a_program_has_a_quick_build_without_the_compiled_library(pool, line, tests):
    """Where nothing is compiled, as in a container, the library is a module of the program."""
    [right, wrong] = pool.run_all(
        [program(each, tests, line, **{f"{TOKEN_FILE}.c": None}) for each in (RIGHT, WRONG)], 1
    )
    passes(right)
    assert wrong.outcome is Outcome.FAILED


@pytest.mark.parametrize("line", ["", "library", None], ids=["plain", "module", "compiled"])
@pytest.mark.parametrize("grading", ["auto", "shared"])
@pytest.mark.parametrize("candidate", BOTH.values(), ids=BOTH)
def test_nothing_of_the_library_is_replaced(pool, candidate, grading, line):
    """Code with the library's names makes no wrong candidate pass, and no right one fail, in any build.

    The compiled library is used although the candidate has words that forbid that.
    """
    line = rust_library.library_path(rust_library.CRATE_FILE) if line is None else line
    programs = [program(candidate.replace("ADD", each), APART, line, grading) for each in (WRONG, RIGHT)]
    wrong, right = pool.run_all(programs, 1)
    assert wrong.outcome is Outcome.FAILED, wrong.stderr
    passes(right)


@pytest.mark.parametrize("first", NAMES_IT.values(), ids=NAMES_IT)
def test_a_candidate_can_not_name_the_library(pool, first):
    """A candidate that names the library by the name that all programs share is not built."""
    line = rust_library.library_path(rust_library.CRATE_FILE)
    assert pool.run_all([program(first + RIGHT, APART, line)], 1)[0].outcome is Outcome.COMPILE_ERROR


def test_a_candidate_may_have_a_module_of_its_name(pool):
    """A candidate's own module of the library's name is another one."""
    passes(pool.run_all([program(HAS_ITS_OWN + RIGHT, APART)], 1)[0])


def test_the_library_has_no_symbols(pool):
    """No function of the library is outside of the programs, where a candidate's could take its place."""
    require_command("nm")
    path = rust_library.library_path(rust_library.CRATE_FILE)
    done = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True)
    assert not [line for line in done.stdout.splitlines() if " " in line]


@pytest.mark.parametrize("result", ["struct Sum;", "struct Sum; impl std::fmt::Debug for Sum {}"])
def test_messages_about_the_library_are_those_of_the_plain_build(pool, result):
    """A result that can't be written is told in the words of the plain build."""
    candidate = f"{result}\nfn add(_: i32, _: i32) -> Vec<Sum> {{ vec![] }}\n"
    quick, plain = pool.run_all([program(candidate, APART), program(candidate, APART, "")], 1)
    assert quick.outcome is Outcome.COMPILE_ERROR
    assert quick.detail == plain.detail


def test_a_call_is_built_with_the_compiled_library_alone(pool):
    """A program that calls a function has its modules compiled, where they are."""
    built = call_program("fn double(all: Vec<i32>) -> Vec<i32> { all.iter().map(|each| each * 2).collect() }")

    def break_text(files):
        files["candidate.rs"] = files["candidate.rs"].replace("-> !", "-> Missing")

    def break_both(files):
        break_text(files)
        files[QUICK_FILE] = "library\n"

    whole, quick, neither = pool.run_all([built, changed(built, break_text), changed(built, break_both)], 1)
    assert (whole.outcome, quick.outcome, neither.outcome) == (whole.outcome, whole.outcome, Outcome.COMPILE_ERROR)
    assert whole.outcome is not Outcome.COMPILE_ERROR


def test_a_machine_without_a_compiler_has_no_library(folder, monkeypatch):
    """Where the library can't be compiled, programs are built without it."""
    require_languages("rust")
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    monkeypatch.setattr(rust_library, "COMPILE", ("no-such-compiler",))
    monkeypatch.setattr(rust_library, "library_folder", lambda: "code-eval-quick-rust-none")
    assert rust_library.prepare_library() == ()
    assert not Path(rust_library.library_path(rust_library.CRATE_FILE)).exists()
    with closing(Pool(open_sandbox("subprocess", read_only_paths=rust.RUST.prepared_here()))) as pool:
        passes(pool.run_all([build_program("rust", RIGHT, APART, LIMITS)], 1)[0])
