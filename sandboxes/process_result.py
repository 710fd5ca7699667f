"""The result of one process that ran as it stands, without tests: a raw run, or a command of a session."""

from __future__ import annotations

from dataclasses import dataclass

from sandboxes.contract import Outcome


@dataclass(frozen=True)
class ProcessResult:
    """The end of a process, its output, and what it used. A process has no verdict: its reader decides."""

    exit_status: int | None = None
    """The status that the process ended with. None if a signal or a limit ended it."""

    signal: str = ""
    """Name of the signal that ended the process, such as "SIGSEGV". Empty if none did, or if a limit did."""

    limit: Outcome | None = None
    """The limit that ended the process: TIMED_OUT, OUT_OF_MEMORY or OUTPUT_LIMIT. None if it ended by itself."""

    detail: str = ""
    """One line for people: "ended with status 3". Empty if the status is 0."""

    stdout: bytes = b""
    stderr: bytes = b""
    stdout_is_cut: bool = False
    """True if `stdout` lacks the end of what the process wrote."""

    stderr_is_cut: bool = False
    """True if `stderr` lacks the end of what the process wrote."""

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    waited_seconds: float = 0.0
    """Seconds in which the process could have run and no CPU was free. A session does not measure them."""

    peak_memory_bytes: int = 0

    @property
    def succeeded(self) -> bool:
        """True if the process ended by itself, with status 0."""
        return self.exit_status == 0
