"""Traces in eval-framework's words, and pass@k of several completions."""

import pytest

from code_tasks.execution import (
    CodeExecutionPassAtOne,
    ExecutionResult,
    MetricResult,
    estimate_pass_at_k,
    parse_as_eval_framework,
    pass_at_k,
)
from support.execution_records import RIGHT, TESTS, WRONG


@pytest.mark.parametrize(
    ("output", "success", "text"),
    [
        ("Ran 1 test in 0.001s\n\nOK", True, "All 1 tests completed successfully."),
        ("said\nRan 3 tests in 0.005s\n\nOK\nmore", True, "All 3 tests completed successfully."),
        ("Ran 7 tests in 0.020s\n\nOK (skipped=2)", True, "All 7 tests completed successfully."),
        ("OK", True, "All tests completed successfully."),
        ("Ran 4 tests\n\nFAILED (failures=2)", False, "Tests failed: failures=2\nRan 4 tests\n\nFAILED (failures=2)"),
        ("Ran 2 tests\n\nFAILED", False, "Tests failed: Ran 2 tests\n\nFAILED"),
        ("OK\nFAILED", False, "Tests failed: OK\nFAILED"),
        ("AssertionError: 5", False, "Test failed with assertion error: AssertionError: 5"),
        ("Error: division", False, "Error during execution: Error: division"),
        ("Exception: no", False, "Error during execution: Exception: no"),
        ("hm", False, "Could not determine test results, potentially due to timeout. Output: hm"),
    ],
)
def test_words_of_eval_framework(output, success, text):
    """Each kind of output has eval-framework's result and text."""
    assert parse_as_eval_framework(output) == ExecutionResult(success, text)


@pytest.fixture(scope="module")
def trace_of():
    """Return a function that scores a completion and returns its value and its trace in eval-framework's words."""
    metric = CodeExecutionPassAtOne("subprocess", trace_texts="eval-framework", progress=False)

    def score(completion, **context):
        [result] = metric.calculate({"completion": completion, "context": {"test_code": TESTS, **context}})
        return result.value, result.code_execution_trace

    return score


def test_trace_of_a_right_completion(trace_of):
    """A right completion's trace counts its tests."""
    assert trace_of(RIGHT) == (1.0, "All 2 tests completed successfully.")


def test_trace_of_a_wrong_completion(trace_of):
    """A wrong completion's trace begins with what failed, and holds unittest's output."""
    value, trace = trace_of(WRONG)
    assert value == 0.0 and trace.startswith("Tests failed: failures=1\n") and "AssertionError: 6 != 5" in trace


def test_trace_of_invalid_code(trace_of):
    """A completion that is no Python has an error in its trace, with the interpreter's message."""
    value, trace = trace_of("def add(a, b) return")
    assert value == 0.0 and trace.startswith("Error during execution: ") and "SyntaxError" in trace


@pytest.mark.slow
def test_trace_of_a_time_out(trace_of):
    """A completion that takes too long has the sandbox's words in its trace."""
    assert trace_of("while True: pass", benchmark_timeout=1) == (0.0, "Operation timed out after 1 seconds")


def test_trace_of_a_records_own_function(trace_of):
    """A record's own parse function decides its trace."""
    found = trace_of(RIGHT, output_parse_fn=lambda output: ExecutionResult(True, "own words"))
    assert found == (1.0, "own words")


def test_verdict_decides_in_other_words(trace_of):
    """A completion that prints OK and leaves does not pass, whatever its trace is compared with."""
    value, trace = trace_of("import sys\nprint('Ran 2 tests in 0.1s\\n\\nOK')\nsys.exit(0)")
    assert value == 0.0 and "completed successfully" not in trace


def test_unknown_words():
    """Other words are refused with those that there are."""
    with pytest.raises(ValueError, match="own, eval-framework.*'theirs'"):
        CodeExecutionPassAtOne("subprocess", trace_texts="theirs")


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 10])
def test_one_completion_for_every_k(k):
    """A single completion has the value of its verdict for every k."""
    metric = CodeExecutionPassAtOne("subprocess", k=k, progress=False)
    records = [{"completion": code, "context": {"test_code": TESTS}} for code in (RIGHT, WRONG)]
    assert [result.value for result in metric.evaluate(records)] == [1.0, 0.0]


@pytest.mark.parametrize("k", [0, -1, "1", 1.5])
def test_impossible_k(k):
    """A k that is no positive integer is refused by name."""
    with pytest.raises((ValueError, TypeError), match="k must be"):
        CodeExecutionPassAtOne("subprocess", k=k)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(4, 2, 1, 1 / 2), (4, 2, 2, 5 / 6), (4, 2, 3, 1), (4, 2, 4, 1), (10, 3, 2, 24 / 45), (1, 0, 2, 0), (1, 1, 2, 1)],
)
def test_estimate_of_one_problem(n, c, k, expected):
    """The estimate agrees with the closed form of eval-framework's aggregator, with fewer samples than draws too."""
    assert estimate_pass_at_k(n, c, k) == pytest.approx(expected)


def test_pass_at_k_of_several_completions():
    """Pass@k is the mean over the problems; completions without a value are left out."""
    values = {"a": [1.0, 1.0, 0.0], "b": [0.0, 1.0, 0.0], "c": [None, None], "d": [0.0, None]}
    results = [MetricResult(value=value) for each in values.values() for value in each]
    problems = [problem for problem, each in values.items() for _ in each]
    assert pass_at_k(results, problems) == pytest.approx((2 / 3 + 1 / 3 + 0) / 3)
    assert pass_at_k(results, problems, k=2) == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert pass_at_k([MetricResult()], ["a"]) is None
    with pytest.raises(ValueError):
        pass_at_k(results, problems[1:])
