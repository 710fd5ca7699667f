"""The calls of a session, as coroutines on the loop of sessions: arguments are checked, and replies become results."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sandboxes.backends.confinement import checked_variables
from sandboxes.config import EvalConfig
from sandboxes.contract import Outcome
from sandboxes.errors import SandboxUnavailable
from sandboxes.guest.common.session_frames import CELL, COMMAND, READ, WRITE
from sandboxes.process_result import ProcessResult
from sandboxes.sessions.connection import Connection
from sandboxes.sessions.limits import SessionLimits
from sandboxes.sessions.messages import Outputs, parse_cell, parse_error, parse_process
from sandboxes.sessions.results import CellResult
from sandboxes.validation import positive_int, positive_number, short_repr
from sandboxes.workers.messages import GuestBroken

T = TypeVar("T")

SHELL = ("/bin/sh", "-c")


class SessionCalls:
    """The calls of one session."""

    def __init__(self, config: EvalConfig | None, limits: SessionLimits | None):
        """Set up a session; nothing is started yet.

        Raises:
            ValueError: if the configuration is not for a session.
        """
        config = EvalConfig.from_options({}) if config is None else config
        if config.sandbox.has_policy:
            raise ValueError(
                f'sandbox="{config.sandbox.name}" can\'t hold a session, because its programs have no commands and no '
                'files; choose "subprocess" or "docker"'
            )
        if config.cluster is not None:
            raise ValueError(f"a session runs on this machine, not on cluster={config.cluster!r}; leave it out")
        self.limits = SessionLimits.from_limits(config.limits) if limits is None else limits
        self.connection = Connection(config.sandbox, self.limits)

    async def run_cell(self, code: str, seconds: float | None) -> CellResult:
        """Run a cell, as `Session.run_cell` describes it."""
        if not isinstance(code, str):
            raise TypeError(f"code must be text, not {short_repr(code)}")
        source = code.encode("utf-8", "surrogatepass")
        ended, outputs = await self._call(CELL, {}, source, seconds, self.limits.output_bytes)
        self._raise_error(ended, "python")
        return self._parsed(parse_cell, ended, outputs)

    async def run_command(
        self,
        command: str | Sequence[str],
        stdin: str | bytes,
        cwd: str | None,
        env: Mapping[str, str] | None,
        seconds: float | None,
        max_bytes: int | None = None,
    ) -> ProcessResult:
        """Run a command, as `Session.run_command` describes it."""
        argv = checked_argv(command)
        kept = self.limits.output_bytes if max_bytes is None else positive_int("max_bytes", max_bytes)
        place = {"cwd": None if cwd is None else checked_path(cwd), "env": checked_variables(env or {})}
        fields = {"argv": argv, **place, "max_bytes": kept}
        ended, outputs = await self._call(COMMAND, fields, to_bytes("stdin", stdin), seconds, kept)
        self._raise_error(ended, argv[0])
        return self._parsed(parse_process, ended, outputs)

    async def read_file(self, path: str, max_bytes: int | None) -> bytes:
        """Read a file, as `Session.read_file` describes it."""
        allowed = self.limits.file_bytes
        if max_bytes is not None:
            allowed = min(allowed, positive_int("max_bytes", max_bytes))
        fields = {"path": checked_path(path), "max_bytes": allowed}
        ended, outputs = await self._call(READ, fields, b"", None, allowed)
        self._raise_error(ended, path, f"larger than {allowed} bytes")
        result = self._parsed(parse_process, ended, outputs)
        require_success(result, path)
        return result.stdout

    async def write_file(self, path: str, data: str | bytes) -> None:
        """Write a file, as `Session.write_file` describes it."""
        content = to_bytes("data", data)
        if len(content) > self.limits.file_bytes:
            raise OSError(errno.EFBIG, f"larger than {self.limits.file_bytes} bytes", path)
        ended, outputs = await self._call(WRITE, {"path": checked_path(path)}, content, None, 0)
        self._raise_error(ended, path)
        require_success(self._parsed(parse_process, ended, outputs), path)

    async def _call(
        self, kind: str, fields: Mapping[str, Any], data: bytes, seconds: float | None, max_bytes: int
    ) -> tuple[Mapping[str, Any], Outputs]:
        allowed = self.limits.call_seconds if seconds is None else positive_number("seconds", seconds, "seconds")
        return await self.connection.call({"call": kind, "seconds": allowed, **fields}, data, max_bytes)

    def _raise_error(self, ended: Mapping[str, Any], path: str, too_large: str = "") -> None:
        """Raise the error that kept a call from being made."""
        try:
            error = parse_error(ended, path)
        except GuestBroken as broken:
            raise self._broken(broken) from broken
        if error is not None:
            if too_large and error.errno == errno.EFBIG:
                error = OSError(errno.EFBIG, too_large, path)
            raise error

    def _parsed(
        self, parse: Callable[[Mapping[str, Any], Outputs], T], ended: Mapping[str, Any], outputs: Outputs
    ) -> T:
        """Return a result; end the session if it is invalid."""
        try:
            return parse(ended, outputs)
        except GuestBroken as broken:
            raise self._broken(broken) from broken

    def _broken(self, broken: GuestBroken) -> SandboxUnavailable:
        self.connection.end(f"its guest broke: {broken}")
        return SandboxUnavailable(f"the session's guest broke: {broken}")


def checked_argv(command: str | Sequence[str]) -> list[str]:
    """Return the command and its arguments. A text is given to the shell.

    Raises:
        TypeError, ValueError: if it is no command.
    """
    argv = [*SHELL, command] if isinstance(command, str) else list(command)
    if not argv or not all(isinstance(argument, str) for argument in argv):
        raise TypeError(f"a command must be a text, or a list of texts that is not empty, not {short_repr(command)}")
    if not argv[0] or any("\0" in argument for argument in argv):
        raise ValueError(f"a command can't have an empty name or a null character: {short_repr(command)}")
    return argv


def checked_path(path: str) -> str:
    """Return the path of a file or folder in the sandbox.

    Raises:
        TypeError, ValueError: if it is none.
    """
    if not isinstance(path, str):
        raise TypeError(f"a path in the sandbox must be text, not {short_repr(path)}")
    if not path or "\0" in path:
        raise ValueError(f"a path can't be empty or have a null character: {short_repr(path)}")
    return path


def require_success(result: ProcessResult, path: str) -> None:
    """Raise an OSError if work on a file did not come to its end: TimeoutError if it took too long."""
    if not result.succeeded:
        numbers = {Outcome.TIMED_OUT: errno.ETIMEDOUT, Outcome.OUT_OF_MEMORY: errno.ENOMEM}
        raise OSError(numbers.get(result.limit, errno.EIO) if result.limit else errno.EIO, result.detail, path)


def to_bytes(name: str, data: str | bytes) -> bytes:
    """Return bytes; a text in UTF-8.

    Raises:
        TypeError: if it is neither.
    """
    if isinstance(data, str):
        return data.encode("utf-8", "surrogateescape")
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{name} must be text or bytes, not {short_repr(data)}")
    return bytes(data)
