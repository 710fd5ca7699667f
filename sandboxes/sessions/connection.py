"""The caller's end of one session: its guest, and the calls that run there.

Everything here runs on the loop of `event_loop.py`, but for `end_all_at_exit`.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import os
import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sandboxes.contract import Isolation
from sandboxes.errors import SandboxUnavailable, SessionEnded
from sandboxes.guest.common.session_frames import encode_message
from sandboxes.sessions.clock import SessionClock
from sandboxes.sessions.limits import SessionLimits
from sandboxes.sessions.messages import Outputs, SessionFrameReader
from sandboxes.sessions.pending_call import PendingCall
from sandboxes.validation import printable
from sandboxes.workers.messages import GuestBroken
from sandboxes.workers.sandbox import Sandbox
from sandboxes.workers.worker import START_TIMEOUT_SECONDS, Worker, close_workers

READ_BYTES = 1 << 18
CLOSED = "it was closed"

_connections: weakref.WeakSet[Connection] = weakref.WeakSet()


class Connection:
    """The connection to the guest of one session."""

    def __init__(self, sandbox: Sandbox, limits: SessionLimits):
        """Set up a connection; nothing is started yet."""
        self.sandbox, self.limits = sandbox.for_session(limits), limits
        self.owner = os.getpid()
        self.isolation: Isolation | None = None
        self.worker: Worker | None = None
        self.end_reason: str | None = None
        self._frames = SessionFrameReader()
        self._calls: dict[int, PendingCall] = {}
        self._last_id = 0
        self._clock = SessionClock(limits, lambda: bool(self._calls), self.end)
        self._ready: asyncio.Future[Isolation]
        self._opening: asyncio.Task[None] | None = None
        self._breaking: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        _connections.add(self)

    def require_open(self) -> None:
        """Raise SessionEnded if the session takes no more calls."""
        if self.owner != os.getpid():
            raise SessionEnded("the session belongs to the process that this one was forked from")
        if self.end_reason is not None:
            raise SessionEnded(f"the session has ended: {self.end_reason}")

    async def open(self) -> None:
        """Start the guest, unless it has been started, and wait until it is ready.

        Raises:
            SandboxUnavailable: if it does not start, or enforces less isolation than the user demands.
            SessionEnded: if the session has ended.
        """
        self.require_open()
        if self._opening is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._opening = asyncio.create_task(self._open())
            self._opening.add_done_callback(retrieve_error)
        # A caller that gives up does not take the session from others.
        await asyncio.shield(self._opening)

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            self.worker = await loop.run_in_executor(executor(), self.sandbox.start_worker)
            if self.end_reason is not None:
                raise SessionEnded(f"the session has ended: {self.end_reason}")
            loop.add_reader(self.worker.replies_fd, self._receive)
            self._flush()
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                self.isolation = await self._ready
            self.sandbox.accept(self.isolation)
        except BaseException as error:
            reason = str(error)
            if isinstance(error, TimeoutError):
                reason = f"the guest was not ready after {START_TIMEOUT_SECONDS:g} s"
            self.end(reason)
            if isinstance(error, TimeoutError | GuestBroken):
                raise SandboxUnavailable(
                    f"the {self.sandbox.name} sandbox does not start: {reason}; `code-eval doctor` shows what is wrong"
                ) from error
            raise
        self._clock.start()

    async def call(self, message: Mapping[str, Any], data: bytes, max_bytes: int) -> tuple[Mapping[str, Any], Outputs]:
        """Make a call, and return how it ended and its output. A caller that gives up ends the call.

        Args:
            message: the call's fields, without its id.
            data: the bytes that follow.
            max_bytes: that the guest may send of each stream.

        Raises:
            SessionEnded: if the session has ended, or ends before the call does.
            SandboxUnavailable: if the session can't be opened.
        """
        await self.open()
        self.require_open()
        self._last_id += 1
        number, call = self._last_id, PendingCall(max_bytes)
        self._calls[number] = call
        self._clock.restart_idle()
        self._send({"id": number, **message}, data)
        try:
            ended = await call.ended
        finally:
            if self._calls.pop(number, None) and self.end_reason is None:
                self._send({"stop": number})
            self._clock.restart_idle()
        return ended, {name: bytes(output) for name, output in call.outputs.items()}

    async def interrupt(self) -> None:
        """Interrupt the cell that runs, if one does.

        Raises:
            SessionEnded: if the session has ended.
        """
        self.require_open()
        if self.isolation is not None:
            self._send({"interrupt": True})

    async def close(self, reason: str = CLOSED) -> None:
        """End the session with all that it started, and wait until it is gone."""
        self.end(reason)
        if self._opening is not None:
            # Whoever waits for the opening gets its error.
            with contextlib.suppress(Exception):
                await asyncio.shield(self._opening)
        if self._closing is not None:
            await asyncio.shield(self._closing)

    def end(self, reason: str) -> None:
        """End the session without waiting. Calls under way raise SessionEnded."""
        if self.end_reason is None:
            self.end_reason = printable(reason)
        self._clock.stop()
        error = SessionEnded(f"the session has ended: {self.end_reason}")
        waiting: list[asyncio.Future[Any]] = [call.ended for call in self._calls.values()]
        if self._opening is not None:
            waiting.append(self._ready)
        for future in waiting:
            if not future.done():
                future.set_exception(error)
                retrieve_error(future)
        self._calls.clear()
        if self.worker is not None and self._closing is None:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self.worker.replies_fd)
            loop.remove_writer(self.worker.requests_fd)
            self.worker.close_pipes()
            self._closing = asyncio.create_task(self._wait_for_end(self.worker))

    async def _wait_for_end(self, worker: Worker) -> None:
        await asyncio.get_running_loop().run_in_executor(executor(), close_workers, [worker])
        self.worker = None
        _connections.discard(self)

    def _send(self, message: Mapping[str, Any], data: bytes = b"") -> None:
        assert self.worker is not None  # noqa: S101 (for the type checker)
        self.worker.enqueue(encode_message(dict(message), data))
        self._flush()

    def _flush(self) -> None:
        """Write what the guest takes now, and the rest when it takes more."""
        assert self.worker is not None  # noqa: S101 (for the type checker)
        loop = asyncio.get_running_loop()
        try:
            self.worker.flush()
        except GuestBroken as error:
            self._break(error)
            return
        if self.worker.has_unsent:
            loop.add_writer(self.worker.requests_fd, self._flush)
        else:
            loop.remove_writer(self.worker.requests_fd)

    def _receive(self) -> None:
        """Take what the guest sends."""
        assert self.worker is not None  # noqa: S101 (for the type checker)
        try:
            chunk = os.read(self.worker.replies_fd, READ_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            asyncio.get_running_loop().remove_reader(self.worker.replies_fd)
            self._breaking = asyncio.create_task(self._report_end_of(self.worker))
            return
        self._clock.note_sign_of_life()
        self._frames.feed(chunk)
        try:
            while self.end_reason is None and (message := self._frames.next_message()) is not None:
                self._handle(*message)
        except GuestBroken as error:
            self._break(error)

    async def _report_end_of(self, worker: Worker) -> None:
        """Say why the guest ended, which takes a moment to find out."""
        reason = await asyncio.get_running_loop().run_in_executor(executor(), worker.last_words)
        self._break(GuestBroken(reason))

    def _break(self, error: GuestBroken) -> None:
        if not self._ready.done():
            self._ready.set_exception(error)
        else:
            self.end(f"its guest broke: {error}")

    def _handle(self, frame: dict[str, Any], data: bytes) -> None:
        assert self.worker is not None  # noqa: S101 (for the type checker)
        if not self._ready.done():
            self.worker.isolation = self.worker.isolation_of(frame)
            self._ready.set_result(self.worker.isolation)
            return
        number = frame.get("id")
        call = self._calls.get(number) if isinstance(number, int) else None
        if "waiting" in frame or call is None:
            # A call whose caller gave up may still send something.
            return
        if "stream" in frame:
            call.add_output(frame["stream"], data)
            return
        ended = frame.get("ended")
        if not isinstance(ended, dict):
            raise GuestBroken(f"the guest's frame is invalid: {str(frame)[:200]}")
        if not call.ended.done():
            call.ended.set_result(ended)
        del self._calls[number]  # type: ignore[arg-type]


def retrieve_error(future: asyncio.Future[Any]) -> None:
    """Keep asyncio from warning of an error that nobody waits for."""
    if not future.cancelled():
        future.exception()


@functools.cache
def executor() -> ThreadPoolExecutor:
    """Return the threads that start guests and wait for their ends, which both block."""
    return ThreadPoolExecutor(max_workers=8, thread_name_prefix="code-eval-sessions")


@atexit.register
def end_all_at_exit() -> None:
    """End the sessions of this process that are still open."""
    workers = [connection.worker for connection in _connections if connection.owner == os.getpid()]
    close_workers([worker for worker in workers if worker is not None])


def _disown_all() -> None:
    """Leave inherited sessions to the process that this one was forked from."""
    executor.cache_clear()
    for connection in _connections:
        if connection.worker is not None:
            connection.worker.disown()
    _connections.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)
