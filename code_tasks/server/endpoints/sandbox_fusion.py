"""SandboxFusion's `POST /run_code`, which verl and the `sandbox-fusion` client call, and `GET /v1/ping`."""

from __future__ import annotations

from fastapi import APIRouter, Request

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.foreign.jest import JEST_SOURCE, jest_files, require_jest
from code_tasks.server.foreign.programs import execute, limits_of, make_raw_run, raw_limits, verdict_of
from code_tasks.server.foreign.routes import FusionRoute
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.owner_limits import allowed_compile_seconds, allowed_memory, allowed_seconds
from code_tasks.server.protocols.common_oj import execution_of
from code_tasks.server.protocols.files import fetched, files_from_base64, plain_names
from code_tasks.server.protocols.fusion_models import (
    CommandRunResult,
    CommandRunStatus,
    RunCodeRequest,
    RunCodeResponse,
    RunStatus,
)
from code_tasks.server.protocols.fusion_results import run_code_response
from code_tasks.server.protocols.languages import FUSION_LANGUAGES, FUSION_UNAVAILABLE, ForeignLanguage, available_names
from code_tasks.server.protocols.texts import encoded
from code_tasks.server.request_state import service_of
from sandboxes import SandboxUnavailable, Task, TestResult
from sandboxes.languages.registry import ALIASES, NAMES
from sandboxes.validation import short_repr

BESIDE_TESTS = {"go test": "package candidate\n", "JUnit": "", "unittest": ""}
"""Candidates of test runners that get one text with candidate and tests, which our tasks have as tests."""

PYTEST_FILE = "test_candidate.py"
PYTEST_SOURCE = f"import sys, pytest\nsys.exit(pytest.main([{PYTEST_FILE!r}, '-p', 'no:cacheprovider']))\n"
"""The program that runs a file as `pytest FILE` does, in the sandbox's own interpreter."""

router = APIRouter(route_class=FusionRoute, default_response_class=JsonAnswer, tags=["SandboxFusion"])


@router.get("/v1/ping")
async def ping() -> str:
    """Tell that the server runs."""
    return "pong"


@router.post("/run_code")
async def run_code(body: RunCodeRequest, request: Request) -> RunCodeResponse:
    """Run a program as it stands. Return how its compiler and the program ended, with all of their output."""
    service = service_of(request)
    foreign = find_language(body.language)
    if foreign is None or foreign.language not in service.languages:
        offered = ", ".join(available_names(FUSION_LANGUAGES, frozenset(service.languages)))
        message = f"the language {body.language!r} is not available on this server, which has {offered}"
        return RunCodeResponse(status=RunStatus.SandboxError, message=message)
    if foreign.test_command in BESIDE_TESTS:
        return await run_tests(body, request, foreign)
    limits = raw_limits(service, *limits_asked(body, request))
    compile_seconds = allowed_compile_seconds(service, "compile_timeout", body.compile_timeout)
    source, files, names = body.code, files_from_base64(body.files), plain_names(body.fetch_files)
    if foreign.test_command == "jest":
        await require_jest(request)
        source, files = JEST_SOURCE, {**files, **jest_files(body.code)}
    elif foreign.test_command:
        if "pytest" not in service.isolation.modules:
            raise SandboxUnavailable("programs can't import pytest in the sandbox of this server; install it there")
        source, files = PYTEST_SOURCE, {**files, PYTEST_FILE: encoded(body.code)}
    run = make_raw_run(
        service,
        source,
        foreign.language,
        limits,
        compile_seconds,
        stdin=encoded(body.stdin or ""),
        files=files,
        fetch=[*names.values()],
    )
    result = await execute(request, run)
    return run_code_response(result.compile, result.run, fetched(names, result.files))


def find_language(name: str) -> ForeignLanguage | None:
    """Return the language of a name: SandboxFusion's, or ours. None: SandboxFusion has it, and we don't.

    Raises:
        InvalidRequest: if neither has it.
    """
    own = ALIASES.get(name, name)
    if found := FUSION_LANGUAGES.get(name) or (ForeignLanguage(own) if own in NAMES else None):
        return found
    if name in FUSION_UNAVAILABLE:
        return None
    raise InvalidRequest(
        "language", f"unknown language {short_repr(name)}; choose one of {', '.join(FUSION_LANGUAGES)}"
    )


def limits_asked(body: RunCodeRequest, request: Request) -> tuple[float, int]:
    """Return (seconds, bytes of memory) of a run.

    Raises:
        LimitExceeded: if the owner allows less.
    """
    service = service_of(request)
    memory_bytes = allowed_memory(service, "memory_limit_MB", body.memory_limit_MB, 1 << 20)
    return allowed_seconds(service, "run_timeout", body.run_timeout), memory_bytes


async def run_tests(body: RunCodeRequest, request: Request, foreign: ForeignLanguage) -> RunCodeResponse:
    """Run the tests of a file, as a test runner does. Their end tells whether all of them passed."""
    if body.files or body.fetch_files:
        raise InvalidRequest("files", f"{body.language} takes no files here; put all of the code into `code`")
    limits = limits_of(*limits_asked(body, request))
    compile_seconds = allowed_compile_seconds(service_of(request), "compile_timeout", body.compile_timeout)
    task = Task(body.code, [BESIDE_TESTS[foreign.test_command]], language=foreign.language, limits=limits)
    verdict = await verdict_of(request, task, {"compile_timeout": compile_seconds})
    test = TestResult(foreign.test_command, verdict.outcome, verdict.detail, verdict.wall_seconds)
    response = execution_of(test, verdict, foreign.language)
    # A test that failed is a program that ended badly. A wrong output would not be.
    if response.run_result is not None and not verdict.passed and response.run_result.return_code == 0:
        response.run_result.return_code, response.status = 1, RunStatus.Failed
    if foreign.test_command != "go test" and response.compile_result is None:
        # `go test` compiles while it runs, and tells of no compiler.
        ended_well = CommandRunStatus.Finished
        response.compile_result = CommandRunResult(status=ended_well, return_code=0, stdout="", stderr="")
    return response
