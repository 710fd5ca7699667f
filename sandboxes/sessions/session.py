"""The two faces of a session: `Session` for threads, and `AsyncSession` with the same methods as coroutines."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from sandboxes.config import EvalConfig
from sandboxes.contract import Isolation
from sandboxes.process_result import ProcessResult
from sandboxes.sessions.calls import SessionCalls
from sandboxes.sessions.connection import Connection
from sandboxes.sessions.event_loop import post, run, wait
from sandboxes.sessions.limits import SessionLimits
from sandboxes.sessions.results import CellResult


class SessionFace:
    """The common part of both faces: set-up, and what is known without a call."""

    def __init__(self, config: EvalConfig | None = None, limits: SessionLimits | None = None):
        """Set up a session; nothing is started yet.

        Args:
            config: its sandbox decides where the session lives. None: the default sandbox.
            limits: of the session. None: SessionLimits' own, with the memory, processes and file size of `config`.

        Raises:
            ValueError: if the sandbox can't hold a session, or `config` names a cluster.
        """
        self._calls = SessionCalls(config, limits)
        # At the interpreter's exit all sessions end anyway.
        weakref.finalize(self, end_unused, self._calls.connection).atexit = False

    @property
    def limits(self) -> SessionLimits:
        """The limits of the session."""
        return self._calls.limits

    @property
    def isolation(self) -> Isolation | None:
        """The isolation that the session's guest enforces; None before it is open."""
        return self._calls.connection.isolation

    @property
    def end_reason(self) -> str | None:
        """The reason why the session has ended; None if it takes calls."""
        return self._calls.connection.end_reason


class Session(SessionFace):
    """A Python process and a folder in a sandbox, which outlive a call.

    The layers are those of a candidate. All that the session started ends with it. Several threads may use a session at
    once: cells run one after the other, commands beside each other. A session is a context manager. It opens at its
    first call, or when it is entered. All calls of a session that was closed, has expired or broke raise SessionEnded.
    """

    def __enter__(self) -> Self:
        """Open the session, and return it."""
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the session."""
        self.close()

    def open(self) -> None:
        """Start the session, and wait until it is ready.

        Raises:
            SandboxUnavailable: if the sandbox does not start.
            SessionEnded: if the session has ended.
        """
        wait(self._calls.connection.open())

    def run_cell(self, code: str, seconds: float | None = None) -> CellResult:
        """Run Python code where the variables of earlier cells are, and return its result.

        A cell that takes too long is interrupted, and keeps the state if it reacts within a few seconds. Otherwise its
        process ends, and the result says so by `state_lost`.

        Args:
            code: a cell's statements. The value of the last one is in the result if it is an expression.
            seconds: wall seconds that it may take. None: the session's `call_seconds`.

        Raises:
            SessionEnded: if the session has ended, or ends before the cell does.
            SandboxUnavailable: if the session can't be opened.
        """
        return wait(self._calls.run_cell(code, seconds))

    def run_command(
        self,
        command: str | Sequence[str],
        stdin: str | bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
        max_bytes: int | None = None,
    ) -> ProcessResult:
        """Run a command in the session's folder, and return how it ended.

        Processes that the command leaves in the background run on until the session ends. A command that takes too long
        is ended with all that it started.

        Args:
            command: a text for `/bin/sh -c`, or the command and its arguments.
            stdin: its standard input.
            cwd: the folder to begin in: absolute in the sandbox, or relative to the session's.
            env: environment variables to add.
            seconds: wall seconds that it may take. None: the session's `call_seconds`.
            max_bytes: size of the beginning of stdout, and of stderr, to keep. None: the session's `output_bytes`.

        Raises:
            OSError: if the command can't be started: FileNotFoundError, PermissionError or another.
            SessionEnded: if the session has ended, or ends before the command does.
            SandboxUnavailable: if the session can't be opened.
        """
        return wait(self._calls.run_command(command, stdin, cwd, env, seconds, max_bytes))

    def read_file(self, path: str, max_bytes: int | None = None) -> bytes:
        """Return the content of a file in the sandbox.

        Args:
            path: absolute in the sandbox, or relative to the session's folder.
            max_bytes: the largest size to read. None: the session's `file_bytes`.

        Raises:
            OSError: if the file can't be read: FileNotFoundError, IsADirectoryError, PermissionError, or one with
                `errno.EFBIG` if it is too large.
            SessionEnded: if the session has ended.
            SandboxUnavailable: if the session can't be opened.
        """
        return wait(self._calls.read_file(path, max_bytes))

    def write_file(self, path: str, data: str | bytes) -> None:
        """Write a file in the sandbox, and make the folders above it. A file that is there is overwritten.

        Args:
            path: absolute in the sandbox, or relative to the session's folder.
            data: the content; a text becomes UTF-8.

        Raises:
            OSError: if the file can't be written: IsADirectoryError, PermissionError, or another.
            SessionEnded: if the session has ended.
            SandboxUnavailable: if the session can't be opened.
        """
        wait(self._calls.write_file(path, data))

    def interrupt(self) -> None:
        """Interrupt the cell that runs, as Ctrl-C does. It ends as a cell that takes too long does.

        Raises:
            SessionEnded: if the session has ended.
        """
        wait(self._calls.connection.interrupt())

    def close(self) -> None:
        """End the session with all that it started, and remove its folder. A session that has ended is no error."""
        wait(self._calls.connection.close())


class AsyncSession(SessionFace):
    """A `Session` whose methods are coroutines. It may be used from any event loop, and by several tasks at once.

    Cancelling a task that waits for a call ends the call: a command with all that it started, a cell by an interrupt.
    """

    async def __aenter__(self) -> Self:
        """Open the session, and return it."""
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the session."""
        await self.close()

    async def open(self) -> None:
        """Start the session, and wait until it is ready, as `Session.open` does."""
        await run(self._calls.connection.open())

    async def run_cell(self, code: str, seconds: float | None = None) -> CellResult:
        """Run Python code and return its result, as `Session.run_cell` does."""
        return await run(self._calls.run_cell(code, seconds))

    async def run_command(
        self,
        command: str | Sequence[str],
        stdin: str | bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
        max_bytes: int | None = None,
    ) -> ProcessResult:
        """Run a command and return how it ended, as `Session.run_command` does."""
        return await run(self._calls.run_command(command, stdin, cwd, env, seconds, max_bytes))

    async def read_file(self, path: str, max_bytes: int | None = None) -> bytes:
        """Return the content of a file, as `Session.read_file` does."""
        return await run(self._calls.read_file(path, max_bytes))

    async def write_file(self, path: str, data: str | bytes) -> None:
        """Write a file, as `Session.write_file` does."""
        await run(self._calls.write_file(path, data))

    async def interrupt(self) -> None:
        """Interrupt the cell that runs, as `Session.interrupt` does."""
        await run(self._calls.connection.interrupt())

    async def close(self) -> None:
        """End the session, as `Session.close` does."""
        await run(self._calls.connection.close())


def end_unused(connection: Connection) -> None:
    """End a session that nobody can call any more. The garbage collector calls this, in any thread."""
    if connection.owner == os.getpid():
        post(connection.end, "nobody refers to it any more")
