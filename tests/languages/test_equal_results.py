"""Results that are compared elsewhere, in Java, Rust, Kotlin and D: they are equal where the language says so."""

import json

import pytest

from sandboxes import Limits
from sandboxes.languages.apart.java import java_tests
from sandboxes.languages.apart.rust import rust_tests
from sandboxes.languages.programs import build_program
from support.languages import language_pool
from support.observers import passes
from support.plain_frames import JAVA, KOTLIN, RUST
from support.requirements import WALL_SECONDS

JAVA_CANDIDATE = "import java.util.*;\nclass Solution {\n    BODY\n}\n"
FRAMES = {
    "d": ("BODY", "unittest\n{\n    BODY\n}\nvoid main(){}\n"),
    "java": (JAVA_CANDIDATE, JAVA),
    "kotlin": ("BODY", KOTLIN),
    "rust": ("BODY", RUST),
}
"""What is around candidates and conditions."""

TWO_IN_JAVA = 'List<Object> all(int a) { return Arrays.asList(a, "x", OTHER); }'
F32 = "fn same(a: f32) -> f32 { a }"

# {name: (language, right candidate, wrong candidate, condition)}
PROGRAMS = {
    "a long in place of an Integer": (
        "java",
        "Integer same(int a) { return a; }",
        "Long same(int a) { return (long) a; }",
        "s.same(5).equals(5)",
    ),
    "a float in place of a double": (
        "java",
        "double same(double a) { return a; }",
        "float same(double a) { return (float) a; }",
        "s.same(0.1) == 0.1",
    ),
    "a whole number that is a Double": (
        "java",
        TWO_IN_JAVA.replace("OTHER", "2"),
        TWO_IN_JAVA.replace("OTHER", "2.0"),
        's.all(1).equals(Arrays.asList(1, "x", 2))',
    ),
    "a zero with a sign": (
        "java",
        "List<Double> all(double a) { return List.of(a); }",
        "List<Double> all(double a) { return List.of(-a); }",
        "s.all(0.0).equals(Arrays.asList(0.0))",
    ),
    "a set in place of a list": (
        "java",
        "List<Integer> all(int a) { return List.of(a, 2); }",
        "Set<Integer> all(int a) { return new TreeSet<>(List.of(a, 2)); }",
        "s.all(1).equals(List.of(1, 2))",
    ),
    "a text as a key": (
        "java",
        'Map<Integer, String> all(int a) { return Map.of(a, "x"); }',
        'Map<String, String> all(int a) { return Map.of("" + a, "x"); }',
        's.all(1).equals(Map.of(1, "x"))',
    ),
    "a text in place of a character": (
        "java",
        "List<Character> all(char a) { return List.of(a); }",
        'List<String> all(char a) { return List.of("" + a); }',
        "s.all('a').equals(List.of('a'))",
    ),
    "longs that are written with a cast": (
        "java",
        "List<Long> all(long a) { return List.of(a, -a); }",
        "List<Integer> all(long a) { return List.of((int) a, (int) -a); }",
        "s.all(2).equals(new ArrayList<Long>(Arrays.asList((long)2, (long)-2)))",
    ),
    "a text in place of a number in Kotlin": (
        "kotlin",
        "fun same(a: Int): Any = a",
        "fun same(a: Int): Any = a.toChar().toString()",
        "check(same(65) == 65)",
    ),
    "a character's number in Java": (
        "java",
        "char next(char a) { return (char) (a + 1); }",
        "char next(char a) { return a; }",
        "s.next('a') == 98",
    ),
    "a character's number in D": (
        "d",
        "char next(char a) { return cast(char) (a + 1); }",
        "char next(char a) { return a; }",
        "assert(next('a') == 98);",
    ),
    "a float in place of a double in D": (
        "d",
        "double same(double a) { return a; }",
        "float same(double a) { return a; }",
        "assert(same(0.1) == 0.1);",
    ),
    "a float that is written longer in Kotlin": (
        "kotlin",
        "fun third(a: Float): Float = a / 3",
        "fun third(a: Float): Float = a / 2",
        "check(third(1f) == 0.333333333f)",
    ),
    "a number of 32 bits that is written longer": (
        "rust",
        F32,
        F32.replace("{ a", "{ a + 0.0001"),
        "assert_eq!(same(0.333333333), 0.333333333);",
    ),
    "numbers of 32 bits in a list": (
        "rust",
        "fn all(a: f32) -> Vec<f32> { vec![a, 1.0] }",
        "fn all(a: f32) -> Vec<f32> { vec![1.0, a] }",
        "assert_eq!(all(0.123456789), vec![0.123456789, 1.0]);",
    ),
    "a text that may be borrowed": (
        "rust",
        'use std::borrow::Cow;\nfn named(a: &str) -> Cow<str> { if a == "" { "-".into() } else { a.into() } }',
        'use std::borrow::Cow;\nfn named(a: &str) -> Cow<str> { if a == "" { "+".into() } else { a.into() } }',
        'assert_eq!(named(""), "-");',
    ),
}
# Comparisons that are made where the candidate is.
OTHERS = {
    "numbers of several classes": (java_tests, JAVA.replace("BODY", "s.all(1).equals(Arrays.asList(1, 2.0))")),
    "texts and characters": (java_tests, JAVA.replace("BODY", "s.all(1).equals(Arrays.asList(\"a\", 'a'))")),
    "a zero with a sign in the tests": (java_tests, JAVA.replace("BODY", "s.same(1).equals(-0.0)")),
    "a float in the tests": (java_tests, JAVA.replace("BODY", "s.same(1) == 0.1f")),
    "a cast to a class": (java_tests, JAVA.replace("BODY", "s.same(1).equals((Integer) 1)")),
    "a value that may be missing in another": (rust_tests, RUST.replace("BODY", "assert_eq!(same(1), Some(None));")),
}


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_equal_as_in_the_language(name):
    """A right candidate passes, and a wrong one does not, also where its result looks the same in JSON."""
    language, *candidates, condition = PROGRAMS[name]
    frame, tests = FRAMES[language]
    limits = Limits(wall_seconds=2 * WALL_SECONDS)
    programs = [
        build_program(language, frame.replace("BODY", candidate), tests.replace("BODY", condition), limits)
        for candidate in candidates
    ]
    right, wrong = language_pool(language).run_all(programs, 1)
    passes(right)
    assert (wrong.outcome.value, right.grading, wrong.grading) == ("failed", "separate", "separate")


@pytest.mark.parametrize("name", OTHERS)
def test_other_data_is_compared_with_the_candidate(name):
    """Data whose classes a result in JSON does not show is compared in the candidate's program."""
    read, tests = OTHERS[name]
    assert read(tests) is None


def test_numbers_of_32_bits_are_right_too():
    """A result of 32 bits is right if it is the nearest one."""
    plain = rust_tests(RUST.replace("BODY", "assert_eq!(same(1), 0.333333333);\n        assert_eq!(same(1), 0.1);"))
    assert plain and json.loads(plain.expected) == [[0.333333333, 0, 0.33333334], [0.1, 0]]
