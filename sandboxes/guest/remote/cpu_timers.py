"""Timers of CPU time that tests set, which also hold for the candidate's process."""

from __future__ import annotations

import math
import resource
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Callable, Sequence

# A candidate that catches the exception gets it again after this time.
AGAIN_SECONDS = 0.05
# A process that gets no signal in this time is ended.
SPARE_SECONDS = 1.0
# A call that waits may take so many times its CPU seconds: on a busy machine, other calls wait for a CPU.
WALL_FACTOR = 10


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
    """Ends calls of a candidate's functions that take too much time, unless the candidate keeps it from that."""

    def __init__(self) -> None:
        """Take over the signals."""
        self.seconds = 0.0
        self.is_running = False
        self.set_timer, self.set_limit, self.cpu_seconds = signal.setitimer, resource.setrlimit, time.process_time
        self.before = resource.getrlimit(resource.RLIMIT_CPU)
        signal.signal(signal.SIGPROF, self.expire)
        # A candidate may have a use of its own for the other timer.
        self.limits_waiting = signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
        if self.limits_waiting:
            signal.signal(signal.SIGALRM, self.expire)

    def expire(self, number: int, frame: FrameType | None) -> None:
        """Raise TimeoutError in the function that is called."""
        if self.is_running:
            kind = "of CPU time" if number == signal.SIGPROF else "of waiting"
            seconds = self.seconds * (1 if number == signal.SIGPROF else WALL_FACTOR)
            raise TimeoutError("the call took more than %g s %s" % (seconds, kind))

    def call(self, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Call a function of the candidate's, for as long as the timer lets it."""
        self.is_running = True
        self.set_timer(signal.ITIMER_PROF, self.seconds, AGAIN_SECONDS)
        if self.limits_waiting:
            self.set_timer(signal.ITIMER_REAL, self.seconds * WALL_FACTOR, AGAIN_SECONDS)
        self.limit_process(self.seconds + SPARE_SECONDS)
        try:
            return function(*arguments, **keywords)
        finally:
            self.is_running = False
            self.set_timer(signal.ITIMER_PROF, 0)
            if self.limits_waiting:
                self.set_timer(signal.ITIMER_REAL, 0)
            self.set_limit(resource.RLIMIT_CPU, self.before)

    def limit_process(self, seconds: float) -> None:
        """End this process once it has taken so many CPU seconds more: a function in C lets no signal in."""
        most = self.before[0]
        soft = math.ceil(self.cpu_seconds() + seconds)
        self.set_limit(resource.RLIMIT_CPU, (soft if most < 0 else min(soft, most), self.before[1]))
