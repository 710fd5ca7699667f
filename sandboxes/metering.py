"""The cost of a run: how busy its workers were, what broken sandboxes cost, and the most memory used."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandboxes.contract import Verdict
from sandboxes.errors import SandboxUnavailable

if TYPE_CHECKING:
    from sandboxes.workers.worker import Worker


@dataclass(frozen=True)
class Usage:
    """The counts of a `UsageMeter`."""

    programs: int
    """Programs that finished."""

    wall_seconds: float
    """Time since the meter was made."""

    worker_seconds: float
    """Time for which workers were up, summed over the workers."""

    busy_seconds: float
    """The part of `worker_seconds` in which workers had a program."""

    restarts: int
    """Workers that broke and were replaced."""

    retries: int
    """Programs that ran again because their worker broke."""

    lost_seconds: float
    """The part of `busy_seconds` that was in vain, because the worker broke."""

    peak_memory_bytes: int
    """Largest peak memory of any program."""

    @property
    def utilisation(self) -> float:
        """The share of `worker_seconds` in which workers had a program, in [0, 1]."""
        return self.busy_seconds / self.worker_seconds if self.worker_seconds else 0.0


class UsageMeter:
    """Counts what runs cost. One meter may be given to several runs, one after the other."""

    def __init__(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()
        self._programs = self._restarts = self._retries = self._peak_memory_bytes = 0
        self._worker_seconds = self._busy_seconds = self._lost_seconds = 0.0
        self._up_since: dict[Worker, float] = {}
        self._busy_since: dict[Worker, float] = {}

    @property
    def workers(self) -> list[Worker]:
        """The workers that are up."""
        return list(self._up_since)

    def worker_started(self, worker: Worker) -> None:
        """Begin to count a worker's time."""
        self._up_since[worker] = time.monotonic()

    def worker_busy(self, worker: Worker) -> None:
        """Begin to count a worker's busy time: it had no program, and has one now."""
        self._busy_since[worker] = time.monotonic()

    def worker_idle(self, worker: Worker) -> float:
        """End a worker's busy time: it has no program any more. Return the seconds for which it was busy."""
        now = time.monotonic()
        seconds = now - self._busy_since.pop(worker, now)
        self._busy_seconds += seconds
        return seconds

    def worker_stopped(self, worker: Worker) -> None:
        """End the time of a worker that is not used any more."""
        self.worker_idle(worker)
        now = time.monotonic()
        self._worker_seconds += now - self._up_since.pop(worker, now)

    def worker_broke(self, worker: Worker) -> None:
        """Count a worker that broke, with the programs that it had and the time that they lost."""
        self._restarts += 1
        self._retries += len(worker.in_flight)
        self._lost_seconds += self.worker_idle(worker)

    def add(
        self,
        worker_seconds: float = 0.0,
        busy_seconds: float = 0.0,
        restarts: int = 0,
        retries: int = 0,
        lost_seconds: float = 0.0,
    ) -> None:
        """Add what workers elsewhere did; the arguments are fields of `Usage`."""
        self._worker_seconds += worker_seconds
        self._busy_seconds += busy_seconds
        self._restarts += restarts
        self._retries += retries
        self._lost_seconds += lost_seconds

    def program_finished(self, result: Verdict | SandboxUnavailable) -> None:
        """Count a program that finished."""
        self._programs += 1
        if isinstance(result, Verdict):
            self._peak_memory_bytes = max(self._peak_memory_bytes, result.peak_memory_bytes)

    def snapshot(self) -> Usage:
        """Return the counts so far."""
        now = time.monotonic()
        return Usage(
            programs=self._programs,
            wall_seconds=now - self._began,
            worker_seconds=self._worker_seconds + sum(now - since for since in self._up_since.values()),
            busy_seconds=self._busy_seconds + sum(now - since for since in self._busy_since.values()),
            restarts=self._restarts,
            retries=self._retries,
            lost_seconds=self._lost_seconds,
            peak_memory_bytes=self._peak_memory_bytes,
        )
