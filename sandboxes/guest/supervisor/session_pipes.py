"""Pipes of a session's processes, as the supervisor reads and feeds them without ever waiting."""

from __future__ import annotations

import os
import select

from ..common.session_frames import MAX_CHUNK_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# More than any pipe holds, so that all that was written before a process ended is read.
MAX_DRAIN_READS = 64
# Output of background threads between two cells that the next cell's output begins with.
MAX_EARLY_BYTES = 1 << 16


class Poller:
    """Calls a function for each descriptor that is ready."""

    def __init__(self) -> None:
        """Watch nothing."""
        self.poller = select.poll()
        self.functions: dict[int, Callable[[], object]] = {}

    def watch(self, fd: int, events: int, function: Callable[[], object]) -> None:
        """Call a function whenever a descriptor is ready for one of the events."""
        self.functions[fd] = function
        self.poller.register(fd, events)

    def forget(self, fd: int) -> None:
        """Stop watching a descriptor. One that is not watched is no error."""
        if self.functions.pop(fd, None):
            self.poller.unregister(fd)

    def wait(self, seconds: float) -> None:
        """Wait until a descriptor is ready, at most for a number of seconds, and call the functions."""
        for fd, _ in self.poller.poll(max(0, seconds) * 1000):
            # An earlier function may have closed this descriptor.
            function = self.functions.get(fd)
            if function is not None:
                function()


class Output:
    """One output stream of a process: passed on up to a limit, and dropped beyond it."""

    def __init__(self, fd: int, poller: Poller) -> None:
        """Take the descriptor, and read it whenever it holds bytes."""
        os.set_blocking(fd, False)
        self.fd, self.poller = fd, poller
        self.pass_on: Callable[[bytes], object] | None = None
        self.bytes_left = 0
        self.is_cut = self.is_closed = False
        # Output while nobody asks for it, kept for the next who does.
        self.early, self.max_early_bytes = b"", MAX_EARLY_BYTES
        poller.watch(fd, select.POLLIN, self.take)

    def begin(self, pass_on: Callable[[bytes], object], max_bytes: int) -> None:
        """Pass on the output from now on.

        Args:
            pass_on: called with bytes.
            max_bytes: to pass on.
        """
        self.pass_on, self.bytes_left, self.is_cut = pass_on, max_bytes, False
        early, self.early = self.early, b""
        self.receive(early)

    def take(self) -> bool:
        """Read once. Return whether there may be more."""
        if self.is_closed:
            return False
        try:
            chunk = os.read(self.fd, MAX_CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            self.close()
            return False
        self.receive(chunk)
        return True

    def receive(self, chunk: bytes) -> None:
        """Pass on bytes, as far as the limit allows."""
        if self.pass_on is None:
            self.early += chunk[: self.max_early_bytes - len(self.early)]
            return
        passed = chunk[: self.bytes_left]
        self.is_cut |= len(passed) < len(chunk)
        self.bytes_left -= len(passed)
        if passed:
            self.pass_on(passed)

    def end(self) -> None:
        """Pass on what was written until now, and nothing more."""
        reads = 0
        while reads < MAX_DRAIN_READS and self.take():
            reads += 1
        self.pass_on = None

    def close(self) -> None:
        """Close the descriptor."""
        if not self.is_closed:
            self.is_closed = True
            self.poller.forget(self.fd)
            os.close(self.fd)


class Input:
    """The input of a process, which is written as quickly as the process reads."""

    def __init__(self, fd: int, poller: Poller) -> None:
        """Take the descriptor."""
        os.set_blocking(fd, False)
        self.fd, self.poller = fd, poller
        self.unsent = memoryview(b"")
        self.is_closed = self.closes_when_sent = False

    def send(self, data: bytes, is_all: bool) -> None:
        """Write bytes, after those that are not written yet.

        Args:
            data: to write.
            is_all: whether to close the pipe then.
        """
        self.unsent = memoryview(bytes(self.unsent) + data)
        self.closes_when_sent = is_all
        self.flush()

    def flush(self) -> None:
        """Write as much as the pipe takes now."""
        if self.is_closed:
            return
        try:
            while self.unsent:
                self.unsent = self.unsent[os.write(self.fd, self.unsent) :]
        except BlockingIOError:
            self.poller.watch(self.fd, select.POLLOUT, self.flush)
            return
        except OSError:  # the process does not read, or has ended
            self.close()
            return
        self.poller.forget(self.fd)
        if self.closes_when_sent:
            self.close()

    def close(self) -> None:
        """Close the descriptor, whatever is left to write."""
        if not self.is_closed:
            self.is_closed, self.unsent = True, memoryview(b"")
            self.poller.forget(self.fd)
            os.close(self.fd)
