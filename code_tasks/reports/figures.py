"""The numbers behind a report's figures, as plain data that the page's script draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from code_tasks.reports.data import AttemptData, ReportData
from code_tasks.reports.html_parts import MIB, format_seconds
from code_tasks.solvers.estimates import Estimate
from sandboxes.outcome_labels import LABELS, LETTERS

BINS = 40
# A histogram's axis is logarithmic if its largest value is more than this many times its smallest.
LARGE_RATIO = 10
MIN_SECONDS = 1e-4


def curve(estimates: Sequence[Estimate]) -> list[dict[str, float | None]]:
    """Return a curve's points, up to the last k for which every task has enough samples.

    All points are then about the same tasks.
    """
    if not estimates:
        return []
    return [
        {
            "k": estimate.k,
            "mean": estimate.mean,
            "low": None if math.isnan(estimate.low) else estimate.low,
            "high": None if math.isnan(estimate.high) else estimate.high,
        }
        for estimate in estimates
        if estimate.questions == estimates[0].questions
    ]


def histogram(values: Mapping[str, Sequence[float]], label: Callable[[float], str]) -> dict[str, Any]:
    """Return a histogram, stacked by outcome.

    Args:
        values: the values of each outcome, all above 0.
        label: returns the label of a value.

    Returns:
        {} if there are no values; otherwise {"centers", "width": of the bars, on an axis that is logarithmic if the
        values need it, "labels": of each bar, "counts": {outcome: per bar}, "ticks": [[position, label], ...]}.
    """
    all_values = np.array([value for group in values.values() for value in group], dtype=np.float64)
    if not len(all_values):
        return {}
    low, high = float(np.min(all_values)), float(np.max(all_values))
    logarithmic = high / low > LARGE_RATIO
    if not logarithmic:
        low, high = low * 0.95, high * 1.05
    edges = np.geomspace(low, high, BINS + 1) if logarithmic else np.linspace(low, high, BINS + 1)
    # Rounding must not put the smallest or the largest value outside the bars.
    edges[0], edges[-1] = low, high
    positions = np.log10(edges) if logarithmic else edges
    ticks = round_numbers(low, high) if logarithmic else np.linspace(low, high, 5).tolist()
    return {
        "centers": ((positions[:-1] + positions[1:]) / 2).tolist(),
        "width": float(positions[1] - positions[0]),
        "labels": [f"{label(start)} to {label(end)}" for start, end in pairwise(edges.tolist())],
        "counts": {outcome: np.histogram(group, edges)[0].tolist() for outcome, group in values.items()},
        "ticks": [[math.log10(tick) if logarithmic else tick, label(tick)] for tick in ticks],
    }


def round_numbers(low: float, high: float) -> list[float]:
    """Return the round numbers between two: 1, 10, 100; in a small range 2, 5, 20 and 50 too."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 100 else (1,)
    return [step * 10.0**exponent for exponent in exponents for step in steps if low <= step * 10.0**exponent <= high]


def figures(report: ReportData) -> dict[str, Any]:
    """Return the data of all figures."""
    return {
        "labels": LABELS,
        "letters": LETTERS,
        "pass_at_k": curve(report.summary.pass_at_k),
        "pass_hat_k": curve(report.summary.pass_hat_k),
        "times": histogram(by_outcome(report.attempts, seconds), format_short_seconds),
        "memory": histogram(by_outcome(report.attempts, mebibytes), format_mebibytes),
    }


def by_outcome(
    attempts: Sequence[AttemptData], measure: Callable[[AttemptData], float | None]
) -> dict[str, list[float]]:
    """Return the known values of attempts by outcome, in the order of LABELS."""
    values: dict[str, list[float]] = {outcome: [] for outcome in LABELS}
    for attempt in attempts:
        if (value := measure(attempt)) is not None:
            values[attempt.outcome].append(value)
    return {outcome: group for outcome, group in values.items() if group}


def seconds(attempt: AttemptData) -> float | None:
    """Return an attempt's time on the clock, at least MIN_SECONDS because a logarithmic axis has no 0."""
    return None if attempt.wall_seconds is None else max(attempt.wall_seconds, MIN_SECONDS)


def mebibytes(attempt: AttemptData) -> float | None:
    """Return an attempt's memory in MiB."""
    return attempt.peak_memory_bytes and attempt.peak_memory_bytes / MIB


def format_short_seconds(value: float) -> str:
    """Return a duration with its unit, and a digit that counts even below 1 ms."""
    return f"{1000 * value:.1g} ms" if value < 0.01 else format_seconds(value)


def format_mebibytes(value: float) -> str:
    """Return a number of MiB with its unit."""
    return f"{value:,.0f} MiB" if value >= 100 else f"{value:.1f} MiB"
