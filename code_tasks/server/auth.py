"""Who may speak to the server: bearer tokens, the header Host, and requests that a web page has made.

A page that a user of this machine has open could send requests to a server on loopback. Its requests have the header
Origin, or, after DNS rebinding, a Host that is not this machine's.
"""

from __future__ import annotations

import base64
import binascii
import hmac

from starlette.types import ASGIApp, Receive, Scope, Send

from code_tasks.server.errors import error_response
from code_tasks.server.settings import LOOPBACK_HOSTS, ServerSettings
from sandboxes.validation import short_repr

OPEN_PATHS = frozenset({"/health", "/v1/ping"})
"""Paths that answer without a token, because whoever watches a server has none. They tell nothing but that it runs."""


ASKS_FOR_TOKEN = "this server asks for a token: Authorization: Bearer TOKEN"
NO_TOKEN_OF_OURS = (
    "the header Authorization has no token of this server: it must be Bearer TOKEN, or Basic with TOKEN as the password"
)


class AccessControl:
    """ASGI middleware that refuses requests, and gives the others `request.state.client`.

    The client is the token's name. Without tokens it is the remote address.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings):
        """Wrap an app."""
        self.app = app
        self._tokens = {name: secret.encode() for name, secret in settings.tokens.items()}
        names = {*settings.allowed_hosts, *(LOOPBACK_HOSTS if settings.is_local else ())}
        # A token protects a server that has other names, because no page knows it.
        self._hosts = {name.lower() for name in names} if settings.is_local or settings.allowed_hosts else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or answer why it is refused."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        hosts: list[bytes] = []
        origin = authorization = b""
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"origin":
                origin = value
            elif name == b"authorization":
                authorization = value
        if self._hosts is not None and [host_name(host) in self._hosts for host in hosts] != [True]:
            named = short_repr(b", ".join(hosts).decode("latin-1"))
            message = (
                f"the header Host is {named}, and does not name this server: its owner can add --allowed-host NAME"
            )
            await error_response(421, message)(scope, receive, send)
            return
        client = self._client_of(authorization)
        if self._tokens and client is None and scope["path"] not in OPEN_PATHS:
            message = ASKS_FOR_TOKEN if not authorization else NO_TOKEN_OF_OURS
            await error_response(401, message, "", {"www-authenticate": "Bearer"})(scope, receive, send)
            return
        # A browser adds a password that it knows to the requests of any page.
        if origin and (client is None or not authorization.lower().startswith(b"bearer")):
            await error_response(403, "requests of web pages need a bearer token")(scope, receive, send)
            return
        address = scope["client"]
        scope.setdefault("state", {})["client"] = client or (address[0] if address else "")
        await self.app(scope, receive, send)

    def _client_of(self, authorization: bytes) -> str | None:
        """Return the name of the token in a header; None if it is no token of this server."""
        secret = secret_in(authorization)
        found = None
        # All are compared, so that the time tells nothing.
        for name, own in self._tokens.items():
            if hmac.compare_digest(own, secret):
                found = name
        return found


def secret_in(authorization: bytes) -> bytes:
    """Return the secret in the header Authorization: a bearer token, or a password, as a URL can have one."""
    scheme, _, value = authorization.partition(b" ")
    if scheme.lower() == b"bearer":
        return value.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return b""
    return b""


def host_name(host: bytes) -> str:
    """Return the name in a header Host, without its port."""
    text = host.decode("latin-1").lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]
