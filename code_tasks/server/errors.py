"""Errors of requests, and their answers. No answer names a path of the server.

    Exception
    └── RequestError          the request is not carried out; `status` is that of our own endpoints
        ├── LimitExceeded     400: it asks for more than the owner allows
        ├── InvalidRequest    422: its tasks are invalid
        ├── QueueFull         429: too many programs wait
        └── ShuttingDown      503: the server is about to end

`SandboxUnavailable` is 503 too: nothing is known about the program. Endpoints of other services catch these errors and
answer as those services do.
"""

from __future__ import annotations

import logging

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from code_tasks.server.json_answers import JsonAnswer
from sandboxes import SandboxUnavailable
from sandboxes.validation import hide_paths

logger = logging.getLogger("code_eval")


class RequestError(Exception):
    """The common base: a request is not carried out."""

    status = 400
    """The HTTP status of the answer."""

    @property
    def headers(self) -> dict[str, str]:
        """More headers of the answer."""
        return {}

    @property
    def field(self) -> str:
        """The field of the request that the error is about; empty if it is about the whole request."""
        return ""


class LimitExceeded(RequestError):
    """A request asks for more than the owner of the server allows."""

    def __init__(self, field: str, value: object, limit: object):
        """Name the field, its value, and the most that is allowed."""
        super().__init__(f"{field} is {value}, and this server allows at most {limit}")
        self._field = field

    @property
    def field(self) -> str:
        """The field that exceeds its limit."""
        return self._field


class InvalidRequest(RequestError):
    """A field of a request is invalid for a reason that its type does not show."""

    status = 422

    def __init__(self, field: str, message: str):
        """Name the field, such as "tasks.0.tests", and say what is invalid."""
        super().__init__(message)
        self._field = field

    @property
    def field(self) -> str:
        """The field that is invalid."""
        return self._field


class QueueFull(RequestError):
    """Too many programs wait, or too many of one client."""

    status = 429

    def __init__(self, retry_after: int):
        """Tell after how many seconds there may be room."""
        super().__init__(f"too many programs are waiting; try again in {retry_after} s")
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """The header Retry-After."""
        return {"retry-after": str(self.retry_after)}


class ShuttingDown(RequestError):
    """The server is about to end."""

    status = 503

    def __init__(self) -> None:
        """Say so."""
        super().__init__("the server is shutting down, and has not run this program to its end")

    @property
    def headers(self) -> dict[str, str]:
        """Nothing more comes over this connection."""
        return {"connection": "close"}


def error_response(status: int, message: str, field: str = "", headers: dict[str, str] | None = None) -> Response:
    """Return an answer of our own endpoints: {"detail": [{"loc", "msg"}]}, as validation errors have it."""
    location = [int(part) if part.isdigit() else part for part in field.split(".")] if field else []
    return JsonAnswer({"detail": [{"loc": location, "msg": message}]}, status, headers)


async def answer_request_error(request: Request, error: Exception) -> Response:
    """Answer a `RequestError` of our own endpoints."""
    assert isinstance(error, RequestError)  # noqa: S101 (for the type checker)
    return error_response(error.status, hide_paths(str(error)), error.field, error.headers)


async def answer_unavailable(request: Request, error: Exception) -> Response:
    """Answer that the sandbox could not run a program."""
    logger.warning("%s", error)
    return error_response(SANDBOX_STATUS, hide_paths(str(error)))


async def answer_validation_error(request: Request, error: Exception) -> Response:
    """Answer a request whose fields don't have the types of the endpoint. The values themselves are not repeated."""
    assert isinstance(error, RequestValidationError | ValidationError)  # noqa: S101 (for the type checker)
    details = []
    for entry in error.errors():
        # Pydantic adds the names of validators, and FastAPI that of the request's part.
        location = [part for part in entry["loc"] if not str(part).startswith("function-")]
        location = location[1:] if location[:1] == ["body"] else location
        details.append({"loc": location, "msg": worded(entry["msg"])})
    return JsonAnswer({"detail": details}, 422)


def worded(message: str) -> str:
    """Return pydantic's message about a field in words that need no knowledge of pydantic."""
    return UNKNOWN_FIELD if message == "Extra inputs are not permitted" else message.removeprefix("Value error, ")


async def answer_no_such_path(request: Request, error: Exception) -> Response:
    """Answer a request that no endpoint takes."""
    assert isinstance(error, HTTPException)  # noqa: S101 (for the type checker)
    there_is_none = (
        f"there is no {request.method} {request.url.path[:MAX_PATH_CHARS]} here; GET /docs lists the endpoints"
    )
    message = there_is_none if error.status_code in (404, 405) else str(error.detail)
    return error_response(error.status_code, message, headers=dict(error.headers or {}))


SANDBOX_STATUS = 503
MAX_PATH_CHARS = 100
UNKNOWN_FIELD = "there is no such field; GET /docs lists the fields"
HANDLERS = {
    HTTPException: answer_no_such_path,
    RequestError: answer_request_error,
    SandboxUnavailable: answer_unavailable,
    RequestValidationError: answer_validation_error,
    ValidationError: answer_validation_error,
}
"""The answers to errors that endpoints don't catch."""
