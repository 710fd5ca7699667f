"""Repeated runs of programs, and second runs of starved programs, which timed out because the machine was busy."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from sandboxes.contract import Outcome, Program, Verdict, changed_verdict
from sandboxes.errors import InvalidTests
from sandboxes.events import log_event
from sandboxes.reuse.second_looks import SecondLooks
from sandboxes.runner import Finalize, OnResult, RunControls, Runner, RunResult

MIN_CPU_SHARE = 0.5
"""A program that timed out was probably starved if its CPU time is less than this share of its wall seconds."""

MAX_USED_SHARE = 0.95
"""The same share for a program that waited for longer than its wall seconds: it has hit the bound on all waiting."""

MAX_RETRIES_IN_VAIN = 5
"""After this many retried programs in a row time out again, the rest is assumed to hang, and is not retried."""

Alone = Callable[[], AbstractContextManager[object]]
"""Returns a context manager that holds back other programs on the same workers, so that one program runs alone."""


class VerdictSink(Protocol):
    """Stores verdicts. `RunCache` implements it."""

    def store(self, index: int, verdict: Verdict) -> None:
        """Store a verdict of one repeat."""

    def discard(self, index: int) -> None:
        """Store no verdict of a program whose repeats had different outcomes, or whose tests are invalid."""


class StarvedRetries:
    """Runs starved programs again, one at a time."""

    def __init__(self, runner: Runner, is_wanted: bool, controls: RunControls, alone: Alone = nullcontext):
        """Set up retries; nothing is run yet.

        Args:
            runner: the pool.
            is_wanted: False to retry no program.
            controls: those of the run that the programs belong to.
            alone: holds back other programs during a retry.
        """
        self.runner, self.is_wanted, self.controls, self.alone = runner, is_wanted, controls, alone
        self._in_vain = 0

    def begin(self) -> None:
        """Reset the count of retries in a row that were in vain."""
        self._in_vain = 0

    def was_starved(self, program: Program, result: RunResult, has_copies: bool = False) -> bool:
        """Return whether a program that has just ended may have timed out because it was starved.

        Args:
            program: the program.
            result: the result of its run.
            has_copies: whether its verdict counts for duplicates too. Such a program has the benefit of the doubt.
        """
        if not self.is_wanted or not isinstance(result, Verdict) or result.outcome is not Outcome.TIMED_OUT:
            return False
        seconds = program.limits.wall_seconds
        share = MAX_USED_SHARE if result.waited_seconds > seconds else MIN_CPU_SHARE
        had_little_cpu = result.cpu_seconds < share * seconds
        if not had_little_cpu and not has_copies:
            return False
        was_busy = self.runner.was_starved(result.wall_seconds)
        return had_little_cpu or was_busy if has_copies else was_busy

    def run_again(self, index: int, program: Program, verdict: Verdict) -> Verdict:
        """Run a program once more, alone, and return the verdict that counts."""
        if self._in_vain >= MAX_RETRIES_IN_VAIN:
            return verdict
        log_event("retry", "program %d timed out because the machine was busy, and runs again, alone", index)
        with self.alone():
            result: dict[int, RunResult] = {}
            controls = dataclasses.replace(self.controls, num_workers=1, should_preempt=None)
            self.runner.run({index: program}, controls, result.__setitem__)
            again = result[index]
        if isinstance(again, Verdict):
            verdict = dataclasses.replace(again, attempts=verdict.attempts + again.attempts)
        self._in_vain = self._in_vain + 1 if verdict.outcome is Outcome.TIMED_OUT else 0
        return verdict


class RepeatedRun:
    """Runs every program once or several times, and reports one result of each."""

    def __init__(
        self,
        programs: Mapping[int, Program],
        copies: Mapping[int, Sequence[int]],
        sink: VerdictSink,
        retries: StarvedRetries,
        looks: SecondLooks,
        on_result: OnResult,
        finalize: Finalize | None,
    ):
        """Set up a run; nothing is run yet.

        Args:
            programs: all programs, by their indices.
            copies: the duplicates of each program that is run, by their indices.
            sink: stores every verdict.
            retries: has the pool, and retries starved programs.
            looks: tells failed candidates from invalid tests.
            on_result: called for each program after its last repeat.
            finalize: completes a program's result.
        """
        self.programs, self.copies, self.sink, self.retries = programs, copies, sink, retries
        self.looks, self.on_result, self.finalize = looks, on_result, finalize
        self._is_last = True
        self._first: dict[int, RunResult] = {}
        self._outcomes: dict[int, tuple[Outcome, ...]] = {}

    def run(self, indices: Iterable[int], is_last: bool = True) -> None:
        """Run some programs once.

        Args:
            indices: the programs' indices.
            is_last: whether this repeat is the last one, after which results are reported.
        """
        self._is_last = is_last
        starved: dict[int, Verdict] = {}
        doubtful: dict[int, RunResult] = {}

        def take(index: int, result: RunResult) -> None:
            if self.retries.was_starved(self.programs[index], result, bool(self.copies[index])):
                assert isinstance(result, Verdict)  # noqa: S101 (for the type checker)
                starved[index] = result
            elif self.looks.is_due(self.programs[index], result):
                doubtful[index] = result
            else:
                self.settle(index, result)

        retries = self.retries
        retries.runner.run({index: self.programs[index] for index in indices}, retries.controls, take)
        retries.begin()
        # Programs with the most CPU time first, because they are the least likely to hang.
        for index, verdict in sorted(starved.items(), key=lambda item: -item[1].cpu_seconds):
            self.settle(index, retries.run_again(index, self.programs[index], verdict))
        for index, result in doubtful.items():
            # Tests that one of the repeats passed are flaky, and not invalid.
            if is_last and Outcome.PASSED not in self._outcomes.get(index, ()):
                result = self.looks.look(index, self.programs[index], result)
            self.settle(index, result)

    def settle(self, index: int, result: RunResult) -> None:
        """Take the result of a program in this repeat, for the program and for its duplicates."""
        if isinstance(result, Verdict) and not result.cached:
            self.sink.store(index, result)
        for copy in (index, *self.copies[index]):
            finalized = result
            if copy != index and isinstance(result, Verdict) and not result.cached:
                finalized = changed_verdict(result, duplicate_of=index)
            if self.finalize:
                finalized = self.finalize(copy, finalized)
            self._take(copy, finalized)

    def _take(self, index: int, result: RunResult) -> None:
        """Take the result of one program in this repeat, and report it after the last one."""
        outcomes = self._outcomes.get(index, ())
        if isinstance(result, Verdict):
            outcomes = (*outcomes, result.outcome)
        first = self._first.pop(index, result)
        if isinstance(result, InvalidTests):
            self.sink.discard(index)
        elif isinstance(first, Verdict):
            result = first
        if not self._is_last:
            self._first[index], self._outcomes[index] = result, outcomes
            return
        if len(outcomes) > 1 and isinstance(result, Verdict):
            result = dataclasses.replace(result, repeats=outcomes)
            if result.flaky and result.duplicate_of is None:
                self.sink.discard(index)
        if self.programs[index].encoded:
            self.programs[index].keep_encoded(None)
        self.on_result(index, result)
