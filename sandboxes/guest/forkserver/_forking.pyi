"""The C extension of the fork server: forks, sets up children and runs their programs without Python code."""

from collections.abc import Callable
from types import CodeType
from typing import Any, TextIO

from .server_state import ResourceLimits, ServerState

def run(
    packet: bytes,
    server: ServerState,
    prepare: Callable[[bytes, ServerState], bytes | tuple[Any, ...]],
    direct: tuple[Any, ...] | None,
    served: tuple[Any, ...] | None,
    tests_code: CodeType | None,
    encode_details: Callable[[ServerState, BaseException | None], bytes],
    streams: tuple[TextIO, TextIO],
    flushes: tuple[Callable[[], object], Callable[[], object]],
    fork_hooks: tuple[Callable[[], object], ...] | None,
    enter: Callable[[], None] | None,
    limits: ResourceLimits,
    peer_fd: int,
    own_session: bool,
    reaps_orphans: bool,
    announces_children: bool,
    takes_more: bool,
    /,
) -> tuple[int, bytes, int]: ...
def reset_interrupts() -> None: ...
def end_child_on(number: int, /) -> None: ...
def enter_child(
    workplace: bytes | None,
    reset: Callable[[], object],
    shows_memory: bool,
    is_killed_first: bool,
    user: int,
    hides_memory: bool,
    ruleset: int,
    /,
) -> None: ...
def refuse_tracing(event: str, arguments: tuple[Any, ...], /) -> None: ...
def receive_end(
    channel: int, setup: int, report: int, stdout: int, stderr: int, milliseconds: int, /
) -> tuple[tuple[int, int, float, int, int], float, bytes, bytes, bool] | None: ...
def unlock_and_inspect(
    files: tuple[int, ...], folders: tuple[int, ...], file_systems: tuple[int, ...], /
) -> list[int]: ...
def use_huge_pages(fd: int, size: int, huge_page: int, /) -> None: ...
def move_memory(fd: int, offset: int, start: int, end: int, is_writable: bool, /) -> None: ...
def keep_unflushed(fd: int, write: Callable[[bytes], int], flush: Callable[[], None], /) -> None: ...
def write_unflushed(data: bytes, /) -> int: ...
def flush_unflushed() -> None: ...
