"""The places of the queue: how many programs may wait or run at once, over all clients and of one client."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterator

from code_tasks.server.errors import QueueFull

MAX_RETRY_SECONDS = 60
SMOOTHING = 0.05
"""Weight of the last program in the mean time of a program."""


class QueuePlaces:
    """Counts the programs that wait or run, by client. Used in one event loop."""

    def __init__(self, max_programs: int, num_workers: int):
        """Begin with all places free.

        Args:
            max_programs: number of places.
            num_workers: programs that run at once.
        """
        self.max_programs, self.num_workers = max_programs, num_workers
        self.taken = 0
        """The number of places that are taken."""
        self._pending: Counter[str] = Counter()
        """Programs that wait or run, by client."""
        self._mean_seconds = 0.1
        """The time that a worker needs for a program, as an average in which the last programs count most."""

    @contextlib.contextmanager
    def take(self, client: str, programs: int = 1) -> Iterator[None]:
        """Keep places for programs of a client for as long as the block runs.

        A client may have as many places as there are left besides, so that no client fills the queue, and one that
        comes later finds a place.

        Raises:
            QueueFull: if there is no room for them.
        """
        left = self.max_programs - self.taken - programs
        if self._pending[client] + programs > left + 1:
            raise self.full()
        self._pending[client] += programs
        self.taken += programs
        try:
            yield
        finally:
            self.taken -= programs
            self._pending[client] -= programs
            if not self._pending[client]:
                del self._pending[client]

    def note_seconds(self, seconds: float) -> None:
        """Note for how long a program ran."""
        self._mean_seconds += SMOOTHING * (seconds - self._mean_seconds)

    def full(self) -> QueueFull:
        """Return the error for a client who has to wait until half of the queue will have run."""
        seconds = self._mean_seconds * self.taken / 2 / self.num_workers
        return QueueFull(min(MAX_RETRY_SECONDS, max(1, math.ceil(seconds))))
