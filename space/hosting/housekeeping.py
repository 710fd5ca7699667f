"""Periodic clean-up of what visitors leave behind: unread messages, cached analyses of tests, and old files."""

from __future__ import annotations

import asyncio
import contextlib
import stat
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from gradio.queueing import Queue
from gradio.routes import App
from gradio.utils import LRUCache

from sandboxes.tasks.analyses import drop_test_analyses

INTERVAL_SECONDS = 10.0
# A page, and gradio_client, fetch messages at once.
MAX_UNREAD_SECONDS = 60.0
# Longer than Gradio keeps files: its own clean-up forgets a file only if the file was still there to be removed.
MAX_FILE_AGE_SECONDS = 5400.0
MAX_MESSAGE_QUEUES = 2000
# Gradio's queue looks for events a thousand times a second on Linux, which takes 5 % of a CPU.
QUEUE_INTERVAL_SECONDS = 0.02


class MessageQueue(asyncio.Queue[Any]):
    """Messages to one visitor."""

    touched_at = 0.0
    """When the oldest message in the queue became the oldest."""

    def _put(self, item: Any) -> None:
        if self.empty():
            self.touched_at = time.monotonic()
        super()._put(item)

    def _get(self) -> Any:
        self.touched_at = time.monotonic()
        return super()._get()

    def unread_seconds(self) -> float:
        """Return for how many seconds nobody has fetched the oldest message; 0 if there is none."""
        return 0.0 if self.empty() else time.monotonic() - self.touched_at


class MessageQueues(LRUCache[str, Any]):
    """The message queues of Gradio's event queue, by session.

    In Gradio's own cache, a message to a session without a queue is a KeyError, which ends the event queue for all.
    """

    def __setitem__(self, session: str, messages: Any) -> None:
        """Give a session a `MessageQueue` in place of Gradio's own."""
        super().__setitem__(session, MessageQueue())

    def __missing__(self, session: str) -> MessageQueue:
        """Return a queue that nobody reads."""
        return MessageQueue()


async def drop_unread(queue: Queue) -> None:
    """End the runs of visitors who do not fetch their messages, and drop the messages."""
    for session, messages in list(queue.pending_messages_per_session.items()):
        if isinstance(messages, MessageQueue) and messages.unread_seconds() > MAX_UNREAD_SECONDS:
            await queue.clean_events(session_hash=session)
            queue.pending_messages_per_session.pop(session, None)
            queue.pending_event_ids_session.pop(session, None)


def remove_old_files(folder: Path, max_bytes: int) -> None:
    """Remove files that are too old, and of the others the oldest that exceed the size limit."""
    files = []
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                files.append((status.st_mtime, status.st_size, path))
    total = 0
    for changed_at, size, path in sorted(files, reverse=True):
        total += size
        if total > max_bytes or time.time() - changed_at > MAX_FILE_AGE_SECONDS:
            with contextlib.suppress(OSError):
                path.unlink()
                path.parent.rmdir()


Lifespan = Callable[[App], AbstractAsyncContextManager[None]]
"""What an app does between its start and its end."""


def all_lifespans(lifespans: Sequence[Lifespan]) -> Lifespan:
    """Return the lifespan that consists of several."""

    @contextlib.asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for each in lifespans:
                await stack.enter_async_context(each(app))
            yield

    return lifespan


def housekeeping(folder: Path, max_bytes: int) -> Lifespan:
    """Return the lifespan of the server's app, in which the clean-up runs.

    Args:
        folder: holds the visitors' files.
        max_bytes: the limit on the size of all these files together.
    """

    async def clean_up(queue: Queue) -> None:
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            await drop_unread(queue)
            drop_test_analyses()
            await asyncio.to_thread(remove_old_files, folder, max_bytes)

    @contextlib.asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[None]:
        queue = app.get_blocks()._queue
        queue.pending_messages_per_session = MessageQueues(MAX_MESSAGE_QUEUES)
        queue.sleep_when_free = QUEUE_INTERVAL_SECONDS
        task = asyncio.create_task(clean_up(queue))
        try:
            yield
        finally:
            task.cancel()

    return lifespan
