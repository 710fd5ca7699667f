"""The channel between supervisor and session server: frames in both directions, with descriptors."""

from __future__ import annotations

import _socket
import json
import struct

from ..common.frames import HEAD
from ..common.session_frames import encode_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MAX_READ_BYTES, MAX_FDS = 1 << 16, 16


class SessionChannel:
    """One end of the channel."""

    def __init__(self, socket: _socket.socket) -> None:
        """Take the socket, on which nothing is under way."""
        self.socket = socket
        self.received = bytearray()
        # Descriptors that have come, in their order. A frame that has some says how many.
        self.fds: list[int] = []

    def send(self, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
        """Send a frame, with descriptors."""
        data = encode_message(message)
        ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
        self.socket.sendall(data[self.socket.sendmsg([data], ancillary) :])

    def receive(self) -> Iterator[dict[str, Any]]:
        """Read once, which may wait, and yield the frames that are complete.

        Raises:
            EOFError: if the other end is closed.
        """
        data, ancillary, _, _ = self.socket.recvmsg(
            MAX_READ_BYTES, _socket.CMSG_SPACE(4 * MAX_FDS), getattr(_socket, "MSG_CMSG_CLOEXEC", 0)
        )
        for _, kind, payload in ancillary:
            if kind == _socket.SCM_RIGHTS:
                self.fds += struct.unpack("%di" % (len(payload) // 4), payload)
        if not data:
            raise EOFError("the channel is closed")
        self.received += data
        while len(self.received) >= HEAD.size:
            end = HEAD.size + HEAD.unpack_from(self.received)[0]
            if len(self.received) < end:
                return
            body = bytes(self.received[HEAD.size : end])
            del self.received[:end]
            yield json.loads(body)

    def take_fds(self, count: int) -> list[int]:
        """Return the descriptors that came with the frame that was yielded last."""
        taken, self.fds = self.fds[:count], self.fds[count:]
        return taken
