"""The summary of a solver's run, and its treatment of system errors."""

import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_tasks.solvers.attempts import Attempt, EndedBy
from code_tasks.solvers.estimates import estimate_pass_hat_k
from code_tasks.solvers.interface import FinalResult, Grade
from code_tasks.solvers.summary import as_text, summarize_attempts


def attempts(**questions):
    """Return attempts from texts: r is correct, w is incorrect, e is a system error, and b is a bug of the solver."""
    made = {
        "r": {"correct": True, "ended_by": EndedBy.MODEL},
        "w": {"ended_by": EndedBy.MODEL},
        "e": {"error_class": "RetryableSystemError", "is_system_error": True},
        "b": {"error_class": "KeyError"},
    }
    return [Attempt(name, n, **made[letter]) for name, text in questions.items() for n, letter in enumerate(text)]


WORKED = summarize_attempts(attempts(a="rw", b="re", c="ee"))


def test_worked_case():
    """For rw, re and ee accuracy is 0.75, or 1/3 if errors count as incorrect, and c is missing."""
    assert WORKED.accuracy == 0.75
    assert WORKED.accuracy_with_errors == pytest.approx(1 / 3)
    assert (WORKED.missing_tasks, WORKED.is_valid) == (("c",), False)


def test_worked_counts():
    """A summary counts attempts by their ends, with system errors apart and as incorrect."""
    assert (WORKED.tasks, WORKED.attempts, WORKED.correct, WORKED.incorrect, WORKED.system_errors) == (3, 6, 2, 1, 3)
    assert WORKED.incorrect_with_errors == 4
    assert WORKED.error_breakdown == {"RetryableSystemError": 3}


def test_empty():
    """No attempts give an empty summary."""
    summary = summarize_attempts([])
    assert (summary.tasks, summary.attempts, summary.pass_at_k, summary.as_record()) == (0, 0, [], {})
    assert math.isnan(summary.accuracy)


def test_all_errors():
    """If every attempt is a system error, accuracy is NaN, and there is no pass@k."""
    summary = summarize_attempts(attempts(a="ee", b="e"))
    assert math.isnan(summary.accuracy)
    assert (summary.pass_at_k, summary.pass_hat_k, summary.missing_tasks) == ([], [], ("a", "b"))
    assert summary.as_record()["accuracy"] is None


def test_bugs_of_a_solver():
    """An attempt with a bug of the solver is incorrect, and the exception's class is in the breakdown."""
    summary = summarize_attempts(attempts(a="rb"))
    assert (summary.accuracy, summary.incorrect, summary.error_breakdown) == (0.5, 1, {"KeyError": 1})


def test_questions_that_were_not_tried():
    """A task without any attempt is missing."""
    summary = summarize_attempts(attempts(a="r"), ("a", "b"))
    assert (summary.tasks, summary.missing_tasks, summary.accuracy) == (2, ("b",), 1.0)


def test_pass_at_k_of_the_worked_case():
    """pass@k and pass^k are means over the questions with k valid attempts, for every possible k."""
    assert [(each.k, each.mean, each.questions) for each in WORKED.pass_at_k] == [(1, 0.75, 2), (2, 1.0, 1)]
    assert [(each.k, each.mean, each.questions) for each in WORKED.pass_hat_k] == [(1, 0.75, 2), (2, 0.0, 1)]


def test_standard_error_is_of_questions():
    """The standard error is clustered by task, because attempts of one task are not independent."""
    one_right = summarize_attempts(attempts(a="rrrr", b="wwww"))
    assert one_right.pass_at_k[0].standard_error == pytest.approx(np.std([1, 0], ddof=1) / math.sqrt(2))
    assert math.isnan(summarize_attempts(attempts(a="rw")).pass_at_k[0].standard_error)


def test_bootstrap_interval():
    """The interval contains the mean, is reproducible, and is as wide as the standard error suggests."""
    outcomes = attempts(**{f"q{n}": "rrww"[n % 3 :] + "rw" * (n % 3 == 0) for n in range(200)})
    [first, again] = (summarize_attempts(outcomes).pass_at_k[0] for _ in range(2))
    assert first == again
    assert first.low < first.mean < first.high
    assert first.high - first.low == pytest.approx(2 * 1.96 * first.standard_error, rel=0.15)


def test_length_stats():
    """Fractions of ends and percentiles of lengths are over the attempts that had a result."""
    limits = [{"max_time_reached": True}, {"max_steps_reached": True}, {"max_tokens_reached": True}, {}, {}]
    results = [FinalResult(Grade(0.0), ({},) * size, **limit) for size, limit in enumerate(limits, start=1)]
    with_result = [Attempt.from_result("a", number, result) for number, result in enumerate(results)]
    stats = summarize_attempts([*with_result, *attempts(b="eb")]).length_stats
    assert stats.ended_by == {"time": 0.2, "steps": 0.2, "tokens": 0.2, "model": 0.4}
    assert stats.conversation_percentiles == {"25": 2.0, "50": 3.0, "75": 4.0}


def test_as_record_is_json():
    """A summary as plain data is JSON, without NaN."""
    record = WORKED.as_record()
    assert json.loads(json.dumps(record, allow_nan=False)) == json.loads(json.dumps(record))
    assert (record["is_valid"], record["pass_hat_k"][1]["mean"], record["missing_tasks"]) == (False, 0.0, ["c"])


def test_text():
    """The text for a terminal has the counts, both accuracies, every k and the errors."""
    text = as_text(WORKED)
    assert "6 attempts at 3 tasks: 2 correct, 1 incorrect, 3 system errors" in text
    assert "75.0 %" in text and "33.3 %" in text
    assert "pass@2" in text and "pass^2" in text and "of 1 tasks" in text
    assert "3  RetryableSystemError" in text


outcomes = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.text("rweb", max_size=5), max_size=6)


@given(outcomes)
def test_counts_add_up(questions):
    """Every attempt is correct, incorrect or a system error; and both accuracies are in [0, 1]."""
    summary = summarize_attempts(attempts(**questions), tuple(questions))
    letters = Counter("".join(questions.values()))
    assert summary.attempts == summary.correct + summary.incorrect + summary.system_errors == letters.total()
    assert (summary.correct, summary.system_errors) == (letters["r"], letters["e"])
    assert set(summary.missing_tasks) == {name for name, text in questions.items() if not set(text) - {"e"}}
    if letters.total() > letters["e"]:
        assert 0 <= summary.accuracy <= 1
        assert 0 <= summary.accuracy_with_errors <= 1


@given(outcomes, st.randoms())
def test_order_does_not_matter(questions, random):
    """The order of attempts, which a resumed run changes, does not change a bit of the summary."""
    in_order = attempts(**questions)
    shuffled = random.sample(in_order, len(in_order))
    first, second = (summarize_attempts(each, tuple(questions)) for each in (in_order, shuffled))
    assert json.dumps(first.as_record()) == json.dumps(second.as_record())


@given(outcomes)
def test_bounds_of_pass_at_k(questions):
    """pass^k is at most pass@k, which is inside its interval, for each possible k."""
    summary = summarize_attempts(attempts(**questions))
    ks = [each.k for each in summary.pass_at_k]
    worked = [len(text.replace("e", "")) for text in questions.values()]
    assert ks == [each.k for each in summary.pass_hat_k] == list(range(1, max(worked, default=0) + 1))
    for at, hat in zip(summary.pass_at_k, summary.pass_hat_k, strict=True):
        assert 0 <= hat.mean <= at.mean + 1e-12 <= 1 + 2e-12
        assert math.isnan(at.low) or at.low - 1e-9 <= at.mean <= at.high + 1e-9


@given(st.integers(1, 7), st.data())
def test_estimators_count_draws(n, data):
    """pass@k and pass^k are the shares of draws of k attempts with any, and with only, correct ones."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    draws = list(combinations([True] * c + [False] * (n - c), k))
    only = sum(all(draw) for draw in draws) / len(draws)
    some = sum(any(draw) for draw in draws) / len(draws)
    summary = summarize_attempts([Attempt("a", number, number < c) for number in range(n)])
    assert estimate_pass_hat_k(np.array([n]), np.array([c]), k)[0] == pytest.approx(only)
    assert summary.pass_hat_k[k - 1].mean == pytest.approx(only)
    assert summary.pass_at_k[k - 1].mean == pytest.approx(some)
