"""Routes of other services: their answers to errors.

A broken sandbox and a full queue are 504 here. verl tries a request again after a 504 and after no other status, so
that neither becomes a reward of 0. The other clients try again after every status but 200.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from code_tasks.server.errors import InvalidRequest, QueueFull, RequestError, ShuttingDown, logger, worded
from code_tasks.server.json_answers import JsonAnswer
from sandboxes import InvalidTests, SandboxUnavailable
from sandboxes.validation import hide_paths

INVALID, TRY_AGAIN = 400, 504


class FusionRoute(APIRoute):
    """A route whose errors are {"detail": text}, as SandboxFusion's."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, with answers to errors."""
        handler = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except (RequestError, SandboxUnavailable) as error:
                return self.error_response(error)

        return answer

    def error_response(self, error: Exception) -> Response:
        """Return the answer to an error."""
        return JsonAnswer({"detail": described(error)}, status_of(error))


class PistonRoute(FusionRoute):
    """A route whose errors are {"message": text}, as piston's, also those of requests that have the wrong shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, with answers to errors."""
        handler = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError as error:
                first = error.errors()[0]
                field = ".".join(str(part) for part in first["loc"][1:])
                return self.error_response(InvalidRequest(field, worded(first["msg"])))

        return answer

    def error_response(self, error: Exception) -> Response:
        """Return the answer to an error."""
        return JsonAnswer({"message": described(error)}, status_of(error))


def status_of(error: Exception) -> int:
    """Return the status of the answer to an error."""
    if isinstance(error, InvalidTests):
        return INVALID
    if isinstance(error, SandboxUnavailable):
        logger.warning("%s", error)
    return TRY_AGAIN if isinstance(error, QueueFull | ShuttingDown | SandboxUnavailable) else INVALID


def described(error: Exception) -> str:
    """Return what clients are told about an error, with the field that it is about."""
    field = error.field if isinstance(error, RequestError) else ""
    message = hide_paths(str(error))
    return message if not field or message.startswith(field) else f"{field}: {message}"
