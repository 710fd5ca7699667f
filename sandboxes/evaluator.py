"""The one path from tasks to results: every entry point runs candidates through an `Evaluator`.

Entry points differ only in their configuration. `EvalConfig.from_options` takes the options that an entry point refuses
as `without`, and its own defaults as `defaults`. This table has the other differences:

| entry point         | difference                                                                                    |
|---------------------|-----------------------------------------------------------------------------------------------|
| `evaluate_stream`   | dedupes only if the user asks for it; installs all packages that are given by import name     |
| rewards             | install all packages that are given by import name, so that all calls share one image         |
| `solve`             | runs tasks one by one (`run_async`), so there is nothing to dedupe                            |
| the server          | runs tasks one by one, for clients who take turns; a starved one runs again beside others      |
| the Space           | has no cache, because it stores no strangers' verdicts, and no cluster                        |
| code-execution      | builds its own programs, and opens a sandbox for each image and set of packages               |
| CodeCorrectness     | builds its own programs and repeats them itself, because each run has a token of its own      |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sandboxes.blocking_evaluator import BlockingEvaluator
from sandboxes.config import EvalConfig
from sandboxes.contract import Program
from sandboxes.guest.common.frames import RAW
from sandboxes.metering import Usage
from sandboxes.raw_runs.programs import raw_program, raw_result
from sandboxes.raw_runs.raw_run import RawResult, RawRun
from sandboxes.reuse.runner import ReusingRunner
from sandboxes.runner import OnResult, RunControls, RunResult
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.needed_modules import with_available_modules
from sandboxes.tasks.task import Task

if TYPE_CHECKING:
    from sandboxes.pool.program_queue import ProgramQueue

OnUsage = Callable[[Usage], None]
"""Callback for what a batch of programs has cost."""


class Evaluator(BlockingEvaluator):
    """Runs the candidates of tasks, and returns their results. Several threads may use it at once.

    An evaluator is a context manager, also for `async with`. Nothing is started before the first run. Warm workers
    outlive the evaluator, and all evaluators with equal sandboxes share them, unless `keep_warm` is False.
    """

    def __init__(
        self,
        config: EvalConfig,
        *,
        keep_warm: bool = True,
        retries_alone: bool = True,
        on_usage: OnUsage | None = None,
    ):
        """Set up an evaluator; nothing is started yet.

        Args:
            config: how candidates are run.
            keep_warm: whether workers stay warm for later evaluators of this process.
            retries_alone: whether the second run of a starved candidate holds back all others of `run_async`. False
                where these belong to clients who don't trust each other.
            on_usage: called in threads of the queue with what each batch of `run_async` has cost.
        """
        super().__init__(config, keep_warm=keep_warm)
        self.retries_alone, self.on_usage = retries_alone, on_usage
        self._queue: ProgramQueue | None = None
        self._languages: frozenset[str] = frozenset()
        """The languages whose files the workers of the queue have."""

    async def __aenter__(self) -> Self:
        """Run the sandbox's canaries, probe the languages of the configuration, and open the queue of `run_async`.

        Raises:
            SandboxUnavailable: if the sandbox does not work here, or lacks a language.
        """
        # Late, because most processes have no event loop, and asyncio takes long to import.
        import asyncio

        from sandboxes.pool.program_queue import ProgramQueue

        self._languages = frozenset(self.config.tasks.all_languages | {"python"})
        pool = await asyncio.to_thread(self.pool, self.config.tasks.all_languages)
        await asyncio.to_thread(pool.preflight)
        num_workers = self.config.num_workers or pool.cpus()
        # Programs that happen to wait together belong to different tasks, so no program replaces another one.
        options = replace(self.config.reuse, dedupe=False)

        def run_batch(programs: Sequence[Program], on_result: OnResult, controls: RunControls) -> None:
            alone = queue.alone if self.retries_alone else nullcontext
            reusing = ReusingRunner(pool, options, self.config.retry_starved, alone)
            runner = pool if programs[0].grading == RAW else reusing
            try:
                runner.run(dict(enumerate(programs)), controls, on_result)
            finally:
                if self.on_usage:
                    self.on_usage(controls.meter.snapshot())

        queue = self._queue = ProgramQueue(run_batch, num_workers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the programs that still run, and the workers, unless they stay warm."""
        import asyncio

        queue, self._queue = self._queue, None
        if queue:
            # In a thread, because the programs that run take a fraction of a second to end.
            await asyncio.to_thread(queue.close)
        self.__exit__(kind, error, trace)

    def like(self, config: EvalConfig) -> Evaluator:
        """Return an evaluator whose `run_async` uses the queue and the workers of this one, which must stay open.

        Args:
            config: with other limits, grading or options for running tasks.

        Raises:
            ValueError: if its sandbox is another one.
        """
        if config.sandbox != self.config.sandbox:
            raise ValueError("these options need another sandbox, whose workers are not here")
        other = Evaluator(config, keep_warm=self.keep_warm)
        other._queue, other._languages = self._queue, self._languages
        return other

    async def run_async(self, task: Task, client: str = "") -> RunResult:
        """Run the only candidate of a task as soon as a worker is free. Candidates that wait are run in batches.

        An error of the sandbox is returned as the result, whatever `on_sandbox_error` is. If the awaiting task is
        cancelled, so is the program.

        Args:
            task: with one candidate.
            client: for whom the candidate runs. Clients whose candidates wait take turns.

        Raises:
            ValueError, TypeError: if the reference is invalid, or the configuration does not have the task's language.
            RuntimeError: outside of `async with`.
            RunStopped: if the evaluator is closed meanwhile.
        """
        return await self.run_assembled(self.assemble([task]), 0, client)

    async def run_assembled(self, batch: ProgramBatch, index: int, client: str = "") -> RunResult:
        """Run one program of a batch, as `run_async` runs a candidate.

        Args:
            batch: as `assemble` returns it.
            index: of the program.
            client: as for `run_async`.

        Raises:
            ValueError, RuntimeError, RunStopped: as `run_async`.
        """
        import asyncio

        queue = self._open_queue
        self._require_languages(batch.languages)
        if batch.needed_modules():
            pool = await asyncio.to_thread(self.pool, self.config.tasks.all_languages)
            batch = await asyncio.to_thread(with_available_modules, batch, pool, "exclude")
        return batch.finalize(index, await queue.run(batch.programs[index], client))

    @property
    def waiting(self) -> int:
        """The number of programs of `run_async` that no worker has yet."""
        return self._queue.waiting if self._queue else 0

    async def execute_async(self, run: RawRun, client: str = "") -> RawResult:
        """Run a program as it stands as soon as a worker is free. The run ends if the waiting task is cancelled.

        Args:
            run: the program, and what goes in and out.
            client: as for `run_async`.

        Raises:
            ValueError: as `execute`, and if the configuration does not have the run's language.
            SandboxUnavailable: if the sandbox could not run it.
            RuntimeError, RunStopped: as `run_async`.
        """
        queue = self._open_queue
        self._require_languages(() if run.source is None else (run.language,))
        return raw_result(await queue.run(raw_program(run, self.config.sandbox), client))

    def _require_languages(self, languages: Iterable[str]) -> None:
        """Raise ValueError for a language whose files the workers don't have: its programs would fail."""
        if missing := sorted({*languages} - self._languages):
            names = ", ".join(sorted(self._languages))
            raise ValueError(f"language {missing[0]!r} is not one of the configuration's, which are {names}")

    @property
    def _open_queue(self) -> ProgramQueue:
        if self._queue is None:
            raise RuntimeError("the evaluator is not open: use it in `async with`")
        return self._queue
