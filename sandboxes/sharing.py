"""What need not be run, and what has to run again: between those who want programs run and the pool that runs them.

Verdicts of earlier calls come from a cache. Programs that are the same are run once for all. Each may be run several
times, to see whether its verdict holds. One that timed out for want of a CPU is run once more, alone, after the rest.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from sandboxes.cache import DEFAULT_CACHE_MB, Cache, checked_folder
from sandboxes.cache_keys import NotCacheable, ProgramKeys, key_of, surroundings_of
from sandboxes.checks import shortened, whole_number
from sandboxes.contract import Isolation, Outcome, Program, Sandbox, Verdict
from sandboxes.determinism import is_deterministic
from sandboxes.metering import Meter
from sandboxes.pool import Pool
from sandboxes.restricted_python import RestrictedPythonSandbox
from sandboxes.rlimit_process import RlimitProcessSandbox
from sandboxes.rounds import Finish, Rounds
from sandboxes.runner import Ended, OnEnded, Runner, ShouldStop

OPTIONS = ("cache_dir", "cache_mb", "cache_unstable", "dedupe", "repeats")
UNSTABLE = (Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY)
"""Outcomes that hang on the machine too."""

# Of a stream: many, because at the end of each time some workers have nothing to do.
FEWEST_AT_A_TIME, PER_WORKER_AT_A_TIME = 16_384, 2048
VERDICTS_AT_ONCE, SECONDS_BETWEEN_WRITES = 500, 2.0


@dataclass(frozen=True)
class Sharing:
    """What people chose of what is run once, not at all, or several times."""

    cache_dir: Path | None = None
    cache_mb: int = DEFAULT_CACHE_MB
    cache_unstable: bool = False
    """Whether time-outs, verdicts for want of memory and flaky ones are kept too."""

    dedupe: bool | None = None
    """Whether the same programs are run once. None: where they look deterministic, and run on this machine."""

    repeats: int = 1
    """How often each program is run."""

    @classmethod
    def checked(cls, **given: Any) -> Sharing:
        """What people give, as keywords of OPTIONS; None for the defaults.

        Raises:
            ValueError, TypeError: for what can't be right; the message names the value.
        """
        given = {name: value for name, value in given.items() if value is not None}
        for name in ("cache_unstable", "dedupe"):
            if given.get(name) not in (None, True, False):
                raise TypeError(f"{name} must be True or False, not {shortened(given[name])}")
        if "cache_dir" not in given and (alone := [name for name in ("cache_mb", "cache_unstable") if name in given]):
            raise ValueError(f"{alone[0]} needs cache_dir, the folder of the cache")
        for name in ("cache_mb", "repeats"):
            if name in given:
                given[name] = whole_number(name, given[name])
        if "cache_dir" in given:
            given["cache_dir"] = checked_folder(given["cache_dir"])
        return cls(**given)


class SharingPool:
    """A pool that runs no more programs than it must. Several threads may use it at once."""

    def __init__(self, pool: Runner, sharing: Sharing = Sharing()):  # noqa: B008 (frozen)
        """Starts nothing.

        Args:
            pool: what runs the programs that have to be.
            sharing: what was chosen.
        """
        self.pool, self.sharing = pool, sharing

    @property
    def sandbox(self) -> Sandbox:
        """The pool's."""
        return self.pool.sandbox

    def preflight(self) -> Isolation:
        """As `Pool.preflight`."""
        return self.pool.preflight()

    def run_all(
        self,
        programs: Sequence[Program],
        num_workers: int,
        on_ended: OnEnded | None = None,
        on_sandbox_error: str = "raise",
        should_stop: ShouldStop | None = None,
        meter: Meter | None = None,
        finish: Finish | None = None,
    ) -> list[Ended]:
        """What became of each program, in their order.

        Args:
            programs: as for `Pool.run_all`, as are the other arguments; what it raises is raised here too.
            num_workers: programs at once.
            on_ended: told of each program when nothing more is to happen to it, after `finish`.
            on_sandbox_error: "raise" or "exclude".
            should_stop: whether to stop early.
            meter: counts what the run cost.
            finish: what is still to be done with what became of a program. Whether verdicts differ is decided after it,
                what is kept in the cache is what was before it.
        """
        keys: list[bytes] = []
        if self.sharing.cache_dir or self.sharing.dedupe is not False:
            of = ProgramKeys()
            keys = [of.of(program) for program in programs]
        copies = copies_of(programs, keys, self._may_share)
        with KeptVerdicts(self.pool, self.sharing, programs, keys) as kept:
            run = Rounds(self.pool, programs, copies, kept, on_ended, finish, meter)
            left = list(copies)
            if self.sharing.repeats == 1:
                found = kept.find(left)
                for index, verdict in found.items():
                    run.settle(index, verdict)
                left = [index for index in left if index not in found]
            for number in range(1, self.sharing.repeats + 1):
                run.is_last = number == self.sharing.repeats
                if number > 1 and isinstance(self.pool, Pool):
                    # In new guests sets of strings have another order.
                    self.pool.close()
                run.run(left, num_workers, on_sandbox_error, should_stop)
        return run.ended

    def stream(
        self,
        programs: Iterable[Program],
        num_workers: int,
        on_ended: OnEnded,
        on_sandbox_error: str = "raise",
        meter: Meter | None = None,
        finish: Finish | None = None,
    ) -> None:
        """Runs programs that need not all be in memory: some ten thousand at a time.

        What is the same is seen, and a busy machine's time-outs are run again, among those of one time. Workers wait
        for the last of these before they go on with the next.

        Args:
            programs: as `run_all` takes them, as are the other arguments.
            num_workers: programs at once.
            on_ended: told of each program, by its index among all of them.
            on_sandbox_error: "raise" or "exclude".
            meter: counts what the run cost.
            finish: as `run_all` takes it; by the index among all of them.
        """
        begin = 0
        for some in at_a_time(programs, num_workers):
            first = begin

            def end(index: int, ended: Ended, first: int = first) -> None:
                if isinstance(ended, Verdict) and ended.duplicate_of is not None:
                    ended = replace(ended, duplicate_of=first + ended.duplicate_of)
                on_ended(first + index, ended)

            def finished(index: int, ended: Ended, first: int = first) -> Ended:
                return finish(first + index, ended) if finish else ended

            self.run_all(some, num_workers, end, on_sandbox_error, None, meter, finished)
            begin += len(some)

    def in_order(
        self,
        programs: Iterable[Program],
        num_workers: int,
        on_sandbox_error: str = "raise",
        finish: Finish | None = None,
    ) -> Generator[Ended]:
        """The same as results in the programs' order, each as soon as those before it are there.

        With a cache, `dedupe=True` or repeats they come at the end of each time. Otherwise nothing is shared, and
        workers never wait for each other.
        """
        choice = self.sharing
        if isinstance(self.pool, Pool) and not (choice.cache_dir or choice.dedupe or choice.repeats > 1):
            with closing(self.pool.stream(programs, num_workers, on_sandbox_error, in_order=True)) as stream:
                for index, ended in stream:
                    yield finish(index, ended) if finish else ended
            return
        begin = 0
        for some in at_a_time(programs, num_workers):

            def finished(index: int, ended: Ended, first: int = begin) -> Ended:
                return finish(first + index, ended) if finish else ended

            for ended in self.run_all(some, num_workers, None, on_sandbox_error, finish=finished):
                if isinstance(ended, Verdict) and ended.duplicate_of is not None:
                    ended = replace(ended, duplicate_of=begin + ended.duplicate_of)
                yield ended
            begin += len(some)

    def _may_share(self, program: Program) -> bool:
        """Whether the verdict of a program is that of others which are the same."""
        if self.sharing.dedupe is not None:
            return self.sharing.dedupe
        sandbox = self.pool.sandbox
        if not isinstance(sandbox, RlimitProcessSandbox) or sandbox.confinement.network:
            return False
        if isinstance(sandbox, RestrictedPythonSandbox) and sandbox.restrictions.has_code:
            return False
        return is_deterministic(program)


def at_a_time(programs: Iterable[Program], num_workers: int) -> Iterator[list[Program]]:
    """Programs of a stream, as many as are run together."""
    source = iter(programs)
    while some := list(itertools.islice(source, max(FEWEST_AT_A_TIME, PER_WORKER_AT_A_TIME * num_workers))):
        yield some


def copies_of(
    programs: Sequence[Program], keys: Sequence[bytes], may_share: Callable[[Program], bool]
) -> dict[int, list[int]]:
    """The indices of programs that are to be run, each with those that it is run for too.

    Args:
        programs: all of them.
        keys: theirs: the same for the same programs. None at all: each is run.
        may_share: whether a program, of which there are several, is run once.
    """
    if not keys:
        return {index: [] for index in range(len(programs))}
    first: dict[bytes, int] = {}
    shared: dict[bytes, bool] = {}
    copies: dict[int, list[int]] = {}
    for index, key in enumerate(keys):
        if key in first:
            if key not in shared:
                shared[key] = may_share(programs[index])
            if shared[key]:
                copies[first[key]].append(index)
                continue
        first.setdefault(key, index)
        copies[index] = []
    return copies


class KeptVerdicts:
    """The cache of one run: a context manager. Without a cache it finds and keeps nothing."""

    def __init__(self, pool: Runner, sharing: Sharing, programs: Sequence[Program], keys: Sequence[bytes]):
        """Opens nothing yet.

        Args:
            pool: where programs run.
            sharing: what was chosen.
            programs: those of the run.
            keys: theirs.
        """
        self.pool, self.sharing, self.programs = pool, sharing, programs
        self._program_keys = keys
        self._cache: Cache | None = None
        self._surroundings: dict[str, bytes] = {}
        self._layers: tuple[str, ...] = ()
        self._unwritten: dict[bytes, Verdict] = {}
        self._written_at = time.monotonic()
        # Of programs that run several times: what they became, which may not be the same.
        self._runs_several_times = sharing.repeats > 1 or len(set(keys)) < len(keys)
        self._outcomes: dict[bytes, Outcome] = {}
        self._unsettled: set[bytes] = set()

    def __enter__(self) -> KeptVerdicts:
        """Opens the cache, if there is one and what decides on verdicts here can be told."""
        if self.sharing.cache_dir is None or not self.programs:
            return self
        try:
            languages = {program.language for program in self.programs}
            self._surroundings = {name: surroundings_of(self.pool, name) for name in languages}
        except NotCacheable as reason:
            warnings.warn(f"results are neither taken from the cache nor kept there: {reason}", stacklevel=4)
            return self
        self._layers = self.pool.preflight().layers
        self._cache = Cache(self.sharing.cache_dir, self.sharing.cache_mb << 20).__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Writes what is left to be written, also of a run that was cut short."""
        if self._cache:
            self._write()
            self._cache.__exit__(kind, error, trace)

    def find(self, indices: Sequence[int]) -> dict[int, Verdict]:
        """The verdicts that are known, of some programs."""
        if not self._cache:
            return {}
        keys = {index: self._key(index) for index in indices}
        found = self._cache.get(list(dict.fromkeys(keys.values())))
        if self.sharing.cache_unstable:
            others = {key_of_unstable(key): key for key in keys.values() if key not in found}
            found |= {others[key]: verdict for key, verdict in self._cache.get(list(others)).items()}
        return {index: found[key] for index, key in keys.items() if key in found}

    def keep(self, index: int, verdict: Verdict) -> None:
        """Keeps what became of a program, if it would become so again."""
        if not self._cache or verdict.isolation != self._layers:
            return
        key = self._key(index)
        if self._runs_several_times and self._outcomes.setdefault(key, verdict.outcome) is not verdict.outcome:
            self.drop(index)
        if key not in self._unsettled and not is_unstable(verdict):
            self._unwritten[key] = verdict
        elif self.sharing.cache_unstable:
            self._unwritten.setdefault(key_of_unstable(key), verdict)
        if len(self._unwritten) >= VERDICTS_AT_ONCE or time.monotonic() > self._written_at + SECONDS_BETWEEN_WRITES:
            self._write()

    def drop(self, index: int) -> None:
        """Keeps nothing of a program whose runs differ, unless that was asked for."""
        if not self._cache:
            return
        key = self._key(index)
        self._unsettled.add(key)
        if self.sharing.cache_unstable and key in self._unwritten:
            self._unwritten.setdefault(key_of_unstable(key), self._unwritten[key])

    def _key(self, index: int) -> bytes:
        return key_of(self._surroundings[self.programs[index].language], self._program_keys[index])

    def _write(self) -> None:
        assert self._cache  # noqa: S101 (for the type checker)
        self._cache.put((key, each) for key, each in self._unwritten.items() if key not in self._unsettled)
        self._cache.forget(self._unsettled)
        self._unwritten.clear()
        self._written_at = time.monotonic()


def key_of_unstable(key: bytes) -> bytes:
    """Where a verdict stands that nobody finds who has not asked for such."""
    return key_of(b"unstable", key)


def is_unstable(verdict: Verdict) -> bool:
    """Whether a verdict, or that of one of its tests, hangs on the machine too."""
    return verdict.outcome in UNSTABLE or any(test.outcome in UNSTABLE for test in verdict.tests)
