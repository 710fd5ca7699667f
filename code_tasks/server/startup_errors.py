"""Errors before the server serves: one message that names the cause, in place of a traceback."""

from __future__ import annotations

import sys

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandboxes import SandboxUnavailable


class StartupErrors:
    """ASGI middleware that words the failures of a start. Uvicorn logs the message, and ends with status 3."""

    def __init__(self, app: ASGIApp):
        """Wrap an app."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request as it is; replace the message of a start that failed for a reason that the owner can mend."""

        async def send_worded(message: Message) -> None:
            # Starlette sends its message while it handles the error.
            error = sys.exception()
            if message["type"] == "lifespan.startup.failed" and isinstance(error, ValueError | SandboxUnavailable):
                message = {**message, "message": str(error)}
            await send(message)

        await self.app(scope, receive, send_worded if scope["type"] == "lifespan" else send)
