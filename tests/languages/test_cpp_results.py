"""Results in C++ that are compared elsewhere: they are equal where the language says so, and nowhere else."""

import json

import pytest

from sandboxes import Limits
from sandboxes.languages.apart.cpp import cpp_tests
from sandboxes.languages.programs import build_program
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

INCLUDED = (
    "#include <atomic>\n#include <functional>\n#include <map>\n#include <optional>\n#include <string>\n"
    "#include <vector>\nusing namespace std;\n"
)

# As MultiPL-E writes the result of a function that returns one of several types.
UNION = """\
union Text_number_list {
    string f0;
    long f1;
    vector<long> f2;
    bool f3;
    float f4;
    Text_number_list(string _f0) : f0(_f0) {}
    Text_number_list(long _f1) : f1(_f1) {}
    Text_number_list(vector<long> _f2) : f2(_f2) {}
    Text_number_list(bool _f3) : f3(_f3) {}
    Text_number_list(float _f4) : f4(_f4) {}
    ~Text_number_list() {}
    bool operator==(string f) { return f0 == f; }
    bool operator==(long f) { return f1 == f; }
    bool operator==(vector<long> f) { return f2 == f; }
    bool operator==(bool f) { return f3 == f; }
    bool operator==(float f) { return f4 == f; }
};
"""
ONE_OF = (
    UNION
    + """\
Text_number_list any(long a) {
    if (a == 1) return string("0b") + to_string(a);
    if (a == 2) return vector<long>{1, a};
    if (a == 3) return true;
    if (a == 4) return 2.5f;
    return -1l;
}
"""
)
UNION_CONDITIONS = (
    'any(1) == "0b1"\nany(1) == string("0b1")\nany(2) == (vector<long>({1, 2}))\nany(3) == true\nany(4) == 2.5f\n'
    "any(5) == -1l"
)

# {name: (right candidate, wrong candidate, conditions)}
PROGRAMS = {
    "a union with another number": (ONE_OF, ONE_OF.replace("-1l", "-2l"), UNION_CONDITIONS),
    "a union with another boolean": (ONE_OF, ONE_OF.replace("return true", "return false"), UNION_CONDITIONS),
    "a union with another text": (ONE_OF, ONE_OF.replace("0b", "0x"), UNION_CONDITIONS),
    "a union with another list": (ONE_OF, ONE_OF.replace("{1, a}", "{a, 1}"), UNION_CONDITIONS),
    "characters in a list": (
        "vector<char> all(int a) { return {'a', (char)a}; }",
        "vector<char> all(int a) { return {(char)a, 'a'}; }",
        "all(98) == (vector<char>{'a', 'b'})",
    ),
    "characters as keys": (
        "map<char, int> all(char a) { return {{a, 2}}; }",
        "map<char, int> all(char a) { return {{a, 3}}; }",
        "all('x') == (map<char, int>{{'x', 2}})",
    ),
    "a character's number": (
        "char next(char a) { return a + 1; }",
        "char next(char a) { return a; }",
        "next('a') == 98",
    ),
    "a character that may be missing": (
        "optional<char> next(char a) { return (char)(a + 1); }",
        "optional<char> next(char a) { return {}; }",
        "next('a') == 'b'\nnext('b') == 99",
    ),
    "a double": ("double same(double a) { return a; }", "float same(double a) { return a; }", "same(0.1) == 0.1"),
    "a float": ("float same(float a) { return a; }", "double same(double a) { return a; }", "same(0.1) == 0.1f"),
    "a float that is written longer": (
        "float third() { return 1.0f / 3; }",
        "float third() { return 1.0f / 2; }",
        "third() == 0.333333333f",
    ),
    "floats in a list": (
        "vector<float> all(float a) { return {a / 3, 1}; }",
        "vector<float> all(float a) { return {a / 2, 1}; }",
        "all(1) == (vector<float>{0.333333333, 1})",
    ),
    "a long double that is near": (
        "long double tenth(int a) { return a / 10.0L; }",
        "long double tenth(int a) { return a / 11.0L; }",
        "abs(tenth(1) - 0.1) < 1e-9",
    ),
    "a long double": (
        "double tenth(int a) { return a / 10.0; }",
        "long double tenth(int a) { return a / 10.0L; }",
        "tenth(1) == 0.1",
    ),
    "an enumeration": (
        "enum Colour { RED, GREEN }; Colour green() { return GREEN; }",
        "enum Colour { RED, GREEN }; Colour green() { return RED; }",
        "green() == 1",
    ),
    "an object that becomes a number": (
        "struct Age { int years; operator int() const { return years; } }; Age age(int a) { return {a}; }",
        "struct Age { int years; operator int() const { return years; } }; Age age(int a) { return {a + 1}; }",
        "age(2) == 2",
    ),
    "a long integer": (
        "__int128 twice(__int128 a) { return a + a; }",
        "__int128 twice(__int128 a) { return a; }",
        "twice(3) == 6\ntwice(5000000000) == 10000000000",
    ),
    "a function without a name": (
        "int twice(function<int(int)> f, int a) { return f(f(a)); }",
        "int twice(function<int(int)> f, int a) { return f(a); }",
        "twice([](int a) { return a + 1; }, 2) == 4",
    ),
}
# Comparisons that are made where the candidate is: the text does not say what is equal to what.
OTHERS = {
    "a text with a byte of 0": '"a\\0b"',
    "a text with another byte": '"\\xe9"',
    "a float's product": "0.1f * 3",
    "a number that no double holds": "0.1L",
    "keys that are equal": "map<int, int>{{1, 2}, {1, 3}}",
    "keys that are doubles": "map<double, int>{{2.0, 1}}",
    "tables in a table": "map<int, map<int, int>>{{1, {{2, 3}}}}",
    "numbers as characters": "vector<char>{97}",
    "characters as numbers": "vector<int>{'a'}",
    "characters with a sign": "vector<signed char>{'a'}",
    "a number that no float holds": "vector<float>{16777217}",
}


@pytest.mark.slow
@pytest.mark.languages("cpp")
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_equal_as_in_the_language(name):
    """A right candidate passes, and a wrong one does not, also where its result looks the same in JSON."""
    *candidates, conditions = PROGRAMS[name]
    asserts = "".join(f"    assert({condition});\n" for condition in conditions.split("\n"))
    tests = f"#include <cassert>\nint main() {{\n{asserts}}}\n"
    limits = Limits(wall_seconds=WALL_SECONDS)
    programs = [build_program("cpp", INCLUDED + candidate, tests, limits) for candidate in candidates]
    right, wrong = language_pool("cpp").run_all(programs, 1)
    passes(right)
    assert (wrong.outcome.value, right.grading, wrong.grading) == ("failed", "separate", "separate")


@pytest.mark.parametrize("data", OTHERS.values(), ids=OTHERS)
def test_other_data_is_compared_with_the_candidate(data):
    """Data whose text does not say what it is equal to is compared in the candidate's program."""
    assert cpp_tests(f"int main() {{ assert((add(1) == {data})); }}") is None


def test_floats_are_the_nearest():
    """A number that is a float in C++ is that float's value."""
    plain = cpp_tests("int main() { assert(half(1) == 0.1f); assert(half(2) == (float)0.25); }")
    assert plain and json.loads(plain.expected) == [[0.10000000149011612, 0.0], [0.25, 0.0]]
