"""Right candidates in D with their tests, as models and benchmarks write them: {shape: (candidate, tests)}."""

from support.attacks_d import ARRAYS, CLOSE, MAIN, PLUS, RANGES, STATUS, TESTS, TUPLES

D = {
    "MultiPL-E": (PLUS, TESTS),
    "a main that throws": (PLUS, MAIN),
    "a main with a status": (PLUS, STATUS),
    "comparisons of the library": (PLUS, RANGES + ARRAYS + TUPLES + CLOSE),
    "a module": ("/* Sums. */\nmodule sums;\n" + PLUS, "module tests;\n" + TESTS),
    "a template": ("T add(T)(T a, T b) { return a + b; }\n", TESTS.replace("candidate(2L, 3L)", "candidate(2, 3)")),
    "private names": (
        "private long helper(long a) { return a; }\n" + PLUS.replace("long add", "private long add"),
        TESTS,
    ),
    "optional values": (
        "import std.typecons;\nNullable!(long) half(long n)\n"
        "{\n    return n % 2 ? Nullable!(long).init : nullable(n / 2);\n}\n",
        "unittest\n{\n    alias candidate = half;\n    {\n        auto result = candidate(3L);\n"
        "        assert(result.isNull);\n}\n    {\n        auto result = candidate(4L);\n"
        "        assert(!result.isNull && result.get == 2L);\n}\n}\nvoid main(){}\n",
    ),
    "maps and texts": (
        "import std.typecons, std.string;\nNullable!(long[string]) count(string text)\n{\n    long[string] all;\n"
        "    foreach (word; text.split) all[word]++;\n    return nullable(all);\n}\n",
        'unittest\n{\n    auto result = count("a b a");\n'
        '    assert(!result.isNull && result.get == ["a": 2L, "b": 1L]);\n    assert("a b".split == ["a", "b"]);\n}\n',
    ),
    "types of its own": (
        'struct Point { int x, y; Point opBinary(string op : "+")(Point o) { return Point(x + o.x, y + o.y); } }\n'
        "class Account\n{\n    long cents;\n    void pay(long n) { if (n < 0) throw new Overdrawn; cents += n; }\n}\n"
        'class Overdrawn : Exception { this() { super("Overdrawn"); } }\nenum Kind { one, two }\n',
        "import std.exception;\nunittest\n{\n    assert(Point(1, 2) + Point(1, 1) == Point(2, 3));\n"
        "    auto account = new Account;\n    account.pay(3);\n    assert(account.cents == 3 && Kind.two == 1);\n"
        "    assertThrown!Overdrawn(account.pay(-1));\n    assertThrown!Exception(account.pay(-1));\n}\n",
    ),
    "a failed contract that tests expect": (
        "long half(long n)\nin (n % 2 == 0)\n{\n    return n / 2;\n}\n",
        "import core.exception, std.exception;\n"
        "unittest { assertThrown!AssertError(half(3)); assert(half(4) == 2); }\n",
    ),
    "unit tests of its own": (PLUS + "unittest { assert(add(1, 1) == 2); }\n", TESTS),
    "names of the tests' helpers": (
        "long twice(long n) { return 2 * n; }\nlong abs(long n) { return n < 0 ? -n : n; }\n" + PLUS,
        "long twice(long n) { return n + n; }\nunittest { assert(twice(add(2, 3)) == 10 && abs(-1L) == 1); }\n",
    ),
    "the name of a judge": (
        "import std.algorithm;\nbool equal(long a, long b) { return a % 10 == b % 10; }\n",
        "unittest { alias candidate = equal; assert(candidate(15, 5) && !candidate(1, 5)); }\n",
    ),
    "output that is not flushed": (
        "import std.stdio, core.stdc.stdio;\n"
        'long add(long a, long b) { write("adds"); printf("more"); return a + b; }\n',
        TESTS,
    ),
    "garbage, threads and fibers": (
        "import std.parallelism, std.range, std.algorithm, std.array, core.thread;\nlong add(long a, long b)\n{\n"
        "    long[] all;\n    foreach (i; iota(1000).parallel) all = new long[1000];\n"
        "    long sum;\n    new Fiber({ sum = a + b; }).call();\n    return sum;\n}\n",
        TESTS,
    ),
    "state of the module": (
        "long[] seen;\nimmutable long[3] table;\nshared static this() { table = [1, 2, 3]; }\n"
        "static this() { seen = [1]; }\nlong add(long a, long b) { return a + b + seen.length - table[0]; }\n",
        TESTS,
    ),
    "a name of C's": ("extern (C) " + PLUS.removeprefix("import std.math;\n"), TESTS),
    "a whole program": (PLUS + TESTS, ""),
}
