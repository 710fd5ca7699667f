"""The limits of one session: of each call, and of the session as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from sandboxes.contract import Limits
from sandboxes.validation import positive_int, positive_number

GUEST_LIMITS = (
    "memory_bytes",
    "processes",
    "open_files",
    "file_bytes",
    "disk_bytes",
    "output_bytes",
    "cpu_seconds",
)
"""Limits that the guest enforces. The caller's end enforces the others."""


@dataclass(frozen=True)
class SessionLimits:
    """Resources that one session may use. The clock of a call is the wall clock, however busy the machine is."""

    memory_bytes: int = 1 << 30
    """Memory of all processes of the session together. Beyond it all of them end, and the session's files stay. The
    Python process alone gets a MemoryError before that."""

    processes: int = 64
    """Number of processes and threads at once."""

    open_files: int = 1024
    """File descriptors of one process."""

    file_bytes: int = 64 << 20
    """Size of one file, also of one that `read_file` returns."""

    disk_bytes: int = 256 << 20
    """Size of all files. In a container: of the files in each of its writable folders. It does not hold where the layer
    "mount" is missing."""

    output_bytes: int = 10 << 20
    """Size of the beginning of stdout, and of stderr, that the result of a call has. The rest is dropped."""

    cpu_seconds: int = 3600
    """CPU time of one process. A longer one ends, and with it the variables of cells if it runs them."""

    call_seconds: float = 60.0
    """Wall seconds of a call that has no limit of its own."""

    idle_seconds: float = 3600.0
    """The session ends when no call was running for so long."""

    max_seconds: float = 86400.0
    """The session ends so long after it was opened."""

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError for a limit that is not a number above 0, or a count that is not whole."""
        for name, value in vars(self).items():
            if name in GUEST_LIMITS:
                positive_int(name, value)
            else:
                positive_number(name, value, "seconds")

    @classmethod
    def from_limits(cls, limits: Limits) -> Self:
        """Return limits with the memory, the processes and the files that one candidate may have."""
        return cls(memory_bytes=limits.memory_bytes, processes=limits.processes, file_bytes=limits.file_bytes)

    def for_guest(self) -> dict[str, Any]:
        """Return GUEST_LIMITS as a guest reads them."""
        return {name: getattr(self, name) for name in GUEST_LIMITS}
