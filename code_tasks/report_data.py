"""What a report shows: a run, from the record of `code-eval solve` or the results of `code-eval run`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from code_tasks.datasets import BadInput, read_lines
from code_tasks.recording import RECORD_TYPES
from code_tasks.solver_summary import Attempt, Summary, summarised
from sandboxes import Outcome, shortened

TEXTS = ("detail", "traceback", "stdout", "stderr")
NUMBERS = ("wall_seconds", "cpu_seconds", "peak_memory_bytes", "attempts")
TEST_TEXTS = ("name", "outcome", "message")
OUTCOMES = tuple(outcome.value for outcome in Outcome)
MOST_A_NUMBER = 1e18
# In the year 9999, where dates end.
MOST_A_TIMESTAMP = 253_370_764_800


@dataclass(frozen=True)
class Sample:
    """One attempt at a task."""

    task_id: str
    number: int
    """Counted from 0 in its task."""

    correct: bool | None
    """None: infrastructure broke, so that is not known."""

    outcome: str
    """The value of an Outcome, or "not_run"."""

    detail: str = ""
    """One line for people."""

    code: str = ""
    result: Mapping[str, Any] | None = None
    """The verdict, as `code_eval.result_of` gives it, where a sandbox decided."""

    traceback: str = ""
    """Of what ended it, where that was no verdict."""

    error_class: str = ""
    """The same exception's."""

    @property
    def wall_seconds(self) -> float | None:
        """Time on the clock, where it was run."""
        return None if self.result is None else float(self.result["wall_seconds"])

    @property
    def peak_memory_bytes(self) -> int | None:
        """Memory, where it was run and that could be measured."""
        return None if self.result is None else self.result["peak_memory_bytes"] or None


@dataclass(frozen=True)
class Run:
    """All that a report is about."""

    source: Path
    """The file it comes from."""

    tasks: Mapping[str, Mapping[int, Sample]]
    """Each task's samples by their number, in the file's order; none for a task that was never tried."""

    tries: int
    """Attempts that each task was to have; 0 if the file does not say."""

    solver: str
    """Its short name; empty if the file does not say."""

    settings: Mapping[str, Any]
    date: datetime
    """When the last line was written, in UTC."""

    notes: tuple[str, ...] = ()
    """What is to be said about the file."""

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """All of them, task by task."""
        return tuple(sample for task in self.tasks.values() for sample in task.values())

    @property
    def undone(self) -> int:
        """Attempts that were to be made and have no result."""
        return sum(max(self.tries - len(task), 0) for task in self.tasks.values())

    @property
    def solver_errors(self) -> int:
        """Attempts that an exception of the solver ended."""
        return sum(each.correct is False and each.error_class != "" for each in self.samples)

    @cached_property
    def summary(self) -> Summary:
        """Its scores."""
        attempts = (
            Attempt(each.task_id, each.number, bool(each.correct), each.error_class, each.correct is None)
            for each in self.samples
        )
        return summarised(attempts, tuple(self.tasks))


def read_run(path: Path) -> Run:
    """The run that a file tells of, plain or gzipped: a record of `code-eval solve`, or results of `code-eval run`.

    Raises:
        BadInput: if it is neither, naming the line.
    """
    notes: list[str] = []
    lines = parsed(path, notes)
    first = next(lines, None)
    if first is None:
        raise BadInput(f"{path}: there is nothing in it to report; {WANTED}")
    everything = (line for part in ((first,), lines) for line in part)
    _, record = first
    if isinstance(record, dict) and "record_type" in record:
        return run_of_record(path, everything, notes)
    return run_of_results(path, everything, notes)


WANTED = "give a record that `code-eval solve` wrote, or results of `code-eval run --output`"


def parsed(path: Path, notes: list[str]) -> Iterator[tuple[str, Any]]:
    """("file:line", value) of each line. A last one that is cut off is left out, with a note."""
    torn = ""
    for number, line in read_lines(path):
        if torn:
            raise BadInput(torn)
        if not line.strip():
            continue
        try:
            yield f"{path}:{number}", json.loads(line)
        except (ValueError, RecursionError) as error:
            torn = f"{path}:{number}: not JSON ({error}); {WANTED}"
    if torn:
        notes.append("The file's last line is cut off, and is left out here.")


def run_of_results(path: Path, lines: Iterable[tuple[str, Any]], notes: list[str]) -> Run:
    """The run that results of `code-eval run` tell of."""
    tasks: dict[str, dict[int, Sample]] = {}
    for place, record in lines:
        sample = sample_of_result(place, record)
        task = tasks.setdefault(sample.task_id, {})
        if sample.number in task:
            raise BadInput(f"{place}: task {shortened(sample.task_id)} had a sample {sample.number} before")
        task[sample.number] = sample
    return Run(path, tasks, 0, "", {}, datetime.fromtimestamp(path.stat().st_mtime, UTC), tuple(notes))


def sample_of_result(place: str, record: Any) -> Sample:
    """The sample of one line of results."""
    if not isinstance(record, dict):
        raise BadInput(f"{place}: not a JSON object, but {shortened(record)}; {WANTED}")
    for name, kinds in {"task_id": str, "completion": str, "completion_id": int, "result": str}.items():
        if not isinstance(record.get(name), kinds):
            raise BadInput(f"{place}: no {name!r} as results have it; {WANTED}")
    task_id, number, code = record["task_id"], count(place, record, "completion_id"), record["completion"]
    if "outcome" not in record:
        return Sample(task_id, number, None, "not_run", record["result"], code)
    result = checked_result(place, record)
    return Sample(task_id, number, result["outcome"] == "passed", result["outcome"], result["detail"], code, result)


def run_of_record(path: Path, lines: Iterable[tuple[str, Any]], notes: list[str]) -> Run:
    """The run that a record tells of: of an attempt that ended more than once, the last end counts."""
    spec: Mapping[str, Any] = {}
    tasks: dict[str, dict[int, Sample]] = {}
    sampled: dict[tuple[str, int], str] = {}
    timestamp = 0.0
    for place, record in lines:
        kind = record.get("record_type") if isinstance(record, dict) else None
        if kind not in RECORD_TYPES:
            raise BadInput(f"{place}: not a line of a record: its record_type is {shortened(kind)}; {WANTED}")
        timestamp = number_of(place, record, "timestamp")
        if kind == "spec":
            spec = checked_spec(place, record)
            for question_id in spec["question_ids"]:
                tasks.setdefault(question_id, {})
        if kind not in ("sampling", "match", "error"):
            continue
        key = text(place, record, "group_id"), count(place, record, "attempt_id")
        if kind == "sampling":
            sampled[key] = text(place, record, "sampled")
        elif kind == "match" or record.get("is_final"):
            sample = sample_of_match if kind == "match" else sample_of_error
            tasks.setdefault(key[0], {})[key[1]] = sample(place, record, *key, sampled.pop(key, ""))
    if not spec:
        raise BadInput(f"{path}: this record has no spec, which is its first line; {WANTED}")
    tasks = {task_id: dict(sorted(samples.items())) for task_id, samples in tasks.items()}
    date = datetime.fromtimestamp(min(timestamp, MOST_A_TIMESTAMP), UTC)
    return Run(path, tasks, spec["n_tries"], spec["solver"], spec["settings"], date, tuple(notes))


def checked_spec(place: str, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The spec of a record, if it is one."""
    text(place, record, "solver")
    count(place, record, "n_tries")
    ids = record.get("question_ids")
    if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
        raise BadInput(f"{place}: question_ids is not a list of strings, but {shortened(ids)}")
    if not isinstance(record.get("settings"), dict):
        raise BadInput(f"{place}: settings is not an object, but {shortened(record.get('settings'))}")
    return record


def sample_of_match(place: str, record: Mapping[str, Any], task_id: str, number: int, code: str) -> Sample:
    """The sample of an attempt that was graded."""
    correct, log = record.get("correct"), text(place, record, "grader_log")
    if not isinstance(correct, bool):
        raise BadInput(f"{place}: correct is neither true nor false, but {shortened(correct)}")
    if record.get("result") is None:
        return Sample(task_id, number, correct, "passed" if correct else "failed", log, code)
    result = checked_result(place, record["result"])
    outcome = result["outcome"]
    if (outcome == "passed") != correct:
        # The grader decides, whatever the program's own end.
        outcome, log = ("passed" if correct else "failed"), log or f"the grader says so; its program: {outcome}"
        return Sample(task_id, number, correct, outcome, log, code, result)
    return Sample(task_id, number, correct, outcome, result["detail"], code, result)


def sample_of_error(place: str, record: Mapping[str, Any], task_id: str, number: int, code: str) -> Sample:
    """The sample of an attempt that ended with an exception: of infrastructure, or of the solver."""
    error_class, is_system_error = text(place, record, "error_class"), record.get("is_system_error") is not False
    detail = f"{error_class}: {text(place, record, 'message')}"
    correct, outcome = (None, "not_run") if is_system_error else (False, "failed")
    return Sample(
        task_id,
        number,
        correct,
        outcome,
        detail if is_system_error else f"the solver raised {detail}",
        code,
        traceback=text(place, record, "traceback"),
        error_class=error_class,
    )


def checked_result(place: str, result: Any) -> dict[str, Any]:
    """A verdict as `code_eval.result_of` gives it, without the fields that a report has no use for."""
    if not isinstance(result, dict):
        raise BadInput(f"{place}: the result is not an object, but {shortened(result)}")
    checked: dict[str, Any] = {name: text(place, result, name) for name in ("outcome", "grading", *TEXTS)}
    if checked["outcome"] not in OUTCOMES:
        raise BadInput(f"{place}: unknown outcome {shortened(checked['outcome'])}; it is one of {', '.join(OUTCOMES)}")
    if checked["grading"] not in ("shared", "separate"):
        raise BadInput(f"{place}: unknown grading {shortened(checked['grading'])}; it is shared or separate")
    checked |= {name: number_of(place, result, name) for name in NUMBERS}
    layers = result.get("isolation")
    if not isinstance(layers, list) or not all(isinstance(each, str) for each in layers):
        raise BadInput(f"{place}: isolation is not a list of strings, but {shortened(layers)}")
    return checked | {"isolation": layers, "tests": checked_tests(place, result.get("tests"))}


def checked_tests(place: str, tests: Any) -> list[dict[str, str]]:
    """The single tests of a verdict."""
    if not isinstance(tests, list) or not all(isinstance(each, dict) for each in tests):
        raise BadInput(f"{place}: tests is not a list of objects, but {shortened(tests)}")
    checked = [{name: text(place, each, name) for name in TEST_TEXTS} for each in tests]
    if unknown := [each["outcome"] for each in checked if each["outcome"] not in OUTCOMES]:
        raise BadInput(f"{place}: unknown outcome {shortened(unknown[0])} of a test")
    return checked


def text(place: str, record: Mapping[str, Any], name: str) -> str:
    """A field that is a string."""
    value = record.get(name)
    if not isinstance(value, str):
        raise BadInput(f"{place}: {name} is not a string, but {shortened(value)}")
    return value


def count(place: str, record: Mapping[str, Any], name: str) -> int:
    """A field that is a whole number, and not below 0."""
    value = number_of(place, record, name)
    if not isinstance(value, int):
        raise BadInput(f"{place}: {name} is not a whole number, but {shortened(value)}")
    return value


def number_of(place: str, record: Mapping[str, Any], name: str) -> int | float:
    """A field that is a finite number, and not below 0."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < MOST_A_NUMBER:
        raise BadInput(f"{place}: {name} is not a number that is finite and at least 0, but {shortened(value)}")
    return value
