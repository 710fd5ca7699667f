"""The fork server as its children know it. Only the type checker reads this file."""

from __future__ import annotations

import _socket
from types import CodeType
from typing import Any, Callable, List, Protocol, TextIO, Tuple

from ..isolation.privileges import Privileges
from ..runners.policy import PlainPython

ResourceLimits = List[Tuple[int, Tuple[int, int]]]
"""Arguments of setrlimit: (resource, (soft, hard))."""


class ChildRequest(Protocol):
    """The attributes of a `ForkRequest` that a child reads."""

    candidate_bytes: int
    is_joined: bool


class ServerState(Protocol):
    """The attributes of a `ForkServer` that its children read."""

    role: str
    channel: _socket.socket
    peer_fd: int | None
    privileges: Privileges
    tests: str
    tests_code: CodeType | None
    policy: PlainPython
    run_role: Callable[[bytes], dict[str, Any] | None] | None
    streams: tuple[TextIO, TextIO]
    enter: Callable[[], None] | None
    runs_step: bool
    module: Any
