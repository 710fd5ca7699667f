"""What programs say: their output, how they were set up, and their report."""

import fcntl
import os
import select
import struct

from .compiled import forking
from .frames import BROKEN, START, STARTED
from .kernel import LINUX

# What a program can change of an open file, as the commands that ask for it and that set it: its flags, who is told of
# events, by which signal, and how large a pipe is.
CHANGEABLE = ((fcntl.F_GETFL, fcntl.F_SETFL),)
if LINUX:
    CHANGEABLE += ((fcntl.F_GETOWN, fcntl.F_SETOWN), (11, 10), (1032, 1031))
F_OFD_SETLK = 37
# struct flock: of a type, from the beginning to the end, of no process.
WHOLE_FILE_UNLOCKED = struct.pack("hhqqi4x", fcntl.F_UNLCK, os.SEEK_SET, 0, 0, 0)
MOST_CHUNK_BYTES = 1 << 16
# Far above what a judge writes.
MOST_REPORT_BYTES = 1 << 17


def answer(call, *arguments):
    """Returns what the system answers, -1 if it can't: a device lacks what a pipe has, other kernels lack more."""
    try:
        return call(*arguments)
    except OSError:
        return -1


def unlocked_condition(fd):
    """Takes an open file's locks away, which outlive the process that took them.

    Returns:
        What a program can change of it: (mode, flags, owner, signal, size), -1 for what it does not have.
    """
    if LINUX:
        answer(fcntl.flock, fd, fcntl.LOCK_UN)
        answer(fcntl.fcntl, fd, F_OFD_SETLK, WHOLE_FILE_UNLOCKED)
    return (os.fstat(fd).st_mode, *(answer(fcntl.fcntl, fd, asking) for asking, _ in CHANGEABLE))


if forking is not None:
    # The same at a quarter of the time, for each file after each program.
    unlocked_condition = forking.unlocked_condition


class OpenFile:
    """An open file that programs inherit, one after the other: what they change of it is there for the next one."""

    def __init__(self, fd):
        """Takes a descriptor of it, before the first program."""
        self.fd = fd
        self.fresh = unlocked_condition(fd)

    def tidy(self):
        """Gives it to the next program as new, but for what is in it."""
        condition = unlocked_condition(self.fd)
        if condition != self.fresh:
            mode, *values = self.fresh
            for (_, setting), value in zip(CHANGEABLE, values):
                if value != -1:
                    fcntl.fcntl(self.fd, setting, value)
            if condition[0] != mode:
                os.fchmod(self.fd, mode & 0o7777)


class Pipe(OpenFile):
    """A pipe that programs write to, one after the other. Both ends are held here, so it never comes to an end."""

    def __init__(self):
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.poller = select.poll()
        self.poller.register(self.read_end, select.POLLIN)
        super().__init__(self.write_end)

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
        """Takes some of what is there."""
        chunk = self.pipe.read_now()
        self.total += len(chunk)
        # One more than is shown, to know whether there is more.
        self.kept += chunk[: self.kept_bytes + 1 - len(self.kept)]

    def take_all(self):
        """Takes what is left once the writers have ended."""
        self.take()
        # Less than was asked for is no sign of the end: a program can have each read give one of its writes alone.
        while self.pipe.poller.poll(0):
            self.take()

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
