"""The programs of a task of a request, and how many cases they may have."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from code_tasks.server.errors import LimitExceeded
from sandboxes import Evaluator, ProgramBatch, Task
from sandboxes.tasks.io_cases import parse_cases

SMALL_TASK_CHARS = 1 << 20
"""Length of assembled tests up to which a task needs no place among MAX_HELD_CHARS."""

MAX_HELD_CHARS = 1 << 30
"""Length of all assembled tests of pending tasks. They can be sixty times as long as they came."""

MAX_CASES = 100_000
"""Inputs and outputs of all tasks of a request. So many take two seconds and 200 MB to assemble."""


@dataclass(frozen=True)
class AssembledTask:
    """The programs of a task, which are ready to run."""

    evaluator: Evaluator
    batch: ProgramBatch
    extra_fields: tuple[str, ...]
    """Fields of results that only the client's options add."""

    cases: int
    """The number of its inputs and outputs; 0 if its tests are code."""

    @property
    def chars(self) -> int:
        """The length of its tests, which all of its candidates share."""
        return max((len(program.tests) for program in self.batch.programs), default=0)

    def __len__(self) -> int:
        """Return the number of its candidates."""
        return len(self.batch.programs)


class TaskMemory:
    """The memory of pending tasks that are not small."""

    def __init__(self) -> None:
        """Begin without tasks."""
        self._chars = 0

    @contextlib.contextmanager
    def holding(self, tasks: Iterable[AssembledTask], queue_full: Callable[[int], Exception]) -> Iterator[None]:
        """Count tasks for as long as the block runs.

        Args:
            tasks: each once.
            queue_full: returns the error to raise if there is no room for a number of programs.
        """
        large = [task for task in tasks if task.chars > SMALL_TASK_CHARS]
        chars = sum(task.chars for task in large)
        if large and self._chars + chars > MAX_HELD_CHARS:
            raise queue_full(sum(map(len, large)))
        self._chars += chars
        try:
            yield
        finally:
            self._chars -= chars


def count_cases(task: Task, seconds_each: float, max_seconds: float, field: str) -> int:
    """Return the number of a task's cases, which are far larger once they are assembled; 0 if its tests are code.

    Args:
        task: not assembled yet.
        seconds_each: that a case may take.
        max_seconds: that all cases may take.
        field: the place of the cases in the request, for messages.

    Raises:
        LimitExceeded: if there are more than the owner allows.
        ValueError, TypeError: if they are invalid.
    """
    parsed = parse_cases(task.reference)
    cases = len(parsed.cases) if parsed else 0
    check_cases(field, cases)
    check_seconds(field, cases, seconds_each, max_seconds)
    return cases


def check_seconds(field: str, cases: int, seconds_each: float, max_seconds: float) -> None:
    """Raise LimitExceeded for cases that may take longer together than the owner allows."""
    if cases * seconds_each > max_seconds:
        raise LimitExceeded(field, f"{cases} cases of {seconds_each:g} s", f"{max_seconds:g} s")


def check_cases(field: str, cases: int) -> None:
    """Raise LimitExceeded for more inputs and outputs than one request may have."""
    if cases > MAX_CASES:
        raise LimitExceeded(field, f"{cases} cases", MAX_CASES)
