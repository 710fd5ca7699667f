"""The metric's results: each candidate's verdict as plain data."""

from __future__ import annotations

import re
import warnings
from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence
from typing import Any

from sandboxes.contract import Outcome, Verdict, compared
from sandboxes.errors import InvalidTests
from sandboxes.outcome_labels import INVALID_TESTS, NOT_RUN
from sandboxes.pass_at_k import mean_pass_at_k
from sandboxes.runner import RunResult
from sandboxes.tasks.results_table import number, results_table
from sandboxes.validation import printable, summarize


class MetricResults(dict[int, list[tuple[int, dict[str, Any]]]]):
    """{task_id: [(completion_id, result), ...]}. A notebook shows a table of the tasks."""

    __slots__ = ()

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the results, task by task."""
        return (result for task in self.values() for _, result in task)

    def __repr__(self) -> str:
        """Return the numbers of candidates and tasks. The dictionary itself is `dict(results)`."""
        return f"<results of {number(sum(map(len, self.values())), 'candidate')} for {number(len(self), 'task')}>"

    def _repr_html_(self) -> str:
        return results_table(self.records(), {})


class MetricOutput(tuple[dict[str, float], MetricResults]):
    """(pass_at_k, results). `evaluate.combine` merges the keys of several metrics, so it also has keys and items."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return results_table(self[1].records(), self[0])

    def keys(self) -> KeysView[str]:
        """Return the names of the scores, and "results"."""
        return self._merged().keys()

    def items(self) -> ItemsView[str, Any]:
        """Return the scores by name, and the results by "results"."""
        return self._merged().items()

    def _merged(self) -> dict[str, Any]:
        return {**self[0], "results": self[1]}


def result_dict(
    task_id: int | str,
    completion_id: int,
    run_result: RunResult,
    extra_fields: Sequence[str] = (),
    sample_ids: Sequence[tuple[int | str, int]] | Mapping[int, tuple[str, int]] = (),
) -> dict[str, Any]:
    """Return one candidate's result as a dict of plain data.

    Args:
        task_id: of the task.
        completion_id: of the candidate, counted from 0 in its task.
        run_result: the candidate's verdict, or the error that kept it from running. Of the fields of verdicts, results
            for invalid tests have "outcome" and "detail", and those for other errors none.
        extra_fields: names of fields that not every result has: "exception_description", "output", "partial_credit".
            With "result" the text is that of `restrictedpython_code_eval`.
        sample_ids: (task_id, completion_id) by index of the run's candidates, for results of duplicates. Empty: a
            result does not tell which candidate it is a duplicate of.
    """
    result: dict[str, Any] = {"task_id": task_id, "passed": None, "completion_id": completion_id}
    if isinstance(run_result, InvalidTests):
        reason = printable(str(run_result))
        return result | {"result": f"invalid tests: {reason}", "outcome": INVALID_TESTS, "detail": reason}
    if not isinstance(run_result, Verdict):
        return result | {"result": f"excluded: {printable(str(run_result))}"}
    verdict = run_result
    text = {Outcome.PASSED: "passed", Outcome.TIMED_OUT: "timed out"}.get(verdict.outcome)
    result["passed"] = verdict.passed
    # Upstream's text, on one line. For an exception without a message it has the reason. Upstream has nothing there.
    # The values are left out: with tests that draw random ones, the same verdict would have another text each time.
    result["result"] = text or f"failed: {verdict.exception_message or verdict.detail.removesuffix(compared(verdict))}"
    result |= vars(verdict)
    tests = [
        {"name": test.name, "outcome": test.outcome.value, "message": test.message, "seconds": test.seconds}
        for test in verdict.tests
    ]
    result |= {"outcome": verdict.outcome.value, "isolation": list(verdict.isolation), "tests": tests}
    # The detail and the messages of tests have these values and lines.
    del result["values"], result["test_lines"]
    result |= {"flaky": verdict.flaky, "repeats": [outcome.value for outcome in verdict.repeats]}
    if not verdict.reading:
        del result["program"], result["reading"]
    if verdict.duplicate_of is not None:
        result["duplicate_of"] = list(sample_ids[verdict.duplicate_of]) if sample_ids else None
    extra = {"exception_description": verdict.exception_message, "output": result.pop("output")}
    extra["partial_credit"] = passed_share(verdict)
    if "result" in extra_fields:
        extra["result"] = text or text_with_class(verdict)
    return result | {name: extra[name] for name in extra_fields}


def passed_share(verdict: Verdict) -> float:
    """Return the share of its tests that a candidate passed, from 0 to 1. It is 1 only if the candidate passed.

    Without results of single tests all of them are one test. If all results are passes and the candidate failed, one
    test has no result.
    """
    if verdict.passed or not verdict.tests:
        return float(verdict.passed)
    passed = [test.outcome is Outcome.PASSED for test in verdict.tests]
    return sum(passed) / (len(passed) + all(passed))


def text_with_class(verdict: Verdict) -> str:
    """Return the text that `restrictedpython_code_eval` has for a program that did not pass within its time."""
    kind = verdict.exception_type
    if not kind:
        # A program that a signal ended, for example, has left no result.
        return "Result evaluates to False (probably timed out)"
    if kind == "EOFError":
        return "EOF error"
    # The end of a traceback has the class with its module, unless it is a builtin.
    qualified = re.findall(rf"^((?:\w+\.)+{re.escape(kind)})(?::|$)", verdict.traceback, re.MULTILINE)
    return f"failed (<class '{qualified[-1] if qualified else kind}'>): {verdict.exception_message}"


def metric_output(
    sizes: Sequence[int], run_results: list[RunResult], k: Sequence[int], extra_fields: Sequence[str] = ()
) -> MetricOutput:
    """Return the metric's output: (pass_at_k, results), as `compute` describes them.

    Args:
        sizes: numbers of candidates per task.
        run_results: of all candidates, task by task. Those without a verdict are left out of pass@k. The list is
            emptied: otherwise each verdict would be in memory beside its result.
        k: numbers of draws.
        extra_fields: as in `result_dict`.
    """
    results = MetricResults()
    sample_ids = [(task_id, number) for task_id, size in enumerate(sizes) for number in range(size)]
    # From the end, where taking one out is cheap.
    run_results.reverse()
    for task_id, size in enumerate(sizes):
        results[task_id] = [
            (number, result_dict(task_id, number, run_results.pop(), extra_fields, sample_ids))
            for number in range(size)
        ]
    unjudged: dict[str, list[str]] = {}
    for task_id, task in results.items():
        for completion_id, result in task:
            if result["passed"] is None:
                unjudged.setdefault(result.get("outcome", NOT_RUN), []).append(f"{task_id}/{completion_id}")
    for outcome, names in unjudged.items():
        reason = "have invalid tests" if outcome == INVALID_TESTS else "could not be run"
        warnings.warn(
            f"{len(names)} candidate(s) {reason} and count neither as right nor as wrong: "
            f"{summarize(names)} (task/candidate)",
            stacklevel=4,
        )
    passed = [[result["passed"] for _, result in task if result["passed"] is not None] for task in results.values()]
    return MetricOutput((mean_pass_at_k(passed, k, list(results)), results))
