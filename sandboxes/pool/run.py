"""One run of a pool: hands programs to workers, and reports each result as it comes.

A run happens in the thread that asks for it, without threads of its own: Ctrl-C interrupts it as it would any loop.
"""

from __future__ import annotations

import dataclasses
import itertools
import selectors
import time
from collections import deque
from collections.abc import Collection, Sequence

from sandboxes.contract import Isolation, Program, Verdict
from sandboxes.errors import InvalidTests, RunCancelled, RunStopped, SandboxUnavailable
from sandboxes.events import log_event
from sandboxes.pool.attempts import MAX_ATTEMPTS, Attempts
from sandboxes.pool.caller_verdicts import MAX_PROGRAM_CHARS, missing_module_error, too_long_verdict
from sandboxes.pool.interrupts import deferred_interrupts
from sandboxes.pool.schedule import Schedule
from sandboxes.runner import OnResult, RunControls, RunResult, ShouldPreempt
from sandboxes.workers.messages import GuestBroken
from sandboxes.workers.sandbox import Sandbox
from sandboxes.workers.worker import SILENCE_TIMEOUT_SECONDS, START_TIMEOUT_SECONDS, Worker, close_workers

MAX_IN_FLIGHT = 2  # programs that a worker has at once; the second one spares the guest a wait
CANCEL_TIMEOUT_SECONDS = 2.0  # how long a guest may take to end a program; it may have a long one to read first
CHECK_INTERVAL_SECONDS = 1.0  # how often a run looks for silent guests
POLL_INTERVAL_SECONDS = 0.2  # how often `should_stop` is asked, and so the longest delay before a run stops


class PoolRun:
    """Runs programs, which are added one after the other, on workers that stay for the whole run."""

    def __init__(
        self,
        sandbox: Sandbox,
        controls: RunControls,
        on_result: OnResult,
        should_preempt: ShouldPreempt | None = None,
    ):
        """Set up a run; nothing is started yet. The arguments are those of the pool's methods."""
        self.sandbox, self.controls, self.on_result = sandbox, controls, on_result
        self.should_stop, self.meter = controls.should_stop, controls.meter
        self.should_preempt = should_preempt or controls.should_preempt
        self.workers: list[Worker] = []
        """The workers in use. Some are still busy after a run that was cut short."""
        self.leaving: deque[Worker] = deque()
        """Workers that are ending, whose end is still to be waited for."""
        self.isolation = Isolation((), {}, "")
        """The isolation of the guest that became ready last."""
        self._max_workers = controls.num_workers
        self._schedule = Schedule()
        self._programs: dict[int, Program] = {}
        """Programs that have no result yet."""
        self._given_up: set[int] = set()
        """Programs that were given up behind another one in a guest, which has not dropped them yet."""
        self._attempts = Attempts()
        self._failed_starts = 0
        self._accepted: set[Worker] = set()
        self._checked_at = time.monotonic()
        self._selector = selectors.DefaultSelector()

    @property
    def running(self) -> int:
        """The number of programs that have been added and have no result yet, or that a guest still has to drop."""
        return len(self._programs) + len(self._given_up)

    @property
    def waiting(self) -> int:
        """The number of running programs that no worker has yet."""
        return self._schedule.left

    def adopt_workers(self, workers: Sequence[Worker]) -> None:
        """Take warm workers into the run."""
        for worker in workers:
            self.workers.append(worker)
            self._register(worker)

    def add(self, index: int, program: Program) -> None:
        """Add a program. It runs while `wait` is called."""
        self._programs[index] = program
        self._schedule.add(index, program)

    def wait(self) -> None:
        """Go on until something happens, for a second at most. Call it only while programs are running.

        Raises:
            SandboxUnavailable, RunStopped: as `Pool.run` does.
        """
        if self.should_stop and self.should_stop():
            raise RunStopped("the run was stopped")
        # While no program has begun, none waits behind a slow one. A run that handed them all back whenever its worker
        # starts slowly would never find out that the sandbox does not start.
        is_starting = self.controls.on_given_up and not any(worker.in_flight for worker in self.workers)
        if self.should_preempt and not is_starting and self.should_preempt():
            self._give_up()
            if not self.running:
                return
        if self.controls.cancelled and (cancelled := self.controls.cancelled()):
            self._cancel(cancelled)
        self._fill_workers()
        if not self.running:
            # None of the programs could be run, so no worker will answer.
            return
        polls = self.should_stop or self.should_preempt or self.controls.cancelled
        events = self._selector.select(POLL_INTERVAL_SECONDS if polls else CHECK_INTERVAL_SECONDS)
        # Handling them may take long. Guests that answer meanwhile are not silent.
        now = time.monotonic()
        for key, _ in events:
            # A worker may have been replaced before its own event is handled.
            if key.data in self.workers:
                self._handle_worker(key.data, readable=key.fd == key.data.replies_fd)
        if now - self._checked_at >= CHECK_INTERVAL_SECONDS:
            self._checked_at = now
            for worker in tuple(self.workers):
                self._check(worker, now)

    def close(self) -> None:
        """Stop watching the workers."""
        for worker in self.workers:
            self.meter.worker_stopped(worker)
        self._selector.close()

    def _fill_workers(self) -> None:
        """Start workers that are missing, and give waiting programs to workers that have none."""
        if not self._schedule.left:
            return
        # First the missing workers: how many programs a worker gets depends on how many workers there are.
        while len(self.workers) < min(self._max_workers, len(self._programs)):
            try:
                self._start()
            except SandboxUnavailable as error:
                if not self.workers:
                    raise
                log_event("fallback", "%d workers instead of %d: %s", len(self.workers), self._max_workers, error)
                self._max_workers = len(self.workers)
        for worker in tuple(self.workers):
            if not worker.in_flight:
                self._handle_worker(worker)

    def _give_up(self) -> None:
        """Give up the programs that have not begun."""
        given_up = self._schedule.cancel_all()
        if self.controls.on_given_up:
            behind = {index for worker in self.workers for index in itertools.islice(worker.in_flight, 1, None)}
            self._given_up |= (behind := behind & self._programs.keys())
            given_up += behind
        for index in given_up:
            del self._programs[index]
            if self.controls.on_given_up:
                self.controls.on_given_up(index)
        self._cancel(self._given_up)

    def _cancel(self, indices: Collection[int]) -> None:
        """Drop programs that no worker has, and have the guests end the others."""
        for index in tuple(indices):
            holder = next((worker for worker in self.workers if index in worker.in_flight), None)
            if holder:
                try:
                    holder.cancel(index)
                    self._watch_unsent(holder)
                except GuestBroken as broken:
                    self._restart(holder, str(broken))
            elif index in self._programs:
                self._schedule.cancel(index)
                self._finish(index, RunCancelled())

    def _start(self) -> None:
        with deferred_interrupts():  # otherwise nobody would end a worker whose start was interrupted
            worker = self.sandbox.start_worker()
            self.workers.append(worker)
        self._register(worker)
        self._watch_unsent(worker)

    def _register(self, worker: Worker) -> None:
        self.meter.worker_started(worker)
        self._selector.register(worker.replies_fd, selectors.EVENT_READ, worker)

    def _handle_worker(self, worker: Worker, readable: bool = False) -> None:
        """Take a worker's verdicts, and give it its next program."""
        try:
            if readable:
                watched = worker.replies_fd
                self._take_results(worker)
                if worker.replies_fd != watched:
                    # The guest has connected directly.
                    self._selector.unregister(watched)
                    self._selector.register(worker.replies_fd, selectors.EVENT_READ, worker)
            elif worker.has_unsent:
                worker.flush()
            if worker.isolation is not None:
                if worker not in self._accepted:
                    # Asked in each run, because an idle worker may be one that another run refused.
                    self.sandbox.accept(worker.isolation)
                    self._accepted.add(worker)
                    self._failed_starts = 0
                self.isolation = worker.isolation
                if worker.is_spent and not worker.in_flight:
                    self._retire(worker)
                    return
                self._assign(worker)
            self._watch_unsent(worker)
        except GuestBroken as broken:
            self._restart(worker, str(broken))

    def _take_results(self, worker: Worker) -> None:
        for index, result in worker.receive():
            if not worker.in_flight:
                self.meter.worker_idle(worker)
            if isinstance(result, SandboxUnavailable) and self.controls.on_sandbox_error == "raise":
                raise result
            if index in self._given_up:
                self._given_up.remove(index)
            else:
                self._finish(index, result)

    def _assign(self, worker: Worker) -> None:
        # Towards the end one at a time, so that no program waits behind a slow one while other workers are free.
        while (
            self._schedule.left
            and not worker.is_spent
            and (
                not worker.in_flight
                or (len(worker.in_flight) < MAX_IN_FLIGHT and self._schedule.left >= len(self.workers))
            )
        ):
            index = self._schedule.take(worker)
            program = self._programs[index]
            if program.invalid_tests:
                self._finish(index, InvalidTests(program.invalid_tests))
                continue
            if len(program.candidate) > MAX_PROGRAM_CHARS:
                self._finish(index, too_long_verdict(program, self.isolation.layers))
                continue
            assert worker.isolation is not None  # noqa: S101 (for the type checker)
            if program.needed_module not in ("", *worker.isolation.modules):
                error = missing_module_error(self.sandbox, program.needed_module)
                if self.controls.on_sandbox_error == "raise":
                    raise error
                self._finish(index, error)
                continue
            if not worker.in_flight:
                self.meter.worker_busy(worker)
            worker.send(index, program)

    def _watch_unsent(self, worker: Worker) -> None:
        watched = worker.requests_fd in self._selector.get_map()
        if worker.has_unsent and not watched:
            self._selector.register(worker.requests_fd, selectors.EVENT_WRITE, worker)
        elif watched and not worker.has_unsent:
            self._selector.unregister(worker.requests_fd)

    def _finish(self, index: int, result: RunResult) -> None:
        attempts = self._attempts.forget(index)
        if isinstance(result, Verdict) and attempts:
            result = dataclasses.replace(result, attempts=attempts + 1)
        del self._programs[index]
        self.meter.program_finished(result)
        self.on_result(index, result)

    def _check(self, worker: Worker, now: float) -> None:
        """Restart a worker whose guest had been silent, at a time, for longer than its program may run."""
        silent_seconds = now - worker.heard_at
        if worker.isolation is None and silent_seconds > START_TIMEOUT_SECONDS:
            self._restart(worker, f"the guest was not ready after {START_TIMEOUT_SECONDS:g} s")
        elif worker.is_cancelling and silent_seconds > CANCEL_TIMEOUT_SECONDS:
            self._restart(worker, "the guest did not end a program that was cancelled")
        elif worker.in_flight:
            program = self._programs.get(worker.in_flight[0])
            if silent_seconds > (program.limits.wall_seconds if program else 0) + SILENCE_TIMEOUT_SECONDS:
                self._restart(worker, f"the guest was silent for {silent_seconds:.0f} s")

    def _retire(self, worker: Worker) -> None:
        """Let a worker go that has run as many programs as it may, and start another one if programs are left."""
        self._release(worker)
        worker.close_pipes()
        self.leaving.append(worker)
        while self.leaving and (self.leaving[0].process.poll() is not None or len(self.leaving) > len(self.workers)):
            self.leaving.popleft().wait()
        if self._schedule.left:
            self._start()

    def _release(self, worker: Worker) -> None:
        self.workers.remove(worker)
        self.meter.worker_stopped(worker)
        self._schedule.remove_worker(worker)
        self._accepted.discard(worker)
        for fd in (worker.replies_fd, worker.requests_fd):
            if fd in self._selector.get_map():
                self._selector.unregister(fd)

    def _restart(self, worker: Worker, reason: str) -> None:
        """Replace a broken worker with a new one. The broken worker's programs run again."""
        interrupted = tuple(index for index in worker.in_flight if index not in self._given_up)
        self._given_up -= {*worker.in_flight}
        self.meter.worker_broke(worker)
        self._release(worker)
        close_workers([worker])
        log_event("restart", "a %s guest broke and is replaced: %s", self.sandbox.name, reason)
        if worker.isolation is None:
            self._count_failed_start(reason)
        self._schedule.put_back(interrupted)
        if interrupted:
            index = interrupted[0]
            if result := self._attempts.add(index, self._programs[index], worker, reason, self.sandbox.name):
                if isinstance(result, SandboxUnavailable) and self.controls.on_sandbox_error == "raise":
                    raise result
                # `put_back` has made this program the next one.
                self._schedule.cancel_next()
                self._finish(index, result)
        if self._programs and len(self.workers) < self._max_workers:
            self._start()

    def _count_failed_start(self, reason: str) -> None:
        """Count a guest that did not get ready. After several in a row, go on with the guests that are ready.

        Raises:
            SandboxUnavailable: if no guest is ready.
        """
        self._failed_starts += 1
        if self._failed_starts < MAX_ATTEMPTS:
            return
        if all(worker.isolation is None for worker in self.workers):
            raise SandboxUnavailable(
                f"the {self.sandbox.name} sandbox does not start: {reason}; `code-eval doctor` shows what is wrong"
            )
        # Guests that start together on a busy machine are late together.
        log_event("fallback", "%d workers instead of %d: %s", len(self.workers), self._max_workers, reason)
        self._max_workers = len(self.workers)
