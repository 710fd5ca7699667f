"""Timers of CPU time that tests set, which also count for the candidate's process."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Callable, Sequence

# A candidate that catches the exception gets it again after this time.
AGAIN_SECONDS = 0.05


class TestsTimer:
    """The timer that tests have set last: each call of the candidate may take its CPU seconds."""

    def __init__(self) -> None:
        """Begin without a timer. The candidate knows of none."""
        self.seconds = self.known_seconds = 0.0
        self.set_timer = signal.setitimer

    def set(self, which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        """Do what `signal.setitimer` does, and note the seconds if the timer is one of CPU time."""
        before = self.set_timer(which, seconds, interval)
        if which == signal.ITIMER_PROF:
            self.seconds = float(seconds)
        return before


class CallTimer:
    """Ends calls of a candidate's functions that take too much CPU time, unless the candidate keeps it from that."""

    def __init__(self) -> None:
        """Take over the signal."""
        self.seconds = 0.0
        self.is_running = False
        self.set_timer = signal.setitimer
        signal.signal(signal.SIGPROF, self.expire)

    def expire(self, number: int, frame: FrameType | None) -> None:
        """Raise TimeoutError in the function that is called."""
        if self.is_running:
            raise TimeoutError("the call took more than %g s of CPU time" % self.seconds)

    def call(self, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Call a function of the candidate's, for as long as the timer lets it."""
        self.is_running = True
        self.set_timer(signal.ITIMER_PROF, self.seconds, AGAIN_SECONDS)
        try:
            return function(*arguments, **keywords)
        finally:
            self.is_running = False
            self.set_timer(signal.ITIMER_PROF, 0)
