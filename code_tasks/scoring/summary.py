"""The summary of a run: pass@k with its standard error, counts of outcomes, and the slowest and failing tasks."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from code_tasks.scoring.coverage import WHOLE, Coverage
from code_tasks.scoring.estimates import DEFAULT_KS, PassAtK, counted, pass_at_k_from_counts
from code_tasks.scoring.strict import is_other_verdict
from sandboxes import Outcome
from sandboxes.extraction.hints import AnswerHints
from sandboxes.outcome_labels import INVALID_TESTS, LABELS, NOT_RUN
from sandboxes.validation import printable

MAX_TASKS_SHOWN = 10
MAX_SLOW_TASKS_SHOWN = 5
MAX_GRADING_REASONS = 5
# Different reasons that are counted per task, and characters of each.
MAX_REASONS, MAX_REASON_CHARS = 50, 80
NO_SCORES: Mapping[str, Sequence[str]] = MappingProxyType({})
LEGEND = "±: standard error of the mean over tasks; intervals: bootstrap over tasks"
# Texts after a number of samples; {s} is the ending of a plural.
NOTES = OTHER_VERDICT, FLAKY, RETRIED, EMPTY, DUPLICATE, CACHED = (
    "sample{s} would have another verdict without --strict-official",
    "flaky: repeated runs had different outcomes, and the first run counts",
    "run again: the sandbox broke, or the program timed out on a busy machine",
    "empty sample{s}",
    "duplicate{s} of another sample: counted, and not run again",
    "result{s} from the cache",
)


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

        self.invalid_tests: dict[str, str] = {}
        """The reason for which the tests of a task are invalid."""

        self.notes: Counter[str] = Counter()
        """Number of samples for each of NOTES."""

        self.hints = AnswerHints()

    @property
    def samples(self) -> int:
        """The number of all samples."""
        return self.outcomes.total()

    def add(self, task_id: str, result: Mapping[str, Any], scores: Mapping[str, Sequence[str]] = NO_SCORES) -> None:
        """Count a sample.

        Args:
            task_id: of its task.
            result: as `sandboxes.result_dict` gives it, with the sample's "completion".
            scores: further scores of its problem.
        """
        task = self.tasks.setdefault(task_id, TaskTally())
        if result["passed"] is None:
            self.outcomes[result.get("outcome")] += 1
            if "detail" in result:
                self.invalid_tests[task_id] = result["detail"][:MAX_REASON_CHARS]
            return
        self.outcomes[result["outcome"]] += 1
        self.hints.add(task_id, result.get("completion", ""), result)
        self.notes[OTHER_VERDICT] += is_other_verdict(result)
        self.notes[FLAKY] += result["flaky"]
        self.notes[RETRIED] += result["attempts"] > 1 and not result["cached"]
        self.notes[EMPTY] += "completion" in result and not result["completion"].strip()
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


def as_text(
    tally: Tally,
    ks: Sequence[int] | None,
    wall_seconds: float,
    samples_run: int | None = None,
    coverage: Coverage = WHOLE,
) -> str:
    """Return the report that `code-eval run` prints.

    Args:
        tally: counts of all samples.
        ks: each >= 1. None: those of 1, 10 and 100 for which there are enough samples.
        wall_seconds: duration of the run.
        samples_run: how many of the samples this run ran. None: all.
        coverage: what the samples leave out.
    """
    rows, left_out = scores(tally, ks, coverage)
    run = tally.samples if samples_run is None else samples_run
    speed = f"{run / wall_seconds:.0f} samples/s" if run == tally.samples else f"{run} of them now"
    lines = [
        f"{counted(tally.samples, 'sample')} of {counted(len(tally.tasks), 'task')} in {wall_seconds:.1f} s ({speed})",
        "",
    ]
    width = max([10, *(len(name) + 2 for name in rows)])
    lines += [f"  {name:<{width}}{in_percent(estimate)}" for name, estimate in rows.items()]
    if any(estimate.interval for estimate in rows.values()):
        lines.append(f"  {LEGEND}")
    lines += [f"  {line}" for line in (*(left_out if ks else ()), *coverage.lines())]
    lines += ["", "  outcome         samples"]
    outcomes = tally.outcomes
    lines += [f"  {outcome.label:<16}{outcomes[outcome.value]:7}" for outcome in Outcome if outcomes[outcome.value]]
    if outcomes[None]:
        lines.append(
            f"  {LABELS[NOT_RUN]:<16}{outcomes[None]:7}   (the sandbox broke; counted neither as passed nor as failed)"
        )
    if count := outcomes[INVALID_TESTS]:
        lines.append(f"  {LABELS[INVALID_TESTS]:<16}{count:7}   (counted neither as passed nor as failed)")
    lines += [*gradings(task.grading for task in tally.tasks.values() if task.samples), *notes(tally)]
    # Task names come from files, and may hold control characters. A detail is printable already.
    lines += [*slowest(tally), *failing(tally), *invalid(tally), ""]
    return "\n".join(map(printable, lines))


def in_percent(estimate: PassAtK) -> str:
    """Return an estimate in percent with its standard error and its interval, where these are known."""
    error = "" if math.isnan(estimate.standard_error) else f" ± {100 * estimate.standard_error:.1f}"
    interval = ""
    if estimate.interval:
        low, high = estimate.interval
        interval = f"   (95 % interval {100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * estimate.mean:6.1f}{error} %{interval}"


def scores(tally: Tally, ks: Sequence[int] | None, coverage: Coverage) -> tuple[dict[str, PassAtK], list[str]]:
    """Return each score by its name, such as "pass@1" or "base pass@1", and a line for each k that is left out.

    Args:
        tally: counts of all samples.
        ks: as for `as_text`.
        coverage: as for `as_text`.
    """
    named: dict[str, PassAtK] = {}
    left_out: list[str] = []
    for score in ("", *dict.fromkeys(name for task in tally.tasks.values() for name in task.scored)):
        counts = {
            name: (task.samples, task.scored[score] if score else task.passed) for name, task in tally.tasks.items()
        }
        estimates, lines = pass_at_k_from_counts(counts, ks or DEFAULT_KS, coverage.unsolved, with_intervals=True)
        named |= {f"{score} pass@{estimate.k}".lstrip(): estimate for estimate in estimates}
        left_out = left_out or lines
    return named, left_out


def as_data(tally: Tally, ks: Sequence[int] | None, coverage: Coverage) -> dict[str, Any]:
    """Return scores and counts as plain data, for `--json`.

    Args:
        tally: counts of all samples.
        ks: as for `as_text`.
        coverage: as for `as_text`.
    """
    named, _ = scores(tally, ks, coverage)
    return {
        "scores": {
            name: {
                "mean": estimate.mean,
                "standard_error": None if math.isnan(estimate.standard_error) else estimate.standard_error,
                "interval": estimate.interval,
            }
            for name, estimate in named.items()
        },
        "counts": {
            "problems": coverage.problems,
            "missing": len(coverage.missing),
            "tasks": len(tally.tasks),
            "samples": tally.samples,
            "passed": sum(task.passed for task in tally.tasks.values()),
            "not_run": tally.outcomes[None],
            "invalid_tests": len(tally.invalid_tests),
            "skipped": coverage.skipped,
            "empty": tally.notes[EMPTY],
            "duplicates": tally.notes[DUPLICATE],
            "outcomes": {name: count for name, count in tally.outcomes.items() if name is not None},
        },
        "missing": [*coverage.missing],
        "invalid_tests": [*tally.invalid_tests],
    }


def gradings(tasks: Iterable[tuple[str, str]]) -> list[str]:
    """Return the line that says how tasks were graded.

    Args:
        tasks: for each the grading, and the reason for which "auto" chose "shared".
    """
    counts = Counter(tasks)
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
    """Return lines on samples that were run several times or not at all, and hints; no lines if there are none."""
    counts = [(note, tally.notes[note]) for note in NOTES if tally.notes[note]]
    lines = [f"  {count} {note.format(s='' if count == 1 else 's')}" for note, count in counts]
    lines += [f"  {hint}" for hint in tally.hints.sentences("--extract auto")]
    return ["", *lines] if lines else []


def slowest(tally: Tally) -> list[str]:
    """Return lines on the tasks with the slowest samples."""
    order = heapq.nlargest(MAX_SLOW_TASKS_SHOWN, tally.tasks.items(), key=lambda item: item[1].slowest_seconds)
    lines = [f"  {name:<16}{task.slowest_seconds:7.2f}" for name, task in order]
    return ["", "  slowest tasks   seconds", *lines]


def invalid(tally: Tally) -> list[str]:
    """Return lines on the tasks whose tests are invalid, with the reasons."""
    shown = list(tally.invalid_tests.items())[:MAX_TASKS_SHOWN]
    lines = [f"  {name:<16}{'':>7}   {reason}" for name, reason in shown]
    if len(tally.invalid_tests) > len(shown):
        lines.append(f"  ... and {len(tally.invalid_tests) - len(shown)} more")
    return ["", "  tasks with invalid tests", *lines] if lines else []


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
