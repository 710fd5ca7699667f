"""The comparison of two runs, task by task and sample by sample: `compare_runs`.

`code-eval compare` makes it. The command's text, its JSON and its page show the same comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from code_tasks.reports.data import AttemptData, ReportData
from code_tasks.scoring.estimates import DEFAULT_KS
from code_tasks.scoring.paired import PairedDifference, paired_differences

DEPENDS_ON_FILE = frozenset({"samples"})
"""Settings that differ between any two files of samples."""

DEPENDS_ON_TASKS = frozenset({"problems"})
"""Settings that differ between files with other tasks."""


@dataclass(frozen=True)
class Flip:
    """A sample that passed in one of two runs alone."""

    baseline: AttemptData
    other: AttemptData

    @property
    def same_program(self) -> bool:
        """True if both runs had the same candidate, so that the difference is not the model's."""
        return self.baseline.code == self.other.code


@dataclass(frozen=True)
class ChangedSetting:
    """A setting that differs between two runs."""

    name: str
    """The name; that of a setting in an object has the object's name and a dot before it."""

    baseline: Any
    other: Any


@dataclass(frozen=True)
class Comparison:
    """A run beside a baseline. Only tasks with a verdict in both are compared."""

    baseline: ReportData
    other: ReportData
    ks: tuple[int, ...]
    """Each k of pass@k; () for those of DEFAULT_KS for which there are enough samples."""

    @cached_property
    def common(self) -> dict[str, tuple[list[bool], list[bool]]]:
        """Whether each sample passed, in (the baseline, the other run), by task, in the baseline's order."""
        old, new = judged_tasks(self.baseline), judged_tasks(self.other)
        return {task_id: (old[task_id], new[task_id]) for task_id in old if task_id in new}

    @property
    def only_in_baseline(self) -> list[str]:
        """The tasks that have a verdict in the baseline alone."""
        return [task_id for task_id in judged_tasks(self.baseline) if task_id not in self.common]

    @property
    def only_in_other(self) -> list[str]:
        """The tasks that have a verdict in the other run alone."""
        return [task_id for task_id in judged_tasks(self.other) if task_id not in self.common]

    @cached_property
    def differences(self) -> tuple[list[PairedDifference], list[str]]:
        """The difference for each k, and a line for each k that was asked for and has too few samples."""
        old = {task_id: (len(passed), sum(passed)) for task_id, (passed, _) in self.common.items()}
        new = {task_id: (len(passed), sum(passed)) for task_id, (_, passed) in self.common.items()}
        differences, left_out = paired_differences(old, new, self.ks or DEFAULT_KS)
        return differences, left_out if self.ks else []

    @cached_property
    def flips(self) -> list[Flip]:
        """The samples whose verdict flipped, those with the same program first."""
        flips = [Flip(*pair) for pair in self._pairs() if pair[0].correct is not pair[1].correct]
        return sorted(flips, key=lambda flip: not flip.same_program)

    @property
    def pairs(self) -> int:
        """The number of samples that have a verdict in both runs, by task and number."""
        return sum(1 for _ in self._pairs())

    @property
    def solved_by_baseline_alone(self) -> list[str]:
        """The common tasks that a sample of the baseline passed, and none of the other run."""
        return [task_id for task_id, (old, new) in self.common.items() if any(old) and not any(new)]

    @property
    def solved_by_other_alone(self) -> list[str]:
        """The common tasks that a sample of the other run passed, and none of the baseline."""
        return [task_id for task_id, (old, new) in self.common.items() if any(new) and not any(old)]

    @property
    def changed_settings(self) -> list[ChangedSetting]:
        """The settings that differ, and may be the reason for different verdicts."""
        left_out = DEPENDS_ON_FILE
        if self.only_in_baseline or self.only_in_other:
            left_out |= DEPENDS_ON_TASKS
        if not (self.baseline.settings and self.other.settings):
            return []
        old, new = dict(flattened(self.baseline.settings)), dict(flattened(self.other.settings))
        names = [name for name in {**old, **new} if name not in left_out and old.get(name) != new.get(name)]
        return [ChangedSetting(name, old.get(name), new.get(name)) for name in names]

    def _pairs(self) -> Iterator[tuple[AttemptData, AttemptData]]:
        for task_id in self.common:
            others = self.other.tasks[task_id]
            for number, attempt in self.baseline.tasks[task_id].items():
                other = others.get(number)
                if other is not None and None not in (attempt.correct, other.correct):
                    yield attempt, other


def compare_runs(runs: Sequence[ReportData], ks: Sequence[int] = ()) -> list[Comparison]:
    """Return the comparison of each further run with the first one.

    Args:
        runs: at least two.
        ks: each >= 1; empty for those of DEFAULT_KS for which there are enough samples.
    """
    baseline, *others = runs
    return [Comparison(baseline, other, tuple(ks)) for other in others]


def judged_tasks(run: ReportData) -> dict[str, list[bool]]:
    """Return whether each sample passed, by task, without the samples and tasks that could not be run."""
    tasks = {
        task_id: [attempt.correct for attempt in task.values() if attempt.correct is not None]
        for task_id, task in run.tasks.items()
    }
    return {task_id: passed for task_id, passed in tasks.items() if passed}


def program_seconds(run: ReportData) -> tuple[float, float]:
    """Return the (wall, CPU) seconds that a run's programs took. A duplicate counts as the program that it copies."""
    results = [attempt.result for attempt in run.attempts if attempt.result is not None]
    return sum(result["wall_seconds"] for result in results), sum(result["cpu_seconds"] for result in results)


def flattened(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of settings; those of objects in them have the object's name and a dot before theirs."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def as_json(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return comparisons with one baseline as plain data; a number that is not known is None."""
    baseline = comparisons[0].baseline
    return {"baseline": run_as_json(baseline), "others": [comparison_as_json(each) for each in comparisons]}


def run_as_json(run: ReportData) -> dict[str, Any]:
    """Return the file, the size and the cost of a run."""
    wall_seconds, cpu_seconds = program_seconds(run)
    return {
        "file": str(run.source),
        "tasks": len(run.tasks),
        "samples": len(run.attempts),
        "not_run": sum(attempt.correct is None for attempt in run.attempts),
        "run_seconds": run.run_seconds,
        "wall_seconds": wall_seconds,
        "cpu_seconds": cpu_seconds,
        "notes": list(run.notes),
    }


def comparison_as_json(comparison: Comparison) -> dict[str, Any]:
    """Return one comparison as plain data."""
    differences, left_out = comparison.differences
    return {
        **run_as_json(comparison.other),
        "common_tasks": len(comparison.common),
        "only_in_baseline": comparison.only_in_baseline,
        "only_in_other": comparison.only_in_other,
        "changed_settings": [vars(setting) for setting in comparison.changed_settings],
        "pass_at_k": [difference_as_json(difference) for difference in differences],
        "left_out": left_out,
        "compared_samples": comparison.pairs,
        "flips": [flip_as_json(flip) for flip in comparison.flips],
        "solved_by_baseline_alone": comparison.solved_by_baseline_alone,
        "solved_by_other_alone": comparison.solved_by_other_alone,
    }


def difference_as_json(difference: PairedDifference) -> dict[str, Any]:
    """Return the difference for one k as plain data."""
    return {
        "k": difference.baseline.k,
        "baseline": difference.baseline.mean,
        "other": difference.other.mean,
        "difference": difference.difference,
        "standard_error": difference.standard_error if difference.tasks > 1 else None,
        "interval": None if difference.interval is None else list(difference.interval),
        "p_value": difference.p_value,
        "tasks": difference.tasks,
        "different_tasks": difference.different_tasks,
    }


def flip_as_json(flip: Flip) -> dict[str, Any]:
    """Return a flip as plain data, with what both programs wrote."""
    return {
        "task_id": flip.baseline.task_id,
        "completion_id": flip.baseline.number,
        "same_program": flip.same_program,
        "baseline": attempt_as_json(flip.baseline),
        "other": attempt_as_json(flip.other),
    }


def attempt_as_json(attempt: AttemptData) -> dict[str, Any]:
    """Return the verdict of one sample, and what its program wrote."""
    result = attempt.result or {}
    texts = {name: result.get(name, "") for name in ("traceback", "stdout", "stderr")}
    return {"outcome": attempt.outcome, "detail": attempt.detail, "completion": attempt.code, **texts}
