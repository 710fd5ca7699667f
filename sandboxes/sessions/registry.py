"""The sessions of a server: bounded in their number, known by ids, and forgotten once they have ended."""

from __future__ import annotations

import asyncio
import secrets
from types import TracebackType
from typing import Self

from sandboxes.config import EvalConfig
from sandboxes.errors import SandboxUnavailable, SessionEnded
from sandboxes.sessions.limits import SessionLimits
from sandboxes.sessions.session import AsyncSession
from sandboxes.validation import positive_int

ID_BYTES = 16


class SessionRegistry:
    """A bounded number of sessions with ids that can't be guessed. Used from one event loop, also by `async with`."""

    def __init__(
        self,
        config: EvalConfig | None = None,
        max_sessions: int = 64,
        limits: SessionLimits | None = None,
        num_spares: int = 1,
    ):
        """Set up a registry; nothing is started yet.

        Args:
            config: the configuration of all sessions, as `Session` takes it.
            max_sessions: number of sessions that may be open at once.
            limits: of each session, as `Session` takes them.
            num_spares: sessions that are started before somebody asks for them, so that opening takes no time.

        Raises:
            ValueError: if the sandbox can't hold a session, or `max_sessions` is below 1.
        """
        self.config, self.limits = config, limits
        self.max_sessions, self.num_spares = positive_int("max_sessions", max_sessions), num_spares
        self._sessions: dict[str, AsyncSession] = {}
        self._spares: list[AsyncSession] = []
        self._tasks: set[asyncio.Task[None]] = set()
        # An invalid configuration is an error now, and not when the first session is opened.
        AsyncSession(config, limits)

    async def __aenter__(self) -> Self:
        """Return the registry."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all sessions."""
        await self.close_all()

    def __len__(self) -> int:
        """Return the number of sessions that are open."""
        self._forget_ended()
        return len(self._sessions)

    async def open(self) -> str:
        """Open a session, and return its id.

        Raises:
            SandboxUnavailable: if `max_sessions` are open, or the sandbox does not start.
        """
        self._forget_ended()
        if len(self._sessions) >= self.max_sessions:
            raise SandboxUnavailable(
                f"{self.max_sessions} sessions are open, and no more are allowed; close one, or try again later"
            )
        session_id = secrets.token_urlsafe(ID_BYTES)
        session = self._sessions[session_id] = self._take_spare() or AsyncSession(self.config, self.limits)
        try:
            await session.open()
        except BaseException:
            self._sessions.pop(session_id, None)
            await session.close()
            raise
        self._start_spares()
        return session_id

    def get(self, session_id: str) -> AsyncSession:
        """Return a session by its id.

        Raises:
            SessionEnded: if there is no such session, or it has ended.
        """
        session = self._sessions.get(session_id)
        if session is None:
            raise SessionEnded("there is no such session; it was closed, has expired, or was never opened")
        if session.end_reason is not None:
            self._sessions.pop(session_id, None)
            raise SessionEnded(f"the session has ended: {session.end_reason}")
        return session

    async def close(self, session_id: str) -> None:
        """End a session, and wait until it is gone.

        Raises:
            SessionEnded: if there is no such session.
        """
        session = self.get(session_id)
        self._sessions.pop(session_id, None)
        await session.close()

    async def close_all(self) -> None:
        """End all sessions, and the spare ones."""
        tasks, sessions = [*self._tasks], [*self._sessions.values(), *self._spares]
        self._sessions.clear()
        self._spares.clear()
        await asyncio.gather(*(session.close() for session in sessions))
        await asyncio.gather(*tasks, return_exceptions=True)

    def _take_spare(self) -> AsyncSession | None:
        while self._spares:
            session = self._spares.pop()
            if session.end_reason is None:
                return session
        return None

    def _start_spares(self) -> None:
        """Start sessions in the background until there are enough spare ones."""
        room = self.max_sessions - len(self._sessions)
        while len(self._spares) < min(self.num_spares, room):
            spare = AsyncSession(self.config, self.limits)
            self._spares.append(spare)
            task = asyncio.create_task(self._start(spare))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _start(self, spare: AsyncSession) -> None:
        try:
            await spare.open()
        except (SandboxUnavailable, SessionEnded):
            # Whoever opens a session next gets the error, or a session that works.
            if spare in self._spares:
                self._spares.remove(spare)
            await spare.close()

    def _forget_ended(self) -> None:
        for session_id in [each for each, session in self._sessions.items() if session.end_reason is not None]:
            del self._sessions[session_id]
