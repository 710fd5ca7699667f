"""Candidates run while the calling thread waits: at once, or as a stream. `evaluator.py` adds coroutines."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from types import TracebackType
from typing import Self

from sandboxes.config import EvalConfig
from sandboxes.contract import Isolation, Program
from sandboxes.languages.judge_programs import Interactor
from sandboxes.metering import UsageMeter
from sandboxes.raw_runs.programs import raw_program, raw_result
from sandboxes.raw_runs.raw_run import RawResult, RawRun
from sandboxes.reuse.runner import ReusingRunner
from sandboxes.runner import Finalize, OnResult, RunControls, Runner, RunResult, ShouldStop
from sandboxes.tasks.batch import ProgramBatch, TaskFacts
from sandboxes.tasks.needed_modules import with_available_modules
from sandboxes.tasks.options import check_supported, require_languages, with_mounts
from sandboxes.tasks.task import Task
from sandboxes.tasks.task_stream import TaskStream
from sandboxes.warm_pools import open_pool, warm_pool
from sandboxes.workers.sandbox import Sandbox


class BlockingEvaluator:
    """The half of an `Evaluator` whose methods block the calling thread. Several threads may use it at once."""

    def __init__(self, config: EvalConfig, *, keep_warm: bool = True):
        """Set up an evaluator; nothing is started yet.

        Args:
            config: how candidates are run.
            keep_warm: whether workers stay warm for later evaluators of this process.
        """
        self.config, self.keep_warm = config, keep_warm
        self._own_pools: dict[Sandbox, Runner] = {}

    def __enter__(self) -> Self:
        """Return the evaluator."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the workers, unless they stay warm."""
        pools, self._own_pools = self._own_pools, {}
        for pool in pools.values():
            pool.close()

    def execute(self, run: RawRun, should_stop: ShouldStop | None = None) -> RawResult:
        """Run a program as it stands, and return how it ended.

        Args:
            run: the program, and what goes in and out.
            should_stop: as for `run`.

        Raises:
            ValueError: if the sandbox does not run such a program, or a file has the name of the source.
            SandboxUnavailable: if the sandbox could not run it.
            RunStopped: if `should_stop` returned True.
        """
        program = raw_program(run, self.config.sandbox)
        pool = self.pool({*self.config.tasks.all_languages, *(() if run.source is None else (run.language,))})
        [result] = pool.run_all([program], 1, on_sandbox_error="exclude", should_stop=should_stop)
        return raw_result(result)

    def preflight(self, languages: Iterable[str] = ()) -> Isolation:
        """Run the sandbox's canaries, once, probe languages, and return the isolation.

        Args:
            languages: the languages that candidates will be written in.

        Raises:
            ValueError: if the sandbox does not support a language.
            SandboxUnavailable: if the sandbox does not work here, or lacks a language.
        """
        return self.pool(languages).preflight()

    def require_modules(self, tasks: Sequence[TaskFacts]) -> None:
        """Check that programs can import the modules that tasks need, for callers whose tasks come in parts.

        Raises:
            SandboxUnavailable, ValueError: as `run`, if a module is missing and the configuration raises.
        """
        batch = ProgramBatch([Program("", "")] * len(tasks), tasks, self.config.tasks)
        if batch.needed_modules():
            pool = self.pool(self.config.tasks.all_languages)
            with_available_modules(batch, pool, self.config.on_sandbox_error)

    def pool(self, languages: Iterable[str] = (), sources: Iterable[str] | None = None) -> Runner:
        """Return the pool that runs candidates in these languages, after the languages are probed.

        Args:
            languages: the candidates' languages.
            sources: candidates and tests, whose imports choose the packages. None: all packages are installed.

        Raises:
            ValueError, SandboxUnavailable: as `preflight`.
        """
        languages = {*languages}
        check_supported(self.config.sandbox, languages)
        sandbox = with_mounts(self.config.sandbox, languages)
        if sources is not None and self.config.chooses_packages:
            sandbox = sandbox.for_sources(sources)
        if self.keep_warm:
            pool = warm_pool(sandbox, self.config.cluster)
        else:
            pool = self._own_pools.get(sandbox) or self._own_pools.setdefault(
                sandbox, open_pool(sandbox, self.config.cluster)
            )
        require_languages(pool, languages)
        return pool

    def assemble(self, tasks: Iterable[Task]) -> ProgramBatch:
        """Build the programs of tasks; nothing is run.

        Raises:
            ValueError, TypeError: if a reference is invalid; the message has the task's name.
            ValueError: if the sandbox can't run their judge programs.
        """
        config = self.config
        parses_here = config.sandbox.uses_host_files and not config.sandbox.has_policy
        batch = ProgramBatch.assemble(tasks, config.tasks, config.limits, config.grading, parses_here)
        if batch.judges and self.config.sandbox.has_policy:
            kind = "interactors" if isinstance(batch.judges[0], Interactor) else "checker programs"
            raise ValueError(
                f'{kind} read files, which sandbox="{self.config.sandbox.name}" refuses; '
                'choose "subprocess" or "docker"'
            )
        return batch

    def run(
        self,
        tasks: Iterable[Task] | ProgramBatch,
        *,
        on_result: OnResult | None = None,
        should_stop: ShouldStop | None = None,
        meter: UsageMeter | None = None,
        num_workers: int | None = None,
    ) -> list[RunResult]:
        """Run every candidate, and return the results in the candidates' order, task by task.

        Args:
            tasks: the tasks, best sorted by reference; or their programs.
            on_result: called in this thread with the index and the result of each candidate that has ended.
            should_stop: called in this thread now and then. The run ends within a fraction of a second after a True.
            meter: counts what the run costs.
            num_workers: candidates at once, in place of the configuration's number.

        Raises:
            ValueError, TypeError: if a reference is invalid.
            SandboxUnavailable: if the sandbox can't run candidates, or, with "raise", could not run one of these.
            RunStopped: if `should_stop` returned True.
        """
        batch = tasks if isinstance(tasks, ProgramBatch) else self.assemble(tasks)
        pool = self.pool(batch.languages, batch.sources())
        batch = with_available_modules(batch, pool, self.config.on_sandbox_error)
        num_workers = num_workers or self.config.num_workers or pool.cpus()
        return self._reusing(pool, batch.finalize).run_all(
            batch.programs, num_workers, on_result, self.config.on_sandbox_error, should_stop, meter
        )

    def run_stream(
        self,
        tasks: Iterable[Task],
        on_result: OnResult,
        *,
        should_stop: ShouldStop | None = None,
        meter: UsageMeter | None = None,
    ) -> None:
        """Run tasks that need not all be in memory, in chunks of some ten thousand candidates.

        Duplicates are found within a chunk. Starved candidates run again at its end, and workers wait for the last of
        them before the next chunk begins.

        Args:
            tasks: all in the languages of the configuration.
            on_result: called with the index, among all candidates, and the result of each candidate that has ended.
            should_stop: as for `run`.
            meter: as for `run`.

        Raises:
            Exception: the errors of `run`, and those of `tasks`.
        """
        stream = TaskStream(tasks, self._assemble_available)
        runner, controls = self._streaming(stream, should_stop, meter)
        runner.run_stream(stream.programs(), controls, stream.forgetting(on_result))

    def stream(
        self, tasks: Iterable[Task], *, should_stop: ShouldStop | None = None, meter: UsageMeter | None = None
    ) -> Generator[RunResult]:
        """Yield the results of tasks that need not all be in memory, in the order of their candidates.

        Candidates run while the caller waits for the next result. A few thousand at most are read before they have
        ended. With a cache, `dedupe=True` or repeats they run in chunks, as in `run_stream`.

        Args:
            tasks: all in the languages of the configuration.
            should_stop: as for `run`.
            meter: as for `run`.

        Raises:
            Exception: the errors of `run`, and those of `tasks`.
        """
        stream = TaskStream(tasks, self._assemble_available)
        runner, controls = self._streaming(stream, should_stop, meter)
        with closing(runner.stream_ordered(stream.programs(), controls)) as results:
            for index, result in enumerate(results):
                stream.forget(index)
                yield result

    def _assemble_available(self, tasks: Iterable[Task]) -> ProgramBatch:
        """Build the programs of tasks. None runs without the modules that it needs."""
        batch = self.assemble(tasks)
        if not batch.needed_modules():
            return batch
        return with_available_modules(batch, self.pool(self.config.tasks.all_languages), self.config.on_sandbox_error)

    def _streaming(
        self, stream: TaskStream, should_stop: ShouldStop | None, meter: UsageMeter | None
    ) -> tuple[ReusingRunner, RunControls]:
        """Return what runs a stream, and how."""
        pool = self.pool(self.config.tasks.all_languages)
        num_workers = self.config.num_workers or pool.cpus()
        controls = RunControls(num_workers, self.config.on_sandbox_error, should_stop, meter or UsageMeter())
        return self._reusing(pool, stream.finalize), controls

    def _reusing(self, pool: Runner, finalize: Finalize) -> ReusingRunner:
        return ReusingRunner(pool, self.config.reuse, self.config.retry_starved, finalize=finalize)
