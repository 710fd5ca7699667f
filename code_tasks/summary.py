"""What a run says about a model: pass@k with its error, outcomes, and the tasks to look at."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from code_eval import estimate_pass_at_k
from sandboxes import Ended, Outcome, Verdict, printable

DEFAULT_KS = (1, 10, 100)
MOST_TASKS_SHOWN = 10
MOST_SLOW_TASKS_SHOWN = 5


@dataclass(frozen=True)
class PassAtK:
    """An estimate over tasks."""

    k: int
    mean: float
    """In [0, 1]."""

    standard_error: float
    """Of the mean, with tasks as the clusters: the samples of one task are not independent. NaN for a single task."""


def pass_at_k(ended: Mapping[str, Sequence[Ended]], ks: Sequence[int]) -> tuple[list[PassAtK], list[str]]:
    """pass@k over tasks, and a line for each k that is left out because a task has too few samples.

    Args:
        ended: what became of each task's samples. Those that could not be run count neither as right nor as wrong.
        ks: each >= 1.
    """
    verdicts = {task: [each.passed for each in samples if isinstance(each, Verdict)] for task, samples in ended.items()}
    verdicts = {task: passed for task, passed in verdicts.items() if passed}
    total = np.array([len(passed) for passed in verdicts.values()])
    correct = np.array([sum(passed) for passed in verdicts.values()])
    estimates, left_out = [], []
    for k in ks:
        if few := [task for task, passed in verdicts.items() if len(passed) < k]:
            left_out.append(f"pass@{k} is left out: fewer than {k} samples for {len(few)} task(s), such as {few[0]}")
        elif verdicts:
            by_task = estimate_pass_at_k(total, correct, k)
            error = by_task.std(ddof=1) / math.sqrt(len(by_task)) if len(by_task) > 1 else math.nan
            estimates.append(PassAtK(k, float(by_task.mean()), float(error)))
    return estimates, left_out


def as_text(ended: Mapping[str, Sequence[Ended]], ks: Sequence[int] | None, wall_seconds: float) -> str:
    """The report that `code-eval run` prints.

    Args:
        ended: what became of each task's samples.
        ks: each >= 1. None: those of 1, 10 and 100 that there are enough samples for.
        wall_seconds: of the whole run.
    """
    estimates, left_out = pass_at_k(ended, ks or DEFAULT_KS)
    everything = [each for samples in ended.values() for each in samples]
    lines = [
        f"{len(everything)} samples of {len(ended)} tasks in {wall_seconds:.1f} s "
        f"({len(everything) / wall_seconds:.0f} samples/s)",
        "",
    ]
    for estimate in estimates:
        error = "" if math.isnan(estimate.standard_error) else f" ± {100 * estimate.standard_error:.1f}"
        lines.append(f"  {f'pass@{estimate.k}':<10}{100 * estimate.mean:6.1f}{error} %")
    lines += [*(f"  {line}" for line in left_out if ks), "", "  outcome         samples"]
    counts = Counter(each.outcome if isinstance(each, Verdict) else None for each in everything)
    lines += [f"  {outcome.value:<16}{counts[outcome]:7}" for outcome in Outcome if counts[outcome]]
    if counts[None]:
        lines.append(f"  {'not run':<16}{counts[None]:7}   (the sandbox broke; counted neither as right nor as wrong)")
    lines += notes(everything)
    # Task names come from files; a detail is printable already.
    return "\n".join(printable(line) for line in [*lines, *slowest(ended), *failing(ended), ""])


def notes(everything: Sequence[Ended]) -> list[str]:
    """Lines on samples that were run several times, or not at all; none where there are none."""
    verdicts = [each for each in everything if isinstance(each, Verdict)]
    again = sum(each.attempts > 1 and not each.cached for each in verdicts)
    counts = {
        "flaky: their runs had different outcomes, and the first counts": sum(each.flaky for each in verdicts),
        "run again: the sandbox broke, or they timed out on a busy machine": again,
        "not run: they are the same as others": sum(each.duplicate_of is not None for each in verdicts),
        "not run: their results were in the cache": sum(each.cached for each in verdicts),
    }
    lines = [f"  {count} {what}" for what, count in counts.items() if count]
    return ["", *lines] if lines else []


def slowest(ended: Mapping[str, Sequence[Ended]]) -> list[str]:
    """Lines on the tasks with the longest sample."""
    seconds = {
        task: max((each.wall_seconds for each in samples if isinstance(each, Verdict)), default=0.0)
        for task, samples in ended.items()
    }
    order = sorted(seconds, key=lambda task: -seconds[task])[:MOST_SLOW_TASKS_SHOWN]
    return ["", "  slowest tasks   seconds", *(f"  {task:<16}{seconds[task]:7.2f}" for task in order)]


def failing(ended: Mapping[str, Sequence[Ended]]) -> list[str]:
    """Lines on the tasks that fewest samples solved, each with the most frequent reason."""
    shares = {}
    for task, samples in ended.items():
        verdicts = [each for each in samples if isinstance(each, Verdict)]
        if reasons := Counter(each.detail for each in verdicts if not each.passed):
            passed = sum(each.passed for each in verdicts)
            shares[task] = (passed, len(verdicts), reasons.most_common(1)[0][0])
    order = sorted(shares, key=lambda task: shares[task][0] / shares[task][1])
    lines = [
        f"  {task:<16}{f'{shares[task][0]}/{shares[task][1]}':>7}   {shares[task][2][:80]}"
        for task in order[:MOST_TASKS_SHOWN]
    ]
    if len(order) > MOST_TASKS_SHOWN:
        lines.append(f"  ... and {len(order) - MOST_TASKS_SHOWN} more")
    return ["", "  failing tasks    passed   most frequent reason", *lines] if lines else []
