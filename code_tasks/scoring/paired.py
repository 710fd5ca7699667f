"""Paired differences of pass@k between two runs over the same tasks, with an interval and a p-value.

`code-eval compare` shows them. Tasks differ in difficulty far more than runs do, so differences are taken task by task.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from code_tasks.scoring.estimates import PassAtK, mean_over_tasks, without_k
from sandboxes.pass_at_k import pass_at_k_of_task

Counts = Mapping[str, tuple[int, int]]
"""(number of samples with a verdict, number of those that passed) by task."""

CONFIDENCE = 0.95
MIN_DIFFERENT_TASKS = 5
"""Tasks that must differ before there is an interval: with fewer, an interval from their spread is far too narrow."""

MAX_EXACT_STEPS = 1 << 28
"""Additions that an exact p-value may take. Otherwise signs are drawn."""

MAX_EXACT_SUMS = 1 << 22
"""Different sums that an exact p-value may hold in memory. Otherwise signs are drawn."""

DRAWS = 20_000
DRAWING_SEED = 0
# Drawn signs in memory at a time.
MAX_DRAWN_AT_ONCE = 1 << 20
# Sums of floats that differ less are the same sum.
TIE = 1e-9


@dataclass(frozen=True)
class PairedDifference:
    """The difference of pass@k between two runs, over the tasks that both have."""

    baseline: PassAtK
    other: PassAtK
    difference: float
    """pass@k of the other run minus that of the baseline, in [-1, 1]."""

    standard_error: float
    """Standard error of the difference, clustered by task. NaN for a single task."""

    interval: tuple[float, float] | None
    """95 % interval of the difference; None if fewer than MIN_DIFFERENT_TASKS tasks differ, or all by the same."""

    p_value: float
    """Two-sided, of the sign-flip test over tasks."""

    tasks: int
    different_tasks: int
    """Number of tasks whose estimates differ."""


def paired_differences(baseline: Counts, other: Counts, ks: Sequence[int]) -> tuple[list[PairedDifference], list[str]]:
    """Return the difference for each k, and a line for each k that is left out because a task has too few samples.

    Args:
        baseline: counts of each task.
        other: counts of the same tasks. Every task has a sample in both.
        ks: each >= 1.
    """
    differences, left_out = [], []
    for k in ks:
        if too_few := [task for task in baseline if min(baseline[task][0], other[task][0]) < k]:
            left_out.append(without_k(k, too_few))
        elif baseline:
            differences.append(paired_difference(baseline, other, k))
    return differences, left_out


def paired_difference(baseline: Counts, other: Counts, k: int) -> PairedDifference:
    """Return the difference for one k, for which each of the tasks has enough samples."""
    values = [[pass_at_k_of_task(*counts[task], k) for task in baseline] for counts in (baseline, other)]
    exact = [exact_pass_at_k(*other[task], k) - exact_pass_at_k(*baseline[task], k) for task in baseline]
    different = [difference for difference in exact if difference]
    mean, error = mean_over_tasks([float(difference) for difference in exact])
    interval = None
    if len(different) >= MIN_DIFFERENT_TASKS and len({*exact}) > 1:
        margin = t_quantile(len(exact) - 1) * error
        interval = max(mean - margin, -1.0), min(mean + margin, 1.0)
    of_baseline, of_other = (PassAtK(k, *mean_over_tasks(each)) for each in values)
    return PairedDifference(
        of_baseline, of_other, mean, error, interval, sign_flip_p_value(different), len(exact), len(different)
    )


def exact_pass_at_k(num_samples: int, num_correct: int, k: int) -> Fraction:
    """Return `pass_at_k_of_task` as a fraction, so that equal estimates are equal."""
    return 1 - Fraction(math.comb(num_samples - num_correct, k), math.comb(num_samples, k))


def t_quantile(degrees: int) -> float:
    """Return the quantile of Student's t distribution that bounds a two-sided interval of CONFIDENCE.

    Args:
        degrees: of freedom, >= MIN_DIFFERENT_TASKS - 1. For 4 the error is 0.001; it decreases with more.

    Source: Abramowitz and Stegun 1964, Handbook of Mathematical Functions, 26.7.5.
    """
    z: float = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / degrees**power for power, term in enumerate(terms))


def sign_flip_p_value(differences: Sequence[Fraction]) -> float:
    """Return the two-sided p-value of the sign-flip test: how often random signs give a sum at least as far from 0.

    If both runs pass a task equally often, its difference is as likely to have the other sign. With one sample of each
    task this is McNemar's exact test. The p-value is exact if the sums can be enumerated. Otherwise it is estimated
    from DRAWS draws with a fixed seed, and at least 1 / (DRAWS + 1).

    Args:
        differences: of the tasks whose estimates differ.
    """
    if not differences:
        return 1.0
    denominator = math.lcm(*(difference.denominator for difference in differences))
    whole = [int(difference * denominator) for difference in differences]
    divisor = math.gcd(*whole)
    whole = [number // divisor for number in whole]
    total = sum(map(abs, whole))
    if total <= MAX_EXACT_SUMS and total * len(whole) <= MAX_EXACT_STEPS:
        return exact_p_value(whole)
    return drawn_p_value([float(difference) for difference in differences])


def exact_p_value(differences: Sequence[int]) -> float:
    """Return the p-value of the sign-flip test, from the distribution of all sums."""
    # The commands need no array, and start without NumPy.
    import numpy as np

    sizes = [abs(difference) for difference in differences]
    total, observed = sum(sizes), abs(sum(differences))
    # The probability of each sum of the sizes that have a plus sign.
    probability = np.zeros(total + 1)
    probability[0] = 1.0
    for size in sizes:
        shifted = probability[:-size] / 2
        probability /= 2
        probability[size:] += shifted
    sums = 2 * np.arange(total + 1) - total
    return min(1.0, float(probability[np.abs(sums) >= observed].sum()))


def drawn_p_value(differences: Sequence[float]) -> float:
    """Return an estimate of the p-value of the sign-flip test, from drawn signs."""
    import numpy as np

    values = np.array(differences)
    observed = abs(values.sum()) - TIE
    draws = np.random.default_rng(DRAWING_SEED)
    size = max(1, MAX_DRAWN_AT_ONCE // len(values))
    as_far = 0
    for start in range(0, DRAWS, size):
        signs = draws.integers(0, 2, (min(size, DRAWS - start), len(values)), dtype=np.int8) * 2 - 1
        as_far += int((np.abs(signs @ values) >= observed).sum())
    return (as_far + 1) / (DRAWS + 1)
