"""The runs behind piston's runtime `cms_ioi`: build the submission, run it, and ask the problem's checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fastapi import Request

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.foreign.programs import execute, kept_output_bytes, raw_limits
from code_tasks.server.owner_limits import allowed_compile_seconds, allowed_memory, allowed_seconds
from code_tasks.server.protocols import cms
from code_tasks.server.protocols.piston_models import RUN_MS, ExecuteRequest, StageResult
from code_tasks.server.protocols.piston_results import said, stage_result
from code_tasks.server.protocols.texts import decoded
from code_tasks.server.request_state import service_of
from sandboxes import Limits, ProcessResult, RawResult, RawRun, SandboxUnavailable
from sandboxes.languages.base import COMPILE_MEMORY_BYTES

CHECKER_SECONDS, CHECKER_MEMORY_BYTES = 10.0, 1 << 30
COMPILE_SECONDS = 30.0


async def judged(body: ExecuteRequest, request: Request) -> tuple[StageResult, StageResult]:
    """Return the stages (compile, run) of a submission. The first line that the second stage writes is the score.

    Raises:
        InvalidRequest: if the request is not one of this runtime.
        QueueFull, ShuttingDown, SandboxUnavailable: if there is no score.
    """
    submission, service = cms.parse_request(body), service_of(request)
    seconds = allowed_seconds(service, "time_limit", submission.seconds or (body.run_timeout or RUN_MS) / 1000)
    memory = allowed_memory(service, "memory_limit", submission.memory_bytes or body.run_memory_limit)
    # The compiler is a raw run of its own here, so both limits of the owner hold.
    compile_seconds = min(COMPILE_SECONDS, service.settings.max_compile_timeout, service.settings.max_timeout)
    if body.compile_timeout:
        asked = allowed_compile_seconds(service, "compile_timeout", body.compile_timeout / 1000)
        compile_seconds = allowed_seconds(service, "compile_timeout", asked)
    limits = raw_limits(service, seconds, memory)
    built = await build(request, (*cms.COMPILER, *submission.sources), submission.files, cms.PROGRAM, compile_seconds)
    compiled = stage_result(ended(built))
    if cms.PROGRAM not in built.files:
        return failed_build(compiled, built)
    files = {cms.PROGRAM: built.files[cms.PROGRAM]}
    run = ended(await execute(request, raw_command(request, cms.RUN_PROGRAM, files, limits, submission.input)))
    if failure := cms.failure(run, submission):
        return compiled, failure
    if submission.expected is None:
        return compiled, stage_result(run)
    if not submission.checker_files:
        return compiled, cms.compared(submission.expected, run.stdout)
    return compiled, await checked(request, submission, run.stdout, compile_seconds)


def failed_build(compiled: StageResult, built: RawResult) -> tuple[StageResult, StageResult]:
    """Return the stages of a submission that can't be built.

    Raises:
        SandboxUnavailable: if the compiler succeeded, and left no program that could be read.
    """
    if compiled.code == 0:
        raise SandboxUnavailable(f"the built program can't be read: {built.missing.get(cms.PROGRAM)}")
    failed = compiled if compiled.code else said("", 1, compiled.stderr or compiled.message or "")
    return failed, failed


async def checked(request: Request, submission: cms.Submission, output: bytes, compile_seconds: float) -> StageResult:
    """Return the stage of a problem's checker, which writes the score.

    Raises:
        SandboxUnavailable: if the checker can't be built, or comes to no end.
    """
    assert submission.expected is not None  # noqa: S101 (for the type checker)
    built = await build(request, cms.CHECKER_COMPILER, submission.checker_files, cms.CHECKER, compile_seconds)
    if cms.CHECKER not in built.files:
        raise SandboxUnavailable(f"the problem's checker can't be built: {decoded(ended(built).stderr)[:400]}")
    files = {
        cms.CHECKER: built.files[cms.CHECKER],
        cms.INPUT: submission.input,
        cms.EXPECTED: submission.expected,
        cms.OUTPUT: output,
    }
    service = service_of(request)
    seconds = min(CHECKER_SECONDS, service.settings.max_timeout)
    limits = raw_limits(service, seconds, min(CHECKER_MEMORY_BYTES, service.settings.max_memory_mb << 20))
    result = ended(await execute(request, raw_command(request, cms.RUN_CHECKER, files, limits)))
    if result.exit_status is None:
        raise SandboxUnavailable(f"the problem's checker did not end by itself: {result.detail}")
    return stage_result(result)


async def build(
    request: Request, argv: Sequence[str], files: Mapping[str, bytes], program: str, seconds: float
) -> RawResult:
    """Return the end of a compiler, with the program that it made, unless it failed.

    Args:
        request: the client's.
        argv: the compiler's words.
        files: sources by path.
        program: name of the file that the compiler makes.
        seconds: that it may take.
    """
    service = service_of(request)
    limits = raw_limits(service, seconds, min(COMPILE_MEMORY_BYTES, service.settings.max_memory_mb << 20))
    return await execute(request, raw_command(request, argv, files, limits, fetch=(program,)))


def raw_command(
    request: Request,
    argv: Sequence[str],
    files: Mapping[str, bytes],
    limits: Limits,
    stdin: bytes = b"",
    fetch: Sequence[str] = (),
) -> RawRun:
    """Return the raw run of a command.

    Raises:
        InvalidRequest: if a raw run can't have these files.
    """
    kept = kept_output_bytes(service_of(request))
    try:
        return RawRun(argv=argv, files=files, stdin=stdin, fetch=fetch, limits=limits, kept_bytes=kept)
    except (ValueError, TypeError) as error:
        raise InvalidRequest("files", str(error)) from error


def ended(result: RawResult) -> ProcessResult:
    """Return the end of a command, which has no compiler of its own.

    Raises:
        SandboxUnavailable: if there is none.
    """
    if result.run is None:
        raise SandboxUnavailable("a command has not been run")
    return result.run
