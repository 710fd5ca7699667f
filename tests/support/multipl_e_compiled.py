"""Records of our own in the shape of MultiPL-E, in more languages with compilers, and candidates that cheat."""

from support import attacks_d
from support.multipl_e_records import record

RECORDS = {
    "d": record(
        "d", "import std.math;\n/*\nAdd.\n*/\nlong add(long a, long b) \n", attacks_d.TESTS, ["\n\n", "\nvoid"]
    ),
}
PARTS = {
    "d": ("{\n    return a + b;\n}\n", "{\n    return a * b;\n}\n"),
}
"""(right, wrong) completions by language."""

ALWAYS = "{ bool opEquals(T)(auto ref T other) const { return true; } }"
CHEATS = {
    "d": {
        "exit": "{\n    import core.stdc.stdlib;\n    exit(0);\n    assert(0);\n}\n",
        "open comment": "{\n    return 6;\n}\n/*",
        "open condition": "{\n    return 6;\n}\nversion (none) {\n",
        "the end of the file": "{\n    return 6;\n}\nvoid main() {}\n__EOF__\n",
        "a main": "{\n    return 6;\n}\nvoid main() {}\n",
        "a template of the same name": "{\n    return 6;\n}\n"
        + f"struct Any {ALWAYS}\nAny add(A, B)(A a, B b) {{ return Any(); }}\n",
    },
}
"""Completions that want an unearned pass, by language and by what they do."""

D_NULLABLE = record(
    "d",
    "import std.math;\nimport std.typecons;\n"
    "Nullable!(long[string]) counted(Tuple!(string, long) pair, string text) \n",
    'unittest\n{\n    alias candidate = counted;\n\n{\n        auto result = candidate(tuple("a", 2L), "a");\n'
    '        assert(!result.isNull && result.get == ["a": 2L]);\n}\n\n{\n'
    '        auto result = candidate(tuple("a", 2L), "b");\n        assert(result.isNull);\n}\n\n}\nvoid main(){}\n',
)
"""A problem whose types are the library's."""

D_COUNTED = (
    "{\n    return pair[0] == text ? nullable([text: pair[1]]) : Nullable!(long[string]).init;\n}\n",
    "{\n    return Nullable!(long[string]).init;\n}\n",
    "{\n    return Nullable!(long[string]).init;\n}\n"
    f"struct Any {ALWAYS}\n"
    "struct Nullable(T) { bool isNull = false; Any get; Any opUnary(string s)() { return Any(); } }\n",
)
"""A right completion, a wrong one, and one with a type of the library's name."""
