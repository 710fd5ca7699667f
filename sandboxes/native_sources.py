"""Files of C, C++ and Rust programs with tests. Called by `languages.py`; runs on the host.

Candidate and tests are separate files, so that a comment, a conditional or an attribute that the candidate leaves open
ends with its file. The program starts at the entry point that the tests' text names. A third file, in C, holds the
completion token: it takes the token before the candidate's first line, and writes it after that entry point's return.

Names that candidates must not guess end in a tag, a hash of candidate and tests.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

TOKEN_FILE, RUST_ARGUMENTS_FILE, C_BUILD_FILE = "code_eval_seal", "code_eval_arguments", "code_eval_build.sh"
"""Names without a suffix where it depends on the language."""

MAX_TOKEN_BYTES = 256

RUST_TEST = re.compile(r"#\[\s*test\s*\]")
RUST_ATTRIBUTES = r"(?:\s|#\[[^\]]*\]|//[^\n]*\n)*"
RUST_TEST_FUNCTION = re.compile(
    rf"(?P<before>(?:#\[[^\]]*\]\s*)*)#\[\s*test\s*\](?P<after>{RUST_ATTRIBUTES})"
    r"(?:pub(?:\s*\([^)]*\))?\s+)?fn\s+\$?\w+\s*\(\s*\)\s*(?:->[^{]*)?\{"
)
RUST_IGNORED = re.compile(r"#\[\s*(?:ignore|cfg)\b")
RUST_MAIN = re.compile(r"\bfn\s+main\s*\(")
RUST_SHEBANG = re.compile(r"\A\ufeff?(?:#!(?!\s*\[)[^\n]*)?")
C_MAIN = re.compile(r"\bmain\s*\(([^()]*)\)")
C_MAIN_PARAMETERS = {
    "": re.compile(r"\s*(?:void\s*)?"),
    "int, char **": re.compile(r"\s*int\s+\w+\s*,\s*char\s*(?:\*\s*\*\s*\w+|\*\s*\w+\s*\[\s*\])\s*"),
}

# The completion token's file is compiled as C or as C++. It calls the kernel itself, because candidates may define
# functions with the names of the C library's, by intent or by chance.
TOKEN_SOURCE = """\
#include <sys/syscall.h>
#ifdef __cplusplus
extern "C" {
#endif
%(declarations)s
static long call(long number, long first, long second, long third, long fourth) {
#if defined __x86_64__ && !defined __ILP32__
    long result;
    register long last __asm__("r10") = fourth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(last)
                     : "rcx", "r11", "memory");
    return result;
#elif defined __aarch64__
    register long which __asm__("x8") = number;
    register long result __asm__("x0") = first;
    register long two __asm__("x1") = second, three __asm__("x2") = third, four __asm__("x3") = fourth;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(which), "r"(two), "r"(three), "r"(four) : "memory");
    return result;
#else
    long syscall(long, ...);
    return syscall(number, first, second, third, fourth);
#endif
}
static char token[%(max_token_bytes)d];
static long token_bytes;
static int output = 1;
static void take_token(void) {
    token_bytes = call(SYS_read, 0, (long)token, sizeof token, 0);
    call(SYS_ftruncate, 0, 0, 0, 0);
    call(SYS_lseek, 0, 0, 0, 0);
    /* 1030 is F_DUPFD_CLOEXEC. The candidate may close or replace its standard output. */
    long copy = call(SYS_fcntl, 1, 1030, 100, 0);
    output = copy < 0 ? 1 : (int)copy;
}
/* Runs before the constructors of all libraries and of the candidate. */
__attribute__((section(".preinit_array"), used)) static void (*take_first)(void) = take_token;
static void end(int status) __attribute__((noreturn));
static void end(int status) {
    for (;;) call(SYS_exit_group, status, 0, 0, 0);
}
static void say(const char *text) {
    const char *last = text;
    while (*last) last++;
    call(SYS_write, 2, (long)text, last - text, 0);
}
static void die(void) __attribute__((noreturn));
static void die(void) {
    static char by_default[64];
    call(SYS_rt_sigaction, 6, (long)by_default, 0, 8);
    call(SYS_rt_sigprocmask, 2, (long)by_default, 0, 8);
    call(SYS_kill, call(SYS_getpid, 0, 0, 0, 0), 6, 0, 0);
    end(134);
}
%(functions)s
int __wrap_main(int argc, char **argv, char **environment);
int __wrap_main(int argc, char **argv, char **environment) {
    int status;
    (void)argc, (void)argv, (void)environment;
    /* Some C libraries do not run what is in .preinit_array. */
    if (token_bytes <= 0) take_token();
    %(run)s
    if (status == 0) call(SYS_write, output, (long)token, token_bytes, 0);
    return status;
}
#ifdef __cplusplus
}
#endif
"""

C_FAILED_ASSERT = """\
void code_eval_assert_%(tag)s(const char *condition, const char *file, unsigned line, const char *function);
void code_eval_assert_%(tag)s(const char *condition, const char *file, unsigned line, const char *function) {
    char digits[16], *number = digits + sizeof digits;
    *--number = 0;
    do *--number = (char)('0' + line %% 10);
    while (line /= 10);
    say("program: "), say(file), say(":"), say(number), say(": ");
    if (function) say(function), say(": ");
    say("Assertion `"), say(condition), say("' failed.\\n");
    die();
}
"""

# How a program ends that fails: C++'s declaration, and what its own function does. Declared before the candidate under
# a name of the program's own, so that a candidate that defines one of them does not define the tests'.
C_ENDS = {
    "abort": ("void abort(void) NOEXCEPT", "(void) { die(); }"),
    "exit": ("void exit(int) NOEXCEPT", "(int status) { void exit(int); exit(status); end(status); }"),
    "_exit": ("void _exit(int)", "(int status) { end(status); }"),
    "_Exit": ("void _Exit(int) NOEXCEPT", "(int status) { end(status); }"),
    "quick_exit": ("void quick_exit(int) NOEXCEPT", "(int status) { end(status); }"),
}

C_KEYWORDS = """
    asm auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Bool _Static_assert __asm__ __attribute__ __extension__ __typeof__ __func__ __FUNCTION__ __PRETTY_FUNCTION__
"""
CPP_KEYWORDS = """
    bool catch class concept const_cast constexpr decltype delete dynamic_cast explicit export false friend mutable
    namespace new noexcept nullptr operator private protected public reinterpret_cast static_assert static_cast
    template this throw true try typeid typename using virtual wchar_t
"""
# Names that decide whether tests fail, and are no macros in the C library.
C_DECIDING = """
    main NDEBUG exit abort _exit _Exit quick_exit __assert_fail strcmp strncmp strcasecmp memcmp strlen fabs fabsf fabsl
"""

C_PROGRAM = """\
%(labels)s
#include "candidate.%(suffix)s"
#pragma GCC reset_options
%(undefined)s
#include <assert.h>
%(static_assert)s(1, "ends a declaration that the candidate left open");
#include "code_eval_tests_%(tag)s.%(suffix)s"
"""

# GCC can make C++ that forgets its `return` fail, but not C. Where a function that the tests name may come to its end
# without one, its last brace gets a trap.
C_BUILD = """\
build() {
    LC_ALL=C gcc %(flags)s -Wreturn-type "$@" -o program code_eval_seal.c code_eval_program.c %(last)s 2>code_eval_words
}
build || { cat code_eval_words >&2; exit 1; }
grep -q '^candidate\\.c:.*-Wreturn-type' code_eval_words || exit 0
build -fdiagnostics-column-unit=byte || build
sed -n "s/^candidate\\.c: In function '\\(.*\\)':$/\\1/p
    s/^candidate\\.c:\\([0-9]*\\):\\([0-9]*\\): warning: \\(no return\\|control reaches end\\).*/\\1 \\2/p" \\
    code_eval_words |
while read -r line column; do
    if [ -z "$column" ]; then function=$line
    elif grep -qw -- "$function" code_eval_tests_*.c; then echo "$line $column"
    fi
done | sort -rn -k1,1 -k2,2 | while read -r line column; do
    LC_ALL=C sed -i "${line}s/^.\\{$((column - 1))\\}/&__builtin_trap();/" candidate.c
done
build || { cat code_eval_words >&2; exit 1; }
"""

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
static CODE_EVAL_STARTED: code_eval_std::sync::atomic::AtomicI32 = code_eval_std::sync::atomic::AtomicI32::new(0);

pub fn code_eval_started() {
    CODE_EVAL_STARTED.fetch_add(1, code_eval_std::sync::atomic::Ordering::SeqCst);
}

#[path = "code_eval_tests_%(tag)s.rs"]
mod code_eval_tests;
%(entry)s
"""
RUST_ENTRY_OF_TESTS = """
#[no_mangle]
pub extern "C" fn code_eval_entry_%(tag)s() -> i32 {
    CODE_EVAL_STARTED.load(code_eval_std::sync::atomic::Ordering::SeqCst)
}
"""
# What may be returned by `main`.
RUST_ENTRY_OF_MAIN = """
pub trait CodeEvalStatus {
    fn status(self) -> i32;
}
impl CodeEvalStatus for () {
    fn status(self) -> i32 { 0 }
}
impl CodeEvalStatus for code_eval_std::process::ExitCode {
    fn status(self) -> i32 {
        let success = code_eval_std::format!("{:?}", code_eval_std::process::ExitCode::SUCCESS);
        (code_eval_std::format!("{:?}", self) != success) as i32
    }
}
impl<T: CodeEvalStatus, E: code_eval_std::fmt::Debug> CodeEvalStatus for code_eval_std::result::Result<T, E> {
    fn status(self) -> i32 {
        match self {
            code_eval_std::result::Result::Ok(value) => value.status(),
            code_eval_std::result::Result::Err(error) => {
                code_eval_std::eprintln!("Error: {:?}", error);
                1
            }
        }
    }
}
pub fn code_eval_run<T: CodeEvalStatus>(main: fn() -> T) -> i32 {
    let status = code_eval_std::panic::catch_unwind(|| main().status()).unwrap_or(101);
    let _ = code_eval_std::io::Write::flush(&mut code_eval_std::io::stdout());
    status
}
"""
RUST_MAIN_ENTRY = """
#[no_mangle]
pub extern "C" fn code_eval_entry_%(tag)s() -> i32 {
    crate::code_eval_%(tag)s::code_eval_run(main)
}
"""
RUST_RUN_TESTS = """\
static char name[] = "program", tests[] = "code_eval_%(tag)s::", *arguments[] = {name, tests, 0};
    status = __real_main(2, arguments, environment);
    if (status == 0 && code_eval_entry_%(tag)s() < %(count)d) {
        say("error: not all of the tests ran\\n");
        status = 1;
    }"""


@dataclass(frozen=True)
class Dialect:
    """C or C++, as far as the generated files differ."""

    suffix: str
    """The suffix of source files."""

    linkage: str
    """Prefix of a declaration with C linkage."""

    noexcept: str
    """The suffix of a function that does not throw."""

    static_assert: str
    keywords: tuple[str, ...]
    """Names that are no macros where the tests begin."""

    redefined: str
    """Directives for keywords that the language's own headers define as macros."""


C = Dialect(
    "c",
    "extern ",
    "",
    "_Static_assert",
    tuple((C_KEYWORDS + C_DECIDING).split()),
    """\
#ifdef true
#undef true
#define true 1
#endif
#ifdef false
#undef false
#define false 0
#endif""",
)
CPP = Dialect(
    "cpp", 'extern "C" ', "noexcept", "static_assert", tuple((C_KEYWORDS + CPP_KEYWORDS + C_DECIDING).split()), ""
)
C_BUILT_WITH = ("-std=c17 -O2 -fsanitize=unreachable -fsanitize-undefined-trap-on-error", "-Wl,--wrap=main -lm")


def build_tag(candidate: str, tests: str) -> str:
    """Returns a name that no candidate can contain: 32 hexadecimal digits, a hash of both texts."""
    return hashlib.sha256(f"{len(candidate)}:{candidate}{tests}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def cpp_files(candidate: str, tests: str) -> dict[str, str]:
    """Returns the files of a C++ program with tests: text by path."""
    return c_family_files(CPP, candidate, tests)


def c_files(candidate: str, tests: str) -> dict[str, str]:
    """Returns the files of a C program with tests, with the script that builds it: text by path."""
    flags, last = C_BUILT_WITH
    return {**c_family_files(C, candidate, tests), C_BUILD_FILE: C_BUILD % {"flags": flags, "last": last}}


def c_family_files(dialect: Dialect, candidate: str, tests: str) -> dict[str, str]:
    """Returns the files of a program of which code_eval_program and code_eval_seal are compiled."""
    tag, suffix = build_tag(candidate, tests), dialect.suffix
    main = declare_main(dialect, tests, tag)
    if main:
        entry = f"code_eval_main_{tag}"
    else:
        # Without a `main` the program does not link, whatever the candidate defines.
        entry = "__real_main" if "main" in tests.lower() else f"the_tests_define_no_main_{tag}"
    ends = [name for name in C_ENDS if re.search(rf"\b{name}\b", tests)]
    labels = [f'{C_ENDS[name][0]} __asm__("code_eval_{name}_{tag}") __attribute__((noreturn));' for name in ends]
    labels = [dialect.linkage + each.replace("NOEXCEPT", dialect.noexcept) for each in labels]
    program = {
        "labels": "\n".join([declare_assert(dialect, tag), *labels, main]),
        "suffix": suffix,
        "undefined": "\n".join([*(f"#undef {name}" for name in dialect.keywords), dialect.redefined]),
        "static_assert": dialect.static_assert,
        "tag": tag,
    }
    functions = [f"void code_eval_{name}_{tag}{C_ENDS[name][1]}" for name in ends]
    return {
        f"candidate.{suffix}": candidate,
        f"code_eval_tests_{tag}.{suffix}": f'#line 1 "tests.{suffix}"\n{tests}\n',
        f"code_eval_program.{suffix}": C_PROGRAM % program,
        f"{TOKEN_FILE}.{suffix}": token_source(
            f"int {entry}(int, char **, char **);",
            f"status = {entry}(argc, argv, environment);",
            "\n".join([C_FAILED_ASSERT % {"tag": tag}, *functions]),
        ),
    }


def token_source(declarations: str, run: str, functions: str = "") -> str:
    """Returns the file of the completion token, given the statements that set `status`."""
    parts = {"declarations": declarations, "run": run, "functions": functions}
    return TOKEN_SOURCE % {**parts, "max_token_bytes": MAX_TOKEN_BYTES}


def declare_main(dialect: Dialect, tests: str, tag: str) -> str:
    """Returns a declaration that gives the tests' `main` a name of its own; "" where its type is not plain.

    A candidate can then neither rename it nor define another `main` beside it.
    """
    parameters = C_MAIN.findall(tests)
    if len(parameters) != 1 or not re.search(r"\bint\s+main\s*\(", tests):
        return ""
    for declared, pattern in C_MAIN_PARAMETERS.items():
        if pattern.fullmatch(parameters[0]):
            return f'int main({declared}) __asm__("code_eval_main_{tag}");'
    return ""


def declare_assert(dialect: Dialect, tag: str) -> str:
    """Returns a declaration that sends failed assertions of the GNU C library to the token's file."""
    parameters = "const char *, const char *, unsigned int, const char *"
    label = f'__asm__("code_eval_assert_{tag}") __attribute__((noreturn));'
    declared = f"{dialect.linkage}void __assert_fail({parameters}) {dialect.noexcept} {label}"
    return f"#if __has_include(<gnu/libc-version.h>)\n{declared}\n#endif"


def rust_files(candidate: str, tests: str) -> dict[str, str]:
    """Returns the files of a Rust program with tests: text by path.

    The candidate is the crate's root, as it is where a published harness joins both texts. Its last item is a module
    with the tests. The program does not link without that module, whatever attribute the candidate ends with.
    """
    tag = build_tag(candidate, tests)
    names = {"tag": tag}
    if RUST_TEST.search(tests):
        tests, count = count_started(tests, tag)
        arguments, attribute, entry, last = "--test\n", "", RUST_ENTRY_OF_TESTS, ""
        run = RUST_RUN_TESTS % {**names, "count": count}
        declared = f"int code_eval_entry_{tag}(void), __real_main(int, char **, char **);"
    else:
        # The candidate's own `main`, if there is one, is then a function like another.
        arguments, attribute, entry = "", "#![no_main] ", RUST_ENTRY_OF_MAIN
        called = f"code_eval_entry_{tag}" if RUST_MAIN.search(tests) else f"the_tests_define_no_main_{tag}"
        last = RUST_MAIN_ENTRY if RUST_MAIN.search(tests) else ""
        run, declared = f"status = {called}();", f"int {called}(void);"
    macro = "macro_rules! %s { ($($each:tt)*) => { crate::code_eval_%s::code_eval_std::%s!($($each)*) } }"
    macros = "\n".join(macro % (name, tag, name) for name in find_replaced_macros(candidate))
    module = f'\n#[path = "code_eval_{tag}.rs"] mod code_eval_{tag};\n'
    return {
        "candidate.rs": RUST_SHEBANG.sub(attribute, candidate, count=1) + module,
        f"code_eval_{tag}.rs": RUST_AROUND % {**names, "macros": macros, "entry": entry % names},
        f"code_eval_tests_{tag}.rs": f"{tests}\n#[allow(unused_imports)]\nuse crate::*;\n{last % names}",
        f"{TOKEN_FILE}.c": token_source(declared, run),
        RUST_ARGUMENTS_FILE: arguments,
    }


def find_replaced_macros(candidate: str) -> list[str]:
    """Returns those of RUST_MACROS that a candidate may give another meaning: by a definition, or by an import.

    Only these get a definition before the tests, because one beside `use std::panic` is an error.
    """
    named = [name for name in RUST_MACROS.split() if re.search(rf"\b{name}\b", candidate)]
    if "macro_rules" in candidate:
        return named
    return [name for name in named if re.search(rf"\bas\s+(?:r#)?{name}\b", candidate)]


def count_started(tests: str, tag: str) -> tuple[str, int]:
    """Makes each test function of a Rust text say that it has started.

    Returns:
        (the text, how many of them must start: at least 1, and not those that are ignored or conditional).
    """
    count = 0

    def add_call(found: re.Match[str]) -> str:
        nonlocal count
        count += not RUST_IGNORED.search(found["before"] + found["after"])
        return f"{found[0]} crate::code_eval_{tag}::code_eval_started();"

    return RUST_TEST_FUNCTION.sub(add_call, tests), max(1, count)
