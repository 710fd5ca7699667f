"""open-r1's `POST /execute_batch`: scripts in, the value of each script's last expression out.

Its other endpoint, `GET /health`, is one of ours too. A script that could not be run has no execution, and E2B's client
gives it no reward. An error of one script is never the answer of the batch.
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace

from fastapi import APIRouter, Request

from code_tasks.server.errors import InvalidRequest, LimitExceeded, RequestError
from code_tasks.server.foreign.programs import execute, make_raw_run, raw_limits
from code_tasks.server.foreign.routes import FusionRoute, described
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.owner_limits import allowed_memory, require_language
from code_tasks.server.protocols import cell_program
from code_tasks.server.protocols.languages import NOTEBOOK_LANGUAGES
from code_tasks.server.protocols.open_r1 import BatchRequest, CellTicket, ScriptResult, script_result, unavailable
from code_tasks.server.request_state import service_of
from sandboxes import RawRun, SandboxUnavailable

MIN_OUTPUT_BYTES = 1 << 18
"""Bytes of output that each script may write at least. A request's scripts share the bytes of one program."""

PROGRAMS_PER_WORKER = 4
"""Scripts of one request that wait or run at once, for each worker."""

CELL_PROGRAM = inspect.getsource(cell_program)
router = APIRouter(route_class=FusionRoute, default_response_class=JsonAnswer, tags=["open-r1"])


@router.post("/execute_batch")
async def execute_batch(body: BatchRequest, request: Request) -> list[ScriptResult]:
    """Run scripts, each as a cell of a notebook of its own, and return their ends in their order."""
    service = service_of(request)
    if len(body.scripts) != len(body.languages):
        raise InvalidRequest(
            "languages", f"there are {len(body.languages)} languages, but {len(body.scripts)} scripts; give one each"
        )
    if len(body.scripts) > service.settings.max_candidates:
        raise LimitExceeded("scripts", len(body.scripts), service.settings.max_candidates)
    places = asyncio.Semaphore(PROGRAMS_PER_WORKER * service.num_workers)

    async def run(script: str, language: str) -> ScriptResult:
        async with places:
            try:
                ticket = CellTicket() if NOTEBOOK_LANGUAGES.get(language.lower()) == "python" else None
                raw_run = script_run(body, request, script, language, ticket)
                return script_result(await execute(request, raw_run), ticket, raw_run.limits.output_bytes)
            except (RequestError, SandboxUnavailable) as error:
                return unavailable(described(error))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(*pair)) for pair in zip(body.scripts, body.languages, strict=True)]
    return [task.result() for task in tasks]


def script_run(body: BatchRequest, request: Request, script: str, language: str, ticket: CellTicket | None) -> RawRun:
    """Return the raw run of a script.

    The seconds of a request are at most those of the owner: a script that needs more comes to no end, and so gets no
    reward.

    Raises:
        InvalidRequest: if the server does not offer the language.
    """
    service = service_of(request)
    own = require_language(service, "languages", language, NOTEBOOK_LANGUAGES.get(language.lower()))
    seconds = min(body.timeout, service.settings.max_timeout)
    limits = raw_limits(service, seconds, allowed_memory(service, "memory", None))
    compile_seconds = min(body.timeout, service.settings.max_compile_timeout)
    limits = replace(limits, output_bytes=max(MIN_OUTPUT_BYTES, limits.output_bytes // len(body.scripts)))
    if ticket is None:
        return make_raw_run(service, script, own, limits, compile_seconds)
    stdin, fetch = ticket.stdin(script), [ticket.answer_file]
    return make_raw_run(service, CELL_PROGRAM, own, limits, compile_seconds, stdin=stdin, fetch=fetch)
