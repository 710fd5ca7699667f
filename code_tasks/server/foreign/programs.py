"""Programs that requests of other services ask for: judged, or run as they stand."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.request_state import client_of, service_of
from code_tasks.server.service import Service
from sandboxes import Limits, RawResult, RawRun, RunResult, SandboxUnavailable, Task, Verdict
from sandboxes.languages.base import compiler_limits
from sandboxes.raw_runs.raw_run import MAX_OUTPUT_BYTES


def raw_limits(service: Service, seconds: float, memory_bytes: int, cpu_seconds: float | None = None) -> Limits:
    """Return the limits of a raw run. All of the output that it may write is kept.

    Args:
        service: of the app. Its owner's other limits hold.
        seconds: on the clock, as `allowed_seconds` returns them.
        memory_bytes: as `allowed_memory` returns them.
        cpu_seconds: of one process. None: the owner's.
    """
    own = service.settings.config.limits
    return dataclasses.replace(
        own,
        wall_seconds=seconds,
        memory_bytes=memory_bytes,
        cpu_seconds=own.cpu_seconds if cpu_seconds is None else cpu_seconds,
        output_bytes=kept_output_bytes(service),
    )


def kept_output_bytes(service: Service) -> int:
    """Return the bytes of stdout and stderr together that a program may write. An answer has all of them."""
    return min(service.settings.max_kept_output_bytes, MAX_OUTPUT_BYTES)


def make_raw_run(
    service: Service,
    source: str,
    language: str,
    limits: Limits,
    compile_seconds: float,
    *,
    stdin: bytes = b"",
    arguments: Sequence[str] = (),
    files: Mapping[str, bytes] | None = None,
    fetch: Sequence[str] = (),
    compile_memory: int = 0,
) -> RawRun:
    """Return the raw run of a source.

    Args:
        service: of the app.
        source: the program.
        language: our name of it.
        limits: of the run.
        compile_seconds: on the clock, of each compiler.
        stdin: of the run.
        arguments: words behind the program.
        files: by their names in the program's folder.
        fetch: names of files to return.
        compile_memory: bytes of the compiler's memory. 0: the compiler's usual limit.

    Raises:
        InvalidRequest: if a raw run can't have one of these.
    """
    compilers = compiler_limits(limits, compile_seconds)
    if compile_memory:
        compilers = dataclasses.replace(compilers, memory_bytes=compile_memory)
    try:
        return RawRun(
            source=source,
            language=language,
            arguments=arguments,
            stdin=stdin,
            files=files or {},
            fetch=fetch,
            limits=limits,
            compile_limits=compilers,
            kept_bytes=kept_output_bytes(service),
        )
    except (ValueError, TypeError) as error:
        raise InvalidRequest("", str(error)) from error


async def execute(request: Request, run: RawRun) -> RawResult:
    """Run a program as it stands, for the client of a request.

    Raises:
        InvalidRequest: if the sandbox does not run such a program.
        QueueFull, ShuttingDown, SandboxUnavailable: if it was not run to its end.
    """
    try:
        return await service_of(request).execute(run, client_of(request))
    except (ValueError, TypeError) as error:
        raise InvalidRequest("", str(error)) from error


async def verdict_of(request: Request, task: Task, options: Mapping[str, Any]) -> Verdict:
    """Return the verdict of a task's only candidate.

    Args:
        request: the client's.
        task: the task.
        options: of the option table.

    Raises:
        InvalidRequest, LimitExceeded: if the tests or the options are refused.
        QueueFull, ShuttingDown, SandboxUnavailable: if there is no verdict.
    """
    result: RunResult = await service_of(request).evaluate(task, options, client_of(request))
    if isinstance(result, SandboxUnavailable):
        raise result
    return result


def limits_of(seconds: float, memory_bytes: int) -> Limits:
    """Return the limits of a program that is judged."""
    return Limits(wall_seconds=seconds, memory_bytes=memory_bytes)
