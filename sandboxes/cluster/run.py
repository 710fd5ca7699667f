"""One run on a cluster: hands batches to actors, and reports results as they come.

A run happens in the thread that asks for it. Ray's threads only put events into a queue.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any

from sandboxes.cluster.actors import ActorHandle
from sandboxes.cluster.batching import CALLER_SECONDS_PER_BATCH, Backlog, BatchSizer
from sandboxes.cluster.node import BatchReport
from sandboxes.cluster.session import first_line
from sandboxes.contract import Program, Verdict
from sandboxes.errors import RunStopped, SandboxUnavailable
from sandboxes.events import log_event
from sandboxes.pool.attempts import MAX_ATTEMPTS
from sandboxes.pool.run import POLL_INTERVAL_SECONDS
from sandboxes.runner import OnResult, RunControls, RunResult

# The time after which a batch is asked for its results so far, or for the programs that it has not begun.
BATCH_POLL_SECONDS = 2.0
# The time that an actor may leave a question unanswered before it counts as dead.
SILENCE_TIMEOUT_SECONDS = 60.0
STOP_TIMEOUT_SECONDS = 10.0
MAX_ERROR_CHARS = 300

batch_numbers = itertools.count()
"""The numbers of batches, which are unique in this process."""


@dataclass
class InFlightBatch:
    """A batch that an actor has."""

    number: int
    actor: ActorHandle
    generation: int
    """The actor's generation when it was given the batch."""

    indices: list[int]
    future: Future[BatchReport]
    began: float
    polled_at: float
    """Time when the batch began, or was last asked for its results so far."""

    returns_unstarted: bool = False
    """True if the batch was asked to end without the programs that have not begun."""


class ClusterRun:
    """One call of `ClusterPool.run`."""

    def __init__(
        self,
        programs: Mapping[int, Program],
        shares: Mapping[ActorHandle, int],
        controls: RunControls,
        on_result: OnResult,
    ):
        """Set up a run; nothing is started yet.

        Args:
            programs: as for `ClusterPool.run`.
            shares: how many programs each actor runs at once.
            controls: as for `ClusterPool.run`.
            on_result: as for `ClusterPool.run`.
        """
        self.programs, self.shares, self.controls, self.on_result = programs, shares, controls, on_result
        self.meter = controls.meter
        self._backlog = Backlog(programs, lambda index: len(programs[index].candidate) + len(programs[index].tests))
        capacity = sum(shares.values())
        self._sizer = BatchSizer(capacity)
        # With many actors, asking them costs as much as their batches do, so batches are asked less often.
        self._batch_poll_seconds = max(BATCH_POLL_SECONDS, capacity * CALLER_SECONDS_PER_BATCH)
        self._polled_at = time.monotonic()
        self._unfinished = set(programs)
        """Programs that have no result yet."""

        self._in_flight: dict[int, InFlightBatch] = {}
        self._free: deque[tuple[ActorHandle, int]] = deque()
        """An entry for each program that could run now: an actor, and its generation."""

        self._starting: dict[ActorHandle, float] = {}
        """Actors that are being started again, and since when."""

        self._consecutive_failures: Counter[ActorHandle] = Counter()
        """Number of times in a row that an actor has died without finishing a batch."""

        self._losses: Counter[int] = Counter()
        """Number of actors that died while they had a program, by the program's index."""

        self._polled: dict[ActorHandle, float] = {}
        """Actors that have yet to send their results so far, and since when."""

        self._excluded: dict[ActorHandle, str] = {}
        """Actors that can't be used any more, and why."""

        self._events: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        for number in range(max(shares.values(), default=0)):
            self._free.extend((actor, actor.generation) for actor, share in shares.items() if number < share)

    def run(self) -> None:
        """Run the programs until each has a result."""
        should_stop = self.controls.should_stop
        while self._unfinished:
            if should_stop and should_stop():
                raise RunStopped("the run was stopped")
            self._assign_batches()
            self._poll_batches()
            try:
                event = self._events.get(timeout=POLL_INTERVAL_SECONDS)
            except queue.Empty:
                continue
            event()

    def reclaim_actors(self) -> list[ActorHandle]:
        """Stop what still runs, and return the actors that can be used again. Kill those that do not stop."""
        busy = {batch.actor for batch in self._in_flight.values() if batch.actor not in self._excluded}
        stopped = {actor: actor.call("stop") for actor in busy}
        futures = [batch.future for batch in self._in_flight.values()]
        wait([*futures, *stopped.values()], STOP_TIMEOUT_SECONDS)
        late = {batch.actor for batch in self._in_flight.values() if not batch.future.done()}
        late |= {actor for actor, answer in stopped.items() if not answer.done()}
        unusable = late | set(self._starting)
        for actor in unusable:
            actor.kill()
        usable = [actor for actor in self.shares if actor not in unusable | set(self._excluded)]
        for actor in busy & set(usable):
            actor.call("resume")
        return usable

    def _assign_batches(self) -> None:
        while self._free and self._backlog.left:
            actor, generation = self._free.popleft()
            if actor in self._excluded or generation != actor.generation:
                continue
            indices = self._backlog.take(self._sizer.batch_size(self._backlog.left))
            number = next(batch_numbers)
            future = actor.run(number, {index: self.programs[index] for index in indices})
            now = time.monotonic()
            batch = InFlightBatch(number, actor, generation, indices, future, now, now)
            self._in_flight[number] = batch
            self._when_done(future, self._on_batch_done, batch)
        if not self._in_flight and not self._starting:
            reasons = "; ".join(f"{actor.node}: {reason}" for actor, reason in self._excluded.items())
            raise SandboxUnavailable(f"no node of the cluster is left to run programs: {reasons}")

    def _when_done(self, answer: Future[Any], handler: Callable[..., None], *arguments: Any) -> None:
        """Queue a call of `handler` for the time when an answer is there."""
        answer.add_done_callback(lambda done: self._events.put(functools.partial(handler, *arguments, done)))

    def _on_batch_done(self, batch: InFlightBatch, future: Future[BatchReport]) -> None:
        """Take the results of a batch."""
        del self._in_flight[batch.number]
        try:
            report = future.result()
        except Exception as error:
            # Whatever Ray raised, nothing is known of those programs.
            self._on_batch_lost(batch, error)
            return
        self._record_results(report.results)
        self.meter.add(busy_seconds=report.seconds)
        self._sizer.observe(len(report.results), report.seconds)
        self._backlog.put_back(self._unfinished_of(batch))
        if report.error:
            self._exclude_actor(batch.actor, report.error)
            return
        self._consecutive_failures.pop(batch.actor, None)
        self._free.append((batch.actor, batch.generation))

    def _unfinished_of(self, batch: InFlightBatch) -> list[int]:
        return [index for index in batch.indices if index in self._unfinished]

    def _record_results(self, results: Mapping[int, RunResult]) -> None:
        """Record results, each once. The final report of a batch repeats the results that were polled before."""
        for index, result in results.items():
            if index not in self._unfinished:
                continue
            if isinstance(result, SandboxUnavailable) and self.controls.on_sandbox_error == "raise":
                raise result
            if isinstance(result, Verdict) and index in self._losses:
                result = dataclasses.replace(result, attempts=result.attempts + self._losses[index])
            self._unfinished.remove(index)
            self.meter.program_finished(result)
            self.on_result(index, result)

    def _on_batch_lost(self, batch: InFlightBatch, error: Exception) -> None:
        """Run a batch whose actor has died elsewhere, and start another actor."""
        unfinished, reason = self._unfinished_of(batch), _describe(error)
        seconds = time.monotonic() - batch.began
        self.meter.add(busy_seconds=seconds, restarts=1, retries=len(unfinished), lost_seconds=seconds)
        given_up: dict[int, RunResult] = {}
        for index in unfinished:
            self._losses[index] += 1
            if self._losses[index] == MAX_ATTEMPTS:
                given_up[index] = SandboxUnavailable(
                    f"{MAX_ATTEMPTS} of the cluster's actors died while they ran program {index}, the last one at "
                    f'{batch.actor.node}: {reason}; on_sandbox_error="exclude" leaves such programs out of the score'
                )
        self._record_results(given_up)
        self._backlog.put_back_singly([index for index in unfinished if index not in given_up])
        actor = batch.actor
        if batch.generation != actor.generation or actor in self._excluded:
            return
        log_event(
            "retry",
            "the cluster's node %s lost a batch, of which %d programs run again: %s",
            actor.node,
            len(unfinished),
            reason,
        )
        self._consecutive_failures[actor] += 1
        self._polled.pop(actor, None)
        actor.kill()
        if self._consecutive_failures[actor] == MAX_ATTEMPTS:
            self._exclude_actor(actor, f"its actors died {MAX_ATTEMPTS} times in a row, the last one of: {reason}")
            return
        self._starting[actor] = time.monotonic()
        self._when_done(actor.start(), self._on_actor_ready, actor, actor.generation)

    def _on_actor_ready(self, actor: ActorHandle, generation: int, preflight: Future[Any]) -> None:
        """Let an actor that was started again take batches."""
        if generation != actor.generation or actor in self._excluded:
            return
        del self._starting[actor]
        if (error := preflight.exception()) is not None:
            self._exclude_actor(actor, _describe(error))
        elif isinstance(isolation := preflight.result(), str):
            self._exclude_actor(actor, isolation)
        else:
            actor.isolation = isolation
            self._free.extend([(actor, generation)] * self.shares[actor])

    def _exclude_actor(self, actor: ActorHandle, reason: str) -> None:
        """Do without an actor for the rest of the run."""
        if actor not in self._excluded:
            self._excluded[actor] = reason
            self._starting.pop(actor, None)
            log_event("fallback", "the cluster's node %s is left out from here on: %s", actor.node, reason)
            actor.kill()

    def _poll_batches(self) -> None:
        """Ask batches that take long for their results so far, and for unstarted programs if other actors are idle."""
        now = time.monotonic()
        if now - self._polled_at < POLL_INTERVAL_SECONDS:
            return
        self._polled_at = now
        for actor, began in (*self._polled.items(), *self._starting.items()):
            if now - began > SILENCE_TIMEOUT_SECONDS:
                # If the actor has batches, they come back as lost.
                self._polled.pop(actor, None)
                if actor in self._starting:
                    self._exclude_actor(actor, f"it was not ready after {SILENCE_TIMEOUT_SECONDS:g} s")
                actor.kill()
        idle = 0
        if not self._backlog.left:
            idle = sum(
                actor not in self._excluded and generation == actor.generation for actor, generation in self._free
            )
        for batch in self._in_flight.values():
            if now - batch.polled_at < self._batch_poll_seconds:
                continue
            batch.polled_at = now
            if idle and not batch.returns_unstarted and len(self._unfinished_of(batch)) > 1:
                idle -= 1
                batch.returns_unstarted = True
                batch.actor.call("return_unstarted", batch.number)
            if batch.actor not in self._polled and batch.generation == batch.actor.generation:
                self._polled[batch.actor] = now
                self._when_done(batch.actor.call("new_results"), self._on_progress, batch.actor)

    def _on_progress(self, actor: ActorHandle, answer: Future[Any]) -> None:
        """Take the results so far of an actor's batches."""
        self._polled.pop(actor, None)
        if answer.exception() is None:
            self._record_results(answer.result())


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {first_line(error)}"[:MAX_ERROR_CHARS]
