"""Piston's `POST /execute` and `GET /runtimes`, with the runtimes of open-r1's packages, which judge a program."""

from __future__ import annotations

from fastapi import APIRouter, Request

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.foreign import cms
from code_tasks.server.foreign.programs import execute, limits_of, make_raw_run, raw_limits, verdict_of
from code_tasks.server.foreign.routes import PistonRoute
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.owner_limits import allowed_compile_seconds, allowed_memory, allowed_seconds
from code_tasks.server.protocols import codeforces
from code_tasks.server.protocols.files import plain_name
from code_tasks.server.protocols.languages import (
    CMS,
    CODEFORCES,
    JUDGING_RUNTIMES,
    PISTON_RUNTIMES,
    Runtime,
    find_runtime,
)
from code_tasks.server.protocols.piston_models import (
    COMPILE_MS,
    RUN_MS,
    ExecuteRequest,
    ExecuteResponse,
    RuntimeEntry,
    StageResult,
)
from code_tasks.server.protocols.piston_results import accepts, semantic_version, stage_result
from code_tasks.server.protocols.texts import decoded, encoded
from code_tasks.server.request_state import service_of
from code_tasks.server.service import Service
from sandboxes import Task
from sandboxes.validation import short_repr

PREFIXES = ("/api/v2", "/api/v2/piston")
"""Piston's own prefix, and that of its public server."""

router = APIRouter(route_class=PistonRoute, default_response_class=JsonAnswer, tags=["piston"])


@router.get(f"{PREFIXES[0]}/runtimes", response_model_exclude_none=True)
@router.get(f"{PREFIXES[1]}/runtimes", response_model_exclude_none=True)
async def runtimes(request: Request) -> list[RuntimeEntry]:
    """Return the runtimes whose compilers and interpreters work in the sandbox."""
    versions = service_of(request).languages
    return [
        RuntimeEntry(
            language=one.name,
            version=semantic_version(versions[one.language]),
            aliases=[*one.aliases],
            runtime=one.runtime or None,
        )
        for one in (*PISTON_RUNTIMES, *JUDGING_RUNTIMES)
        if one.language in versions
    ]


@router.post(f"{PREFIXES[0]}/execute")
@router.post(f"{PREFIXES[1]}/execute")
async def execute_job(body: ExecuteRequest, request: Request) -> ExecuteResponse:
    """Run a program as it stands, or, with a runtime of open-r1's packages, judge it."""
    runtime, version = chosen_runtime(body, service_of(request))
    if runtime.runtime == CODEFORCES:
        program = codeforces.parse_request(body)
        compiled: StageResult | None
        if program.expected is not None:
            compiled, run = await judged(body, request, program, runtime)
        else:
            compiled, run = await plain_run(body, request, runtime, program.source, program.input)
    elif runtime.runtime == CMS:
        compiled, run = await cms.judged(body, request)
    else:
        compiled, run = await plain_run(body, request, runtime, None, body.stdin or "")
    return ExecuteResponse(compile=compiled, run=run, language=runtime.name, version=version)


def chosen_runtime(body: ExecuteRequest, service: Service) -> tuple[Runtime, str]:
    """Return the runtime of a request, and its version.

    Raises:
        InvalidRequest: if there is none, or its language does not work here.
    """
    runtime = find_runtime(body.language)
    versions = service.languages
    if runtime is not None and runtime.language in versions:
        version = semantic_version(versions[runtime.language])
        if runtime in JUDGING_RUNTIMES or accepts(body.version, version):
            return runtime, version
    raise InvalidRequest("", f"{body.language}-{body.version} runtime is unknown")


async def judged(
    body: ExecuteRequest, request: Request, program: codeforces.JudgedProgram, runtime: Runtime
) -> tuple[StageResult, StageResult]:
    """Return the stages (compile, run) of a program that is judged by one case."""
    service = service_of(request)
    own = [ms / 1000 for ms in (body.run_timeout,) if ms]
    seconds = min([program.seconds, *own]) if program.seconds else (own or [RUN_MS / 1000])[0]
    memory_bytes = allowed_memory(service, "MEMORY_LIMIT", program.memory_mb, 1 << 20)
    limits = limits_of(allowed_seconds(service, "TIME_LIMIT", seconds), memory_bytes)
    task = Task(program.reference, [program.source], language=runtime.language, limits=limits)
    options = {"compile_timeout": compile_seconds_of(body, service)}
    return codeforces.stages(program, await verdict_of(request, task, options), runtime.language)


async def plain_run(
    body: ExecuteRequest, request: Request, runtime: Runtime, source: str | None, stdin: str
) -> tuple[StageResult | None, StageResult]:
    """Return the stages (compile, run) of a program that is run as it stands. The first is None without a compiler.

    Args:
        body: of the request.
        request: the client's.
        runtime: that runs the program.
        source: the program. None: the first text among the files.
        stdin: of the run. Piston ends it with a line break.
    """
    service = service_of(request)
    files, program = files_of(body)
    limits = raw_limits(
        service,
        allowed_seconds(service, "run_timeout", seconds_asked(body.run_timeout, RUN_MS, service.settings.max_timeout)),
        allowed_memory(service, "run_memory_limit", body.run_memory_limit),
        body.run_cpu_time / 1000 if body.run_cpu_time else None,
    )
    run = make_raw_run(
        service,
        decoded(program) if source is None else source,
        runtime.language,
        limits,
        compile_seconds_of(body, service),
        stdin=encoded(stdin if stdin.endswith("\n") else f"{stdin}\n"),
        arguments=body.args or (),
        files=files,
        compile_memory=compile_memory_of(body, service),
    )
    result = await execute(request, run)
    compiled = None if result.compile is None else stage_result(result.compile)
    # Piston repeats the compiler's end where there was no run.
    last = result.run or result.compile
    assert last is not None  # noqa: S101 (a raw run has an end)
    return compiled, stage_result(last)


def files_of(body: ExecuteRequest) -> tuple[dict[str, bytes], bytes]:
    """Return the files beside the program, by path, and the program: the first file that is text.

    Raises:
        InvalidRequest: if a name is not below the program's folder, or none of the files is text.
    """
    files: dict[str, bytes] = {}
    program: bytes | None = None
    for number, file in enumerate(body.files):
        content = codeforces.content_of(body, number)
        if program is None and file.encoding == "utf8":
            program = content
            continue
        name = plain_name(file.name or f"file{number}.code")
        if name is None:
            raise InvalidRequest(f"files.{number}.name", f"{short_repr(file.name)} is not below the program's folder")
        files[name] = content
    if program is None:
        raise InvalidRequest("", "files must include at least one utf8 encoded file")
    return files, program


def seconds_asked(milliseconds: float | None, default: float, most: float) -> float:
    """Return the seconds that a request asks for. Without any they are piston's default, or the owner's `most`."""
    return milliseconds / 1000 if milliseconds else min(default / 1000, most)


def compile_seconds_of(body: ExecuteRequest, service: Service) -> float:
    """Return the seconds of a compiler.

    Raises:
        LimitExceeded: if the owner allows fewer.
    """
    most = service.settings.max_compile_timeout
    return allowed_compile_seconds(service, "compile_timeout", seconds_asked(body.compile_timeout, COMPILE_MS, most))


def compile_memory_of(body: ExecuteRequest, service: Service) -> int:
    """Return the bytes of memory of a compiler. 0: the compiler's usual limit.

    Raises:
        LimitExceeded: if the owner allows less.
    """
    asked = body.compile_memory_limit
    return allowed_memory(service, "compile_memory_limit", asked) if asked and asked > 0 else 0
