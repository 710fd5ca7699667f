"""Single candidates of many threads, joined into the queue of one warm evaluator per process and configuration.

Frameworks call a reward once per sample, from hundreds of threads or coroutines. An `Evaluator.run` for each of them
would start as many workers. Here all of them wait in the queue of an evaluator, in an event loop with its own thread.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from sandboxes import EvalConfig, Evaluator, ProgramBatch, RunResult, SandboxUnavailable

Value = TypeVar("Value")


class JoinedCalls:
    """The event loop of a process, with an open evaluator for each configuration. Used by any thread."""

    def __init__(self) -> None:
        """Set up; the thread starts with the first call."""
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget the thread and the evaluators of a parent process, which a forked process does not have."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._evaluators: dict[EvalConfig, asyncio.Task[Evaluator]] = {}

    def submit(self, call: Coroutine[Any, Any, Value]) -> Future[Value]:
        """Start a coroutine in the loop's thread, and return its future. A cancelled future cancels the coroutine."""
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                threading.Thread(target=loop.run_forever, name="code-eval-calls", daemon=True).start()
                self._loop = loop
            return asyncio.run_coroutine_threadsafe(call, self._loop)

    async def run(self, config: EvalConfig, batch: ProgramBatch) -> RunResult:
        """Run the only program of a batch as soon as a worker is free. Called in the loop's thread.

        Args:
            config: how candidates are run. Equal configurations share a queue.
            batch: as the `assemble` of an evaluator with this configuration returns it.

        Returns:
            The verdict, or the SandboxUnavailable that says why there is none.
        """
        opening = self._evaluators.get(config)
        if opening is None:
            opening = self._evaluators[config] = asyncio.create_task(Evaluator(config).__aenter__())
        try:
            # Shielded, because others wait for the same evaluator if one caller gives up.
            evaluator = await asyncio.shield(opening)
        except Exception as error:
            # The next call tries again.
            if self._evaluators.get(config) is opening:
                del self._evaluators[config]
            if isinstance(error, SandboxUnavailable):
                return error
            raise
        return await evaluator.run_assembled(batch, 0)


joined_calls = JoinedCalls()
"""The calls of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=joined_calls.begin_anew)
