"""The pass@k estimator, and its mean over tasks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandboxes.validation import summarize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def estimate_pass_at_k(num_samples: ArrayLike, num_correct: ArrayLike, k: int) -> NDArray[np.float64]:
    """Estimate pass@k of each problem without bias: 1 - C(n-c, k) / C(n, k).

    Args:
        num_samples: n, int or int array of shape (problems,); every n >= k.
        num_correct: c, int array of shape (problems,), 0 <= c <= n.
        k: draws, >= 1.

    Returns:
        float array of shape (problems,), in [0, 1].

    Raises:
        ValueError: if any n < k or c > n, or if k < 1.

    Source: Chen et al. 2021, arXiv:2107.03374, section 2.1.
    """
    # The commands need no array, and start without NumPy.
    import numpy as np

    correct = np.asarray(num_correct)
    total = np.broadcast_to(np.asarray(num_samples), correct.shape)
    if k < 1 or (total < k).any():
        raise ValueError(
            f"pass@{k} needs k >= 1 and at least k samples of each problem, not {summarize(total.tolist())}"
        )
    if (correct > total).any() or (correct < 0).any():
        counts = [f"{c} of {n}" for c, n in zip(correct.tolist(), total.tolist(), strict=True)]
        raise ValueError(f"num_correct must be from 0 to num_samples, not {summarize(counts)}")
    return np.array([pass_at_k_of_task(n, c, k) for n, c in zip(total.tolist(), correct.tolist(), strict=True)])


def pass_at_k_of_task(num_samples: int, num_correct: int, k: int) -> float:
    """Return the estimate for one problem: 1 - C(n-c, k) / C(n, k), in [0, 1].

    Args:
        num_samples: n, >= k.
        num_correct: c, 0 <= c <= n.
        k: draws, >= 1.
    """
    wrong = num_samples - num_correct
    # A product of quotients, so that no factorial overflows. It is 0 if n - c < k.
    return 1.0 - math.prod((wrong - draw) / (num_samples - draw) for draw in range(k)) if wrong >= k else 1.0


def mean_pass_at_k(passed: Sequence[Sequence[bool]], k: Sequence[int], task_ids: Sequence[int]) -> dict[str, float]:
    """Return {"pass@k": mean over tasks}. A k that some task has too few candidates for is left out, with a warning.

    Args:
        passed: per task, whether each candidate that has a verdict passed. Tasks without such candidates are left out.
        k: numbers of draws.
        task_ids: of the tasks, for warnings.
    """
    tasks = [(task_id, task) for task_id, task in zip(task_ids, passed, strict=True) if task]
    pass_at_k = {}
    for draws in k:
        if too_small := [task_id for task_id, task in tasks if len(task) < draws]:
            warnings.warn(
                f"pass@{draws} is left out: fewer than {draws} candidates for task(s) {summarize(too_small)}",
                stacklevel=5,
            )
        elif tasks:
            estimates = [pass_at_k_of_task(len(task), sum(task), draws) for _, task in tasks]
            pass_at_k[f"pass@{draws}"] = math.fsum(estimates) / len(estimates)
    return pass_at_k
