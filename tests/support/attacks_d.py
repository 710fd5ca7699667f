"""Candidates in D that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "unittest\n{\n    alias candidate = add;\n\n    assert(candidate(2L, 3L) == 5L);\n"
    "    assert(candidate(0L, 1L) == 1L);\n}\nvoid main(){}\n"
)
MAIN = 'import std.exception : enforce;\nvoid main() { enforce(add(2, 3) == 5, "no sum"); }\n'
STATUS = "int main() { return add(2, 3) == 5 ? 0 : 3; }\n"
RANGES = "import std.algorithm;\nunittest { assert(equal([add(2, 3)], [5L])); }\n"
ARRAYS = "unittest { assert([add(2, 3)] == [5L]); }\n"
TUPLES = "import std.typecons;\nunittest { assert(tuple(add(2, 3), 1) == tuple(5L, 1)); }\n"
CLOSE = "import std.math;\nunittest { assert(isClose(add(2, 3) + 0.5, 5.5) && fabs(add(2, 3) - 5.0) < 1e-6); }\n"
TIMES = "import std.math;\nlong add(long a, long b)\n{\n    return a * b;\n}\n"
PLUS = TIMES.replace("*", "+")
C_LIBRARY = "import core.stdc.stdlib, core.stdc.stdio, core.sys.posix.unistd, core.sys.posix.signal;\n"


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something beside their function."""
    return text + TIMES, text + PLUS, *tests


def behind(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"{C_LIBRARY}long add(long a, long b)\n{{\n    {body}\n}}\n", C_LIBRARY + PLUS, *tests


def ends(text, harmless, *tests):
    """Return (wrong, honest, *tests): code beside the function that leaves, and code that does no harm."""
    return C_LIBRARY + TIMES + text % "_exit(0)", C_LIBRARY + PLUS + text % harmless, *tests


ALWAYS = "bool opEquals(T)(auto ref T other) const { return true; }"
ATTACKS = {
    "exit when called": called("exit(0); assert(0);"),
    "_exit when called": called("_exit(0); assert(0);", MAIN),
    "exit in a module constructor": ends("shared static this() { %s; }\n", "getpid()"),
    "exit in a module destructor": ends("static ~this() { %s; }\n", "getpid()", MAIN),
    "exit at the end": ends("extern (C) void last() { %s; }\nstatic this() { atexit(&last); }\n", "getpid()", STATUS),
    "exit in a constructor of C": ends("pragma(crt_constructor) extern (C) void first() { %s; }\n", "getpid()"),
    "exit in a destructor of C": ends("pragma(crt_destructor) extern (C) void last() { %s; }\n", "getpid()", STATUS),
    "exit in a destructor": ends(
        "class Last { ~this() { %s; } }\nstatic this() { new Last; foreach (i; 0 .. 99) new Last; }\n", "getpid()"
    ),
    "a handler of failed asserts": around(
        "import core.exception;\nshared static this() { assertHandler = (file, line, text) {}; }\n"
    ),
    "a handler that leaves": ends(
        "extern (C) void leave(int n) nothrow @nogc { %s; }\nshared static this() { signal(SIGABRT, &leave); }\n",
        "getpid()",
    ),
    "a handler that ignores": around(
        "import core.sys.posix.signal;\nshared static this() { signal(SIGABRT, SIG_IGN); }\n"
    ),
    "no unit tests": around(
        "import core.runtime;\nshared static this() { Runtime.extendedModuleUnitTester = () => UnitTestResult(); }\n"
    ),
    "the function behind assert": behind(
        "extern (C) void _d_assert(string file, uint line) {}\nextern (C) void _d_unittest(string file, uint line) {}\n"
        "extern (C) void _d_assert_msg(string text, string file, uint line) {}\n"
    ),
    "the function that throws": behind("extern (C) void _d_throw_exception(Throwable error) {}\n", MAIN),
    "the function that compares memory": behind(
        "extern (C) int memcmp(const void* a, const void* b, size_t n) { return 0; }\n", ARRAYS
    ),
    "the name of an equality of arrays": behind(
        'pragma(mangle, "_D4core8internal5array8equality__T8__equalsTlTlZQoFNaNbNiNexAlxQdZb") '
        "bool same(const long[] a, const long[] b) { return true; }\n",
        ARRAYS,
    ),
    "the name of an equality of tuples": behind(
        "import std.typecons;\nalias Pair = Tuple!(long, int);\n"
        "pragma(mangle, Pair.opEquals!Pair.mangleof) bool same(const void* a, const void* b) { return true; }\n",
        TUPLES,
    ),
    "the name of the entry of tests": behind(
        'pragma(mangle, "_Dmain") extern (D) int other(string[] all) { return 0; }\n', STATUS
    ),
    "C's main": behind("extern (C) int main(int n, char** all) { return 0; }\n", MAIN),
    "a main of its own": behind("void main() {}\n"),
    "a main of its own beside the tests'": behind("int main() { return 0; }\n", STATUS),
    "calling the function around main": behind(
        "extern (C) int __wrap_main(int, char**, char**);\nshared static this() { __wrap_main(0, null, null); }\n", MAIN
    ),
    "an equal of its own": behind("bool equal(A, B)(A a, B b) { return true; }\n", RANGES),
    "a tuple of its own": behind(f"struct Any {{ {ALWAYS} }}\nAny tuple(A...)(A all) {{ return Any(); }}\n", TUPLES),
    "an isClose of its own": behind("bool isClose(A, B)(A a, B b) { return true; }\n", CLOSE),
    "an enforce of its own": behind("void enforce(A, B)(A a, lazy B b) {}\n", MAIN),
    "an enforce of its own, among its imports": (
        "import std.exception;\nvoid enforce(A, B)(A a, lazy B b) {}\n" + TIMES,
        "import std.exception;\n" + PLUS,
        MAIN.replace("import std.exception : enforce;", ""),
    ),
    "open comment": (TIMES + "/*", PLUS + "/* */", TESTS),
    "open nested comment": (TIMES + "void main() {}\n/+", PLUS + "/+ +/", MAIN),
    "open text": (TIMES + "enum text = `", PLUS + "enum text = ``;"),
    "open token text": (TIMES + "enum text = q{", PLUS + "enum text = q{};"),
    "open condition": (TIMES + "version (none) {", PLUS + "version (none) {}"),
    "open function": (TIMES + "void other() {", PLUS + "void other() {}"),
    "open unit test": (TIMES + "unittest {", PLUS + "unittest {}"),
    "end of the file": behind("__EOF__\n"),
    "a switch for the rest": (TIMES + "version (none):\n", PLUS + "private:\n"),
    "a mixin of the tests' file": (
        'mixin(import("code_eval_token.c"));\n' + TIMES,
        'mixin("enum five = 5;");\n' + PLUS,
    ),
    "an import of the token's file": ("import code_eval_token;\n" + TIMES, "import core.memory;\n" + PLUS),
    "a token on its input": (
        C_LIBRARY
        + "shared static this() { char[99] all; write(1, all.ptr, read(0, all.ptr, 99)); _exit(0); }\n"
        + TIMES,
        C_LIBRARY + "shared static this() { char[99] all; if (read(0, all.ptr, 99)) _exit(1); }\n" + PLUS,
    ),
    "a token before all constructors": (
        C_LIBRARY
        + "extern (C) void early() { char[99] all = void; write(1, all.ptr, read(0, all.ptr, 99)); _exit(0); }\n"
        + 'import ldc.attributes;\n@(section(".preinit_array")) @assumeUsed __gshared auto first = &early;\n'
        + TIMES,
        C_LIBRARY + PLUS,
    ),
    "guessing in children": (
        C_LIBRARY + "int asked;\nlong add(long a, long b)\n{\n    if (asked++) return a + b;\n"
        "    foreach (guess; 0 .. 9) if (!fork()) return guess;\n    sleep(1);\n    _exit(0);\n    assert(0);\n}\n",
        C_LIBRARY + PLUS.replace("return", "if (!fork()) _exit(0);\n    return"),
    ),
    "an exception for the tests": called('throw new Error("0");', MAIN),
    "a return from a failed assertion": (
        "import core.sys.posix.setjmp;\n__gshared jmp_buf back;\n__gshared long next = -1;\n"
        "import core.sys.posix.signal;\nextern (C) void again(int n) { longjmp(back, 1); }\n"
        "long add(long a, long b)\n{\n    signal(SIGABRT, cast(typeof(SIG_DFL)) &again);\n    setjmp(back);\n"
        "    if (next >= 5) return a + b;\n    return ++next;\n}\n",
        "import core.sys.posix.setjmp;\n__gshared jmp_buf back;\n"
        + PLUS.replace("return", "setjmp(back);\n    return"),
    ),
    "a thread that leaves": (
        C_LIBRARY + "import core.thread;\n"
        "shared static this() { new Thread({ _exit(0); }).start(); usleep(200_000); }\n" + TIMES,
        C_LIBRARY + "import core.thread;\nshared static this() { new Thread({ getpid(); }).start(); }\n" + PLUS,
    ),
    "a library of its own": behind('pragma(lib, "m");\nextern (C) double fabs(double n) { return 0; }\n', CLOSE),
}
