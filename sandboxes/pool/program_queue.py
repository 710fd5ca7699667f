"""A queue of programs for an event loop: coroutines wait for results while threads keep a sandbox's workers busy."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sandboxes.contract import Program, Verdict
from sandboxes.errors import RunStopped, SandboxUnavailable
from sandboxes.guest.common.frames import RAW
from sandboxes.pool.fair_queue import FairQueue
from sandboxes.runner import OnResult, RunControls, RunResult

MAX_BATCH_SIZE = 8
"""Programs that one worker gets at once, so that it does not wait for each. More would wait behind a slow one."""

PATIENCE_SECONDS = 0.5
"""Time without a result after which programs that still wait behind a slow one go back into the queue."""

RunBatch = Callable[[Sequence[Program], OnResult, RunControls], object]
"""(programs, on_result, controls): runs programs one after the other, and calls `on_result` for each of them that
`controls` does not give up."""


# Compared by identity: equal programs of two coroutines are two.
@dataclass(frozen=True, eq=False)
class PendingProgram:
    """A program whose result a coroutine waits for."""

    program: Program
    client: str
    loop: asyncio.AbstractEventLoop
    result: asyncio.Future[RunResult]

    @property
    def is_raw(self) -> bool:
        """True for a raw run."""
        return self.program.grading == RAW

    def settle(self, result: RunResult | BaseException) -> None:
        """Give the waiting coroutine its result. Called in any thread."""

        def set_result() -> None:
            if self.result.done():
                return
            if isinstance(result, Verdict | SandboxUnavailable):
                self.result.set_result(result)
            else:
                self.result.set_exception(result)

        try:
            self.loop.call_soon_threadsafe(set_result)
        except RuntimeError:
            if not self.loop.is_closed():
                raise


class BatchProgress:
    """The programs of a batch that have no result yet. Used in the thread that runs the batch."""

    def __init__(self, batch: Sequence[PendingProgram]):
        """Begin with the whole batch."""
        self.left = dict(enumerate(batch))
        self._heard_at = time.monotonic()

    def settle(self, index: int, result: RunResult) -> None:
        """Give the coroutine that waits for a program its result."""
        self._heard_at = time.monotonic()
        self.left.pop(index).settle(result)

    def cancelled(self) -> list[int]:
        """Return the programs that nobody waits for any more, as `RunControls.cancelled`."""
        return [index for index, pending in self.left.items() if pending.result.cancelled()]

    def is_stuck(self) -> bool:
        """Return whether programs wait behind a slow one, which other workers could run."""
        return len(self.left) > 1 and time.monotonic() - self._heard_at > PATIENCE_SECONDS


class ProgramQueue:
    """Runs the programs that coroutines put into it, in threads of its own. Programs that wait are batched."""

    def __init__(self, run_batch: RunBatch, num_workers: int):
        """Start the threads.

        Args:
            run_batch: runs programs on one worker.
            num_workers: batches at once.
        """
        self._run_batch, self._num_workers = run_batch, num_workers
        self._queue: FairQueue[PendingProgram] = FairQueue()
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._busy = self._waiting_alone = 0
        self._is_alone = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(num_workers)]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """The number of programs that no worker has yet."""
        return len(self._queue)

    async def run(self, program: Program, client: str = "") -> RunResult:
        """Run a program when a worker is free, and return its result.

        If the awaiting task is cancelled, the program is dropped, or ended within a fraction of a second.

        Args:
            program: the program.
            client: whom it is run for. Clients take turns.

        Raises:
            RunStopped: if the queue is closed meanwhile.
        """
        loop = asyncio.get_running_loop()
        pending = PendingProgram(program, client, loop, loop.create_future())
        with self._changed:
            if self._stopped.is_set():
                raise RunStopped("the queue is closed")
            self._queue.append(client, pending)
            self._changed.notify()
        try:
            return await pending.result
        except asyncio.CancelledError:
            with self._changed:
                self._queue.discard(client, pending)
            raise

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold back all other batches while one thread's program runs alone.

        Called in a thread that runs a batch. The block begins when no other batch of this queue runs any more.
        """
        with self._changed:
            self._busy -= 1
            self._waiting_alone += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._stopped.is_set() or not (self._busy or self._is_alone))
            self._waiting_alone -= 1
            self._is_alone = True
        try:
            yield
        finally:
            with self._changed:
                self._is_alone = False
                self._busy += 1
                self._changed.notify_all()

    def close(self) -> None:
        """End the programs that still run. Whoever waits for a result gets a RunStopped."""
        with self._changed:
            self._stopped.set()
            self._changed.notify_all()
            waiting = self._queue.clear()
        for pending in waiting:
            pending.settle(RunStopped("the queue was closed"))
        # A thread ends within a fraction of a second, because its run polls `_stopped`.
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        """Run queued programs on one worker until the queue is closed. The body of each thread."""
        while batch := self._next_batch():
            progress = BatchProgress(batch)
            controls = RunControls(
                1,
                "exclude",
                self._stopped.is_set,
                cancelled=progress.cancelled,
                should_preempt=progress.is_stuck,
                on_given_up=functools.partial(self._put_back, progress),
            )
            try:
                self._run_batch([pending.program for pending in batch], progress.settle, controls)
            except Exception as error:
                # The queue was closed, the sandbox does not start at all, or there is a bug.
                for pending in progress.left.values():
                    pending.settle(error)
                progress.left.clear()
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def _put_back(self, progress: BatchProgress, index: int) -> None:
        """Queue a program again that has not begun."""
        pending = progress.left.pop(index)
        with self._changed:
            if not pending.result.cancelled():
                self._queue.put_back(pending.client, pending)
            self._changed.notify_all()

    def _next_batch(self) -> list[PendingProgram]:
        """Wait for programs, and return a worker's share of the queue; an empty list once the queue is closed."""
        with self._changed:
            while True:
                if self._stopped.is_set():
                    return []
                if self._queue and not self._waiting_alone and not self._is_alone:
                    size = max(1, min(MAX_BATCH_SIZE, len(self._queue) // self._num_workers))
                    self._busy += 1
                    batch = [self._queue.popleft()]
                    # Raw runs and programs with tests are run in different ways.
                    while len(batch) < size and batch[0].is_raw == self._queue.peek().is_raw:
                        batch.append(self._queue.popleft())
                    return batch
                self._changed.wait()
