"""POST /run: a program runs as it stands, and its end is told and not judged."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from code_tasks.server.documentation import body_of
from code_tasks.server.errors import InvalidRequest
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.raw_request import RunRequest, result_answer
from code_tasks.server.request_state import client_of, service_of

router = APIRouter(tags=["raw runs"])


@router.post("/run", openapi_extra=body_of(RunRequest))
async def run(request: Request) -> Response:
    """Run a source or a command as it stands, with files in and out.

    The answer has "compile" and "run", each null or with "exit_status", "signal", "limit", "detail", "stdout" and
    "stderr" ({"text"}, or {"base64"} if it is not UTF-8), times and memory; "files" and "missing" for the names in
    "fetch"; and "isolation".
    """
    service = service_of(request)
    asked = RunRequest.model_validate_json(await request.body())
    raw_run = asked.raw_run(service.settings.config.limits)
    try:
        result = await service.execute(raw_run, client_of(request))
    except ValueError as error:
        raise InvalidRequest("", str(error)) from None
    return JsonAnswer(result_answer(result))
