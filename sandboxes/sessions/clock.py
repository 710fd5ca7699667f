"""The clock of one session, which ends it: too long open, too long idle, or a guest that is silent.

Everything here runs on the loop of `event_loop.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from sandboxes.sessions.limits import SessionLimits
from sandboxes.workers.worker import SILENCE_TIMEOUT_SECONDS

CHECK_INTERVAL_SECONDS = 5.0
"""How often a session with calls looks whether its guest is silent."""


class SessionClock:
    """The timers of one session."""

    def __init__(self, limits: SessionLimits, is_busy: Callable[[], bool], end: Callable[[str], None]):
        """Set up a clock that does not run yet.

        Args:
            limits: of the session.
            is_busy: returns whether calls are under way.
            end: ends the session; called with the reason.
        """
        self._limits, self._is_busy, self._end = limits, is_busy, end
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._heard_at = 0.0
        self._is_stopped = False

    def start(self) -> None:
        """Begin to count, because the guest is ready."""
        self.note_sign_of_life()
        self._set_timer("max", self._limits.max_seconds, f"it was open for {self._limits.max_seconds:g} s")
        self.restart_idle()
        self._check_silence()

    def stop(self) -> None:
        """Stop all timers, because the session has ended."""
        self._is_stopped = True
        for timer in self._timers.values():
            timer.cancel()

    def note_sign_of_life(self) -> None:
        """Note that the guest has sent something."""
        self._heard_at = time.monotonic()

    def restart_idle(self) -> None:
        """Count the idle seconds from now on if no call is under way."""
        if timer := self._timers.pop("idle", None):
            timer.cancel()
        if not self._is_busy() and not self._is_stopped:
            seconds = self._limits.idle_seconds
            self._set_timer("idle", seconds, f"it was idle for {seconds:g} s")

    def _set_timer(self, name: str, seconds: float, reason: str) -> None:
        self._timers[name] = asyncio.get_running_loop().call_later(seconds, self._end, reason)

    def _check_silence(self) -> None:
        """End the session if its guest says nothing although calls are under way."""
        silent_seconds = time.monotonic() - self._heard_at
        if not self._is_busy():
            self.note_sign_of_life()
        elif silent_seconds > SILENCE_TIMEOUT_SECONDS:
            self._end(f"its guest was silent for {silent_seconds:.0f} s")
            return
        self._timers["silence"] = asyncio.get_running_loop().call_later(CHECK_INTERVAL_SECONDS, self._check_silence)
