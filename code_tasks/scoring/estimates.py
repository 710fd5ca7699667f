"""Estimates of pass@k over tasks, each with its standard error and a 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandboxes import RunResult, Verdict
from sandboxes.pass_at_k import pass_at_k_of_task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_KS = (1, 10, 100)
BOOTSTRAP_SAMPLES = 1000
BOOTSTRAP_SEED = 0
# Drawn values in memory at a time.
MAX_DRAWN_AT_ONCE = 1 << 20
INTERVAL_PERCENT = 95.0


@dataclass(frozen=True)
class PassAtK:
    """An estimate over tasks."""

    k: int
    mean: float
    """In [0, 1]."""

    standard_error: float
    """Standard error of the mean, clustered by task because the samples of one task are not independent. NaN for a
    single task."""

    low: float = math.nan
    high: float = math.nan
    """Ends of the 95 % interval from bootstrap samples of tasks. NaN for a single task, or if it was not computed."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """(low, high); None if it is unknown. Tasks that all have the same value don't tell how far others differ."""
        return (self.low, self.high) if self.low < self.high else None


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


def pass_at_k_from_counts(
    counts: Mapping[str, tuple[int, int]], ks: Sequence[int], unsolved: int = 0, *, with_intervals: bool = False
) -> tuple[list[PassAtK], list[str]]:
    """Return the same as `pass_at_k`.

    Args:
        counts: each task's (number of samples, number of passed samples).
        ks: each >= 1.
        unsolved: number of further tasks, whose pass@k is 0 for each k.
        with_intervals: whether to compute the 95 % intervals, which takes NumPy.
    """
    counts = {task: (samples, passed) for task, (samples, passed) in counts.items() if samples}
    estimates, left_out = [], []
    for k in ks:
        if too_few := [task for task, (samples, _) in counts.items() if samples < k]:
            left_out.append(without_k(k, too_few))
        elif counts:
            values = [pass_at_k_of_task(samples, passed, k) for samples, passed in counts.values()] + [0.0] * unsolved
            estimates.append(PassAtK(k, *mean_over_tasks(values), *(interval_of(values) if with_intervals else ())))
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


def interval_of(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean over tasks. Both ends are NaN for a single task.

    Args:
        values: of each task, at least one.
    """
    if len(values) == 1:
        return math.nan, math.nan
    # Without intervals, the commands need no array.
    import numpy as np

    lows, highs = bootstrap_intervals(np.array(values)[:, np.newaxis])
    return float(lows[0]), float(highs[0])


def bootstrap_intervals(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of 95 % intervals: percentiles of means over bootstrap samples of tasks, with a fixed seed.

    Args:
        values: float array of shape (tasks, estimates), of two tasks at least.

    Returns:
        Two float arrays of shape (estimates,).
    """
    import numpy as np

    tasks, estimates = values.shape
    # Results arrive in any order, and the same results have the same interval.
    values = np.sort(values, axis=0)
    draws = np.random.default_rng(BOOTSTRAP_SEED)
    means = np.empty((BOOTSTRAP_SAMPLES, estimates))
    size = max(1, MAX_DRAWN_AT_ONCE // values.size)
    for start in range(0, BOOTSTRAP_SAMPLES, size):
        part = means[start : start + size]
        part[:] = values[draws.integers(tasks, size=(len(part), tasks))].mean(axis=1)
    tail = (100 - INTERVAL_PERCENT) / 2
    lows, highs = np.percentile(means, [tail, 100 - tail], axis=0)
    return lows, highs
