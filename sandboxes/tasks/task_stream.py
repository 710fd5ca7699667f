"""A stream of tasks: each is assembled when it is needed, and kept in memory until its programs have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sandboxes.contract import Program
from sandboxes.runner import OnResult, RunResult
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.task import Task


class TaskStream:
    """The programs of a stream of tasks, by their indices in the stream, and the completion of their results."""

    def __init__(self, tasks: Iterable[Task], assemble: Callable[[Iterable[Task]], ProgramBatch]):
        """Take no task yet.

        Args:
            tasks: the stream.
            assemble: builds the programs of tasks.
        """
        self._tasks, self._assemble = tasks, assemble
        self._running: dict[int, tuple[ProgramBatch, int]] = {}

    def programs(self) -> Iterator[Program]:
        """Yield the programs of all tasks."""
        index = 0
        for task in self._tasks:
            batch = self._assemble([task])
            for position, program in enumerate(batch.programs):
                self._running[index] = batch, position
                index += 1
                yield program

    def finalize(self, index: int, result: RunResult) -> RunResult:
        """Complete the result of one run of a program. A program may run several times."""
        batch, position = self._running[index]
        return batch.finalize(position, result)

    def forgetting(self, on_result: OnResult) -> OnResult:
        """Return a callback that forgets each program before it calls `on_result`."""

        def forget_and_report(index: int, result: RunResult) -> None:
            self.forget(index)
            on_result(index, result)

        return forget_and_report

    def forget(self, index: int) -> None:
        """Forget a program that has its last result."""
        del self._running[index]
