"""The sandbox `code_eval` for Inspect: one session for each sample, which ends with the sample."""

from __future__ import annotations

import asyncio
import errno
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar, Literal, overload

import anyio
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentLimits,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from inspect_ai.util import concurrency as limited

# Inspect has no public name for the user's `max_subprocesses`.
from inspect_ai.util._subprocess import max_subprocesses_context_var

from code_tasks.adapters.inspect_ai.config import CodeEvalSandboxConfig, sandbox_config
from sandboxes import AsyncSession, Outcome, ProcessResult, SandboxUnavailable, SessionEnded
from sandboxes.consent import require_consent
from sandboxes.pool.cpus import usable_cpus

SANDBOXES_PER_CPU = 8
"""Samples at once for each CPU, if the user names no number: most of them wait for the model."""

POLLING_SECONDS = 0.2

NOT_FOUND, NOT_RUN, SIGNALED = 127, 126, 128
"""Statuses that a shell gives to a command that it does not find or can't run, and below that of a signal's number."""

FILE_ERRORS = (TimeoutError, PermissionError, FileNotFoundError, IsADirectoryError)
"""Errors of files that Inspect shows to the model. Any other one ends the sample."""


class CommandTimedOut(TimeoutError):
    """A command took too long."""

    def __init__(self, result: ProcessResult):
        """Keep what it wrote, which Inspect shows to the model."""
        super().__init__(result.detail)
        self.truncated_output = as_text(result.stdout + result.stderr)


@sandboxenv(name="code_eval")
class CodeEvalSandboxEnvironment(SandboxEnvironment):
    """The sandbox of one sample."""

    _open: ClassVar[dict[CodeEvalSandboxEnvironment, object]] = {}
    """{environment whose sample has not ended: its configuration, as Inspect gave it}"""

    def __init__(self, config: CodeEvalSandboxConfig):
        """Set up a session; nothing is started yet.

        Raises:
            ValueError, TypeError: if the configuration is invalid.
        """
        super().__init__()
        self.session = AsyncSession(config.eval_config(), config.session_limits())
        self._own_users: frozenset[str] | None = None

    @classmethod
    def default_concurrency(cls) -> int:
        """Return the number of samples at once."""
        return SANDBOXES_PER_CPU * usable_cpus()

    def default_polling_interval(self) -> float:
        """Return the seconds between two looks at a service in the sandbox, where commands cost milliseconds."""
        return POLLING_SECONDS

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> CodeEvalSandboxConfig:
        """Return a configuration from a log."""
        return CodeEvalSandboxConfig(**config)

    @classmethod
    async def task_init(cls, task_name: str, config: object) -> None:
        """Open a session and end it, so that a task whose sandbox does not work fails before its first sample.

        Raises:
            ValueError, TypeError: if the configuration is invalid, or running programs was not allowed.
            SandboxUnavailableError: if the sandbox does not start.
        """
        environments = await cls.sample_init(task_name, config, {})
        await cls.sample_cleanup(task_name, config, environments, False)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: object, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Open a sample's session. Arguments are Inspect's, and errors those of `task_init`."""
        require_consent()
        require_asyncio()
        environment = cls(sandbox_config(config))
        cls._open[environment] = config
        try:
            with unavailable_as_inspects():
                await environment.session.open()
        except BaseException:
            await environment.close()
            raise
        return {"default": environment}

    @classmethod
    async def sample_cleanup(
        cls, task_name: str, config: object, environments: dict[str, SandboxEnvironment], interrupted: bool
    ) -> None:
        """End a sample's session, with all that it started. Arguments are Inspect's."""
        for environment in environments.values():
            await environment.as_type(CodeEvalSandboxEnvironment).close()

    @classmethod
    async def task_cleanup(cls, task_name: str, config: object, cleanup: bool) -> None:
        """End the sessions that are left, unless the user wants to keep them until Inspect ends."""
        left = [environment for environment, its_config in cls._open.items() if its_config == config]
        for environment in left if cleanup else []:
            await environment.close()

    async def close(self) -> None:
        """End the session with all that it started, and remove its folder."""
        try:
            # Otherwise the session of a cancelled sample would live on.
            with anyio.CancelScope(shield=True):
                await self.session.close()
        finally:
            # Also if asyncio itself cancels this, which no shield keeps away: the session's end goes on then.
            self._open.pop(self, None)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command, as `SandboxEnvironment.exec` describes it. A command that timed out is not tried again.

        Raises:
            TimeoutError: if it takes longer than `timeout` seconds.
            PermissionError: if it may not be run.
            OutputLimitExceededError: if it writes more than Inspect's limit.
            SandboxUserUnsupportedError: if `user` is not the user whom all commands run as.
            SandboxUnavailableError: if the session has ended or broke.
        """
        if user is not None:
            await self._require_own_user(user)
        max_bytes = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        seconds = self.session.limits.max_seconds if timeout is None else timeout
        if any("\0" in argument for argument in cmd):
            # A model wrote it, and no system could run it.
            return ExecResult(False, NOT_RUN, "", "a command can't have a null character")
        gate = (
            limited("subprocesses", max_subprocesses_context_var.get(), resizable=True)
            if concurrency
            else nullcontext()
        )
        async with gate:
            try:
                with unavailable_as_inspects():
                    result = await self.session.run_command(cmd, as_bytes(input or b""), cwd, env, seconds, max_bytes)
            except PermissionError:
                raise
            except OSError as error:
                return ExecResult(False, NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN, "", str(error))
        return exec_result(result)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file, and make the folders above it.

        Raises:
            PermissionError, IsADirectoryError, FileNotFoundError: if it can't be written, whatever the system's reason.
            TimeoutError: if that takes too long.
            SandboxUnavailableError: as for `exec`.
        """
        with documented_errors(file):
            await self.session.write_file(file, as_bytes(contents))

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Return the content of a file, as text in UTF-8 or as bytes.

        Raises:
            FileNotFoundError, PermissionError, IsADirectoryError: if it can't be read, whatever the system's reason.
            UnicodeDecodeError: if it is no text in UTF-8.
            TimeoutError: if that takes too long.
            OutputLimitExceededError: if it is larger than Inspect's limit.
            SandboxUnavailableError: as for `exec`.
        """
        with documented_errors(file):
            data = await self.session.read_file(file, SandboxEnvironmentLimits.MAX_READ_FILE_SIZE)
        return data.decode() if text else data

    async def _require_own_user(self, user: str) -> None:
        """Raise SandboxUserUnsupportedError unless all commands run as this user anyway."""
        if self._own_users is None:
            with unavailable_as_inspects():
                result = await self.session.run_command("id -un; id -u")
            self._own_users = frozenset(as_text(result.stdout).split())
        if user not in self._own_users:
            names = " or ".join(sorted(self._own_users, reverse=True))
            raise SandboxUserUnsupportedError(
                f"commands in this sandbox run as {names} alone, and not as {user!r}: no process of it can become root"
            )


def require_asyncio() -> None:
    """Raise RuntimeError under another event loop than asyncio's."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            'the sandbox "code_eval" needs asyncio: unset INSPECT_ASYNC_BACKEND, or set it to "asyncio"'
        ) from None


@contextmanager
def unavailable_as_inspects() -> Iterator[None]:
    """Raise Inspect's SandboxUnavailableError if a session has ended or broke."""
    try:
        yield
    except (SandboxUnavailable, SessionEnded) as error:
        raise SandboxUnavailableError(str(error)) from error


@contextmanager
def documented_errors(file: str) -> Iterator[None]:
    """Raise only errors of files that Inspect knows: a file that a program made strange must not end its sample."""
    try:
        with unavailable_as_inspects():
            if not file or "\0" in file:
                raise FileNotFoundError(errno.ENOENT, "no file has such a name", file)
            yield
    except FILE_ERRORS:
        raise
    except NotADirectoryError as error:
        raise FileNotFoundError(error.errno, error.strerror, file) from error
    except OSError as error:
        if error.errno == errno.EFBIG:
            limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR
            raise OutputLimitExceededError(limit, truncated_output=None) from error
        raise PermissionError(error.errno, error.strerror, file) from error


def exec_result(result: ProcessResult) -> ExecResult[str]:
    """Return a command's result as a shell would see it: 128 and the signal's number, if a signal ended it.

    Raises:
        CommandTimedOut: if it took too long.
        OutputLimitExceededError: if it wrote too much.
    """
    stdout, stderr = as_text(result.stdout), as_text(result.stderr)
    if result.limit is Outcome.TIMED_OUT:
        raise CommandTimedOut(result)
    if result.stdout_is_cut or result.stderr_is_cut:
        limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR
        raise OutputLimitExceededError(limit, truncated_output=stdout + stderr)
    if result.exit_status is not None:
        return ExecResult(result.exit_status == 0, result.exit_status, stdout, stderr)
    if result.limit is not None:
        # No signal of its own ended the command, and the model should know what did.
        return ExecResult(False, SIGNALED + signal.SIGKILL, stdout, f"{stderr}{result.detail}\n")
    return ExecResult(False, SIGNALED + signal_number(result.signal), stdout, stderr)


def signal_number(name: str) -> int:
    """Return the number of a signal that a `ProcessResult` names; SIGKILL's if there is no such signal."""
    base, _, above = name.partition("+")
    number = getattr(signal, base, None)
    if isinstance(number, signal.Signals):
        return number + (int(above) if above.isdecimal() else 0)
    return int(base[3:]) if base[3:].isdecimal() else signal.SIGKILL


def as_bytes(data: str | bytes) -> bytes:
    """Return bytes; a text in UTF-8, also one that a model wrote with a lone surrogate."""
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data


def as_text(data: bytes) -> str:
    """Return a command's output as text."""
    return data.decode("utf-8", "replace")
