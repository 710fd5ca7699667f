"""Requests as they come in: their size and time are bounded, and a client that goes away ends what runs for it.

Answers go out in parts, and a client that does not read them loses its connection: it would fill the memory otherwise.
"""

from __future__ import annotations

import asyncio

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from code_tasks.server.errors import error_response
from code_tasks.server.settings import ServerSettings

SMALL_BYTES = 1 << 16
"""Size up to which a body needs no place among BODIES."""

BODIES = 64
"""Bodies of the largest size that may be in memory at once."""

PART_BYTES = 1 << 18
SEND_SECONDS = 60.0
"""Seconds that a client may take for a part of an answer."""

OWN_PATHS = frozenset({"evaluate", "run", "sessions"})
"""First parts of the paths of our own endpoints that take bodies."""


class RequestBodies:
    """ASGI middleware that reads whole bodies, and cancels the endpoint of a client that has gone away."""

    def __init__(self, app: ASGIApp, settings: ServerSettings):
        """Wrap an app."""
        self.app = app
        self._max_mb, self._max_bytes = settings.max_body_mb, settings.max_body_mb << 20
        self._seconds = settings.body_seconds
        self._free_bytes = BODIES * self._max_bytes
        """Memory for bodies that are longer than SMALL_BYTES, or that announce no length."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or answer why its body is refused."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self._serve_bounded(scope, receive, in_parts(send))
        except ClientTooSlow:
            # The connection is closed, because the answer is not whole.
            return

    async def _serve_bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        announced = self._announced_bytes(scope)
        reserved = self._max_bytes if announced is None else announced if announced > SMALL_BYTES else 0
        if reserved > self._max_bytes:
            await self._too_long()(scope, receive, send)
        elif reserved > self._free_bytes:
            # 504 is the status that clients of other services try again on.
            status = 429 if scope["path"].lstrip("/").partition("/")[0] in OWN_PATHS else 504
            refusal = error_response(status, "too many large requests", "", {"retry-after": "1"})
            await refusal(scope, receive, send)
        else:
            self._free_bytes -= reserved
            try:
                await self._read_and_serve(scope, receive, send)
            finally:
                self._free_bytes += reserved

    async def _read_and_serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._read(receive)
        except TimeoutError:
            refusal = error_response(408, f"the request did not arrive within {self._seconds:g} s")
        except ClientGone:
            return
        else:
            if body is not None:
                await self._serve(scope, body, receive, send)
                return
            refusal = self._too_long()
        await refusal(scope, receive, send)

    def _too_long(self) -> Response:
        return error_response(413, f"a request may have at most {self._max_mb} MiB")

    @staticmethod
    def _announced_bytes(scope: Scope) -> int | None:
        """Return the size that a request announces, which uvicorn holds it to; None if it announces none."""
        value = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        return int(value) if value.isdigit() and len(value) < 20 else None

    async def _read(self, receive: Receive) -> bytes | None:
        """Return a request's body; None if it is too long.

        Raises:
            ClientGone: if the client has gone away.
        """
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body: bytes = message.get("body", b"")
        if not message.get("more_body"):
            return body if len(body) <= self._max_bytes else None
        whole = bytearray(body)
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            whole += message.get("body", b"")
            if len(whole) > self._max_bytes:
                return None
        return bytes(whole)

    async def _serve(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Give a request to the app, and cancel that if the client goes away before it has its answer."""
        endpoint = asyncio.current_task()
        assert endpoint is not None  # noqa: S101 (for the type checker)
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        gone = asyncio.Event()
        is_answered = False

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()
            if not is_answered:
                endpoint.cancel()

        async def replay() -> Message:
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send_and_note(message: Message) -> None:
            nonlocal is_answered
            is_answered = is_answered or (message["type"] == "http.response.body" and not message.get("more_body"))
            await send(message)

        watcher = asyncio.create_task(watch())
        try:
            await self.app(scope, replay, send_and_note)
        except asyncio.CancelledError:
            if not gone.is_set():
                raise
            endpoint.uncancel()
        finally:
            watcher.cancel()


class ClientGone(Exception):
    """The client has gone away before its request was there."""


class ClientTooSlow(Exception):
    """The client has not read its answer in time."""


def in_parts(send: Send) -> Send:
    """Return a function that sends long bodies in parts, and raises ClientTooSlow if a part is not taken in time."""

    async def send_parts(message: Message) -> None:
        body = message.get("body", b"")
        if len(body) <= PART_BYTES:
            await send(message)
            return
        for start in range(0, len(body), PART_BYTES):
            end = start + PART_BYTES
            part = {**message, "body": body[start:end], "more_body": end < len(body) or message.get("more_body", False)}
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await send(part)
            except TimeoutError:
                raise ClientTooSlow from None

    return send_parts
