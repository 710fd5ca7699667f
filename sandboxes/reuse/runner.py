"""A runner that runs no program twice without need. It sits between an `Evaluator` and the pool.

Verdicts of earlier calls come from a cache, and identical programs run once. With `repeats`, every program runs several
times, to show whether its verdict is stable. A starved program runs once more, alone, after the others. Tests
that may have failed by themselves run once without a candidate.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext

from sandboxes.contract import Program, Verdict
from sandboxes.reuse.dedupe import group_duplicates, program_identities
from sandboxes.reuse.determinism import is_deterministic
from sandboxes.reuse.options import ReuseOptions
from sandboxes.reuse.repeats import Alone, RepeatedRun, StarvedRetries
from sandboxes.reuse.run_cache import RunCache
from sandboxes.reuse.second_looks import SecondLooks
from sandboxes.runner import Finalize, OnResult, ProgramRunner, RunControls, Runner, RunResult, chunks


class ReusingRunner(ProgramRunner):
    """Runs programs on a pool, and applies cache, dedupe and repeats. Several threads may use it at once."""

    def __init__(
        self,
        runner: Runner,
        options: ReuseOptions = ReuseOptions(),  # noqa: B008 (frozen)
        retry_starved: bool = True,
        alone: Alone = nullcontext,
        finalize: Finalize | None = None,
    ):
        """Set up a runner; nothing is started yet.

        Args:
            runner: the pool.
            options: options for cache, dedupe and repeats.
            retry_starved: whether a starved program is run once more, alone.
            alone: holds back other programs meanwhile.
            finalize: completes a program's result. The cache stores verdicts as they were before. Repeats are compared
                afterwards.
        """
        self.runner, self.options, self.finalize = runner, options, finalize
        self.retry_starved, self.alone = retry_starved, alone

    def run(self, programs: Mapping[int, Program], controls: RunControls, on_result: OnResult) -> None:
        """Run every program, as `ProgramRunner.run` describes it. `on_result` gets the final results."""
        retries = StarvedRetries(self.runner, self.retry_starved, controls, self.alone)
        with RunCache(self.runner, self.options, programs) as cache:
            copies = group_duplicates(programs, self._identities(programs, cache.keys), self._may_dedupe)
            looks = SecondLooks(self.runner, controls)
            run = RepeatedRun(programs, copies, cache, retries, looks, on_result, self.finalize)
            repeats = self.options.repeats
            known = cache.lookup(copies) if repeats == 1 else {}
            for index, verdict in known.items():
                run.settle(index, verdict)
            wanted = [index for index in copies if index not in known]
            for number in range(1, repeats + 1):
                if number > 1:
                    # With a random hash seed, sets of strings have another order in a fresh guest.
                    self.runner.restart()
                run.run(wanted, is_last=number == repeats)

    def run_stream(self, programs: Iterable[Program], controls: RunControls, on_result: OnResult) -> None:
        """Run programs that need not all be in memory, in chunks of some ten thousand.

        Duplicates are found within a chunk. Starved programs run again at its end, and workers wait for the last of
        them before the next chunk begins.

        Args:
            programs: best sorted by tests.
            controls: as for `run`.
            on_result: as for `run`, with the index among all programs.
        """
        for chunk in chunks(programs, controls.num_workers):
            self.run(chunk, controls, on_result)

    def stream_ordered(self, programs: Iterable[Program], controls: RunControls) -> Generator[RunResult]:
        """Yield results in the programs' order, each as soon as all earlier programs have ended.

        With a cache, `dedupe=True` or repeats, results come at the end of each chunk. Otherwise nothing is reused, and
        workers never wait for each other, unless a starved program runs again.
        """
        options = self.options
        if not (options.cache_dir or options.dedupe or options.repeats > 1):
            yield from self._stream_without_reuse(programs, controls)
            return
        for chunk in chunks(programs, controls.num_workers):
            results: dict[int, RunResult] = {}
            self.run(chunk, controls, results.__setitem__)
            for index in chunk:
                yield results.pop(index)

    def _stream_without_reuse(self, programs: Iterable[Program], controls: RunControls) -> Generator[RunResult]:
        retries = StarvedRetries(self.runner, self.retry_starved, controls, self.alone)
        looks = SecondLooks(self.runner, controls)
        running: dict[int, Program] = {}

        def tracked() -> Iterator[Program]:
            for index, program in enumerate(programs):
                running[index] = program
                yield program

        def settle(index: int, result: RunResult) -> RunResult:
            program = running.pop(index)
            # Meanwhile the stream hands out no programs, so this program soon has the machine for itself.
            if isinstance(result, Verdict) and retries.was_starved(program, result):
                result = retries.run_again(index, program, result)
            elif looks.is_due(program, result):
                result = looks.look(index, program, result)
            return self.finalize(index, result) if self.finalize else result

        with closing(self.runner.stream(tracked(), controls, settle)) as stream:
            yield from stream

    def _identities(self, programs: Mapping[int, Program], cache_keys: Mapping[int, bytes]) -> Mapping[int, Hashable]:
        """Return a key of each program, by which duplicates are detected; nothing if nothing is deduped."""
        if self.options.dedupe is False or (self.options.dedupe is None and not self.runner.sandbox.verdicts_repeat):
            return {}
        return cache_keys or program_identities(programs)

    def _may_dedupe(self, program: Program) -> bool:
        """Return whether one run of a program may count for its duplicates."""
        return self.options.dedupe or is_deterministic(program)
