"""Calls of BigCodeBench's client between its requests: the uploaded file, then the parameters, until the call runs."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from code_tasks.server.queue_places import QueuePlaces

MAX_CALLS = 16
"""Calls at once, from the upload to the answer. Each has its file in memory."""

STEP_SECONDS = 60.0
"""Seconds after which a call is dropped whose client has not taken the next step. The client takes it at once."""


@dataclass
class PendingCall:
    """A call that does not run yet."""

    client: str
    file_name: str
    """The name of the uploaded file, without a folder."""

    data: bytes
    deadline: float
    place: ExitStack
    """Frees the call's place when it is closed."""

    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    session: str = ""
    """The session whose stream runs the call. Empty until the client has sent the parameters."""

    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The name under which the client sends the file back."""
        return f"{self.id}/{self.file_name}"


class PendingCalls:
    """The calls of all clients. Used in one event loop."""

    def __init__(self, now: Callable[[], float] = time.monotonic):
        """Begin without calls.

        Args:
            now: returns the time in seconds.
        """
        self._now = now
        self._places = QueuePlaces(MAX_CALLS, 1)
        self._calls: dict[str, PendingCall] = {}

    def add(self, client: str, file_name: str, data: bytes) -> PendingCall:
        """Add the call of a client who has uploaded a file. Raises QueueFull."""
        self._drop_late()
        with ExitStack() as stack:
            stack.enter_context(self._places.take(client))
            call = PendingCall(client, file_name, data, self._now() + STEP_SECONDS, stack.pop_all())
        self._calls[call.path] = call
        return call

    def join(self, client: str, path: str, session: str, values: Mapping[str, Any]) -> PendingCall | None:
        """Give parameters to a client's call, and return it. None: there is no such call, or it has its parameters."""
        self._drop_late()
        call = self._calls.get(path)
        if call is None or call.client != client or call.session:
            return None
        call.session, call.values, call.deadline = session, values, self._now() + STEP_SECONDS
        return call

    def take(self, client: str, session: str) -> PendingCall | None:
        """Remove and return a call of a client's session; None if there is none. Whoever takes it closes its place."""
        self._drop_late()
        for path, call in self._calls.items():
            # A call without parameters has no session yet, whatever a client asks for.
            if call.session and (call.client, call.session) == (client, session):
                return self._calls.pop(path)
        return None

    def _drop_late(self) -> None:
        for path, call in list(self._calls.items()):
            if call.deadline < self._now():
                del self._calls[path]
                call.place.close()
