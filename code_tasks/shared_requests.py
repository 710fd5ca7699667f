"""Attempts at one question that share a request: a server reads their prompt once, and gives several answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from code_tasks.solver import Message

Answer = TypeVar("Answer")
# Attempts that begin together have all asked by then.
GATHERING_SECONDS = 0.01


class SharedRequests(Generic[Answer]):
    """Gathers what is asked with the same messages at the same time. For one event loop."""

    def __init__(self, ask: Callable[[Sequence[Message], int], Awaitable[Sequence[Answer]]], most: int):
        """Takes what asks a server for a number of answers, of which it gives at least one, and the largest number."""
        self.ask_server = ask
        self.most = most
        self._waiting: dict[str, list[asyncio.Future[Answer]]] = {}
        self._requests: set[asyncio.Task[None]] = set()

    async def ask(self, messages: Sequence[Message]) -> Answer:
        """One answer, which nobody else gets. Raises what the request raises."""
        key = json.dumps([dict(message) for message in messages])
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(key, [])
        waiting.append(future)
        if len(waiting) == 1:
            self._start(self._gather(key, messages))
        return await future

    def _start(self, request: Awaitable[None]) -> None:
        task = asyncio.ensure_future(request)
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)

    async def _gather(self, key: str, messages: Sequence[Message]) -> None:
        await asyncio.sleep(GATHERING_SECONDS)
        futures = self._waiting.pop(key)
        for begin in range(0, len(futures), self.most):
            self._start(self._serve(messages, futures[begin : begin + self.most]))

    async def _serve(self, messages: Sequence[Message], futures: list[asyncio.Future[Answer]]) -> None:
        """Asks until each has an answer: some servers give one, however many they are asked for."""
        while futures := [future for future in futures if not future.done()]:
            try:
                answers = await self.ask_server(messages, len(futures))
            except Exception as error:
                for future in futures:
                    if not future.done():
                        future.set_exception(error)
                return
            except asyncio.CancelledError:
                for future in futures:
                    future.cancel()
                raise
            for future, answer in zip(futures, answers):  # noqa: B905 (fewer, or more of no use)
                if not future.done():
                    future.set_result(answer)

    async def close(self) -> None:
        """Ends what is still asked. Nobody waits for it."""
        for waiting in self._waiting.values():
            for future in waiting:
                future.cancel()
        self._waiting.clear()
        requests = [*self._requests]
        for request in requests:
            request.cancel()
        await asyncio.gather(*requests, return_exceptions=True)
