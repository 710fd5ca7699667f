"""The protocol of a backend. Callers ask a `Sandbox` for all that they need, so that nobody asks for its type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Self

from sandboxes.contract import Isolation
from sandboxes.sessions.limits import SessionLimits
from sandboxes.workers.canaries import Canary
from sandboxes.workers.worker import Worker


class Sandbox(Protocol):
    """A backend with its options. It decides where a worker lives. Equal sandboxes share warm workers."""

    @property
    def name(self) -> str:
        """The backend's name, as the option `sandbox` takes it."""

    @property
    def canaries(self) -> tuple[Canary, ...]:
        """The programs that show whether the sandbox works here."""

    @property
    def auto_grading(self) -> str:
        """The meaning of the grading "auto": "auto", or "shared" if tests are always a part of the program."""

    @property
    def has_network(self) -> bool:
        """True if programs may use a network."""

    @property
    def isolation_mode(self) -> str:
        """The isolation that the user chose: "auto", "strict" or "off"."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages that programs may be written in. None: all languages."""

    @property
    def has_policy(self) -> bool:
        """True if programs are compiled under a policy, which refuses some right programs."""

    @property
    def extra_fields(self) -> tuple[str, ...]:
        """Fields of results that only this sandbox adds."""

    @property
    def uses_host_files(self) -> bool:
        """True if programs see this machine's interpreter, compilers and packages. False if they see an image's."""

    @property
    def verdicts_repeat(self) -> bool:
        """True if a deterministic program has the same verdict every time, so that its duplicates need no run."""

    def with_mounts(self, paths: Sequence[str]) -> Self:
        """Return this sandbox with additional files and folders of this machine that programs can read."""

    def for_session(self, limits: SessionLimits) -> Self:
        """Return this sandbox for a session: its guest takes the calls of the session, and runs no programs.

        Args:
            limits: of the session.
        """

    def for_sources(self, sources: Iterable[str]) -> Self:
        """Return this sandbox for programs with these sources. Packages given by import name are chosen by them.

        Args:
            sources: candidates and tests.
        """

    def cache_key(self) -> Mapping[str, Any]:
        """Return all that decides verdicts here beside the programs and their language, as data for JSON.

        Raises:
            NotCacheable: if verdicts depend on something that a key can't hold.
            SandboxUnavailable: if the engine or the image is not available.
        """

    def start_worker(self) -> Worker:
        """Start a guest and return the caller's end of it, without waiting until it is ready.

        Raises:
            SandboxUnavailable: if no guest can be started here.
        """

    def accept(self, isolation: Isolation) -> None:
        """Accept a guest that is ready, or refuse it for the isolation that it enforces.

        Raises:
            SandboxUnavailable: if the isolation is less than the user demands.
        """
