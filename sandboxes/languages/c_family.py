"""C, and the generated files that C and C++ have in common.

Candidate and tests are separate files of one translation unit. A comment, a conditional or a string literal that the
candidate leaves open therefore ends with its file. Between the two files, `#undef` takes back macros that the candidate
may have made of keywords. The program starts at the `main` of the tests' text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sandboxes.languages.apart import c_results
from sandboxes.languages.apart.c import c_tests
from sandboxes.languages.apart.cpp import USED as CPP_USED
from sandboxes.languages.base import Language, Recipe, fixed_build
from sandboxes.languages.calls import cpp_results
from sandboxes.languages.native import MAIN_WRAPPER, RUN_PROGRAM, TOKEN_FILE, build_tag, token_source

C_BUILD_FILE = "code_eval_build.sh"
C_MAIN = re.compile(r"\bmain\s*\(([^()]*)\)")
C_MAIN_PARAMETERS = {
    "": re.compile(r"\s*(?:void\s*)?"),
    "int, char **": re.compile(r"\s*int\s+\w+\s*,\s*char\s*(?:\*\s*\*\s*\w+|\*\s*\w+\s*\[\s*\])\s*"),
}

C_REPEATS = re.compile(r"\b(?:for|while|do|goto)\b|#")
MAX_RUN_ONCE_CHARS = 30_000

RUN_ONCE = "CODE_EVAL_RUN_ONCE"
DECLARED_TO_RUN_ONCE = f"""\
#ifndef {RUN_ONCE}
#define {RUN_ONCE}
#endif
%s {RUN_ONCE};
#undef {RUN_ONCE}"""
"""The declaration of a `main` whose statements run once. It has an attribute if ONCE_OPTIONS are given."""

# Optimising the calls of tests takes GCC longer than optimising a short candidate, and gains nothing for statements
# that run once. Without it each temporary value has a place of its own on the stack: 15 bytes for each character of the
# calls if they pass containers, and more if they pass larger objects.
ONCE_OPTIONS = (f'-D{RUN_ONCE}=__attribute__((optimize("O0")))', "-Werror=frame-larger-than=500000")
"""Options of a quick build in C++ that does not optimise such a `main`. It may fail where the plain build does not: a
constant of a class has no place in the program, and some headers check that arguments are constant."""

C_EXCEPTIONS = re.compile(r"\s*((?:noexcept|throw)\b\s*(?:\(\s*(?:true|false)?\s*\))?)")
"""What may follow the parameters of a `main` in C++."""

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

# Functions that end a program that fails: C++'s declaration, and the body of our own function. They are declared before
# the candidate, under a name of the program's own. A candidate that defines one of them does not replace the tests'.
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
    alignas alignof char8_t char16_t char32_t co_await co_return co_yield consteval constinit requires thread_local
"""
"""Keywords of all standards: each is an ordinary name in the older ones, whose macros the tests then lose too."""

# Names that decide whether tests fail, and that are not macros in the C library.
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
%(templates)s
#include "code_eval_tests_%(tag)s.%(suffix)s"
"""

# GCC can make C++ that forgets its `return` fail, but not C. If a function that the tests name may come to its end
# without a `return`, this script puts a trap before its last brace.
C_BUILD = """\
build() {
    LC_ALL=C gcc %(flags)s -Wreturn-type "$@" -o program %(token)s.c code_eval_program.c %(last)s 2>code_eval_errors
}
build || { cat code_eval_errors >&2; exit 1; }
grep -q '^candidate\\.c:.*-Wreturn-type' code_eval_errors || exit 0
build -fdiagnostics-column-unit=byte || build
sed -n "s/^candidate\\.c: In function '\\(.*\\)':$/\\1/p
    s/^candidate\\.c:\\([0-9]*\\):\\([0-9]*\\): warning: \\(no return\\|control reaches end\\).*/\\1 \\2/p" \\
    code_eval_errors |
while read -r line column; do
    if [ -z "$column" ]; then function=$line
    elif grep -qw -- "$function" code_eval_tests_*.c; then echo "$line $column"
    fi
done | sort -rn -k1,1 -k2,2 | while read -r line column; do
    LC_ALL=C sed -i "${line}s/^.\\{$((column - 1))\\}/&__builtin_trap();/" candidate.c
done
build || { cat code_eval_errors >&2; exit 1; }
"""


@dataclass(frozen=True)
class Writer:
    """The functions that write results of calls, of a program with the tag TAG."""

    used: str
    """The statement by which tests write the results."""

    declared: str
    """What comes before the candidate."""

    templates: Callable[[str], str]
    """Candidate -> what comes between it and the tests."""

    defined: str
    """What is in the token's file."""


@dataclass(frozen=True)
class Dialect:
    """The parts of the generated files that differ between C and C++."""

    suffix: str
    """The suffix of source files."""

    linkage: str
    """Prefix of a declaration with C linkage."""

    noexcept: str
    """The suffix of a declaration of a function that does not throw."""

    static_assert: str
    keywords: tuple[str, ...]
    """Names that are not macros any more when the tests begin."""

    redefined: str
    """Directives for keywords that the language's own headers define as macros."""

    writer: Writer
    """What tests that write results of calls need."""


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
    Writer(c_results.USED, c_results.DECLARED, lambda candidate: "", c_results.DEFINED),
)
CPP = Dialect(
    "cpp",
    'extern "C" ',
    "noexcept",
    "static_assert",
    tuple((C_KEYWORDS + CPP_KEYWORDS + C_DECIDING).split()),
    "",
    Writer(CPP_USED, "", cpp_results.listed, cpp_results.IN_TOKEN),
)
C_FLAGS = "-std=c17 -O2 -fsanitize=unreachable -fsanitize-undefined-trap-on-error"


def c_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a C program with tests, with the script that builds it: text by path."""
    build = C_BUILD % {"flags": C_FLAGS, "token": TOKEN_FILE, "last": f"{MAIN_WRAPPER} -lm"}
    return {**c_family_files(C, candidate, tests), C_BUILD_FILE: build}


def c_family_files(dialect: Dialect, candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program. Its code_eval_program file and its token file are compiled.

    Args:
        dialect: that of the candidate.
        candidate: source.
        tests: source.
    """
    tag, suffix = build_tag(candidate, tests), dialect.suffix
    main = declare_main(dialect, tests, tag)
    if main:
        entry = f"code_eval_main_{tag}"
    else:
        # Without a `main` in the tests the program does not link, whatever the candidate defines.
        entry = "__real_main" if "main" in tests.lower() else f"the_tests_define_no_main_{tag}"
    ends = [name for name in C_ENDS if re.search(rf"\b{name}\b", tests)]
    labels = [f'{C_ENDS[name][0]} __asm__("code_eval_{name}_{tag}") __attribute__((noreturn));' for name in ends]
    labels = [dialect.linkage + label.replace("NOEXCEPT", dialect.noexcept) for label in labels]
    declared, templates, defined = (
        text.replace("TAG", tag) if dialect.writer.used in tests else ""
        for text in (dialect.writer.declared, dialect.writer.templates(candidate), dialect.writer.defined)
    )
    # A candidate may have made macros of names in the templates.
    names = re.findall(r"\b[A-Za-z_]\w*", re.sub("//.*", "", templates))
    macros = dict.fromkeys((*dialect.keywords, *names))
    program = {
        "labels": "\n".join([declare_assert(dialect, tag), *labels, declared, main]),
        "suffix": suffix,
        "undefined": "\n".join([*(f"#undef {name}" for name in macros), dialect.redefined]),
        "static_assert": dialect.static_assert,
        "templates": templates,
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
            "\n".join([C_FAILED_ASSERT % {"tag": tag}, *functions, defined]),
        ),
    }


def declare_main(dialect: Dialect, tests: str, tag: str) -> str:
    """Return a declaration that gives the tests' `main` a name of its own, or "" if its type is not plain.

    A candidate can then neither rename it nor define another `main` beside it.
    """
    before, *parts = C_MAIN.split(tests)
    if len(parts) != 2 or not re.search(r"\bint\s+\Z", before):
        return ""
    parameters, body = parts
    for declared, pattern in C_MAIN_PARAMETERS.items():
        if pattern.fullmatch(parameters):
            exceptions = C_EXCEPTIONS.match(body) if dialect is CPP else None
            noexcept = f" {exceptions[1]}" if exceptions else ""
            declaration = f'int main({declared}){noexcept} __asm__("code_eval_main_{tag}")'
            once = dialect is CPP and runs_once(before, body)
            return DECLARED_TO_RUN_ONCE % declaration if once else f"{declaration};"
    return ""


def runs_once(before: str, body: str) -> bool:
    """Return whether the tests' `main` has few statements, none of which can run more than once.

    Args:
        before: the tests' text before it.
        body: the text after its parameters.
    """
    return len(body) <= MAX_RUN_ONCE_CHARS and "#define" not in before and not C_REPEATS.search(body)


def declare_assert(dialect: Dialect, tag: str) -> str:
    """Return a declaration that sends failed assertions of the GNU C library to the token's file."""
    parameters = "const char *, const char *, unsigned int, const char *"
    label = f'__asm__("code_eval_assert_{tag}") __attribute__((noreturn));'
    declared = f"{dialect.linkage}void __assert_fail({parameters}) {dialect.noexcept} {label}"
    return f"#if __has_include(<gnu/libc-version.h>)\n{declared}\n#endif"


# Solutions of contests read files of their authors', unless this is defined.
ONLINE_JUDGE = "-DONLINE_JUDGE"
C_STANDALONE = ("gcc", "-std=c17", "-O2", "-o", "program", ONLINE_JUDGE, "candidate.c", "-lm")

C_LANGUAGE = Language(
    name="c",
    label="C",
    with_tests=Recipe(c_files, fixed_build(("sh", C_BUILD_FILE)), RUN_PROGRAM, sources=(".c",)),
    standalone=Recipe(lambda candidate, tests: {"candidate.c": candidate}, fixed_build(C_STANDALONE), RUN_PROGRAM),
    version=lambda: ("gcc", "--version"),
    package="gcc",
    image="gcc:12",
    highlight="c",
    canary=("int add(int a, int b) { return a + b; }", "#include <assert.h>\nint main() { assert(add(2, 3) == 5); }"),
    plain_tests=c_tests,
    tools=("gcc", "ld"),
)
