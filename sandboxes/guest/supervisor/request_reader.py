"""The supervisor's end of the pipe of requests: also what the caller sends while a program runs."""

from __future__ import annotations

import os
import select

from ..common.frames import HEAD, MAX_READ_BYTES, FrameReader, decode_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bytes of the next requests that are read while a program runs. A cancellation behind more of them waits.
MAX_AHEAD_BYTES = 4 << 20


class RequestReader(FrameReader):
    """Reads requests, and looks ahead for the cancellation of the one that is being carried out."""

    def __init__(self, fd: int) -> None:
        """Take the descriptor to read from."""
        super().__init__(fd)
        self.poller = select.poll()
        self.poller.register(fd, select.POLLIN)
        # {settings of requests as they were sent: the object}
        self.known_settings: dict[bytes, Any] = {}

    def request(self) -> dict[str, Any] | None:
        """Return the next request; None if the caller has gone. Requests share their settings, which nobody changes."""
        body = self.body()
        return decode_request(body, self.known_settings) if body else None

    @property
    def is_full(self) -> bool:
        """True if nothing more is read ahead."""
        return len(self.buffer) >= MAX_AHEAD_BYTES

    def news_of(self, request_id: int) -> str | None:
        """Return "cancelled" or "abandoned" if the caller does not wait for a request any more; otherwise None."""
        for _, events in self.poller.poll(0):
            if events & select.POLLHUP:
                return "abandoned"
            if not self.is_full:
                self.buffer += os.read(self.fd, MAX_READ_BYTES)
        # Also without news: a program that ended while its cancellation was read may have more steps.
        return "cancelled" if self.cancels(request_id) else None

    def cancels(self, request_id: int) -> bool:
        """Return whether a request is cancelled by what was read ahead."""
        start = 0
        while len(self.buffer) >= start + HEAD.size:
            end = start + HEAD.size + HEAD.unpack_from(self.buffer, start)[0]
            if end > len(self.buffer):
                break
            request = decode_request(self.buffer[start + HEAD.size : end], self.known_settings)
            if request.get("cancel") == request_id:
                return True
            start = end + max(0, request.get("tests_bytes", 0)) + request.get("candidate_bytes", 0)
        return False
