"""The sessions of a server: those that clients have open by id, and those that live for one request."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections import Counter
from collections.abc import AsyncIterator, Iterator

from code_tasks.server.errors import InvalidRequest, QueueFull, ShuttingDown
from code_tasks.server.settings import ServerSettings
from sandboxes import AsyncSession, SessionEnded, SessionLimits, SessionRegistry
from sandboxes.raw_runs.raw_run import MAX_OUTPUT_BYTES

RETRY_SECONDS = 5
"""Seconds after which a client may try again, if there is no room for a session."""


MIN_CALLS = 8
"""Calls at once of all sessions, on a server that has fewer sessions."""


class SessionPlaces:
    """Opens sessions for clients, and lets them make calls, up to a number. Used in one event loop."""

    def __init__(self, settings: ServerSettings):
        """Set up the places; no session is started yet."""
        self.settings = settings
        self.limits = dataclasses.replace(
            SessionLimits.from_limits(settings.config.limits),
            call_seconds=settings.max_timeout,
            idle_seconds=settings.session_idle_seconds,
            max_seconds=settings.session_max_seconds,
            output_bytes=min(settings.max_kept_output_bytes, MAX_OUTPUT_BYTES),
        )
        self._refusal = ""
        self._registry: SessionRegistry | None = None
        try:
            self._registry = SessionRegistry(settings.config, settings.max_sessions or 1, self.limits, num_spares=0)
        except ValueError as error:
            self._refusal = str(error)
        if not settings.max_sessions:
            self._refusal = "the owner of this server allows no sessions"
        self._owners: dict[str, str] = {}
        self._single: Counter[str] = Counter()
        """Sessions of single requests, by client."""
        self._open_singles: set[AsyncSession] = set()
        self._is_closed = False
        self._max_calls = max(MIN_CALLS, settings.max_sessions)
        self._running: Counter[str] = Counter()
        """Calls that run, by client."""

    async def open(self, client: str) -> str:
        """Open a session for a client, and return its id.

        Raises:
            InvalidRequest: if this server has no sessions.
            QueueFull, ShuttingDown: if there is no room, or the server ends.
            SandboxUnavailable: if the sandbox does not start.
        """
        registry = self._require_room(client)
        # Counted before it is open, so that no two requests get the same place.
        self._single[client] += 1
        try:
            session_id = await registry.open()
        finally:
            release(self._single, client)
        self._owners[session_id] = client
        return session_id

    def get(self, session_id: str, client: str) -> AsyncSession:
        """Return a session of a client's.

        Raises:
            SessionEnded: if the client has no such session, or it has ended.
        """
        if self._registry is None or self._owners.get(session_id) != client:
            raise SessionEnded("there is no such session; it was closed, has expired, or was never opened")
        try:
            return self._registry.get(session_id)
        except SessionEnded:
            del self._owners[session_id]
            raise

    @contextlib.contextmanager
    def calling(self, client: str) -> Iterator[None]:
        """Count a call of a client's as running for as long as the block runs, because its output is kept so long.

        A client may have as many calls running as there are places left besides.

        Raises:
            QueueFull: if there is no room for it.
        """
        if self._running[client] > self._max_calls - self._running.total() - 1:
            raise QueueFull(RETRY_SECONDS)
        self._running[client] += 1
        try:
            yield
        finally:
            release(self._running, client)

    async def close(self, session_id: str, client: str) -> None:
        """End a session of a client's, and wait until it is gone.

        Raises:
            SessionEnded: as `get`.
        """
        session = self.get(session_id, client)
        del self._owners[session_id]
        assert self._registry is not None  # noqa: S101 (get has found the session there)
        with contextlib.suppress(SessionEnded):
            await self._registry.close(session_id)
        await session.close()

    @contextlib.asynccontextmanager
    async def single(self, client: str, limits: SessionLimits) -> AsyncIterator[AsyncSession]:
        """Open a session that ends with the block.

        Args:
            client: whom it is for.
            limits: of the session.

        Raises:
            InvalidRequest, QueueFull, ShuttingDown, SandboxUnavailable: as `open`.
        """
        self._require_room(client)
        self._single[client] += 1
        try:
            session = AsyncSession(self.settings.config, limits)
            self._open_singles.add(session)
            try:
                async with session:
                    yield session
            finally:
                self._open_singles.discard(session)
        finally:
            release(self._single, client)

    async def close_all(self) -> None:
        """End all sessions, because the server ends. Calls under way raise SessionEnded."""
        self._is_closed = True
        self._owners.clear()
        await asyncio.gather(*(session.close() for session in self._open_singles))
        if self._registry is not None:
            await self._registry.close_all()

    def _require_room(self, client: str) -> SessionRegistry:
        """Return the registry, if a client may have one more session.

        A client may have as many sessions as there are places left besides. So no client takes all of them.
        """
        if self._is_closed:
            raise ShuttingDown
        if self._refusal or self._registry is None:
            raise InvalidRequest("", self._refusal)
        self._forget_ended()
        own = self._single[client] + sum(owner == client for owner in self._owners.values())
        left = self.settings.max_sessions - len(self._owners) - self._single.total() - 1
        if left < 0 or own > left:
            raise QueueFull(RETRY_SECONDS)
        return self._registry

    def _forget_ended(self) -> None:
        """Give the places of sessions that have ended to others."""
        assert self._registry is not None  # noqa: S101 (for the type checker)
        for session_id in list(self._owners):
            try:
                self._registry.get(session_id)
            except SessionEnded:
                del self._owners[session_id]


def release(places: Counter[str], client: str) -> None:
    """Give up one of a client's places."""
    places[client] -= 1
    if not places[client]:
        del places[client]
