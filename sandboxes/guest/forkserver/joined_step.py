"""Receives a step together with the descriptors of its standard input and output.

This happens in the child, so that no other process of the sandbox ever has the descriptors. The supervisor's end is
`ForkServerProcess.send_joined`.
"""

from __future__ import annotations

import _socket
import os
import struct

from ..common.frames import read_exact

FD = struct.Struct("=i")
MAX_FDS = 2


def receive_joined(channel: _socket.socket, size: int) -> bytes:
    """Receive a step, and make the descriptors that come with it the standard input and output of this process.

    Args:
        channel: to the supervisor.
        size: of the step, in bytes.

    Returns:
        The step; b"" if the supervisor has gone.
    """
    start, ancillary, _, _ = channel.recvmsg(min(size, 1 << 16), _socket.CMSG_SPACE(MAX_FDS * FD.size))
    for number, (fd,) in enumerate(FD.iter_unpack(ancillary[0][2] if ancillary else b"")):
        os.dup2(fd, number)
        os.close(fd)
    return start + read_exact(channel.fileno(), size - len(start))
