"""The one event loop of this process on which all sessions live, in a thread of its own.

Threads and other event loops hand it coroutines, so that `Session` and `AsyncSession` are two faces of one thing.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_loop: asyncio.AbstractEventLoop | None = None
_lock = threading.Lock()


def submit(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine on the loop of sessions. Cancelling the future cancels the coroutine."""
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="code-eval-sessions", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(coroutine, _loop)


def wait(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop of sessions and return its result. An interrupt of this thread cancels it."""
    future = submit(coroutine)
    try:
        return future.result()
    finally:
        future.cancel()


async def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop of sessions, for a coroutine of another loop."""
    return await asyncio.wrap_future(submit(coroutine))


def post(function: Callable[[str], None], argument: str) -> None:
    """Call a function on the loop of sessions soon, if there is one. It takes no lock, so finalizers may do it."""
    if _loop is not None:
        _loop.call_soon_threadsafe(function, argument)


def _forget_loop() -> None:
    """Begin without a loop in a forked process, which has no thread to run it."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_loop)
