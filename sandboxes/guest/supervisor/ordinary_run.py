"""Runs programs that end soon, pass, and write nothing. Most programs do, and need neither watchdog nor streams."""

from __future__ import annotations

import os
import time

from ..common.frames import NONCE_BYTES, PASSED_REPORT
from .execution import UNWATCHED_SECONDS, Execution
from .program_pipes import parse_start_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .fork_server_process import ForkServerProcess
    from .verdicts import Reply


class OrdinaryRun:
    """One program in one fork server, as long as there is nothing unusual about it."""

    def __init__(self, fork_server: ForkServerProcess, limits: dict[str, Any]) -> None:
        """Prepare a run. The arguments are those of `Execution`."""
        self.fork_server, self.limits = fork_server, limits
        # Why the supervisor ended the program. It ends none of these.
        self.reason: str | None = None

    def run(self, tests_bytes: int, candidate_bytes: int, texts: bytes) -> Reply | Execution:
        """Run a program, and wait for UNWATCHED_SECONDS. The arguments are those of `Execution.begin`.

        Returns:
            The reply; or the program's execution, which runs on or has ended in another way.
        """
        nonce, sent_at = os.urandom(NONCE_BYTES), time.monotonic()
        self.fork_server.send(self.limits, tests_bytes, candidate_bytes, None, texts, nonce)
        end = self.fork_server.receive_end(UNWATCHED_SECONDS)
        if end is not None:
            (_, _, cpu_seconds, status, peak_memory_bytes), ended_at, setup, report, has_more = end
            started_at = parse_start_time(setup)
            is_pass = report == nonce + PASSED_REPORT and not status
            if is_pass and not has_more and started_at is not None:
                wall_seconds = ended_at - started_at
                costs = {"cpu_seconds": cpu_seconds, "peak_memory_bytes": peak_memory_bytes}
                return {"outcome": "passed", "grading": "shared", "wall_seconds": wall_seconds, **costs}
        execution = Execution(self.fork_server, self.limits, nonce)
        execution.sent_at = sent_at
        if end is not None:
            execution.take_received(*end)
        return execution

    def tidy(self) -> None:
        """Make the fork server ready for the next program."""
        self.fork_server.surroundings.tidy()
