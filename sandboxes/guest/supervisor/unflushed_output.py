"""What a program has printed and not flushed, in a file that outlives the program."""

from __future__ import annotations

import os

from ..common.frames import UNFLUSHED_BYTES, UNFLUSHED_HEAD


class UnflushedOutput:
    """The file that the programs of one fork server write to, one after the other. It is no more than their output."""

    def __init__(self) -> None:
        """Make the file, or open one that stays empty where the system has none without a name."""
        try:
            self.fd = os.memfd_create("output")
            os.ftruncate(self.fd, UNFLUSHED_BYTES)
        except (AttributeError, OSError):
            self.fd = os.open(os.devnull, os.O_RDONLY)

    def read(self) -> bytes:
        """Return the bytes, which the program can have changed at will."""
        data = os.pread(self.fd, UNFLUSHED_BYTES, 0)
        size = UNFLUSHED_HEAD.unpack_from(data)[1] if data else 0
        return data[UNFLUSHED_HEAD.size :][:size]

    def clear(self) -> None:
        """Empty the file for the next program, if this one has written to it in whatever way."""
        if os.fstat(self.fd).st_blocks:
            os.ftruncate(self.fd, 0)
            os.ftruncate(self.fd, UNFLUSHED_BYTES)
