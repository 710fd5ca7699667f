"""The files of programs in Rust. Used by `rust`.

The candidate is the root of the crate, and the tests are in a module of their own. The tests' text alone decides
whether they are a `main` or functions marked as tests. Each test function is counted as it starts. A program in which
fewer than all of them started has not passed. One that returns writes its ticket.
"""

from __future__ import annotations

import re
from pathlib import Path

from sandboxes.guest.common.named_tests import MICROSECONDS, TICKET_CHARS
from sandboxes.languages.apart.native_results import SHAPED
from sandboxes.languages.apart.rust import USED
from sandboxes.languages.base import MAX_NAMES, Files
from sandboxes.languages.calls.rust import CALLS_CRATE, MODULES
from sandboxes.languages.compilers import rust_library
from sandboxes.languages.compilers.quick_builds import QUICK_FILE
from sandboxes.languages.compilers.rust_crates import crate_arguments, crates_used
from sandboxes.languages.compilers.warm_rustc import DIGITS_FILE
from sandboxes.languages.native import TOKEN_CHARS, TOKEN_FILE, build_tag, token_assembly, token_object, token_source

RUST_ARGUMENTS_FILE = "code_eval_arguments"
RUST_LIBRARY_FILE = "code_eval_library_arguments"
"""Path of the file with the compiler's arguments for what is prepared once."""

TESTS_FILE = "code_eval_tests_"
"""Beginning of the name of the tests' file."""

RUST_EDITION = "2021"
RUST_DIRECTIVES = re.compile(r"(?://@ (?:edition|aux-crate):\w+\n)*")
"""Comments of Rust's own test suite. Tests that begin with them choose the edition, and crates."""

RUST_TEST = re.compile(r"#\[\s*test\s*\]")
RUST_ATTRIBUTES = r"(?:\s|#\[[^\]]*\]|//[^\n]*\n)*"
RUST_TEST_FUNCTION = re.compile(
    rf"(?P<before>(?:#\[[^\]]*\]\s*)*)#\[\s*test\s*\](?P<after>{RUST_ATTRIBUTES})"
    r"(?:pub(?:\s*\([^)]*\))?\s+)?fn\s+(?P<name>\$?\w+)\s*\(\s*\)\s*(?P<result>->[^{]*)?\{"
)
RUST_IGNORED = re.compile(r"#\[\s*(?:ignore|cfg)\b")
RUST_NO_TICKET = re.compile(r"#\[\s*(?:ignore|cfg|should_panic)\b")
RUST_MAIN = re.compile(r"\bfn\s+main\s*\(")
RUST_SHEBANG = re.compile(r"\A\ufeff?(?:#!(?!\s*\[)[^\n]*)?")

RUST_LINKING = re.compile(
    r"\b(?:global_allocator|no_std|no_core|no_main|no_mangle|export_name|link_section|linkage|link_name|crate_type"
    r"|panic_handler|(?:global_|naked_)?asm|link\s*\()"
)
# Macros that decide whether tests fail.
RUST_MACROS = """
    assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne panic unreachable unimplemented todo
    matches vec format print println eprint eprintln write writeln
"""
RUST_AROUND = """\
#[allow(unused_imports)]
use crate::*;
extern crate std as code_eval_std;
%(macros)s
#[path = "code_eval_tests_%(tag)s.rs"]
mod code_eval_tests;
%(entry)s
"""
RUST_ENTRY_OF_TESTS = """
static CODE_EVAL_STARTED: code_eval_std::sync::atomic::AtomicI32 = code_eval_std::sync::atomic::AtomicI32::new(0);
pub fn code_eval_started() {
    CODE_EVAL_STARTED.fetch_add(1, code_eval_std::sync::atomic::Ordering::SeqCst);
}
#[no_mangle]
pub extern "C" fn code_eval_entry_%(tag)s() -> i32 {
    CODE_EVAL_STARTED.load(code_eval_std::sync::atomic::Ordering::SeqCst)
}
extern "C" {
    fn code_eval_passed_%(tag)s(number: i64, microseconds: i64);
}
pub struct CodeEvalTest(i64, code_eval_std::time::Instant);
impl CodeEvalTest {
    pub fn begin(number: i64) -> Self { CodeEvalTest(number, code_eval_std::time::Instant::now()) }
}
impl code_eval_std::ops::Drop for CodeEvalTest {
    fn drop(&mut self) {
        if !code_eval_std::thread::panicking() {
            unsafe { code_eval_passed_%(tag)s(self.0, self.1.elapsed().as_micros() as i64) }
        }
    }
}
"""
RUST_PASSED = """\
void code_eval_passed_%(tag)s(long number, long microseconds);
void code_eval_passed_%(tag)s(long number, long microseconds) {
    const char *ticket = token + %(token_chars)d + number * %(ticket)d;
    char line[%(ticket)d + %(digits)d];
    int at;
    if (call(SYS_getpid, 0, 0, 0, 0) != process) return;
    for (at = 0; at < %(ticket)d; at++) line[at] = ticket[at];
    for (at = sizeof line - 1; at >= %(ticket)d; at--, microseconds /= 10) line[at] = (char)('0' + microseconds %% 10);
    call(SYS_write, output, (long)line, sizeof line, 0);
}"""
RUST_ENTRY_OF_MAIN = """
#[cfg(%(library)s)]
extern crate %(library)s as code_eval_library;
#[cfg(not(%(library)s))]
#[path = "%(library)s.rs"]
mod code_eval_library;
"""
RUST_MAIN_ENTRY = """
#[no_mangle]
pub extern "C" fn code_eval_entry_%(tag)s() -> i32 {
    crate::code_eval_%(tag)s::code_eval_library::run(main)
}
"""
RUST_RESULTS = """
mod code_eval_results {
    use super::code_eval_library::{Shown, Writer};
    use super::code_eval_std::marker::Sized;
    extern "C" {
        fn code_eval_put_%(tag)s(text: *const u8, length: usize);
        fn code_eval_quote_%(tag)s(text: *const u8, length: usize);
        fn code_eval_signed_%(tag)s(value: i64);
        fn code_eval_unsigned_%(tag)s(value: u64);
        fn code_eval_begin_%(tag)s();
        fn code_eval_finish_%(tag)s();
    }
    struct Listed;
    impl Writer for Listed {
        fn put(text: &str) { unsafe { code_eval_put_%(tag)s(text.as_ptr(), text.len()) } }
        fn quote(text: &str) { unsafe { code_eval_quote_%(tag)s(text.as_ptr(), text.len()) } }
        fn signed(value: i64) { unsafe { code_eval_signed_%(tag)s(value) } }
        fn unsigned(value: u64) { unsafe { code_eval_unsigned_%(tag)s(value) } }
    }
    /// Adds a result to the list.
    #[inline(never)]
    pub fn add<T: Shown + ?Sized>(result: &T) {
        unsafe { code_eval_begin_%(tag)s() }
        result.write::<Listed>();
    }
    /// Writes the list of all results as a line of the output.
    pub fn say_all() { unsafe { code_eval_finish_%(tag)s() } }
}
"""
"""The module of a program that writes a list of results by the functions of its token's file. Nothing else than what it
can write is equal to data that tests write down."""

RUST_RUN_TESTS = """\
static char name[] = "program", tests[] = "code_eval_%(tag)s::", *arguments[] = {name, tests, 0};
    status = __real_main(2, arguments, environment);
    if (status == 0 && code_eval_entry_%(tag)s() < %(count)d) {
        say("error: not all of the tests ran\\n");
        status = 1;
    }"""


def rust_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a Rust program with tests: text by path.

    The candidate is the crate's root, as in published harnesses that join both texts. Its last item is a module with
    the tests. The program does not link without that module, whatever attribute the candidate ends with.
    """
    tag = build_tag(candidate, tests)
    names = {"tag": tag, "library": f"{rust_library.LIBRARY}{tag}"}
    compiled, crate, library = rust_library.LINKER_FILE, "", {}
    chosen = read_directives(candidate, tests)
    if RUST_TEST.search(tests):
        tests, count = count_started(tests, tag)
        arguments, attribute, entry, last = ["--test"], "", RUST_ENTRY_OF_TESTS, ""
        run = RUST_RUN_TESTS % {**names, "count": count}
        declared = f"int code_eval_entry_{tag}(void), __real_main(int, char **, char **);"
        passed = RUST_PASSED % {**names, "token_chars": TOKEN_CHARS, "ticket": TICKET_CHARS, "digits": MICROSECONDS}
    else:
        compiled, crate = rust_library.CRATE_FILE, names["library"]
        library = {f"{crate}.rs": rust_library.MODULE}
        # With `no_main`, the candidate's own `main` is a function like any other.
        arguments, attribute, entry = [], "#![no_main] ", RUST_ENTRY_OF_MAIN
        called = f"code_eval_entry_{tag}" if RUST_MAIN.search(tests) else f"the_tests_define_no_main_{tag}"
        last = RUST_MAIN_ENTRY if RUST_MAIN.search(tests) else ""
        run, declared, passed = f"status = {called}();", f"int {called}(void);", ""
        if USED in tests:
            entry += RUST_RESULTS
            passed = SHAPED.replace("TAG", tag)
    macro = "macro_rules! %s { ($($each:tt)*) => { crate::code_eval_%s::code_eval_std::%s!($($each)*) } }"
    macros = "\n".join(macro % (name, tag, name) for name in find_replaced_macros(candidate))
    token = token_source(declared, run, passed)
    quick = quick_files(candidate + tests, compiled, crate)
    if quick[QUICK_FILE].startswith("/"):
        quick[DIGITS_FILE] = token_object(token, tag, "c")
    module = f'\n#[path = "code_eval_{tag}.rs"] mod code_eval_{tag};\n'
    return {
        "candidate.rs": RUST_SHEBANG.sub(attribute, candidate, count=1) + module,
        f"code_eval_{tag}.rs": RUST_AROUND % {**names, "macros": macros, "entry": entry % names},
        f"{TESTS_FILE}{tag}.rs": f"{tests}\n#[allow(unused_imports)]\nuse crate::*;\n{last % names}",
        **library,
        f"{TOKEN_FILE}.c": token,
        RUST_ARGUMENTS_FILE: "\n".join([*arguments, *chosen]) + "\n",
        f"{TOKEN_FILE}.s": token_assembly(token, tag, "c"),
        **quick,
    }


def rust_standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a Rust candidate alone."""
    calls = (rust_library.CALLS_FILE, CALLS_CRATE) if MODULES in candidate else (rust_library.LINKER_FILE, "")
    return {"candidate.rs": candidate, **quick_files(candidate, *calls)}


def quick_files(source: str, compiled: str, crate: str) -> dict[str, str]:
    """Return the files of a program's quick build.

    QUICK_FILE is empty for a program that may notice how it is linked. Rust's library is then a file that is loaded,
    not a part of the program. That matters to programs that replace parts of the library, or name symbols.

    Args:
        source: candidate and tests.
        compiled: the last of the prepared files that the build needs.
        crate: name of that crate in the program; "" if it is none.
    """
    path = rust_library.library_path(compiled)
    called = rust_library.crate_arguments(crate, Path(path)) if crate else ()
    line = "" if RUST_LINKING.search(source) else path or "library"
    return {RUST_LIBRARY_FILE: rust_library.library_arguments(*called), QUICK_FILE: f"{line}\n"}


def read_directives(candidate: str, tests: str) -> list[str]:
    """Return the compiler's arguments that tests choose in their first lines.

    Tests that choose no crates get those that the candidate imports, as far as they are installed: harnesses that have
    no directives, such as bigcode-evaluation-harness, link all programs with them.

    Raises:
        SandboxUnavailable: if there are no crates here, and tests choose one.
    """
    editions = directives(tests, "edition")
    crates = directives(tests, "aux-crate") or crates_used(candidate)
    return ["--edition", editions[-1] if editions else RUST_EDITION, *(crate_arguments(crates) if crates else ())]


def directives(tests: str, name: str) -> list[str]:
    """Return the values of a directive in the first lines of tests."""
    first = RUST_DIRECTIVES.match(tests)
    return re.findall(rf"//@ {name}:(\w+)", first[0] if first else "")


def rust_needs(files: Files) -> tuple[str, ...]:
    """Return the compiled crates that a program's tests choose.

    A sandbox without them is broken. It is not if a candidate alone names them, which could otherwise end a run: the
    compiler tells it what is missing.
    """
    tests = next(text for path, text in files.items() if path.startswith(TESTS_FILE))
    linked = dict(re.findall(r"^--extern=(\w+)=(.+)$", files[RUST_ARGUMENTS_FILE], re.MULTILINE))
    return tuple(linked[name] for name in directives(tests, "aux-crate"))


def find_replaced_macros(candidate: str) -> list[str]:
    """Return the names in RUST_MACROS that a candidate may have redefined, or imported under the name of another macro.

    Only these get a definition before the tests, because a definition beside `use std::panic` is an error.
    """
    named = [name for name in RUST_MACROS.split() if re.search(rf"\b{name}\b", candidate)]
    if "macro_rules" in candidate:
        return named
    return [name for name in named if re.search(rf"\bas\s+(?:r#)?{name}\b", candidate)]


def count_started(tests: str, tag: str) -> tuple[str, int]:
    """Add to each test function of a Rust text a call that counts it as started, and what writes its ticket.

    Returns:
        (the new text, the number of functions that must start). That number is at least 1. Ignored and conditional
        functions are not part of it.
    """
    count = tickets = 0
    module = f"crate::code_eval_{tag}"

    def add_call(function: re.Match[str]) -> str:
        nonlocal count, tickets
        count += not RUST_IGNORED.search(function["before"] + function["after"])
        call = f"{function[0]} {module}::code_eval_started();"
        if not has_ticket(function) or tickets == MAX_NAMES:
            return call
        tickets += 1
        return f"{call} let _code_eval_test = {module}::CodeEvalTest::begin({tickets - 1});"

    return RUST_TEST_FUNCTION.sub(add_call, tests), max(1, count)


def rust_test_names(tests: str) -> tuple[str, ...]:
    """Return the names of the test functions that have a ticket."""
    return tuple(function["name"] for function in RUST_TEST_FUNCTION.finditer(tests) if has_ticket(function))[
        :MAX_NAMES
    ]


def has_ticket(function: re.Match[str]) -> bool:
    """Return whether a test function has passed if it returns, and is one test alone."""
    is_plain = not RUST_NO_TICKET.search(function["before"] + function["after"]) and not function["result"]
    return is_plain and not function["name"].startswith("$")
