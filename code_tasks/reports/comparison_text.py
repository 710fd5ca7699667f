"""The comparison of runs as the text that `code-eval compare` prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from code_tasks.reports.comparison import ChangedSetting, Comparison, Flip, program_seconds
from code_tasks.reports.data import AttemptData, ReportData
from code_tasks.scoring.estimates import PassAtK, counted
from code_tasks.scoring.paired import MIN_DIFFERENT_TASKS, PairedDifference
from sandboxes.outcome_labels import LABELS
from sandboxes.validation import printable, short_repr

NAMES = ascii_uppercase
"""Names of runs, the baseline first."""

MAX_FLIPS_SHOWN = 20
MAX_TASKS_SHOWN = 20
MAX_DETAIL_CHARS = 60
MAX_NAME_CHARS = 40


def as_text(comparisons: Sequence[Comparison]) -> str:
    """Return the comparison of runs, at most len(NAMES), with one baseline."""
    runs = [comparisons[0].baseline, *(each.other for each in comparisons)]
    lines = list(costs(runs))
    for name, comparison in zip(NAMES[1:], comparisons, strict=False):
        lines += comparison_lines(name, comparison)
    # Names of tasks and files come from elsewhere, and may hold control characters.
    return "\n".join(printable(line) for line in [*lines, ""])


def costs(runs: Sequence[ReportData]) -> Iterator[str]:
    """Yield a table of the runs: their size, and the seconds that they took."""
    width = max(len(str(run.source)) for run in runs)
    yield f"     {'file':<{width}}  tasks  samples  not run   run s  wall s   CPU s"
    for name, run in zip(NAMES, runs, strict=False):
        not_run = sum(attempt.correct is None for attempt in run.attempts)
        wall, cpu = program_seconds(run)
        seconds = "".join(f"{'-' if each is None else f'{each:.1f}':>8}" for each in (run.run_seconds, wall, cpu))
        yield f"  {name}  {run.source!s:<{width}}{len(run.tasks):7}{len(run.attempts):9}{not_run:9}{seconds}"
    for name, run in zip(NAMES, runs, strict=False):
        yield from (f"  {name}: {note}" for note in run.notes)


def comparison_lines(name: str, comparison: Comparison) -> Iterator[str]:
    """Yield the lines on one run and the baseline."""
    yield ""
    yield f"{name} against A"
    yield f"  {shared_tasks(name, comparison)}"
    yield from (f"  {changed_setting(setting)}" for setting in comparison.changed_settings)
    differences, left_out = comparison.differences
    if differences:
        yield ""
        yield f"  {'':<10}{'A':>14}{name:>14}{f'{name} - A':>12}   {'95 % interval':<18}{'p':>8}"
    yield from map(difference_line, differences)
    yield from (f"  {line}" for line in left_out)
    if any(difference.interval is None for difference in differences):
        yield f"  no interval: fewer than {MIN_DIFFERENT_TASKS} tasks differ"
    yield ""
    yield from flip_lines(name, comparison)
    yield ""
    yield f"  tasks that only A solves: {named_tasks(comparison.solved_by_baseline_alone)}"
    yield f"  tasks that only {name} solves: {named_tasks(comparison.solved_by_other_alone)}"


def shared_tasks(name: str, comparison: Comparison) -> str:
    """Return how many tasks are compared, and how many are not."""
    text = f"{counted(len(comparison.common), 'task')} in both"
    parts = [
        f"{len(tasks)} only in {run}"
        for run, tasks in (("A", comparison.only_in_baseline), (name, comparison.only_in_other))
        if tasks
    ]
    return f"{text}; left out: {', '.join(parts)}" if parts else text


def changed_setting(setting: ChangedSetting) -> str:
    """Return a line on a setting that differs."""
    if setting.name == "problems":
        return "the problems differ: the tasks have the same names, and other prompts, tests or limits"
    return f"setting {setting.name}: {short_repr(setting.baseline)} -> {short_repr(setting.other)}"


def difference_line(difference: PairedDifference) -> str:
    """Return the line on one k."""
    label, baseline, other, change, interval, p_value = difference_cells(difference)
    return f"  {label:<10}{baseline:>14}{other:>14}{change:>12}   {interval:<18}{p_value:>8}"


def difference_cells(difference: PairedDifference) -> list[str]:
    """Return the label of one k, the estimates of both runs, their difference, its interval and its p-value.

    Estimates are in percent, with their standard errors. The difference and its interval are in percentage points.
    """
    interval = "-"
    if difference.interval is not None:
        low, high = difference.interval
        interval = f"{100 * low:+.1f} to {100 * high:+.1f}"
    return [
        f"pass@{difference.baseline.k}",
        percent(difference.baseline),
        percent(difference.other),
        f"{100 * difference.difference:+.1f}",
        interval,
        format_p(difference.p_value),
    ]


def percent(estimate: PassAtK) -> str:
    """Return an estimate with its standard error, in percent."""
    error = "" if math.isnan(estimate.standard_error) else f" ± {100 * estimate.standard_error:.1f}"
    return f"{100 * estimate.mean:.1f}{error}"


def format_p(p_value: float) -> str:
    """Return a p-value with two digits that count."""
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.2g}"


def flip_lines(name: str, comparison: Comparison) -> Iterator[str]:
    """Yield the lines on samples whose verdict flipped."""
    flips = comparison.flips
    yield f"  {flip_counts(name, comparison)}"
    shown = flips[:MAX_FLIPS_SHOWN]
    widths = [max([4, *(len(clip(flip.baseline.task_id, MAX_NAME_CHARS)) for flip in shown)])]
    widths.append(max([1, *(len(verdict(flip.baseline)) for flip in shown)]))
    if shown:
        yield f"    {'task':<{widths[0]}}  sample  {'A':<{widths[1]}}  {name}"
    yield from (flip_line(flip, widths) for flip in shown)
    if len(flips) > len(shown):
        yield f"    ... and {len(flips) - len(shown)} more; --json has all, with what the programs wrote"


def flip_counts(name: str, comparison: Comparison) -> str:
    """Return how many verdicts flipped, and in which direction."""
    flips = comparison.flips
    text = f"{len(flips)} of {counted(comparison.pairs, 'verdict')} flipped"
    if not flips:
        return text
    passed = sum(bool(flip.other.correct) for flip in flips)
    same = sum(flip.same_program for flip in flips)
    suffix = f"; {same} of them with the same program" if same else ""
    return f"{text}: {passed} passed only in {name}, {len(flips) - passed} only in A{suffix}"


def flip_line(flip: Flip, widths: Sequence[int]) -> str:
    """Return the line on one flip. The widths are those of the task's name and of the baseline's verdict."""
    old, new = verdict(flip.baseline), verdict(flip.other)
    note = "   (same program)" if flip.same_program else ""
    task = clip(flip.baseline.task_id, MAX_NAME_CHARS)
    return f"    {task:<{widths[0]}}  {flip.baseline.number:6}  {old:<{widths[1]}}  {new}{note}"


def verdict(attempt: AttemptData) -> str:
    """Return a sample's outcome, with the detail if there is one."""
    label, detail = LABELS[attempt.outcome], clip(attempt.detail, MAX_DETAIL_CHARS)
    return f"{label}: {detail}" if detail else label


def named_tasks(tasks: Sequence[str]) -> str:
    """Return the number of tasks and their first names."""
    if not tasks:
        return "none"
    more = f" and {len(tasks) - MAX_TASKS_SHOWN} more" if len(tasks) > MAX_TASKS_SHOWN else ""
    return f"{len(tasks)}: {', '.join(clip(task, MAX_NAME_CHARS) for task in tasks[:MAX_TASKS_SHOWN])}{more}"


def clip(text: str, max_chars: int) -> str:
    """Return a text as one printable line of at most this many characters."""
    line = printable(text)
    return line if len(line) <= max_chars else f"{line[: max_chars - 3]}..."
