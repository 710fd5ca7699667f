"""The summary of a run: pass@k with its standard error, counts of outcomes, and the slowest and failing tasks."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from code_tasks.scoring.strict import is_other_verdict
from sandboxes import Outcome, RunResult, Verdict
from sandboxes.outcome_labels import LABELS, NOT_RUN
from sandboxes.pass_at_k import pass_at_k_of_task
from sandboxes.validation import printable

DEFAULT_KS = (1, 10, 100)
MAX_TASKS_SHOWN = 10
MAX_SLOW_TASKS_SHOWN = 5
MAX_GRADING_REASONS = 5
# Different reasons that are counted per task, and characters of each.
MAX_REASONS, MAX_REASON_CHARS = 50, 80
NO_SCORES: Mapping[str, Sequence[str]] = MappingProxyType({})
# Texts after a number of samples; {s} is the ending of a plural.
NOTES = OTHER_VERDICT, FLAKY, RETRIED, DUPLICATE, CACHED = (
    "sample{s} would have another verdict without --strict-official",
    "flaky: repeated runs had different outcomes, and the first run counts",
    "run again: the sandbox broke, or the program timed out on a busy machine",
    "duplicate{s} skipped",
    "result{s} from the cache",
)


@dataclass(frozen=True)
class PassAtK:
    """An estimate over tasks."""

    k: int
    mean: float
    """In [0, 1]."""

    standard_error: float
    """Standard error of the mean, clustered by task because the samples of one task are not independent. NaN for a
    single task."""


@dataclass
class TaskTally:
    """Counts of one task's samples."""

    samples: int = 0
    """Samples with a verdict."""

    passed: int = 0
    slowest_seconds: float = 0.0
    grading: tuple[str, str] = ("", "")
    """(the grading, the reason for which "auto" chose "shared") of the last sample."""

    reasons: Counter[str] = field(default_factory=Counter)
    """Number of samples by the reason for which they did not pass."""

    scored: Counter[str] = field(default_factory=Counter)
    """Number of samples that passed the tests of a further score, by its name."""


class Tally:
    """Counts samples by task as their results arrive, and keeps none of them."""

    def __init__(self) -> None:
        """Start with no samples."""
        self.tasks: dict[str, TaskTally] = {}
        self.outcomes: Counter[str | None] = Counter()
        """Number of samples by outcome; None for samples that could not be run."""

        self.notes: Counter[str] = Counter()
        """Number of samples for each of NOTES."""

    @property
    def samples(self) -> int:
        """The number of all samples."""
        return self.outcomes.total()

    def add(self, task_id: str, result: Mapping[str, Any], scores: Mapping[str, Sequence[str]] = NO_SCORES) -> None:
        """Count a sample.

        Args:
            task_id: of its task.
            result: as `sandboxes.result_dict` gives it.
            scores: further scores of its problem.
        """
        task = self.tasks.setdefault(task_id, TaskTally())
        if result["passed"] is None:
            self.outcomes[None] += 1
            return
        self.outcomes[result["outcome"]] += 1
        self.notes[OTHER_VERDICT] += is_other_verdict(result)
        self.notes[FLAKY] += result["flaky"]
        self.notes[RETRIED] += result["attempts"] > 1 and not result["cached"]
        self.notes[DUPLICATE] += result.get("duplicate_of") is not None
        self.notes[CACHED] += result["cached"]
        task.samples += 1
        task.passed += result["passed"]
        for name, tests in scores.items():
            task.scored[name] += passes(result, tests)
        # Results of earlier versions don't have the reason.
        task.grading = (result["grading"], result.get("grading_reason", ""))
        task.slowest_seconds = max(task.slowest_seconds, result["wall_seconds"])
        reason = result["detail"][:MAX_REASON_CHARS]
        if not result["passed"] and (reason in task.reasons or len(task.reasons) < MAX_REASONS):
            task.reasons[reason] += 1


def passes(result: Mapping[str, Any], tests: Collection[str]) -> bool:
    """Return whether a sample passed some of its single tests. A sample without results of these passed all or none."""
    outcomes = {test["name"]: test["outcome"] for test in result["tests"]}
    if result["passed"] or not outcomes:
        return bool(result["passed"])
    return all(outcomes.get(name) == Outcome.PASSED.value for name in tests)


def pass_at_k(results: Mapping[str, Sequence[RunResult]], ks: Sequence[int]) -> tuple[list[PassAtK], list[str]]:
    """Return pass@k over tasks, and a line for each k that is left out because a task has too few samples.

    Args:
        results: the results of each task's samples. Samples that could not be run count neither as passed nor as
            failed.
        ks: each >= 1.
    """
    passed = {
        task: [result.passed for result in task_results if isinstance(result, Verdict)]
        for task, task_results in results.items()
    }
    return pass_at_k_from_counts({task: (len(flags), sum(flags)) for task, flags in passed.items()}, ks)


def pass_at_k_from_counts(counts: Mapping[str, tuple[int, int]], ks: Sequence[int]) -> tuple[list[PassAtK], list[str]]:
    """Return the same as `pass_at_k`, from each task's (number of samples, number of passed samples)."""
    counts = {task: (samples, passed) for task, (samples, passed) in counts.items() if samples}
    estimates, left_out = [], []
    for k in ks:
        if too_few := [task for task, (samples, _) in counts.items() if samples < k]:
            left_out.append(without_k(k, too_few))
        elif counts:
            values = [pass_at_k_of_task(samples, passed, k) for samples, passed in counts.values()]
            estimates.append(PassAtK(k, *mean_over_tasks(values)))
    return estimates, left_out


def without_k(k: int, too_few: Sequence[str]) -> str:
    """Return the line about a k that is left out, because these tasks have fewer samples."""
    return f"pass@{k} is left out: fewer than {k} samples for {counted(len(too_few), 'task')}, such as {too_few[0]}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def mean_over_tasks(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean over tasks and its standard error, clustered by task.

    Args:
        values: of each task, at least one.

    Returns:
        Two floats. The standard error is NaN for a single task.
    """
    tasks = len(values)
    mean = math.fsum(values) / tasks
    variance = math.fsum((value - mean) ** 2 for value in values) / (tasks - 1) if tasks > 1 else math.nan
    return mean, math.sqrt(variance / tasks)


def as_text(tally: Tally, ks: Sequence[int] | None, wall_seconds: float, samples_run: int | None = None) -> str:
    """Return the report that `code-eval run` prints.

    Args:
        tally: counts of all samples.
        ks: each >= 1. None: those of 1, 10 and 100 for which there are enough samples.
        wall_seconds: duration of the run.
        samples_run: how many of the samples this run ran. None: all.
    """
    rows, left_out = scores(tally, ks)
    run = tally.samples if samples_run is None else samples_run
    speed = f"{run / wall_seconds:.0f} samples/s" if run == tally.samples else f"{run} of them now"
    lines = [
        f"{counted(tally.samples, 'sample')} of {counted(len(tally.tasks), 'task')} in {wall_seconds:.1f} s ({speed})",
        "",
    ]
    width = max([10, *(len(name) + 2 for name in rows)])
    for name, estimate in rows.items():
        error = "" if math.isnan(estimate.standard_error) else f" ± {100 * estimate.standard_error:.1f}"
        lines.append(f"  {name:<{width}}{100 * estimate.mean:6.1f}{error} %")
    lines += [*(f"  {line}" for line in left_out if ks), "", "  outcome         samples"]
    outcomes = tally.outcomes
    lines += [f"  {outcome.label:<16}{outcomes[outcome.value]:7}" for outcome in Outcome if outcomes[outcome.value]]
    if outcomes[None]:
        lines.append(
            f"  {LABELS[NOT_RUN]:<16}{outcomes[None]:7}   (the sandbox broke; counted neither as passed nor as failed)"
        )
    lines += [*gradings(tally), *notes(tally)]
    # Task names come from files, and may hold control characters. A detail is printable already.
    return "\n".join(printable(line) for line in [*lines, *slowest(tally), *failing(tally), ""])


def scores(tally: Tally, ks: Sequence[int] | None) -> tuple[dict[str, PassAtK], list[str]]:
    """Return each score by its name, such as "pass@1" or "base pass@1", and a line for each k that is left out.

    Args:
        tally: counts of all samples.
        ks: as for `as_text`.
    """
    ks = ks or DEFAULT_KS
    counts = {name: (task.samples, task.passed) for name, task in tally.tasks.items()}
    estimates, left_out = pass_at_k_from_counts(counts, ks)
    named = {f"pass@{estimate.k}": estimate for estimate in estimates}
    for score in dict.fromkeys(name for task in tally.tasks.values() for name in task.scored):
        scored = {name: (task.samples, task.scored[score]) for name, task in tally.tasks.items()}
        named |= {f"{score} pass@{estimate.k}": estimate for estimate in pass_at_k_from_counts(scored, ks)[0]}
    return named, left_out


def as_data(tally: Tally, ks: Sequence[int] | None) -> dict[str, Any]:
    """Return scores and counts as plain data, for `--json`.

    Args:
        tally: counts of all samples.
        ks: as for `as_text`.
    """
    named, _ = scores(tally, ks)
    return {
        "scores": {
            name: {
                "mean": estimate.mean,
                "standard_error": None if math.isnan(estimate.standard_error) else estimate.standard_error,
            }
            for name, estimate in named.items()
        },
        "counts": {
            "tasks": len(tally.tasks),
            "samples": tally.samples,
            "passed": sum(task.passed for task in tally.tasks.values()),
            "not_run": tally.outcomes[None],
            "outcomes": {name: count for name, count in tally.outcomes.items() if name is not None},
        },
    }


def gradings(tally: Tally) -> list[str]:
    """Return the line that says how tasks were graded, with the reasons for which "auto" chose "shared"."""
    counts = Counter(task.grading for task in tally.tasks.values() if task.samples)
    shared = {reason: count for (grading, reason), count in counts.most_common() if grading == "shared"}
    parts = [f"{apart} task{'' if apart == 1 else 's'} separate"] if (apart := counts["separate", ""]) else []
    if shared:
        total = sum(shared.values())
        named = [f"{reason} ({count})" for reason, count in shared.items() if reason]
        more = ["..."] if len(named) > MAX_GRADING_REASONS else []
        why = ": " + ", ".join(named[:MAX_GRADING_REASONS] + more) if named else ""
        parts.append(f"{total} task{'' if total == 1 else 's'} shared{why}")
    return ["", f"  grading: {'; '.join(parts)}"] if parts else []


def notes(tally: Tally) -> list[str]:
    """Return lines on samples that were run several times or not at all; no lines if there are none."""
    counts = [(note, tally.notes[note]) for note in NOTES if tally.notes[note]]
    lines = [f"  {count} {note.format(s='' if count == 1 else 's')}" for note, count in counts]
    return ["", *lines] if lines else []


def slowest(tally: Tally) -> list[str]:
    """Return lines on the tasks with the slowest samples."""
    order = heapq.nlargest(MAX_SLOW_TASKS_SHOWN, tally.tasks.items(), key=lambda item: item[1].slowest_seconds)
    lines = [f"  {name:<16}{task.slowest_seconds:7.2f}" for name, task in order]
    return ["", "  slowest tasks   seconds", *lines]


def failing(tally: Tally) -> list[str]:
    """Return lines on the tasks with the lowest share of passed samples, each with its most frequent reason."""
    tasks = [(name, task) for name, task in tally.tasks.items() if task.reasons]
    order = heapq.nsmallest(MAX_TASKS_SHOWN, tasks, key=lambda item: item[1].passed / item[1].samples)
    lines = [
        f"  {name:<16}{f'{task.passed}/{task.samples}':>7}   {task.reasons.most_common(1)[0][0]}"
        for name, task in order
    ]
    if len(tasks) > MAX_TASKS_SHOWN:
        lines.append(f"  ... and {len(tasks) - MAX_TASKS_SHOWN} more")
    return ["", "  failing tasks    passed   most frequent reason", *lines] if lines else []
