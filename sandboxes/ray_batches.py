"""What goes to a cluster's nodes next: how many programs make a batch, and which."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

# So long that what a batch costs beside its programs is little, and so short that the end is not waited for.
SECONDS_OF_BATCH = 1.0
# What the caller's process may spend on each batch: with many nodes, batches are longer instead.
SECONDS_FOR_BATCH = 0.002
# Until it is known how long programs take.
FIRST_BATCH = 8
MOST_IN_BATCH = 2000
MOST_CHARS_IN_BATCH = 1 << 20
# Of what is left, a seat gets one of so many equal parts: batches become smaller towards the end.
PARTS_PER_SEAT = 3
# How much a batch tells of those that follow.
WEIGHT_OF_LAST = 0.2


class Pace:
    """How long programs take, and so how many make a batch."""

    def __init__(self, seats: int):
        """Knows nothing yet.

        Args:
            seats: programs at once.
        """
        self.seats = seats
        self._seconds_each: float | None = None

    def note(self, programs: int, seconds: float) -> None:
        """Learns from a batch."""
        if programs:
            each = seconds / programs
            known = self._seconds_each
            self._seconds_each = each if known is None else known + WEIGHT_OF_LAST * (each - known)

    def batch_size(self, left: int) -> int:
        """How many programs the next batch has.

        Args:
            left: programs that no seat has, >= 1.
        """
        most = FIRST_BATCH
        if self._seconds_each is not None:
            wanted = max(SECONDS_OF_BATCH, self.seats * SECONDS_FOR_BATCH)
            most = MOST_IN_BATCH if self._seconds_each <= 0 else int(min(MOST_IN_BATCH, wanted / self._seconds_each))
        return max(1, min(most, left // (self.seats * PARTS_PER_SEAT)))


class Backlog:
    """The programs that no seat has, by index. Neighbours stay together, since they may have the same tests."""

    def __init__(self, total: int, chars_of: Callable[[int], int]):
        """All of them.

        Args:
            total: how many.
            chars_of: the length of a program, by its index.
        """
        self.left = total
        self._chars_of = chars_of
        self._again: deque[range | list[int]] = deque()
        self._alone: deque[int] = deque()
        if total:
            self._again.append(range(total))

    def take(self, most: int) -> list[int]:
        """Up to `most` programs, at least one. Only while `left` is above 0."""
        if self._alone:
            self.left -= 1
            return [self._alone.popleft()]
        source = self._again.popleft()
        count, chars = 1, self._chars_of(source[0])
        while (
            count < min(most, len(source)) and (chars := chars + self._chars_of(source[count])) <= MOST_CHARS_IN_BATCH
        ):
            count += 1
        if len(source) > count:
            self._again.appendleft(source[count:])
        self.left -= count
        return list(source[:count])

    def put_back(self, indices: Sequence[int]) -> None:
        """Makes programs that were taken the next to be taken."""
        if indices:
            self._again.appendleft(list(indices))
            self.left += len(indices)

    def put_back_alone(self, indices: Sequence[int]) -> None:
        """The same, each in a batch of its own: one of them may be what a node did not survive."""
        self._alone.extend(indices)
        self.left += len(indices)
