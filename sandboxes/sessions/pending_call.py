"""One call of a session that is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from sandboxes.guest.common.session_frames import STDERR, STDOUT
from sandboxes.workers.messages import GuestBroken


class PendingCall:
    """A call under way: its output so far, and the future of its end."""

    def __init__(self, max_bytes: int):
        """Begin without output.

        Args:
            max_bytes: that the guest may send of each stream.
        """
        self.max_bytes = max_bytes
        self.outputs = {STDOUT: bytearray(), STDERR: bytearray()}
        self.ended: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()

    def add_output(self, name: Any, data: bytes) -> None:
        """Take output.

        Raises:
            GuestBroken: if there is no such stream, or the guest sends more than was asked for.
        """
        output = self.outputs.get(name) if isinstance(name, str) else None
        if output is None or len(output) + len(data) > self.max_bytes:
            raise GuestBroken("the guest sent output that it was not asked for")
        output += data
