"""The order in which workers take programs.

Programs with the same tests go to the same worker, because a guest compiles the same tests only once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sandboxes.contract import Program
from sandboxes.workers.worker import Worker


class Schedule:
    """The programs that no worker has yet. A worker gets programs with the tests that it ran last, if any are left."""

    def __init__(self) -> None:
        """Start without programs."""
        self.left = 0
        self._groups: deque[deque[int]] = deque()
        self._newest: deque[int] | None = None
        """The group of the program that was added last, while `_groups` has it."""
        self._newest_tests = ""
        self._group_of: dict[Worker, deque[int]] = {}

    def add(self, index: int, program: Program) -> None:
        """Add a program. It joins the group of the program before it if both have the same tests."""
        if self._newest is None or program.tests != self._newest_tests:
            self._newest, self._newest_tests = deque(), program.tests
            self._groups.append(self._newest)
        self._newest.append(index)
        self.left += 1

    def take(self, worker: Worker) -> int:
        """Return the index of the worker's next program. Call it only while `left` is above 0."""
        group = self._group_of.get(worker)
        if not group:
            while not self._groups[0]:
                if self._groups.popleft() is self._newest:
                    self._newest = None
            # To the back: the next worker begins with the next group, and helps with this one when all have begun.
            group = self._groups.popleft()
            self._groups.append(group)
            self._group_of[worker] = group
        self.left -= 1
        return group.popleft()

    def put_back(self, indices: Sequence[int]) -> None:
        """Make programs that were taken the next ones to be taken."""
        for index in reversed(indices):
            self._groups.appendleft(deque([index]))
        self.left += len(indices)

    def cancel_next(self) -> None:
        """Drop the first of the programs that were put back last."""
        self._groups.popleft()
        self.left -= 1

    def cancel(self, index: int) -> None:
        """Drop a program that no worker has."""
        for group in self._groups:
            if index in group:
                group.remove(index)
                self.left -= 1
                return

    def cancel_all(self) -> list[int]:
        """Drop the programs that no worker has, and return their indices."""
        dropped = [index for group in self._groups for index in group]
        for group in self._groups:
            # `_group_of` holds the same groups.
            group.clear()
        self.left = 0
        return dropped

    def remove_worker(self, worker: Worker) -> None:
        """Forget a worker that takes no more programs."""
        self._group_of.pop(worker, None)
