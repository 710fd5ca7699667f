"""Which program runs where: those with the same tests on the same worker, which compiles them once."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sandboxes.contract import Program
from sandboxes.worker import Worker


class Schedule:
    """Which program a worker gets next: one with the tests that it had last, while there are any."""

    def __init__(self) -> None:
        """Has no programs yet."""
        self.left = 0
        self._groups: deque[deque[int]] = deque()
        self._newest: deque[int] | None = None
        """The group of the program that was added last, while it is one of them."""
        self._newest_tests = ""
        self._group_of: dict[Worker, deque[int]] = {}

    def add(self, index: int, program: Program) -> None:
        """Adds a program, to the group of the one before it if that has the same tests."""
        if self._newest is None or program.tests != self._newest_tests:
            self._newest, self._newest_tests = deque(), program.tests
            self._groups.append(self._newest)
        self._newest.append(index)
        self.left += 1

    def take(self, worker: Worker) -> int:
        """The index of the worker's next program. Only while `left` is above 0."""
        group = self._group_of.get(worker)
        if not group:
            while not self._groups[0]:
                if self._groups.popleft() is self._newest:
                    self._newest = None
            # To the back: the next worker begins with the next group, and helps here when all have been begun.
            group = self._groups.popleft()
            self._groups.append(group)
            self._group_of[worker] = group
        self.left -= 1
        return group.popleft()

    def put_back(self, indices: Sequence[int]) -> None:
        """Makes programs that were taken the next to be taken."""
        for index in reversed(indices):
            self._groups.appendleft(deque([index]))
        self.left += len(indices)

    def withdraw_next(self) -> None:
        """Drops the program that was put back first."""
        self._groups.popleft()
        self.left -= 1

    def withdraw_all(self) -> list[int]:
        """Drops the programs that no worker has, and says which they are."""
        dropped = [index for group in self._groups for index in group]
        for group in self._groups:
            # Workers have them too.
            group.clear()
        self.left = 0
        return dropped

    def forget(self, worker: Worker) -> None:
        """A worker that takes no more."""
        self._group_of.pop(worker, None)
