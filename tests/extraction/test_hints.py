"""Hints on answers that failed for what stands around their code."""

import pytest

from sandboxes import Outcome
from sandboxes.extraction.hints import AnswerHints, warn_of_answers
from sandboxes.outcome_labels import INVALID_TESTS

CODE = "def add(a, b):\n    return a + b\n"
FENCED = f"Sure:\n```python\n{CODE}```\n"
NAME = "NameError: name 'List' is not defined"


def hints(*samples):
    """Return all hints on (task, answer, outcome, detail) of samples."""
    results = ((task, answer, {"outcome": end.value, "detail": detail}) for task, answer, end, detail in samples)
    return AnswerHints.of(results).sentences("--extract auto")


@pytest.mark.parametrize("answer", [FENCED, f"<think>Hm.</think>{CODE}", f"{CODE}<|im_end|>", f"~~~\n{CODE}~~~"])
def test_chat_answers(answer):
    """Compile errors with fences, reasoning or tokens in the answer are counted, and the way out is named."""
    samples = [("t/0", answer, Outcome.COMPILE_ERROR, "SyntaxError")] * 2
    other = ("t/1", "def f(:", Outcome.COMPILE_ERROR, "SyntaxError")
    assert hints(*samples, other) == ["2 of 3 compile errors look like chat answers; try --extract auto"]


def test_one_chat_answer():
    """The sentence is right for one answer, too."""
    sample = ("t/0", FENCED, Outcome.COMPILE_ERROR, "SyntaxError")
    assert hints(sample) == ["1 of 1 compile error looks like a chat answer; try --extract auto"]


@pytest.mark.parametrize(("character", "name"), [("\u00a0", "no-break space"), ("\u200b", "zero width space")])
def test_invisible_characters_are_named(character, name):
    """A character that nobody sees is named as Unicode does."""
    sample = ("t/0", CODE.replace("    ", f"{character}   "), Outcome.COMPILE_ERROR, "SyntaxError")
    assert hints(sample) == [f"1 of 1 compile error has a {name} in the code; try --extract auto"]


def test_other_outcomes_have_no_hint():
    """A program that ran is no chat answer, whatever its text holds."""
    assert hints(("t/0", FENCED, Outcome.PASSED, ""), ("t/1", FENCED, Outcome.FAILED, "AssertionError")) == []


def test_invalid_tests_have_no_hint():
    """A name that tests lack themselves is none that the samples lack."""
    results = [("t/0", CODE, {"outcome": INVALID_TESTS, "detail": NAME})] * 2
    assert AnswerHints.of(results).sentences("") == []


def test_a_name_that_all_samples_lack():
    """If all samples of a task fail for one missing name, the name is told; not if one sample has another end."""
    failed = [("t/0", CODE, Outcome.FAILED, NAME)] * 3
    assert hints(*failed) == [f"all samples of 1 task fail with {NAME}"]
    assert hints(*failed, ("t/0", CODE, Outcome.PASSED, "")) == []
    assert hints(failed[0]) == []


def test_the_way_out_was_taken():
    """Without an option that would help, the answers are counted, and nothing is advised."""
    results = [("t/0", FENCED, {"outcome": Outcome.COMPILE_ERROR.value, "detail": "SyntaxError"})]
    assert AnswerHints.of(results).sentences("") == ["1 of 1 compile error looks like a chat answer"]


def test_the_metric_warns_of_names():
    """The metric names what all candidates of a task lack, and says nothing of a name that one of them lacks."""
    results = [{"task_id": 0, "outcome": Outcome.FAILED.value, "detail": NAME}] * 2
    with pytest.warns(UserWarning, match=f"^all samples of 1 task fail with {NAME}$"):
        warn_of_answers([CODE] * 2, results, stacklevel=2)
    warn_of_answers([CODE], results[:1], stacklevel=2)


def test_a_module_that_all_tasks_lack():
    """Single samples of several tasks tell as much."""
    error = "ModuleNotFoundError: No module named 'numpy'"
    assert hints(*((f"t/{each}", CODE, Outcome.FAILED, error) for each in range(3))) == [
        f"all samples of 3 tasks fail with {error}"
    ]
