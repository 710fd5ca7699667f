"""Moves a fork server's memory into a file without a name, so that each fork has less to copy."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from ..common.page_sizes import are_huge_pages_on
from .extension import forking
from .huge_pages import HUGE_PAGE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

# The kernel's flags of memory that a fork empties, that the kernel may empty, and that a fork leaves out.
NOT_INHERITED = frozenset(("wf", "dp", "dc"))
# Constants of Linux that this module's `fcntl` may lack.
F_ADD_SEALS, ALL_SEALS = 1033, 0x1 | 0x2 | 0x4 | 0x8


class MemorySnapshot:
    """The file, and the kernel's list of this process's memory.

    Both are opened before the process enters its sandbox, where it could open neither.
    """

    def __init__(self) -> None:
        """Open both, if the extension can use them and the system has them."""
        self.file: BinaryIO | None = None
        if forking is None:
            return
        try:
            self.file = open(os.memfd_create("memory", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC), "wb")
            self.mappings = open("/proc/self/smaps")
            self.has_huge_pages = are_huge_pages_on()
        except OSError:
            # The snapshot is for speed alone.
            if self.file is not None:
                self.file.close()
                self.file = None

    def take(self) -> None:
        """Move all memory that a fork would copy, and close both files. What can't be moved stays where it is."""
        if self.file is None:
            return
        with self.file, self.mappings:
            offset = 0
            try:
                for start, end, is_writable in private_ranges(self.mappings.read()):
                    forking.move_memory(self.file.fileno(), offset, start, end, is_writable)
                    offset += end - start
                if self.has_huge_pages:
                    # Also for speed alone. The kernel may have none left, or not know how.
                    with suppress(OSError):
                        forking.use_huge_pages(self.file.fileno(), offset, HUGE_PAGE_BYTES)
                # From here on children have the file's pages, and none may change them.
                fcntl.fcntl(self.file, F_ADD_SEALS, ALL_SEALS)
            except OSError:
                return


def private_ranges(mappings: str) -> list[tuple[int, int, bool]]:
    """Return the (start, end, is_writable) of all memory of which a fork copies the page tables, but for the stack.

    Memory that a fork empties or leaves out is none of it: the C library keeps the state of its random numbers there.
    With a copy of that state, all children would draw the same numbers.

    Args:
        mappings: text of the process's "smaps".
    """
    ranges = []
    start, end, permissions, name, is_copied = 0, 0, "", "", False
    for line in mappings.splitlines():
        fields = line.split(None, 5)
        if not fields[0].endswith(":"):
            start, end = (int(address, 16) for address in fields[0].split("-"))
            permissions, name = fields[1], "".join(fields[5:])
        elif fields[0] == "Anonymous:":
            is_copied = fields[1] != "0"
        elif fields[0] == "VmFlags:" and is_copied and NOT_INHERITED.isdisjoint(line.split()):
            # Code is in huge pages, which a fork copies in no time.
            is_data = permissions in ("r--p", "rw-p")
            if is_data and (not name.startswith("[") or name == "[heap]"):
                ranges.append((start, end, permissions == "rw-p"))
    return ranges
