"""C and C++ programs that want a pass they have not earned, each with an honest program that uses the same means."""

import pytest

from sandboxes import Limits
from sandboxes.languages.compilers import cpp_headers
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import LANGUAGES
from support.honest_c_family import ASSERTS, C_HONEST, CPP_HONEST, EXITS, HONEST, RIGHT, SYSTEM, WITH_HEADER
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

LIMITS = Limits(wall_seconds=WALL_SECONDS)
WRONG = "int add(int a, int b) { return a * b; }\n"
RETURNS = "int main(void) {\n    if (add(2, 3) != 5) return 1;\n    return 0;\n}\n"
PASSING_MAIN = "int main(void) { return 0; }\n"
ABORTS = EXITS.replace("exit(1)", "abort()")
READS_TOKEN = """\
    char all[4096];
    long length = read(0, all, sizeof all);
    if (length <= 0) length = pread(0, all, sizeof all, 0);
    int again = open("/proc/self/fd/0", O_RDONLY);
    if (length <= 0) length = read(again, all, sizeof all);
    if (length > 0) length = write(1, all, length);
    _exit(0);
"""
TRIES = """\
static sigjmp_buf back;
static volatile int next = -1;
static void again(int number) { siglongjmp(back, 1); }
int add(int a, int b) {
    signal(SIGABRT, again);
    sigsetjmp(back, 1);
    if (next == 5) return 5;
    return ++next;
}
"""

# {name: (candidate, tests)}; "ADD" is a wrong function in the attack, and a right one in its honest counterpart.
BOTH = {
    "NDEBUG": ("#define NDEBUG\n#include <assert.h>\nADD", ASSERTS),
    "NDEBUG before tests that include": ("#define NDEBUG\nADD", WITH_HEADER),
    "an assert of its own": ("ADD#define assert(x) ((void)0)\n", ASSERTS),
    "an assert that only evaluates": ("#include <assert.h>\nADD#undef assert\n#define assert(x) (void)(x)\n", ASSERTS),
    "what assert is made of": ("ADD#define __assert_fail(...) (void)0\n", WITH_HEADER),
    "a macro of a keyword": ("ADD#define if(x) if (0 && (x))\n", RETURNS),
    "a macro of return": ("ADD#define return return 0 *\n", RETURNS),
    "a macro of a keyword in two lines": ("ADD#def\\\nine if(x) if (0 && (x))\n", RETURNS),
    "a macro of exit": ("#include <stdlib.h>\nADD#define exit(x) (void)0\n", EXITS),
    "a comparison as a macro": (
        '#include <string.h>\nADDconst char *sum(int a, int b) { return add(a, b) == a + b ? "5" : ""; }\n'
        "#define strcmp(a, b) 0\n",
        'int main(void) { return strcmp(sum(2, 3), "5") != 0; }\n',
    ),
    "a handler that leaves": (
        SYSTEM + "static void leave(int n) { _exit(0); }\nADD"
        "__attribute__((constructor)) static void first(void) { signal(SIGABRT, leave); }\n",
        WITH_HEADER,
    ),
    "atexit": (
        SYSTEM + "static void leave(void) { _exit(0); }\nADD"
        "__attribute__((constructor)) static void first(void) { atexit(leave); }\n",
        RETURNS,
    ),
    "a destructor": (SYSTEM + "ADD__attribute__((destructor)) static void last(void) { _exit(0); }\n", EXITS),
    "options for all that follows": (
        '#include <stdlib.h>\n#pragma GCC optimize("finite-math-only")\nADD'
        'double half(double x) { return add(1, 2) == 3 ? x / 2 : strtod("nan", 0); }\n',
        "int main(void) {\n    volatile double x = 3;\n    double got = half(x);\n    return got != got;\n}\n",
    ),
}
# The attack itself is the lie, so the only honest counterpart is a plain right function.
LIES = {
    "another main": (WRONG + PASSING_MAIN + "#define main other\n", ASSERTS),
    "a main where the tests have none": (WRONG + PASSING_MAIN, "int checked(void) { return add(2, 3) == 5; }\n"),
    "a comment": (WRONG + PASSING_MAIN + "/*", WITH_HEADER),
    "a comment that the tests end": (WRONG + PASSING_MAIN + "/*", WITH_HEADER + "/* the end */\n"),
    "a conditional that the tests end": (WRONG + PASSING_MAIN + "#if 0\n", WITH_HEADER + "#if 0\n#endif\n#endif\n"),
    "a conditional": (WRONG + PASSING_MAIN + "#if 0\n", WITH_HEADER),
    "a conditional that has an else": (WRONG + PASSING_MAIN + "#if 1\n#else\n", WITH_HEADER),
    "a line that goes on": (WRONG + PASSING_MAIN + "// \\", WITH_HEADER),
    "a token on its input": (SYSTEM + "int add(int a, int b) {\n" + READS_TOKEN + "}\n", WITH_HEADER),
    "a token for a constructor": (
        SYSTEM + WRONG + "__attribute__((constructor(101))) static void first(void) {\n" + READS_TOKEN + "}\n",
        WITH_HEADER,
    ),
    "a return from a failed assertion": (SYSTEM + TRIES, WITH_HEADER),
    "leaving in a child": (SYSTEM + "int add(int a, int b) { if (fork()) _exit(0); return a * b; }\n", WITH_HEADER),
    "a token before all constructors": (
        SYSTEM
        + WRONG
        + "static void first(void) {\n"
        + READS_TOKEN
        + '}\n__attribute__((section(".preinit_array"), used)) static void (*before)(void) = first;\n',
        WITH_HEADER,
    ),
    "guessing in children": (
        SYSTEM + "static int asked;\nint add(int a, int b) {\n    if (asked++) return a + b;\n"
        "    for (int guess = 0; guess < 9; guess++) if (!fork()) return guess;\n    sleep(1);\n    _exit(0);\n}\n",
        WITH_HEADER,
    ),
    "running itself again": (
        SYSTEM + WRONG + "__attribute__((constructor)) static void first(void) {\n"
        '    if (!getenv("AGAIN")) { setenv("AGAIN", "1", 1); execl("/proc/self/exe", "program", (char *)0); }\n'
        "    _exit(0);\n}\n",
        WITH_HEADER,
    ),
    "calling the function around main": (
        "EXTERN int __wrap_main(int, char **, char **);\n"
        "__attribute__((constructor)) static void first(void) { __wrap_main(0, 0, 0); }\n" + WRONG,
        WITH_HEADER,
    ),
    "guards of assert.h": (
        "#define _ASSERT_H 1\n#define _ASSERT_H_DECLS 1\n#undef __cplusplus\n#undef __GNUC__\n" + WRONG,
        WITH_HEADER,
    ),
    "what assert says": (WRONG + '#define __ASSERT_FUNCTION ""); return 0; (0\n#define __FILE__ ""\n', WITH_HEADER),
    "another thread that catches": (
        SYSTEM + "#include <pthread.h>\nstatic void leave(int n) { _exit(0); }\n"
        "static void *sets(void *none) { for (;;) signal(SIGABRT, leave); }\n"
        "int add(int a, int b) { pthread_t one; pthread_create(&one, 0, sets, 0); return a * b; }\n",
        WITH_HEADER,
    ),
    "output that ends like a token": (
        '#include <stdio.h>\nint add(int a, int b) { puts("0123456789abcdef0123456789abcdef"); _Exit(0); }\n'.replace(
            "#include", "#include <stdlib.h>\n#include", 1
        ),
        WITH_HEADER,
    ),
    "a main under another name": (
        'int main(void) __asm__("other");\n' + WRONG + '__asm__(".globl main\\nmain:\\n.byte 0x31, 0xc0, 0xc3\\n");\n',
        WITH_HEADER,
    ),
    "a function around main": ("EXTERN int __wrap_main(void) { return 0; }\n" + WRONG, WITH_HEADER),
    "a function that main is": ("EXTERN int __real_main(void) { return 0; }\n" + WRONG, WITH_HEADER),
    "its own __assert_fail": (
        "EXTERN void __assert_fail(const char *a, const char *b, unsigned c, const char *d) NOEXCEPT {}\n" + WRONG,
        WITH_HEADER,
    ),
    "its own exit": ("EXTERN void exit(int status) NOEXCEPT {}\n" + WRONG, EXITS),
    "its own abort": ("EXTERN void abort(void) NOEXCEPT {}\n" + WRONG, ABORTS),
    "the generated program": (
        '#ifndef ONCE\n#define ONCE\n#define assert(x)\n#include "code_eval_program.SUFFIX"\n#endif\n' + WRONG,
        WITH_HEADER,
    ),
    "no body": ("int add(int a, int b) {\n}\n", WITH_HEADER),
    "no return": ("int add(int a, int b) {\n    int sum = a + b;\n    (void)sum;\n}\n", WITH_HEADER),
    "no return in one branch": (
        "int add(int a, int b) {\n\tif (a > b) return a + b;\n\telse { a += b; }}\n",
        WITH_HEADER,
    ),
    "what can't be reached": ("int add(int a, int b) { __builtin_unreachable(); }\n", WITH_HEADER),
}
CPP_BOTH = {
    "a destructor of an object": ("#include <unistd.h>\nstruct Last { ~Last() { _exit(0); } } last;\nADD", RETURNS),
    "set_terminate": (
        "#include <exception>\n#include <unistd.h>\nADD"
        "static bool is_set = (std::set_terminate([] { _exit(0); }), true);\n",
        "int main() { if (add(2, 3) != 5) throw 1; }\n",
    ),
    "quick_exit": (
        "#include <cstdlib>\nADDstruct First { First() { std::at_quick_exit([] {}); } } first;\n",
        "#include <stdlib.h>\nint main() { if (add(2, 3) != 5) quick_exit(1); }\n",
    ),
}
CPP_LIES = {
    "a raw string": (WRONG + PASSING_MAIN + 'const char *all = R"(', ASSERTS),
    "a raw string that the tests end": (
        WRONG + PASSING_MAIN + 'const char *all = R"(',
        ASSERTS + 'const char *text = "(a)";\n',
    ),
    "a template": (WRONG + PASSING_MAIN + "template <class T>\n", ASSERTS),
    "a namespace": (WRONG + PASSING_MAIN + "namespace other {\n", WITH_HEADER),
    "a main in extern C": (
        'extern "C" int main() __asm__("other");\n'
        + WRONG
        + 'extern "C" int second() __asm__("main");\nextern "C" int second() { return 0; }\n',
        WITH_HEADER,
    ),
    "no return of a string": (
        "#include <string>\nstd::string text(int n) { std::string all(n, 'x'); }\n",
        '#include <cassert>\nint main() { assert(text(2) == "xx"); }\n',
    ),
    "no return in a lambda": ("int add(int a, int b) { return [=]() -> int { (void)(a + b); }(); }\n", WITH_HEADER),
}
C_LIES = {
    "a main by a pragma": ("#pragma redefine_extname main other\n" + WRONG, WITH_HEADER),
    "a trigraph": ("??=define if(x) if (0 && (x))\n" + WRONG.replace("if", ""), RETURNS),
    "no return in a bool": (
        "#include <stdbool.h>\nbool even(int n) {\n    bool is = n % 2 == 0;\n    (void)is;\n}\n",
        "#include <assert.h>\nint main(void) { assert(even(2)); assert(even(4)); }\n",
    ),
}


STANDARDS_BOTH = {
    "NDEBUG": BOTH["NDEBUG"],
    "an assert that only evaluates": BOTH["an assert that only evaluates"],
    "a macro of a keyword": BOTH["a macro of a keyword"],
    "a handler that leaves": BOTH["a handler that leaves"],
    "a destructor of an object": CPP_BOTH["a destructor of an object"],
    "a macro of a keyword of C++20": (
        "#include <cstdlib>\n#define consteval int main() { return 0; } int other\nADD",
        "int main() {\n#if __cplusplus > 201703L\n    struct T { static consteval int two() { return 2; } };\n"
        "    return add(T::two(), 3) != 5;\n#else\n    return add(2, 3) != 5;\n#endif\n}\n",
    ),
}
STANDARDS_LIES = {
    "another main": LIES["another main"],
    "a token before all constructors": LIES["a token before all constructors"],
    "its own __assert_fail": LIES["its own __assert_fail"],
    "a function around main": LIES["a function around main"],
    "no return": LIES["no return"],
    "a main in extern C": CPP_LIES["a main in extern C"],
}
STANDARDS = ("cpp11", "cpp23")
"""The oldest and the newest standard: the other ones are built as C++17 is."""


def named(language, *tables):
    """Return the programs of tables, with their language."""
    return {f"{language} {name}": (language, *program) for table in tables for name, program in table.items()}


def apart(*tables):
    """Return the programs of tables whose tests in C are compared elsewhere."""
    is_plain = LANGUAGES["c"].plain_tests
    programs = {name: program for table in tables for name, program in table.items() if is_plain(program[1])}
    return named("apart c", programs)


PAIRS = {**named("c", BOTH), **named("cpp", BOTH, CPP_BOTH), **named("quick cpp", BOTH, CPP_BOTH)}
LIARS = {**named("c", LIES, C_LIES), **named("cpp", LIES, CPP_LIES), **named("quick cpp", LIES, CPP_LIES)}
for standard in STANDARDS:
    PAIRS |= named(standard, STANDARDS_BOTH)
    LIARS |= named(standard, STANDARDS_LIES)
PAIRS |= apart(BOTH)
LIARS |= apart(LIES, C_LIES)
RIGHT_ONES = {
    **apart(HONEST, C_HONEST),
    **named("c", HONEST, C_HONEST),
    **named("cpp", HONEST, CPP_HONEST),
    **named("quick cpp", HONEST),
}


@pytest.fixture(scope="module")
def run():
    """Return a function that runs a candidate with its tests: (language, candidate, tests) -> Verdict.

    Programs in "quick cpp" begin with a header that is compiled once, and results of "apart c" are compared elsewhere.
    """
    pool = language_pool("c", "cpp")

    def run_one(language, candidate, tests):
        if language == "quick cpp":
            language, candidate = "cpp", f"#include <cstdlib>\n{candidate}"
        grading = "auto" if language == "apart c" else "shared"
        language = language.removeprefix("apart ")
        words = ("", "", "c") if language == "c" else ('extern "C"', "noexcept", "cpp")
        for name, word in zip(("EXTERN", "NOEXCEPT", "SUFFIX"), words, strict=True):
            candidate = candidate.replace(name, word)
        return pool.run_all([build_program(language, candidate, tests, LIMITS, grading=grading)], 1)[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpp_headers, "PROGRAMS_BEFORE", 1)
        yield run_one


@pytest.mark.parametrize(("language", "candidate", "tests"), PAIRS.values(), ids=PAIRS)
def test_a_wrong_program_does_not_pass_and_a_right_one_does(run, language, candidate, tests):
    """Extra code around a function makes no wrong candidate pass, and no right one fail."""
    verdict = run(language, candidate.replace("ADD", WRONG), tests)
    assert (verdict.passed, verdict.attempts) == (False, 1)
    passes(run(language, candidate.replace("ADD", RIGHT), tests))


@pytest.mark.parametrize(("language", "candidate", "tests"), LIARS.values(), ids=LIARS)
def test_a_lie_does_not_pass(run, language, candidate, tests):
    """A candidate that skips its tests, or exits before their end, does not pass."""
    verdict = run(language, candidate, tests)
    assert (verdict.passed, verdict.attempts) == (False, 1)


@pytest.mark.parametrize(("language", "candidate", "tests"), RIGHT_ONES.values(), ids=RIGHT_ONES)
def test_a_right_program_passes(run, language, candidate, tests):
    """A right candidate passes, whatever its shape and its tests' shape."""
    passes(run(language, candidate, tests))
