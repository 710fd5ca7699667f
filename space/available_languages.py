"""Probes which languages the sandboxes have beside Python: once, in a thread, while the page is already served."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace

from sandboxes import EvalConfig
from sandboxes.available_languages import AvailableLanguages, probe_languages
from sandboxes.tasks.options import check_supported
from space.available_sandboxes import SandboxAvailability
from space.errors import RequestError, request_errors


class Languages:
    """The languages of all sandboxes."""

    def __init__(self, sandboxes: Mapping[str, SandboxAvailability]):
        """Start nothing yet.

        Args:
            sandboxes: the server's sandboxes.
        """
        self._sandboxes = sandboxes
        self._available: Future[dict[str, AvailableLanguages]] = Future()
        self._is_stopped = threading.Event()

    def start(self) -> None:
        """Start to probe the sandboxes, in a thread."""
        threading.Thread(target=self._probe_all, name="languages").start()

    def stop(self) -> None:
        """End the probing after the language that is being probed."""
        self._is_stopped.set()

    async def wait_for(self, sandbox: str) -> list[str]:
        """Return the languages of a sandbox when they are known."""
        # A visitor who leaves must not cancel the future, because all visitors wait for it.
        await asyncio.shield(asyncio.wrap_future(self._available))
        return self.of(sandbox)

    def of(self, sandbox: str) -> list[str]:
        """Return the languages of a sandbox, as far as they are known."""
        available = self._available.result() if self._available.done() else {}
        return ["python", *(available[sandbox].names if sandbox in available else ())]

    def sandbox_with(self, language: str, default: str) -> str:
        """Return the name of a sandbox that has a language: the default one, if it has the language or no other has."""
        return next((name for name in (default, *self._sandboxes) if language in self.of(name)), default)

    def chosen(self, config: EvalConfig, wanted: set[str]) -> EvalConfig:
        """Return a configuration with the sandbox that has these languages.

        Raises:
            RequestError: if it lacks one.
        """
        others = wanted - {"python"}
        if not others:
            return config
        with request_errors():
            check_supported(config.sandbox, others)
        if not self._available.done():
            raise RequestError("this server is still finding out which languages it has: try again in a moment")
        name = config.sandbox.name
        there = self.of(name)
        if missing := sorted(others - {*there}):
            raise RequestError(
                f"programs in {missing[0]} can't be run here in the sandbox {name}, which has {', '.join(there)}"
            )
        return replace(config, sandbox=self._available.result()[name].sandbox)

    def _probe_all(self) -> None:
        available: dict[str, AvailableLanguages] = {}
        try:
            for name, entry in self._sandboxes.items():
                if entry.sandbox is not None and entry.sandbox.languages is None:
                    # Perhaps nobody ever wants one of the languages: no worker stays.
                    available[name] = probe_languages(entry.sandbox, self._is_stopped.is_set)
        finally:
            self._available.set_result(available)
