"""The numbers behind a report's figures, as plain data that the page's script draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from code_tasks.report_data import Run, Sample
from code_tasks.result_html import LABELS, MIB, duration
from code_tasks.solver_summary import Estimate

MOST_ROWS = 1_500
MOST_COLUMNS = 400
BINS = 40
# From here on a histogram's axis is logarithmic.
LARGE_RATIO = 10
SHORTEST_SECONDS = 1e-4
# Cells of the heat map: a character for each outcome, so that 200,000 of them are 200 kB.
LETTERS = dict(zip(LABELS, "abcdefghij", strict=True))
NO_ATTEMPT = "-"


def curve(estimates: Sequence[Estimate]) -> list[dict[str, float | None]]:
    """A curve's points: those k that every question has enough attempts for, so that all are of the same questions."""
    if not estimates:
        return []
    return [
        {
            "k": each.k,
            "mean": each.mean,
            "low": None if math.isnan(each.low) else each.low,
            "high": None if math.isnan(each.high) else each.high,
        }
        for each in estimates
        if each.questions == estimates[0].questions
    ]


def hardest_first(run: Run) -> list[str]:
    """The tasks, those with the smallest share of right attempts first."""

    def share(task_id: str) -> float:
        known = [each.correct for each in run.tasks[task_id].values() if each.correct is not None]
        return sum(known) / len(known) if known else -1.0

    return sorted(run.tasks, key=share)


def heat_map(run: Run) -> dict[str, Any]:
    """Tasks × attempts: the hardest MOST_ROWS tasks, and of each the first MOST_COLUMNS attempts.

    Returns:
        {"tasks": names, "attempts": numbers, "cells": a string per task with a character of LETTERS or NO_ATTEMPT per
        attempt, "outcomes": by that character}.
    """
    tasks = hardest_first(run)[:MOST_ROWS]
    numbers = sorted({each.number for each in run.samples})[:MOST_COLUMNS]
    cells = [
        "".join(LETTERS[task[number].outcome] if number in task else NO_ATTEMPT for number in numbers)
        for task in (run.tasks[task_id] for task_id in tasks)
    ]
    outcomes = {letter: outcome for outcome, letter in LETTERS.items()}
    return {"tasks": tasks, "attempts": numbers, "cells": cells, "outcomes": outcomes}


def histogram(values: Mapping[str, Sequence[float]], shown: Callable[[float], str]) -> dict[str, Any]:
    """A histogram, stacked by outcome.

    Args:
        values: each above 0, by outcome.
        shown: a value for people.

    Returns:
        {} if there are none; else {"centers", "width": of the bars on an axis that is logarithmic if the values need
        it, "labels": of each bar, "counts": {outcome: per bar}, "ticks": [[place, label], ...]}.
    """
    everything = np.array([value for each in values.values() for value in each], dtype=np.float64)
    if not len(everything):
        return {}
    low, high = float(everything.min()), float(everything.max())
    logarithmic = high / low > LARGE_RATIO
    if not logarithmic:
        low, high = low * 0.95, high * 1.05
    edges = np.geomspace(low, high, BINS + 1) if logarithmic else np.linspace(low, high, BINS + 1)
    # Rounding must not put the extremes outside.
    edges[0], edges[-1] = low, high
    places = np.log10(edges) if logarithmic else edges
    ticks = decades(low, high) if logarithmic else np.linspace(low, high, 5).tolist()
    return {
        "centers": ((places[:-1] + places[1:]) / 2).tolist(),
        "width": float(places[1] - places[0]),
        "labels": [f"{shown(one)} to {shown(other)}" for one, other in pairwise(edges.tolist())],
        "counts": {name: np.histogram(each, edges)[0].tolist() for name, each in values.items()},
        "ticks": [[math.log10(tick) if logarithmic else tick, shown(tick)] for tick in ticks],
    }


def decades(low: float, high: float) -> list[float]:
    """Round numbers between two: 1, 10, 100; also 2 and 5 where there would be few."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 100 else (1,)
    return [step * 10.0**exponent for exponent in exponents for step in steps if low <= step * 10.0**exponent <= high]


def figures(run: Run) -> dict[str, Any]:
    """All that the page's script draws."""
    return {
        "labels": LABELS,
        "pass_at_k": curve(run.summary.pass_at_k),
        "pass_hat_k": curve(run.summary.pass_hat_k),
        "heat_map": heat_map(run),
        "times": histogram(by_outcome(run.samples, seconds), duration_of),
        "memory": histogram(by_outcome(run.samples, memory), mebibytes),
    }


def by_outcome(samples: Sequence[Sample], measured: Callable[[Sample], float | None]) -> dict[str, list[float]]:
    """What is known of samples, by their outcome, in the order of LABELS."""
    found: dict[str, list[float]] = {outcome: [] for outcome in LABELS}
    for sample in samples:
        if (value := measured(sample)) is not None:
            found[sample.outcome].append(value)
    return {outcome: values for outcome, values in found.items() if values}


def seconds(sample: Sample) -> float | None:
    """Its time on the clock; the shortest are the same on a logarithmic axis."""
    return None if sample.wall_seconds is None else max(sample.wall_seconds, SHORTEST_SECONDS)


def memory(sample: Sample) -> float | None:
    """Its memory in MiB."""
    return sample.peak_memory_bytes and sample.peak_memory_bytes / MIB


def duration_of(value: float) -> str:
    """Seconds as people read them, also very few."""
    return f"{1000 * value:.1g} ms" if value < 0.01 else duration(value)


def mebibytes(value: float) -> str:
    """MiB as people read them."""
    return f"{value:,.0f} MiB" if value >= 100 else f"{value:.1f} MiB"
