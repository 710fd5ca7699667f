"""Cases that call a function in another language than Python: which ones there are, and how results are compared."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Limits
from sandboxes.guest.common.checkers import difference
from sandboxes.languages.registry import LANGUAGES
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support.languages import each_of

CALLS = {"fn_name": "add", "inputs": [[2, 3]], "outputs": [5]}
WITH_CALLS = [name for name, language in LANGUAGES.items() if language.calls]
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def assemble(language, **more):
    """Return the batch of one candidate."""
    return ProgramBatch.assemble([Task({**CALLS, **more}, ["x"])], TaskOptions(language=language), Limits(), "auto")


@pytest.mark.parametrize(
    ("language", "more", "message"),
    [
        (
            "bash",
            {},
            r"^references\[0\]: cases that call a function are for python, java, go, javascript, typescript, cpp, "
            r"rust, ruby, php, not for bash$",
        ),
        ("go", {"results": "printed"}, "results that are compared as Python prints them are for Python alone$"),
        ("go", {"inputs": [[float("nan")]]}, r"the arguments \[nan\] can't be sent to another language$"),
    ],
)
def test_cases_that_can_not_be(language, more, message):
    """Calls that a language can't have are an error that names them."""
    with pytest.raises(ValueError, match=message):
        assemble(language, **more)


# A program in Go names the packages that are compiled here.
@pytest.mark.parametrize("language", [*each_of(["go"]), *(name for name in WITH_CALLS if name != "go")])
def test_expected_results_are_not_in_the_program(language):
    """The candidate's files and input have no expected result."""
    [program] = assemble(language, outputs=["a-secret"]).programs
    assert "a-secret" not in program.candidate


@pytest.mark.slow
@given(DATA)
def test_a_result_is_equal_to_itself(value):
    """The result of a call is compared as data, whatever was printed before it."""
    text = json.dumps(value)
    assert difference("result", 0, text, f"printed\n\n{text}\n") == ""


@pytest.mark.parametrize(
    ("expected", "output", "wrong"),
    [
        ("5", "5", ""),
        ("5", "5.0\n", ""),
        ("[0.1]", "x\n[1e-1]\n", ""),
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}\n', ""),
        ("[1, 2]", "[2,1]\n", "should return [1, 2], but returned [2, 1]"),
        ("5", "5\nmore\n", "should return 5, but did not return"),
        ("5", "", "should return 5, but did not return"),
        ("5", "[" * 100000, "should return 5, but did not return"),
        ("5", "5" * 100000, f'should return 5, but returned "{"5" * 56}...'),
        ("5", '"5"\n', 'should return 5, but returned "5"'),
    ],
)
def test_results_are_compared_as_data(expected, output, wrong):
    """The last line of an output is the result."""
    assert difference("result", 0, expected, output) == wrong


@pytest.mark.parametrize(
    ("expected", "output", "wrong"),
    [
        ([[5, 0], [[1], 0]], "[5,[1]]", ""),
        ([[0.33, 1e-4]], "x\n[0.33004]\n", ""),
        ([[[0.33, "float64"], 1e-4]], '[[0.33004,"float64"]]', ""),
        ([[10, 1]], "[11]", "call 1 should return 10, but returned 11"),
        ([[0.33, 1e-4]], "[0.34]", "call 1 should return 0.33, but returned 0.34"),
        ([[[1.0], 1e-4]], "[[1.0, 2.0]]", "call 1 should return [1.0], but returned [1.0, 2.0]"),
        ([[0.33, 1e-4]], "[NaN]", "call 1 should return 0.33, but returned NaN"),
        ([[{"a": [1, 2.5], "b": True}, "exact"]], '[{"b":true,"a":[1,2.5]}]', ""),
        ([[[1], "exact"]], "[[1.0]]", "call 1 should return [1], but returned [1.0]"),
        ([[1, "exact"]], "[true]", "call 1 should return 1, but returned true"),
        ([[{"a": 1}, "exact"]], '[{"b":1}]', 'call 1 should return {"a": 1}, but returned {"b": 1}'),
        ([[{"a": "x", "b": "y"}, None]], '[{"b":"y","a":"x"}]', ""),
        (
            [[{"a": "x", "b": "y"}, None]],
            '[{"b":"x","a":"y"}]',
            'call 1 should return {"a": "x", "b": "y"}, but returned {"b": "x", "a": "y"}',
        ),
        ([[5, 0], [6, 0]], "[5,7]", "call 2 should return 6, but returned 7"),
        ([[5, 0], [6, 0]], "[5]", "the calls did not all return"),
        ([[5, 0]], "[5]\nmore\n[1,2]\n", ""),
        ([[5, 0]], "[5]\n[6]\n", "call 1 should return 5, but returned 6"),
        ([[5, 0]], "5", "the calls did not all return"),
        ([[5, 0]], "", "the calls did not all return"),
        ([[5, 0]], "[" * 100000, "the calls did not all return"),
    ],
)
def test_results_of_several_calls(expected, output, wrong):
    """Each result is compared, up to the difference that its numbers may have."""
    assert difference("results", 0, json.dumps(expected), output) == wrong
