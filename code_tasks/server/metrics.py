"""The figures of a server, in the form that Prometheus reads. Each app has a registry of its own."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from sandboxes import Outcome, RunResult, Usage, Verdict

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds of the buckets of times."""

MEBIBYTES = tuple(mebibytes << 20 for mebibytes in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096))
"""Upper bounds of the buckets of memory, in bytes."""

UNAVAILABLE, RAW = "sandbox_unavailable", "raw_run"
"""The labels of a program that has no verdict, and of a raw run."""


class Metrics:
    """The figures of one app."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.registry = registry = CollectorRegistry()
        results = Counter("code_eval_results", "Programs that ended, by outcome.", ["outcome"], registry=registry)
        # Looked up once, because each look-up takes a lock.
        self._results = {
            name: results.labels(name) for name in (*(member.value for member in Outcome), UNAVAILABLE, RAW)
        }
        self._total_seconds = Histogram(
            "code_eval_seconds", "Seconds from a program's request to its result.", buckets=SECONDS, registry=registry
        )
        self._program_seconds = Histogram(
            "code_eval_program_seconds", "Seconds that programs ran.", buckets=SECONDS, registry=registry
        )
        self._memory_bytes = Histogram(
            "code_eval_program_memory_bytes", "Peak memory of programs.", buckets=MEBIBYTES, registry=registry
        )
        self._rejected = Counter(
            "code_eval_rejected", "Programs that were not accepted, by reason.", ["reason"], registry=registry
        )
        self._cancelled = Counter(
            "code_eval_cancelled", "Programs whose client went away before they ended.", registry=registry
        )
        self._restarts = Counter(
            "code_eval_worker_restarts", "Workers that broke and were replaced.", registry=registry
        )
        self._busy_seconds = Counter(
            "code_eval_worker_busy_seconds", "Seconds in which workers had a program.", registry=registry
        )
        # The memory and the CPU time of the server process itself.
        ProcessCollector(registry=registry)

    def watch_queue(self, waiting: Callable[[], int], pending: Callable[[], int]) -> None:
        """Report the state of a queue whenever the figures are read.

        Args:
            waiting: returns the number of programs that no worker has yet.
            pending: returns the number of programs that wait or run.
        """
        gauge = Gauge("code_eval_waiting", "Programs that no worker has yet.", registry=self.registry)
        gauge.set_function(waiting)
        gauge = Gauge("code_eval_running", "Programs that a worker has.", registry=self.registry)
        gauge.set_function(lambda: max(0, pending() - waiting()))

    def count_result(self, result: RunResult, seconds: float) -> None:
        """Count a program that ended.

        Args:
            result: the program's.
            seconds: since it was accepted.
        """
        self._total_seconds.observe(seconds)
        if isinstance(result, Verdict):
            self._results[result.outcome.value].inc()
            self._program_seconds.observe(result.wall_seconds)
            self._memory_bytes.observe(result.peak_memory_bytes)
        else:
            self._results[UNAVAILABLE].inc()

    def count_raw_run(self, program_seconds: float, seconds: float) -> None:
        """Count a raw run, which has no outcome.

        Args:
            program_seconds: for which its program ran.
            seconds: since it was accepted.
        """
        self._total_seconds.observe(seconds)
        self._program_seconds.observe(program_seconds)
        self._results[RAW].inc()

    def count_rejected(self, reason: str, programs: int) -> None:
        """Count programs that were not accepted."""
        self._rejected.labels(reason).inc(programs)

    def count_cancelled(self) -> None:
        """Count a program whose client went away."""
        self._cancelled.inc()

    def count_usage(self, usage: Usage) -> None:
        """Count what a batch of programs has cost. Called in any thread."""
        self._busy_seconds.inc(usage.busy_seconds)
        if usage.restarts:
            self._restarts.inc(usage.restarts)

    def as_text(self) -> bytes:
        """Return all figures as Prometheus' text."""
        return generate_latest(self.registry)
