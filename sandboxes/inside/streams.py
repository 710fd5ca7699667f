"""What programs say: their output, how they were set up, and their report."""

import fcntl
import os

from .frames import BROKEN, START, STARTED
from .kernel import LINUX

F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032
MOST_CHUNK_BYTES = 1 << 16
# Far above what a judge writes.
MOST_REPORT_BYTES = 1 << 17


class Pipe:
    """A pipe that programs write to, one after the other. Both ends are held here, so it never comes to an end."""

    def __init__(self):
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.fresh = self.condition()

    def condition(self):
        """What a program can change of a pipe that others use after it."""
        size = fcntl.fcntl(self.write_end, F_GETPIPE_SZ) if LINUX else 0
        return (fcntl.fcntl(self.write_end, fcntl.F_GETFL), os.fstat(self.write_end).st_mode, size)

    def tidy(self):
        """Gives the next program a pipe as new. Empty it is already."""
        if self.condition() != self.fresh:
            flags, mode, size = self.fresh
            fcntl.fcntl(self.write_end, fcntl.F_SETFL, flags)
            os.fchmod(self.write_end, mode & 0o7777)
            if LINUX:
                fcntl.fcntl(self.write_end, F_SETPIPE_SZ, size)

    def read_now(self):
        """Some of what is there, without waiting for more."""
        try:
            return os.read(self.read_end, MOST_CHUNK_BYTES)
        except BlockingIOError:
            return b""


class Stream:
    """What one program writes to one pipe: all of it counted, the first part of it kept."""

    def __init__(self, pipe, kept_bytes):
        self.pipe = pipe
        self.kept_bytes = kept_bytes
        self.total = 0
        self.kept = b""

    def take(self):
        """Takes some of what is there. False if there was no more than that."""
        chunk = self.pipe.read_now()
        self.total += len(chunk)
        # One more than is shown, to know whether there is more.
        self.kept += chunk[: self.kept_bytes + 1 - len(self.kept)]
        return len(chunk) == MOST_CHUNK_BYTES

    def take_all(self):
        """Takes what is left once the writers have ended."""
        while self.take():
            continue

    @property
    def text(self):
        """What is kept of it, as text."""
        cut = "\n[cut]" if len(self.kept) > self.kept_bytes else ""
        return self.kept[: self.kept_bytes].decode("utf-8", "replace") + cut


def started_at(setup):
    """When the program began, by what its child said before; in seconds of the monotonic clock. None if it has not."""
    return START.unpack_from(setup)[1] if setup[:1] == STARTED else None


def reason_not_started(setup):
    """Why a child could not be set up; None if it could, or was not yet."""
    return setup[1:].decode("utf-8", "replace") if setup[:1] == BROKEN else None
