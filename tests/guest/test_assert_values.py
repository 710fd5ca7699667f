"""Asserts that keep the values they compare behave as before, and a failed one shows its values."""

import linecache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.guest.runners.assert_values import compile_tests, failed_condition

FILE = "tests.py"
SEEN = {
    "assert f(2) == 3": "4 == 3",
    "assert f(2) == 3, 'a message'": "4 == 3",
    "assert (f(2) ==\n    f(3))": "4 == 6",
    "assert 1 < f(1) < f(1) < f(9)": "1 < 2 < 2 < f(9)",
    "assert f(1) == 2 and f(2) == 3 and f(3) == 4": "4 == 3",
    "assert f(1) == 3 or f(2) == 3": "2 == 3 or 4 == 3",
    "assert not f(1)": "not 2",
    "assert f('')": "''",
    "assert isinstance(f(1), str)": "isinstance(2, str)",
    "assert f(1) in [3, 4]": "2 in [3, 4]",
    "assert f(1) is not f(1)": "2 is not 2",
    "assert f([1]) == {1: 2}": "[1, 1] == {1: 2}",
    "def check(g):\n    assert g(1) == 1\ncheck(f)": "2 == 1",
    "for n in 0, 1:\n    assert f(n) == 0": "2 == 0",
    "assert f(1) == 2; assert f(1) == 3": "2 == 3",
    "assert f(1) == 2\nassert False": "",
    "try:\n    assert f(1) == 3\nexcept AssertionError:\n    pass\nassert 0 == 1": "",
    "class T:\n    def check(self):\n        assert f(1) == 5\nT().check()": "2 == 5",
    "assert any(f(n) == 3 for n in (1, 2))": "",
    "raise AssertionError('its own')": "",
}
ATOMS = ("f(0)", "f(1)", "2", "g()", "[]", "f('')")
OPERATORS = ("==", "<", "is not", "in")


def outcome_of(source, compiled, calls):
    """Run tests. Return the exception's text, the calls that they made, and the exception."""

    def f(value):
        calls.append(value)
        return value + value

    def g():
        raise ValueError("g")

    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    names = {"f": f, "g": g}
    try:
        exec(compiled, names)
    except Exception as error:
        return repr(error), calls, error
    return "", [*calls, sorted(names)], None


@pytest.mark.parametrize(("source", "values"), SEEN.items())
def test_values_of_a_failed_assert(source, values):
    """A failed assert shows the values that it compared, as far as it was evaluated."""
    _, _, error = outcome_of(source, compile_tests(source, FILE), [])
    assert failed_condition(error, [FILE])[1] == values


@st.composite
def conditions(draw, depth=2):
    """Draw a condition: comparisons, chained or not, that are joined and negated, and may raise."""
    kind = draw(st.sampled_from(["compare", "and", "or", "not", "atom"] if depth else ["compare", "atom"]))
    if kind == "atom":
        return draw(st.sampled_from(ATOMS))
    if kind == "compare":
        parts = [draw(st.sampled_from(ATOMS))]
        for _ in range(draw(st.integers(1, 2))):
            parts += [draw(st.sampled_from(OPERATORS)), draw(st.sampled_from(ATOMS))]
        return " ".join(parts)
    if kind == "not":
        return f"not ({draw(conditions(depth - 1))})"
    return f"({draw(conditions(depth - 1))}) {kind} ({draw(conditions(depth - 1))})"


@given(conditions(), st.sampled_from(["", ", f(5)"]))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_asserts_do_what_they_did(condition, message):
    """An instrumented assert makes the same calls in the same order, ends the same, and leaves no name if it passes."""
    source = f"assert {condition}{message}\nf(9)\n"
    plain = outcome_of(source, compile(source, FILE, "exec"), [])
    kept = outcome_of(source, compile_tests(source, FILE), [])
    assert kept[:2] == plain[:2]
    if kept[2] is not None:
        assert all(type(text) is str for text in failed_condition(kept[2], [FILE]))


@pytest.mark.parametrize(
    "source",
    [
        "def tests(:",
        "return",
        "x = '\0'",
        "assert " + "(" * 150 + "1" + ")" * 150,
        "assert " + "+".join(["f(1)"] * 3000) + " == 2",
    ],
    ids=["no syntax", "no function", "NUL", "brackets", "a long sum"],
)
def test_what_can_not_be_compiled_says_the_same(source):
    """Tests that are invalid, or nested deeply, end in the same way as uninstrumented ones."""

    def end_of(compiler):
        try:
            compiler()
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return str(error)
        return ""

    assert end_of(lambda: compile_tests(source, FILE)) == end_of(lambda: compile(source, FILE, "exec"))


def test_tests_that_look_at_names_find_no_more():
    """Asserts of tests that look at all their names keep nothing."""
    source = "assert f(1) == 2 and not [name for name in globals() if name[0] == '@']"
    assert outcome_of(source, compile_tests(source, FILE), [])[0] == ""


def test_a_class_s_body_is_left_alone():
    """An assert in the body of an Enum adds no member to the Enum."""
    source = (
        "import enum\nclass E(enum.Enum):\n    A = 1\n    assert f(1) == 2\nassert [each.name for each in E] == ['A']"
    )
    assert outcome_of(source, compile_tests(source, FILE), [])[0] == ""
