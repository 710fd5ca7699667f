"""The clocks over a candidate and an interactor while they talk with each other."""

from __future__ import annotations

import os
import time

from .cpu_time import RECHECK_SECONDS, extended_wall_seconds, schedstat
from .execution import START_TIMEOUT_SECONDS, Execution, Watchdog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .request_reader import RequestReader


class CandidateWatch(Watchdog):
    """The watch over a candidate, whose clock stands still while the interactor or the supervisor computes."""

    def __init__(
        self,
        candidate: Execution,
        interactor: Execution,
        requests: RequestReader,
        request_id: int,
        on_waiting: Callable[[], None],
    ) -> None:
        """Prepare to watch. The arguments are those of `Watchdog`, for the candidate, and the interactor."""
        super().__init__([candidate], requests, request_id, on_waiting)
        self.interactor = interactor
        self.relay_seconds_before = relay_seconds()

    def next_deadline(self, now: float) -> float:
        """Return until when the candidate may run. The argument is that of `Watchdog.next_deadline`."""
        sides = (self.first, self.interactor)
        starts = [side.started_at() for side in sides]
        if None in starts and now < self.first.sent_at + START_TIMEOUT_SECONDS:
            return now + RECHECK_SECONDS
        started_at = max(filter(None, starts), default=self.first.sent_at)
        used = self.interactor.cpu_seconds or self.interactor.accounting.sample()[0]
        others = min(used, self.interactor.limits["cpu_seconds"]) + relay_seconds() - self.relay_seconds_before
        if self.interactor.ended_at is not None:
            # What it waited for a CPU counts no less after its end.
            others += self.interactor.accounting.waited_seconds
        limits = {**self.limits, "wall_seconds": self.limits["wall_seconds"] + others}
        accountings = [side.accounting for side in sides if side.ended_at is None]
        return started_at + extended_wall_seconds(accountings, now - started_at, limits)


class InteractorWatch(Watchdog):
    """The watch over an interactor, which has its own seconds once the candidate has ended."""

    def __init__(
        self, interactor: Execution, requests: RequestReader, request_id: int, on_waiting: Callable[[], None]
    ) -> None:
        """Prepare to watch. The arguments are those of `Watchdog`."""
        super().__init__([interactor], requests, request_id, on_waiting)
        self.deadline = float("inf")

    def begin_clock(self) -> None:
        """Notice that the candidate has ended."""
        self.alone_since = time.monotonic()
        self.deadline = self.alone_since + self.limits["wall_seconds"]

    def next_deadline(self, now: float) -> float:
        """Return until when the interactor may run. The argument is that of `Watchdog.next_deadline`."""
        allowed = extended_wall_seconds([self.first.accounting], now - self.alone_since, self.limits)
        return self.alone_since + allowed


def relay_seconds() -> float:
    """Return the seconds that this process has computed, or waited for a CPU."""
    ran, waited, _ = schedstat(os.getpid())
    return (ran + waited) / 1e9
