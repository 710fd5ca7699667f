"""Our own endpoints of sessions: a Python process and a folder in a sandbox, which outlive a request."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.responses import Response

from code_tasks.server.errors import InvalidRequest, ShuttingDown, error_response
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.owner_limits import allowed_seconds
from code_tasks.server.request_state import client_of, places_of, service_of
from code_tasks.server.request_values import STRICT, FileContent, Positive, as_bytes, process_answer
from sandboxes import AsyncSession, SessionEnded
from sandboxes.validation import hide_paths

NOT_FOUND, TOO_LARGE = 404, 413


class SessionRoute(APIRoute):
    """A route that answers 404 if the session or a file is not there, and 400 or 413 for other errors of files.

    A session that ends because the server does is 503.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, with answers to errors."""
        handler = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except SessionEnded as error:
                if not service_of(request).is_ready:
                    raise ShuttingDown from None
                return error_response(NOT_FOUND, hide_paths(str(error)), "session_id")
            except OSError as error:
                status = TOO_LARGE if error.errno == errno.EFBIG else 400
                return error_response(
                    NOT_FOUND if isinstance(error, FileNotFoundError) else status, str(error.strerror)
                )

        return answer


router = APIRouter(prefix="/sessions", tags=["sessions"], route_class=SessionRoute)


class CellRequest(BaseModel):
    """A cell to run."""

    model_config = STRICT

    code: str
    timeout: Positive | None = Field(None, description="Seconds on the clock.")


class CommandRequest(BaseModel):
    """A command to run."""

    model_config = STRICT

    command: str | list[str] = Field(description="A text for /bin/sh, or the command and its arguments.")
    stdin: str | FileContent = Field("", description="The standard input.")
    cwd: str | None = Field(None, description="The folder to begin in; the session's, if there is none.")
    env: dict[str, str] = {}
    timeout: Positive | None = Field(None, description="Seconds on the clock.")


@router.post("", status_code=201)
async def open_session(request: Request) -> dict[str, Any]:
    """Open a session. The answer has its "id", its "limits" and the "layers" of its isolation."""
    places = places_of(request)
    session_id = await places.open(client_of(request))
    return described(session_id, places.get(session_id, client_of(request)))


@router.get("/{session_id}")
async def describe_session(session_id: str, request: Request) -> dict[str, Any]:
    """Return the session's "id", "limits" and "layers"."""
    return described(session_id, session_of(session_id, request))


@router.delete("/{session_id}", status_code=204)
async def close_session(session_id: str, request: Request) -> None:
    """End the session with all that it started, and remove its folder."""
    await places_of(request).close(session_id, client_of(request))


@router.post("/{session_id}/cells")
async def run_cell(session_id: str, body: CellRequest, request: Request) -> Response:
    """Run Python code where the variables of earlier cells are.

    The answer has the fields of `CellResult`. A cell that takes too long is interrupted, and "state_lost" tells whether
    the variables are gone.
    """
    session = session_of(session_id, request)
    seconds = seconds_of(body.timeout, request)
    with places_of(request).calling(client_of(request)):
        result = await session.run_cell(body.code, seconds)
    values = dataclasses.asdict(result)
    return JsonAnswer({**values, "limit": result.limit.value if result.limit else None})


@router.post("/{session_id}/commands")
async def run_command(session_id: str, body: CommandRequest, request: Request) -> Response:
    """Run a command in the session's folder. The answer has the fields of a process in the answer of POST /run."""
    session = session_of(session_id, request)
    seconds = seconds_of(body.timeout, request)
    with invalid_as("stdin"):
        stdin = as_bytes(body.stdin)
    with invalid_as("command"), places_of(request).calling(client_of(request)):
        result = await session.run_command(body.command, stdin, body.cwd, body.env, seconds)
    return JsonAnswer(process_answer(result))


@router.put("/{session_id}/files/{path:path}", status_code=204)
async def write_file(session_id: str, path: str, request: Request) -> None:
    """Write the body of the request to a file, and make the folders above it."""
    session = session_of(session_id, request)
    with invalid_as("path"), places_of(request).calling(client_of(request)):
        await session.write_file(path, await request.body())


@router.get("/{session_id}/files/{path:path}")
async def read_file(session_id: str, path: str, request: Request) -> Response:
    """Return the content of a file."""
    session = session_of(session_id, request)
    with invalid_as("path"), places_of(request).calling(client_of(request)):
        content = await session.read_file(path)
    # No browser takes what a program has written for a page of this server.
    headers = {"x-content-type-options": "nosniff", "content-disposition": "attachment"}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.post("/{session_id}/interrupt", status_code=204)
async def interrupt(session_id: str, request: Request) -> None:
    """Interrupt the cell that runs, as Ctrl-C does."""
    await session_of(session_id, request).interrupt()


@contextlib.contextmanager
def invalid_as(field: str) -> Iterator[None]:
    """Raise InvalidRequest with a field's name for an argument that a session does not take."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise InvalidRequest(field, str(error)) from error


def session_of(session_id: str, request: Request) -> AsyncSession:
    """Return a session of the client's. Raise SessionEnded if there is none."""
    return places_of(request).get(session_id, client_of(request))


def seconds_of(seconds: float | None, request: Request) -> float | None:
    """Return the seconds that a request asks for; None for those of the session.

    Raises:
        LimitExceeded: if the owner allows fewer.
    """
    return None if seconds is None else allowed_seconds(service_of(request), "timeout", seconds)


def described(session_id: str, session: AsyncSession) -> dict[str, Any]:
    """Return what a client may know of a session."""
    layers = session.isolation.layers if session.isolation else ()
    return {"id": session_id, "limits": dataclasses.asdict(session.limits), "layers": layers}
