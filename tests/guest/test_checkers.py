"""Checkers accept right outputs, and describe the first difference of wrong ones."""

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.guest.common.checkers import CHECKERS, GRADERS, difference
from support import training_outputs

RIGHT = {
    "tokens": [("1 2\n", "1 2"), ("1 2", "1\r\n2\r\n"), ("a  b ", "a b\n\n"), ("", "\n"), ("x", "\tx")],
    "exact": [("1 2\n", "1 2\n"), ("", "")],
    "floats": [
        ("1.0", "1"),
        ("0.3333333", "0.33333333"),
        ("1e9", "1000000000.5"),
        ("0", "-0.0000001"),
        ("yes 1", "yes 1.0"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("Infinity", "inf"),
        ("nan", "NaN"),
    ],
    "lines-unordered": [("1\n2", "2\n1\n"), ("a b\n", "  a b \r\n\n"), ("1\n1\n2", "1\n2\n1")],
    "lines": [
        ("1\n2", "1\n2\n\n"),
        ("1\n2", " 1 \r\n2"),
        ("1 2", "1  2"),
        ("1 2", "1.0 2e0"),
        ("0.5", ".50"),
        ("a b", "a b "),
        ("", "\n"),
        ("nan", "nan"),
    ],
    "apps": [
        ("1\n2", " 1 \r\n2\n\n"),
        ("1\n12", "1\n\n12\n"),
        ("1 2", "1  2"),
        ("1", "1.0"),
        ("1000", "1000.001"),
        ("1 12", "12 1"),
        ("1\n12", "12\n1"),
        ("1 12", "1 12 12"),
        ("0.5", "0.5001"),
    ],
    "prime_code": [
        ("1\n2", " 1 \r\n2\n\n"),
        ("1\n12", "1\n\n12\n"),
        ("1", "1.0"),
        ("1000.5", "1000.501"),
        ("inf", "inf "),
    ],
    "taco": [("1 12\n2\n", "\n 1 12\n2"), ("1\n2", "1 2"), ("1\n2", "1\n\n2")],
}
WRONG = {
    "tokens": [("1 2", "12"), ("1", "1.0"), ("a", "A"), ("1", ""), ("", "1"), ("1 2", "2 1")],
    "exact": [("1\n", "1"), ("1", "1\r"), ("a b", "a  b")],
    "floats": [
        ("1.0", "1.1"),
        ("1 2", "1"),
        ("yes", "no"),
        ("1", "yes"),
        ("1", "nan"),
        ("nan", "1"),
        ("1", "inf"),
        ("1e400", "1e500"),
        ("9" * 400, "8" * 400),
    ],
    "lines-unordered": [("1\n1\n2", "1\n2\n2"), ("a b", "a  b"), ("1", "1\n1"), ("1\n2", "1 2")],
    "lines": [
        ("1\n2", "1 2"),
        ("1\n2", "1\n\n2"),
        ("1\n2", "2\n1"),
        ("1 2", "1"),
        ("a b", "a  b"),
        ("A", "a"),
        ("0.1", "0.1000000001"),
        ("50000000000000000", "50000000000000001"),
        ("1", "nan"),
        ("nan", "NaN"),
        ("1", "sNaN"),
        ("sNaN", "snan"),
        ("1", "1x"),
        ("1", ""),
        ("1e400", "1e500"),
        ("1", "1e999999999999999999"),
    ],
    "apps": [
        ("1\n12", "1 12"),
        ("1 12", "1\n12"),
        ("1", "2"),
        ("1", ""),
        ("0.5", "0.51"),
        ("a", "A"),
        ("nan", "nan 1"),
        ("1e400", "2"),
    ],
    "prime_code": [
        ("1\n12", "1 12"),
        ("1 2", "1  2"),
        ("1 12", "12 1"),
        ("1 12", "1 12 12"),
        ("0.5", "0.5001"),
        ("100000", "100001"),
        ("1 2", "1.0 2.0"),
        ("1", ""),
    ],
    "taco": [
        ("1", "1.0"),
        ("1\n12", "1 12"),
        ("1\n12", "1\n\n12"),
        ("1 2", "1  2"),
        ("1 2", "12"),
        ("1\n2", "2\n1"),
        ("1\n2", "1 2 2"),
        ("12", "1\n2"),
        ("1", ""),
    ],
}
MESSAGES = {
    "short": ("tokens", "1 2", "1 3", "expected '1 2', but it wrote '1 3'"),
    "nothing": ("tokens", "1 " * 50, "", f"expected '{('1 ' * 28)}..., but it wrote nothing"),
    "a word": ("tokens", "1 " * 50, "1 " * 40 + "2 " * 10, "word 41 should be '1', but is '2'"),
    "too few": ("tokens", "1 " * 50, "1 " * 40, "expected 50 words, but it wrote 40"),
    "a number": ("floats", "1 " * 50, "1.0 " * 40 + "2 " * 10, "word 41 should be '1', but is '2'"),
    "a line": (
        "lines-unordered",
        "a\n" * 40,
        "a\n" * 39 + "b\n",
        "sorted line 40 should be 'a', but is 'b'",
    ),
    "too many lines": ("lines-unordered", "a\n" * 40, "a\n" * 41, "expected 40 sorted lines, but it wrote 41"),
    "a character": ("exact", "a" * 70, "a" * 69 + "b", "character 70 should be 'a', but is 'b'"),
}
texts = st.text(st.sampled_from("ab12. \n\r\t"), max_size=30)


def pairs(cases):
    """Return (checker, expected, found) for each case."""
    return [(checker, *pair) for checker, texts in cases.items() for pair in texts]


@pytest.mark.parametrize(("checker", "expected", "found"), pairs(RIGHT) + pairs(training_outputs.RIGHT))
def test_right_outputs(checker, expected, found):
    """A checker accepts an output with a difference that it has to ignore, as its grader does."""
    assert difference(checker, 1e-6, expected, found) == ""


@pytest.mark.parametrize(("checker", "expected", "found"), pairs(WRONG) + pairs(training_outputs.WRONG))
def test_wrong_outputs(checker, expected, found):
    """A checker refuses an output with a difference that it has to see."""
    assert difference(checker, 1e-6, expected, found)


@pytest.mark.parametrize(("checker", "expected", "found", "message"), MESSAGES.values(), ids=MESSAGES)
def test_messages(checker, expected, found, message):
    """A message names the first difference of a long output, and shows a short output whole."""
    assert difference(checker, 1e-6, expected, found) == message


@given(st.sampled_from(CHECKERS), texts)
def test_an_output_is_like_itself(checker, text):
    """Every checker accepts the expected output itself."""
    assert difference(checker, 1e-6, text, text) == ""


@given(texts, texts)
def test_exact_is_the_strictest(expected, found):
    """An output that "exact" accepts is accepted by every other checker."""
    if difference("exact", 1e-6, expected, found) == "":
        assert all(difference(checker, 1e-6, expected, found) == "" for checker in CHECKERS)


@given(texts, texts)
def test_floats_take_all_that_tokens_take(expected, found):
    """An output that "tokens" accepts is accepted by "floats"."""
    if difference("tokens", 1e-6, expected, found) == "":
        assert difference("floats", 1e-6, expected, found) == ""


@given(st.sampled_from(sorted({*CHECKERS} - {*GRADERS})), texts, texts)
def test_differences_have_no_side(checker, expected, found):
    """Checkers but those of benchmarks are symmetric: two texts differ in both directions or in none."""
    assert bool(difference(checker, 1e-6, expected, found)) == bool(difference(checker, 1e-6, found, expected))


@given(st.lists(st.text(st.sampled_from("ab "), min_size=1)), st.randoms())
def test_lines_may_come_in_any_order(lines, random):
    """The checker "lines-unordered" accepts shuffled lines."""
    shuffled = random.sample(lines, len(lines))
    assert difference("lines-unordered", 1e-6, "\n".join(lines), "\n".join(shuffled)) == ""


@given(st.floats(-1e300, 1e300), st.floats(0, 0.5))
def test_floats_within_the_tolerance(number, part):
    """The checker "floats" accepts a number that differs by less than the tolerance."""
    assert difference("floats", 1e-3, repr(number), repr(number * (1 + 1e-3 * part))) == ""


@given(st.integers(), st.integers())
def test_integers_are_told_apart(one, other):
    """Two integers of any size are equal for "floats" only if they are within the tolerance."""
    is_near = abs(one - other) <= max(abs(one), abs(other), 1) * 1e-9
    assert (difference("floats", 1e-9, str(one), str(other)) == "") or not is_near


@given(st.sampled_from(CHECKERS), texts, texts)
def test_messages_are_short(checker, expected, found):
    """The message of a difference is one line."""
    message = difference(checker, 1e-6, expected * 100, found * 100)
    assert len(message) < 300
    assert "\n" not in message


def numbers_with_one_hash(count):
    """Return lines of numbers whose frozensets all have the same size and the same hash."""
    words, basis, relations = [str(number) for number in range(1, 100)], {}, []
    for position in range(len(words)):
        mixed = hash(float(words[position])) & ((1 << 64) - 1)
        mixed = ((mixed ^ 89869747) ^ (mixed << 16)) * 3644798167 & ((1 << 64) - 1) | 1 << 64
        chosen = 1 << position
        while mixed and (top := mixed.bit_length()) in basis:
            mixed, chosen = mixed ^ basis[top][0], chosen ^ basis[top][1]
        if mixed:
            basis[top] = (mixed, chosen)
        else:
            relations.append(chosen)
    sizes = {}
    for number in range(1 << 16):
        chosen = 0
        for position, relation in enumerate(relations[:16]):
            chosen ^= relation if number >> position & 1 else 0
        line = " ".join(word for position, word in enumerate(words) if chosen >> position & 1)
        sizes.setdefault(chosen.bit_count(), []).append(line)
        if len(sizes[chosen.bit_count()]) == count:
            return sizes[chosen.bit_count()]
    raise AssertionError("there are too few")


def test_numbers_with_one_hash_take_no_time():
    """Lines that a candidate chose by their hash are compared about as fast as other lines."""
    lines = numbers_with_one_hash(6000)
    began = time.process_time()
    assert difference("apps", 0.0, "1 2\n3 4", "\n".join(lines))
    assert time.process_time() - began < 3


LITERALS = [
    (5, 5),
    (5, {"Integer": 5}),
    (10**20, 7766279631452241920),
    (10**20, {"Integer": 10**20}),
    (10**20, {"Word": 7766279631452241920}),
    (200, {"Int8": -56}),
    (-1, {"Word16": 65535}),
    (16777217, {"Float": 16777216.0}),
    (9007199254740993, {"Double": 9007199254740992.0}),
    (0.1, {"Float": 0.10000000149011612}),
    (-1e39, {"Float": -math.inf}),
    (0.1, {"Ratio": [1, 10]}),
    (-3, {"Ratio": [-3, 1]}),
    ({"Just": [1.5, None]}, {"Just": [{"Double": 1.5}, None]}),
    (["a", True], ["a", True]),
]
NO_LITERALS = [
    (5, 6),
    (5, 5.0),
    (1, True),
    (True, 1),
    (5, {"...": None}),
    (5, {"Integer": None}),
    (5, {"Integer": 5, "Double": 5.0}),
    (5, {}),
    (5, "5"),
    (5.0, {"Integer": 5}),
    (0.1, {"Double": 0.10000000149011612}),
    (0.1, {"Ratio": [3602879701896397, 36028797018963968]}),
    (0.5, {"Double": math.nan}),
    (10**20, {"Integer": 7766279631452241920}),
    ({"Just": None}, None),
    (None, {"Just": None}),
    ({"Left": 5}, {"Right": 5}),
    ([1], [1, 2]),
    ([[]], "a"),
]


@pytest.mark.parametrize(("literal", "value"), LITERALS)
def test_a_literal_has_the_type_of_the_result(literal, value):
    """A literal is equal to the value that it has in the type of the result."""
    assert difference("results", 0, json.dumps([[literal, None]]), json.dumps([value])) == ""


@pytest.mark.parametrize(("literal", "value"), NO_LITERALS)
def test_a_literal_is_equal_to_no_other_value(literal, value):
    """A literal is equal to nothing else, and to no number of an unknown type."""
    assert difference("results", 0, json.dumps([[literal, None]]), json.dumps([value])).startswith("call 1 should")


def test_results_are_near_or_equal_to_another_value():
    """A number that no float can hold is near to none, and a result may have several values that are right."""
    assert difference("results", 0, "[[1.5, 0.1]]", f"[{'9' * 400}]").startswith("call 1 should return 1.5")
    assert [
        difference("results", 0, '[[-1, 0, ["uint32", 4294967295]]]', f"[{had}]") == ""
        for had in ("-1", '["uint32", 4294967295]', "4294967295")
    ] == [True, True, False]
