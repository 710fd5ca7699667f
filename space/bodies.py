"""A limit on what one request may send."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# What a form adds to the file that it sends.
MORE_BYTES = 1 << 20


class BodyLimit:
    """ASGI middleware that reads no more of a request than it may be long: else one request could fill the memory."""

    def __init__(self, app: ASGIApp, most_bytes: int):
        """Wraps an app.

        Args:
            app: the app.
            most_bytes: of a file; a form around it may be a little longer.
        """
        self.app = app
        self.most_bytes = most_bytes + MORE_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.most_bytes:
                raise HTTPException(413, f"a request may be at most {self.most_bytes >> 20} MiB long")
            return message

        await self.app(scope, limited if scope["type"] == "http" else receive, send)
