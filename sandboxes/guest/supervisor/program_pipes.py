"""Pipes of programs: their output, the messages of their setup, and their reports."""

from __future__ import annotations

import fcntl
import os
import select
import struct

from ..common.frames import BROKEN, START, STARTED
from ..isolation.syscalls import LINUX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The properties of an open file that a program can change, as pairs of commands that read and that set one: its flags,
# who is told of events, the signal for them, and a pipe's size.
PROPERTIES: tuple[tuple[int, int], ...] = ((fcntl.F_GETFL, fcntl.F_SETFL),)
if LINUX:
    PROPERTIES += ((fcntl.F_GETOWN, fcntl.F_SETOWN), (11, 10), (1032, 1031))
F_OFD_SETLK = 37
# A struct flock that unlocks a whole file and names no process.
WHOLE_FILE_UNLOCKED = struct.pack("hhqqi4x", fcntl.F_UNLCK, os.SEEK_SET, 0, 0, 0)
MAX_CHUNK_BYTES = 1 << 16
# Far above the size of any honest report.
MAX_REPORT_BYTES = 1 << 17


def call_or_minus_one(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a system call, -1 if it fails: a device lacks what a pipe has, other kernels lack more."""
    try:
        return call(*arguments)
    except OSError:
        return -1


def unlock_and_inspect(fd: int) -> tuple[int, ...]:
    """Remove an open file's locks, which outlive the process that took them.

    Returns:
        The file's properties that a program can change: (mode, flags, owner, signal, size), -1 for those it lacks.
    """
    if LINUX:
        call_or_minus_one(fcntl.flock, fd, fcntl.LOCK_UN)
        call_or_minus_one(fcntl.fcntl, fd, F_OFD_SETLK, WHOLE_FILE_UNLOCKED)
    return (os.fstat(fd).st_mode, *(call_or_minus_one(fcntl.fcntl, fd, getter) for getter, _ in PROPERTIES))


class OpenFile:
    """An open file that programs inherit one after the other. The next program would find what one changed of it."""

    def __init__(self, fd: int) -> None:
        """Take a descriptor of the file, before the first program."""
        self.fd = fd
        self.original = unlock_and_inspect(fd)

    def tidy(self) -> None:
        """Restore the file for the next program, except for its content."""
        current = unlock_and_inspect(self.fd)
        if current != self.original:
            mode, *values = self.original
            for (_, setter), value in zip(PROPERTIES, values):
                if value != -1:
                    fcntl.fcntl(self.fd, setter, value)
            if current[0] != mode:
                os.fchmod(self.fd, mode & 0o7777)


class Pipe(OpenFile):
    """A pipe that programs write to one after the other. Both ends are held here, so it never comes to an end."""

    def __init__(self) -> None:
        """Open the pipe."""
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.poller = select.poll()
        self.poller.register(self.read_end, select.POLLIN)
        super().__init__(self.write_end)

    def read_now(self) -> bytes:
        """Return some of the bytes in the pipe, without waiting for more."""
        try:
            return os.read(self.read_end, MAX_CHUNK_BYTES)
        except BlockingIOError:
            return b""


class Stream:
    """The bytes that one program writes to one pipe: all of them are counted, the first ones kept."""

    def __init__(self, pipe: Pipe, kept_bytes: int) -> None:
        """Begin with nothing.

        Args:
            pipe: to read from.
            kept_bytes: number of bytes to keep.
        """
        self.pipe = pipe
        self.kept_bytes = kept_bytes
        self.total = 0
        # In place: a copy of the rest for each chunk takes the square of the size.
        self.buffer = bytearray()

    def take(self) -> None:
        """Take some of the bytes in the pipe."""
        self.add(self.pipe.read_now())

    def add(self, chunk: bytes) -> None:
        """Count bytes, and keep the first ones."""
        self.total += len(chunk)
        self.buffer += chunk[: self.kept_bytes - len(self.buffer)]

    def take_all(self) -> None:
        """Take all bytes that are left once the writers have ended."""
        self.take()
        # A short read does not mean the end: a program can make each read return only one of its writes.
        while self.pipe.poller.poll(0):
            self.take()

    @property
    def kept(self) -> bytes:
        """The bytes that were kept."""
        return bytes(self.buffer)

    @property
    def is_cut(self) -> bool:
        """True if the program wrote more than was kept."""
        return self.total > self.kept_bytes

    @property
    def text(self) -> str:
        """The kept bytes as text."""
        return self.buffer.decode("utf-8", "replace") + ("\n[cut]" if self.is_cut else "")


def parse_start_time(setup: bytes) -> float | None:
    """Return when a program began, in seconds of the monotonic clock; None if it has not begun.

    Args:
        setup: the child's message before the program began.
    """
    if setup[:1] != STARTED:
        return None
    started_at: float = START.unpack_from(setup)[1]
    return started_at


def parse_setup_error(setup: bytes) -> str | None:
    """Return why a child could not be set up; None if it could, or is not set up yet.

    Args:
        setup: the child's message before the program began.
    """
    return setup[1:].decode("utf-8", "replace") if setup[:1] == BROKEN else None
