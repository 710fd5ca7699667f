"""Estimates over tasks: pass@k and pass^k of the attempts of a solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from code_tasks.scoring.estimates import PassAtK, bootstrap_intervals, mean_over_tasks
from sandboxes import estimate_pass_at_k


@dataclass(frozen=True)
class Estimate(PassAtK):
    """An estimate over the tasks with enough attempts."""

    questions: int = 0
    """Number of tasks with at least k valid attempts. The estimate is the mean over them."""


def pass_estimates(counts: Sequence[tuple[int, int]]) -> tuple[list[Estimate], list[Estimate]]:
    """Return pass@k and pass^k for every k for which a task has enough valid attempts.

    Args:
        counts: (number of valid attempts, number of correct ones) of each task.
    """
    total = np.array([n for n, _ in counts], dtype=np.int64)
    correct = np.array([c for _, c in counts], dtype=np.int64)
    at_k: list[Estimate] = []
    hat_k: list[Estimate] = []
    # Values of k for which the same tasks have enough attempts share their bootstrap samples.
    bounds = sorted({0, *total.tolist()})
    for lower, upper in zip(bounds, bounds[1:], strict=False):
        has_enough = total >= upper
        ks = range(lower + 1, upper + 1)
        n, c = total[has_enough], correct[has_enough]
        at_k += estimate_over_questions(ks, np.column_stack([estimate_pass_at_k(n, c, k) for k in ks]))
        hat_k += estimate_over_questions(ks, np.column_stack([estimate_pass_hat_k(n, c, k) for k in ks]))
    return at_k, hat_k


def estimate_over_questions(ks: Sequence[int], values: NDArray[np.float64]) -> list[Estimate]:
    """Return an estimate for each k from the tasks' values.

    The standard error is clustered by task. The interval is between percentiles of bootstrap samples of tasks,
    which are drawn with a fixed seed. Both are NaN for a single task.

    Args:
        ks: each k.
        values: float array of shape (tasks, ks), in [0, 1].
    """
    questions = len(values)
    lows = highs = np.full(len(ks), math.nan)
    if questions > 1:
        lows, highs = bootstrap_intervals(values)
    return [
        Estimate(k, *mean_over_tasks(values[:, i].tolist()), float(lows[i]), float(highs[i]), questions)
        for i, k in enumerate(ks)
    ]


def estimate_pass_hat_k(num_samples: NDArray[np.int64], num_correct: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return the unbiased pass^k of each task, that all of k attempts are correct: C(c, k) / C(n, k).

    Args:
        num_samples: n, int array of shape (tasks,); every n >= k.
        num_correct: c, int array of shape (tasks,), 0 <= c <= n.
        k: draws, >= 1.

    Returns:
        float array of shape (tasks,), in [0, 1].

    Raises:
        ValueError: if any n < k or c > n, or if k < 1.

    Source: Yao et al. 2024, arXiv:2406.12045 (tau-bench), section 3.
    """
    # 1 - pass^k is the probability that at least one is incorrect: pass@k of the incorrect ones.
    return 1.0 - estimate_pass_at_k(num_samples, num_samples - num_correct, k)
