"""The map of outcomes: a row of letters for each task, a letter for each sample, and the same as a table of words.

`page` puts it into the report. The page's script adds the colours and the cursor; the letters need no script.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from code_tasks.reports.data import AttemptData, ReportData
from sandboxes.outcome_labels import LABELS, LETTERS

MAX_ROWS = 1_500
MAX_COLUMNS = 400
MAX_LAID_OUT = 300
# The width of a cell in pixels, by the largest number of columns that it is for.
CELL_PIXELS = {20: 32, 50: 20, MAX_COLUMNS: 11}
MAX_NAME_CHARS = 30
NO_SAMPLE = "-"
# Above cells that are narrower than this, only each TICK_STEPth number has room.
TICK_STEP, TICK_STEP_PIXELS = 5, 32


@dataclass(frozen=True)
class MapRow:
    """One task of the map."""

    task_id: str
    samples: Mapping[int, AttemptData]
    """By their numbers."""

    cells: str
    """A character for each column: the letter of its sample's outcome, or NO_SAMPLE."""

    @property
    def short_name(self) -> str:
        """The task's name without the middle of a long one: its end tells it from other tasks."""
        if len(self.task_id) <= MAX_NAME_CHARS:
            return self.task_id
        half = (MAX_NAME_CHARS - 1) // 2
        return f"{self.task_id[:half]}…{self.task_id[-half:]}"

    @property
    def passed(self) -> int:
        """Number of samples that passed."""
        return sum(sample.correct is True for sample in self.samples.values())

    @property
    def in_words(self) -> str:
        """The numbers of the samples by outcome: "failed: 0 to 3, 7; timed out: 4"."""
        numbers: dict[str, list[int]] = {}
        for number, sample in sorted(self.samples.items()):
            numbers.setdefault(sample.outcome, []).append(number)
        return "; ".join(f"{LABELS[each]}: {ranges(numbers[each])}" for each in LABELS if each in numbers)


@dataclass(frozen=True)
class OutcomeMap:
    """Tasks × samples."""

    rows: tuple[MapRow, ...]
    """The hardest MAX_ROWS tasks, the hardest first."""

    numbers: tuple[int, ...]
    """The number of the sample of each column: the first MAX_COLUMNS."""

    @classmethod
    def of(cls, report: ReportData) -> OutcomeMap:
        """Return the map of a report."""
        numbers = tuple(sorted({attempt.number for attempt in report.attempts})[:MAX_COLUMNS])
        tasks = ((task_id, report.tasks[task_id]) for task_id in hardest_first(report)[:MAX_ROWS])
        return cls(tuple(MapRow(task_id, task, cells(task, numbers)) for task_id, task in tasks), numbers)

    @property
    def ticks(self) -> list[tuple[int, int]]:
        """(column, number of its sample) of the columns that have their number above them."""
        step = TICK_STEP if self.cell_pixels < TICK_STEP_PIXELS else 1
        return [(column, number) for column, number in enumerate(self.numbers) if column % step == 0]

    @property
    def is_long(self) -> bool:
        """True if there are so many rows that the browser should lay out those in view alone."""
        return len(self.rows) > MAX_LAID_OUT

    @property
    def cell_pixels(self) -> int:
        """The width of a cell, which is larger if there are few."""
        return next(pixels for columns, pixels in CELL_PIXELS.items() if len(self.numbers) <= columns)

    @cached_property
    def name_chars(self) -> int:
        """Length of the longest short name."""
        return max((len(row.short_name) for row in self.rows), default=0)


def hardest_first(report: ReportData) -> list[str]:
    """Return the tasks, sorted by their share of samples that passed, the smallest share first."""

    def share(task_id: str) -> float:
        known = [attempt.correct for attempt in report.tasks[task_id].values() if attempt.correct is not None]
        return sum(known) / len(known) if known else -1.0

    return sorted(report.tasks, key=share)


def cells(samples: Mapping[int, AttemptData], numbers: Iterable[int]) -> str:
    """Return the letters of a task's samples, in the order of these numbers."""
    return "".join(LETTERS[samples[number].outcome] if number in samples else NO_SAMPLE for number in numbers)


def ranges(numbers: Iterable[int]) -> str:
    """Return sorted numbers as a text, with "0 to 3" for neighbours."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][-1] == number - 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return ", ".join(" to ".join(map(str, each)) for each in found)
