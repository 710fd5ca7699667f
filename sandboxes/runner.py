"""The base class of pools, which run programs on this machine or on a cluster, and the types of their arguments.

Callers ask a `Runner` for all that they need, so that nobody asks for a pool's type. A run reports each result to a
callback and keeps none. `ProgramRunner.run_all` is the one place that collects results in a list.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from sandboxes.contract import Isolation, Program, Verdict
from sandboxes.errors import InvalidTests, SandboxUnavailable
from sandboxes.metering import UsageMeter
from sandboxes.outcome_labels import INVALID_TESTS, NOT_RUN
from sandboxes.validation import positive_int
from sandboxes.workers.sandbox import Sandbox

RunResult = Verdict | SandboxUnavailable
"""The result of a program: its verdict, or the error that says why there is none."""

OnResult = Callable[[int, RunResult], None]
"""Callback for a program that has ended: (the program's index, its result)."""

Finalize = Callable[[int, RunResult], RunResult]
"""Completes a program's result: (the program's index, its result) -> the result that is reported."""

ShouldStop = Callable[[], bool]
"""Returns True if a run is to end early."""

ShouldPreempt = Callable[[], bool]
"""Returns True if a run is to give up the programs that have not begun."""

Cancelled = Callable[[], Collection[int]]
"""Returns the indices of programs whose results nobody waits for any more."""

ON_SANDBOX_ERROR = ("raise", "exclude")
"""The choices for a program that the sandbox could not run: end with the error, or leave the program out."""

MIN_CHUNK, CHUNK_PER_WORKER = 16_384, 2048
"""Programs of a stream that run together. Many, because some workers idle at the end of every chunk."""


@dataclass(frozen=True)
class RunControls:
    """The way in which a run is carried out, whatever its programs are.

    Raises:
        ValueError, TypeError: if a number of workers or `on_sandbox_error` is invalid; the message names the value.
    """

    num_workers: int
    """Programs at once, >= 1, over all machines."""

    on_sandbox_error: str = "raise"
    """"raise", or "exclude": a program that the sandbox could not run, even on fresh workers, has the
    SandboxUnavailable as its result."""

    should_stop: ShouldStop | None = None
    """Called in the run's thread now and then. The run ends within a fraction of a second after a True."""

    meter: UsageMeter = field(default_factory=UsageMeter)
    """Counts what the run costs."""

    cancelled: Cancelled | None = None
    """Called in the run's thread now and then. These programs are ended within a fraction of a second, on workers that
    go on. Each has a `RunCancelled` as its result. On a cluster they run to their end."""

    should_preempt: ShouldPreempt | None = None
    """Called likewise. After a True, programs that have not begun are given up, and have no result. A cluster runs them
    all the same."""

    on_given_up: Callable[[int], None] | None = None
    """Called in the run's thread with the index of each program that is given up for `should_preempt`."""

    def __post_init__(self) -> None:
        """Check the number of workers and `on_sandbox_error`."""
        positive_int("num_workers", self.num_workers)
        if self.on_sandbox_error not in ON_SANDBOX_ERROR:
            choices = ", ".join(ON_SANDBOX_ERROR)
            raise ValueError(f"on_sandbox_error must be one of {choices}, not {self.on_sandbox_error!r}")


class ProgramRunner(ABC):
    """Runs programs. Several threads may use it at once."""

    @abstractmethod
    def run(self, programs: Mapping[int, Program], controls: RunControls, on_result: OnResult) -> None:
        """Run every program.

        Args:
            programs: programs by their indices, best sorted by tests, because a guest compiles the same tests only
                once.
            controls: how the run is carried out.
            on_result: called in this thread with each program's index and result, in the order in which programs end.

        Raises:
            SandboxUnavailable: if the sandbox can't run programs, or, with "raise", could not run one of these.
            RunStopped: if `controls.should_stop` returned True.
        """

    def run_all(
        self,
        programs: Sequence[Program],
        num_workers: int,
        on_result: OnResult | None = None,
        on_sandbox_error: str = "raise",
        should_stop: ShouldStop | None = None,
        meter: UsageMeter | None = None,
    ) -> list[RunResult]:
        """Run every program, and return the results in the programs' order.

        Args:
            programs: as for `run`, in a sequence.
            num_workers: as in `RunControls`.
            on_result: as for `run`.
            on_sandbox_error: as in `RunControls`.
            should_stop: as in `RunControls`.
            meter: as in `RunControls`.

        Raises:
            ValueError, TypeError: if `num_workers` or `on_sandbox_error` is invalid.
            SandboxUnavailable, RunStopped: as `run`.
        """
        controls = RunControls(num_workers, on_sandbox_error, should_stop, meter or UsageMeter())
        results: list[RunResult | None] = [None] * len(programs)

        def collect(index: int, result: RunResult) -> None:
            results[index] = result
            if on_result:
                on_result(index, result)

        self.run(dict(enumerate(programs)), controls, collect)
        # Each program has its result, because `run` has returned.
        return cast("list[RunResult]", results)


class Runner(ProgramRunner):
    """A pool: `Pool` and `ClusterPool` implement it."""

    sandbox: Sandbox
    """The sandbox in which programs run."""

    @abstractmethod
    def stream(
        self,
        programs: Iterable[Program],
        controls: RunControls,
        finalize: Finalize | None = None,
    ) -> Generator[RunResult]:
        """Run programs that need not all be in memory. They run while the caller waits for the next result.

        Args:
            programs: best sorted by tests.
            controls: how the run is carried out.
            finalize: completes a result as soon as the program has ended.

        Yields:
            The result of each program, in the programs' order.

        Raises:
            The errors of `run`, and those of `programs`.
        """

    @abstractmethod
    def preflight(self) -> Isolation:
        """Run the canaries, once, and return the isolation that is enforced where programs run.

        Raises:
            SandboxUnavailable: if the sandbox does not work there.
        """

    @abstractmethod
    def cpus(self) -> int:
        """Return how many programs can run at once without waiting for each other."""

    @abstractmethod
    def was_starved(self, seconds: float) -> bool:
        """Return whether a program that has just run for so long may have waited for a CPU."""

    @abstractmethod
    def restart(self) -> None:
        """Make the next programs run in fresh guests, where that costs little."""

    @abstractmethod
    def environment_key(self, language: str) -> bytes:
        """Return a key of the environment: all that decides verdicts beside the programs.

        Args:
            language: the programs' language.

        Raises:
            NotCacheable: if verdicts depend on something that a key can't hold.
            SandboxUnavailable: if the sandbox or the language is not available.
        """

    @abstractmethod
    def environment_is_known(self, language: str) -> bool:
        """Return whether `environment_key` has covered every machine on which programs have run."""

    @abstractmethod
    def retire(self) -> None:
        """End the idle workers, now and whenever a run ends."""

    @abstractmethod
    def close(self) -> None:
        """End the idle workers. The pool can be used again, with new ones."""


def state_of(result: RunResult) -> str:
    """Return the value of a result's outcome; NOT_RUN or INVALID_TESTS for a result that is no verdict."""
    if isinstance(result, Verdict):
        return result.outcome.value
    return INVALID_TESTS if isinstance(result, InvalidTests) else NOT_RUN


def chunks(programs: Iterable[Program], num_workers: int) -> Iterator[dict[int, Program]]:
    """Split a stream into programs that run together, each by its index in the stream."""
    source = enumerate(programs)
    while chunk := dict(itertools.islice(source, max(MIN_CHUNK, CHUNK_PER_WORKER * num_workers))):
        yield chunk
