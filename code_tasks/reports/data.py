"""The data of a report, read from a file that `code-eval solve` or `code-eval run` wrote.

`code-eval report` calls `read_report_data`. A file is either read as a whole or refused with the line that is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError, read_lines
from code_tasks.scoring.results_format import WANTED, checked_record, checked_result, count, number, summary_from, text
from code_tasks.solvers.attempts import Attempt
from code_tasks.solvers.record.format import RECORD_TYPES
from code_tasks.solvers.record.reader import checked_spec
from code_tasks.solvers.summary import Summary, summarize_attempts
from sandboxes.outcome_labels import INVALID_TESTS, NOT_RUN
from sandboxes.validation import short_json

# In the year 9999, the last one that a datetime can hold.
MAX_TIMESTAMP = 253_370_764_800


@dataclass(frozen=True)
class AttemptData:
    """One attempt at a task."""

    task_id: str
    number: int
    """The attempt's number in its task, from 0."""

    correct: bool | None
    """None: infrastructure broke, so the answer is unknown."""

    outcome: str
    """The value of an Outcome, or NOT_RUN."""

    detail: str = ""
    """One line for people."""

    code: str = ""
    result: Mapping[str, Any] | None = None
    """The verdict as `code_eval.result_dict` gives it; None if no sandbox decided."""

    traceback: str = ""
    """The traceback of the exception that ended the attempt without a verdict."""

    error_class: str = ""
    """The class of that exception."""

    @property
    def program_traceback(self) -> str:
        """The traceback of the program; empty if it was not run, or ended without one."""
        return "" if self.result is None else str(self.result["traceback"])

    @property
    def wall_seconds(self) -> float | None:
        """Time on the clock; None for an attempt that was not run."""
        return None if self.result is None else float(self.result["wall_seconds"])

    @property
    def peak_memory_bytes(self) -> int | None:
        """Memory; None for an attempt that was not run, or whose memory could not be measured."""
        return None if self.result is None else self.result["peak_memory_bytes"] or None


@dataclass(frozen=True)
class ReportData:
    """Everything that a report shows."""

    source: Path
    """The file that the data come from."""

    tasks: Mapping[str, Mapping[int, AttemptData]]
    """The attempts of each task by their number, in the file's order. A task that was never tried has none."""

    tries: int
    """Attempts planned for each task; 0 if the file does not say."""

    solver: str
    """The solver's short name; empty if the file does not say."""

    settings: Mapping[str, Any]
    date: datetime
    """When the last line was written, in UTC."""

    notes: tuple[str, ...] = ()
    """Warnings about the file itself."""

    tries_by_question: Mapping[str, int] = field(default_factory=dict)
    """Attempts planned for the tasks whose number is not `tries`."""

    run_seconds: float | None = None
    """Duration of the run; None if the file does not say."""

    problems: Mapping[str, Problem] = field(default_factory=dict)
    """The problems by task_id, as far as they are known."""

    @cached_property
    def attempts(self) -> tuple[AttemptData, ...]:
        """All attempts, task by task."""
        return tuple(attempt for task in self.tasks.values() for attempt in task.values())

    def language_of(self, task_id: str) -> str:
        """Return the language of a task's samples: that of its problem or of the run, otherwise Python."""
        problem = self.problems.get(task_id)
        kinds = self.settings.get("kinds")
        of_run = kinds.get("language") if isinstance(kinds, dict) else None
        return (problem and problem.language) or (of_run if isinstance(of_run, str) else "python")

    @property
    def unfinished(self) -> int:
        """Number of planned attempts that have no result."""
        planned = {task_id: self.tries_by_question.get(task_id, self.tries) for task_id in self.tasks}
        return sum(max(planned[task_id] - len(task), 0) for task_id, task in self.tasks.items())

    @property
    def solver_errors(self) -> int:
        """Number of attempts that an exception of the solver ended."""
        return sum(attempt.correct is False and attempt.error_class != "" for attempt in self.attempts)

    @cached_property
    def summary(self) -> Summary:
        """The scores."""
        attempts = (
            Attempt(data.task_id, data.number, bool(data.correct), data.error_class, data.correct is None)
            for data in self.attempts
        )
        return summarize_attempts(attempts, tuple(self.tasks))


def read_report_data(path: Path) -> ReportData:
    """Read a file, plain or gzipped: the run log of `code-eval solve`, or the results of `code-eval run`.

    Raises:
        InputError: if the file is neither; the message names the line.
    """
    notes: list[str] = []
    lines = parse_lines(path, notes)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{path}: there is nothing in it to report; {WANTED}")
    _, record = first
    read = read_run_log if isinstance(record, dict) and "record_type" in record else read_results
    return read(path, chain([first], lines), notes)


def with_problems(report: ReportData, path: Path) -> ReportData:
    """Return a report that has the problems in a file, with their prompts and tests.

    Raises:
        InputError: if the problems can't be read, or are none of the report's.
    """
    loaded = load_benchmark(None, path).problems
    problems = {task_id: loaded[task_id] for task_id in report.tasks if task_id in loaded}
    if not problems:
        raise InputError(f"{path} has none of the {len(report.tasks):,} tasks in {report.source}")
    without = len(report.tasks) - len(problems)
    notes = (
        (f"{without:,} tasks are shown without prompt and tests: {path.name} does not have them.",) if without else ()
    )
    return replace(report, problems=problems, notes=(*report.notes, *notes))


def parse_lines(path: Path, notes: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield ("file:line", value) for each line; a last line that is cut off is left out, with a note."""
    error_of_last = ""
    for line_number, line in read_lines(path):
        if error_of_last:
            raise InputError(error_of_last)
        if not line.strip():
            continue
        try:
            yield f"{path}:{line_number}", json.loads(line)
        except (ValueError, RecursionError) as error:
            error_of_last = f"{path}:{line_number}: not JSON ({error}); {WANTED}"
    if error_of_last:
        notes.append("The file's last line is cut off, and is left out here.")


def read_results(path: Path, lines: Iterable[tuple[str, Any]], notes: list[str]) -> ReportData:
    """Return the data in the results of `code-eval run` or of the Space.

    Raises:
        InputError: if a line is not a result, or if there are no results.
    """
    tasks: dict[str, dict[int, AttemptData]] = {}
    settings: Mapping[str, Any] = {}
    run_seconds = None
    for location, value in lines:
        if (summary := summary_from(value)) is not None:
            settings = summary["settings"] if isinstance(summary.get("settings"), dict) else {}
            run_seconds = number(location, summary, "wall_seconds") if "wall_seconds" in summary else None
            continue
        check_finished(location, value)
        attempt = attempt_from_result(checked_record(location, value))
        task = tasks.setdefault(attempt.task_id, {})
        if attempt.number in task:
            raise InputError(f"{location}: task {short_json(attempt.task_id)} had a sample {attempt.number} before")
        task[attempt.number] = attempt
    if not tasks:
        raise InputError(f"{path}: there are no samples in it to report; {WANTED}")
    date = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return ReportData(path, tasks, 0, "", settings, date, tuple(notes), run_seconds=run_seconds)


def check_finished(location: str, value: Any) -> None:
    """Raise InputError for a line of a partial file: its run was interrupted."""
    if isinstance(value, dict) and (list(value) == ["settings"] or {*value} == {"sample", "record"}):
        raise InputError(
            f"{location}: these are partial results of an interrupted run; finish it first with "
            "`code-eval run --resume`"
        )


def attempt_from_result(record: Mapping[str, Any]) -> AttemptData:
    """Return the attempt in one line of results, which `checked_record` has checked."""
    task_id, number, code = record["task_id"], record["completion_id"], record["completion"]
    if "outcome" not in record:
        return AttemptData(task_id, number, None, NOT_RUN, record["result"], code)
    outcome = record["outcome"]
    correct = None if outcome == INVALID_TESTS else outcome == "passed"
    return AttemptData(task_id, number, correct, outcome, record["detail"], code, record)


def read_run_log(path: Path, lines: Iterable[tuple[str, Any]], notes: list[str]) -> ReportData:
    """Return the data in a run log. If an attempt ended more than once, the last end counts."""
    spec: Mapping[str, Any] = {}
    tasks: dict[str, dict[int, AttemptData]] = {}
    candidates: dict[tuple[str, int], str] = {}
    timestamp = 0.0
    for location, record in lines:
        record_type = record.get("record_type") if isinstance(record, dict) else None
        if record_type not in RECORD_TYPES:
            raise InputError(
                f"{location}: not a line of a run log: its record_type is {short_json(record_type)}; {WANTED}"
            )
        timestamp = number(location, record, "timestamp")
        if record_type == "spec":
            spec = checked_spec(location, record)
            for question_id in spec["question_ids"]:
                tasks.setdefault(question_id, {})
        if record_type not in ("sampling", "match", "error"):
            continue
        key = text(location, record, "group_id"), count(location, record, "attempt_id")
        if record_type == "sampling" and "part" in record:
            continue
        if record_type == "sampling":
            candidates[key] = text(location, record, "sampled")
        elif record_type == "match" or record.get("is_final"):
            parse = attempt_from_match if record_type == "match" else attempt_from_error
            tasks.setdefault(key[0], {})[key[1]] = parse(location, record, *key, candidates.pop(key, ""))
    if not spec:
        raise InputError(f"{path}: the run log has no spec, which is its first line; {WANTED}")
    tasks = {task_id: dict(sorted(attempts.items())) for task_id, attempts in tasks.items()}
    date = datetime.fromtimestamp(min(timestamp, MAX_TIMESTAMP), UTC)
    by_question = spec.get("tries_by_question", {})
    return ReportData(path, tasks, spec["n_tries"], spec["solver"], spec["settings"], date, tuple(notes), by_question)


def attempt_from_match(location: str, record: Mapping[str, Any], task_id: str, number: int, code: str) -> AttemptData:
    """Return an attempt that was graded."""
    correct, log = record.get("correct"), text(location, record, "grader_log")
    if not isinstance(correct, bool):
        raise InputError(f"{location}: correct must be true or false, not {short_json(correct)}")
    if record.get("result") is None:
        return AttemptData(task_id, number, correct, "passed" if correct else "failed", log, code)
    result = checked_result(location, record["result"])
    outcome = result["outcome"]
    if (outcome == "passed") != correct:
        # The grader decides, not the program's own outcome.
        outcome, log = ("passed" if correct else "failed"), log or f"the grader decided so; its program: {outcome}"
        return AttemptData(task_id, number, correct, outcome, log, code, result)
    return AttemptData(task_id, number, correct, outcome, result["detail"], code, result)


def attempt_from_error(location: str, record: Mapping[str, Any], task_id: str, number: int, code: str) -> AttemptData:
    """Return an attempt that an exception ended, raised by the infrastructure or by the solver."""
    error_class, is_system_error = text(location, record, "error_class"), record.get("is_system_error") is not False
    detail = f"{error_class}: {text(location, record, 'message')}"
    correct, outcome = (None, NOT_RUN) if is_system_error else (False, "failed")
    return AttemptData(
        task_id,
        number,
        correct,
        outcome,
        detail if is_system_error else f"the solver raised {detail}",
        code,
        traceback=text(location, record, "traceback"),
        error_class=error_class,
    )
