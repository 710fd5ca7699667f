"""What of a request reaches Gradio: nothing that is too long, that nothing here needs, or that has it fetch files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from space.calls import HEADER, ToolCalls
from space.settings import Settings

UPLOAD, TOOLS = "/gradio_api/upload", "/gradio_api/mcp"
# Gradio has these on every server: they store what is sent to them, or fetch what is on another.
NOT_HERE = (
    "/gradio_api/process_recording",
    "/gradio_api/deep_link",
    "/gradio_api/file=http",
    "/gradio_api/file/http",
)
# What a form adds to the file that it sends.
FORM_BYTES = 1 << 20
# Of a request's values besides its programs and tests. An empty list takes 24 times the memory of its text.
MORE_VALUES = 10_000


class Gate:
    """ASGI middleware that refuses what would harm the server."""

    def __init__(self, app: ASGIApp, settings: Settings, calls: ToolCalls):
        """Wraps an app.

        Args:
            app: the app.
            settings: how long requests may be.
            calls: of tools.
        """
        self.app = app
        self.settings = settings
        self.calls = calls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path, writes = scope["path"], scope["method"] not in ("GET", "HEAD", "OPTIONS")
        is_call = writes and path.startswith(TOOLS)
        try:
            if path.startswith(NOT_HERE):
                raise HTTPException(404, "this server has no such page")
            if is_call and self.calls.is_full:
                raise HTTPException(503, "too many tools are being called already; try again later")
            if path == UPLOAD:
                receive = self._upload(receive)
            elif writes:
                receive = await self._checked(receive)
        except HTTPException as error:
            await JSONResponse({"detail": error.detail}, error.status_code)(scope, receive, send)
            return
        await (self._call if is_call else self.app)(scope, receive, send)

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves the call of a tool, which lasts until its run has ended, whether or not its caller waits for that."""
        name = self.calls.begin()
        headers = [(key, value) for key, value in scope["headers"] if key != HEADER.encode()]

        async def patient() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.calls.leave(name)
                # Else Gradio forgets the call, and its run goes on.
                await asyncio.Event().wait()
            return message

        try:
            await self.app({**scope, "headers": [*headers, (HEADER.encode(), name.encode())]}, patient, send)
        finally:
            self.calls.end(name)

    def _upload(self, receive: Receive) -> Receive:
        """Reads no more of an upload than it may be long."""
        most_bytes, received = (self.settings.max_file_mb << 20) + FORM_BYTES, 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            # The exception after which Gradio removes what it has stored, and the words for which it answers 413.
            if received > most_bytes:
                raise MultiPartException(f"the upload exceeded the maximum allowed size of {most_bytes} bytes")
            if message["type"] == "http.disconnect":
                raise MultiPartException("the upload broke off")
            return message

        return limited

    async def _checked(self, receive: Receive) -> Receive:
        """Reads a request, and gives it on.

        Raises:
            HTTPException: if it may not be given on.
        """
        body, is_more = bytearray(), True
        while is_more:
            message = await receive()
            body += message.get("body", b"")
            is_more = message.get("more_body", False)
            if len(body) > self.settings.max_request_mb << 20:
                raise HTTPException(413, f"a request may be at most {self.settings.max_request_mb} MiB long")
        # Of a visitor who has left, what has come: Gradio then hears of that.
        check_values(bytes(body), 4 * self.settings.max_candidates + MORE_VALUES)
        messages: Iterator[Message] = iter([{"type": "http.request", "body": bytes(body), "more_body": False}])

        async def again() -> Message:
            return next(messages, None) or await receive()

        return again


def check_values(body: bytes, most: int) -> None:
    """Looks into a request. What is not JSON is for Gradio to refuse.

    Raises:
        HTTPException: if it has more values than memory is for, or has the server fetch a file.
    """
    try:
        left: list[Any] = [json.loads(body)]
    except (ValueError, RecursionError):
        return
    count = 0
    while left:
        if count + len(left) > most:
            raise HTTPException(413, f"a request may hold at most {most:,} values")
        count += 1
        each = left.pop()
        if isinstance(each, dict):
            if str(each.get("path")).startswith(("http://", "https://")):
                raise HTTPException(422, refusal_of("files", "send the file itself: this server fetches none"))
            left.extend(each.values())
        elif isinstance(each, list):
            left.extend(each)


def refusal_of(parameter: str, message: str) -> Any:
    """What is wrong with a parameter, as Gradio's clients and pages understand it."""
    return [{"__type__": "validate", "is_valid": False, "message": message, "parameter_name": parameter}]
