"""The work behind the endpoints: programs are run in a bounded queue that is fair between clients."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from code_tasks.server.assembled_task import AssembledTask, TaskMemory, check_seconds, count_cases
from code_tasks.server.errors import InvalidRequest, LimitExceeded, QueueFull, ShuttingDown
from code_tasks.server.evaluation_request import SMALL_TESTS_CHARS
from code_tasks.server.metrics import Metrics
from code_tasks.server.queue_places import QueuePlaces
from code_tasks.server.settings import ServerSettings
from sandboxes import (
    Evaluator,
    Isolation,
    RawResult,
    RawRun,
    RunResult,
    RunStopped,
    SandboxUnavailable,
    Task,
    close_pools,
)
from sandboxes.available_languages import probe_languages
from sandboxes.languages.judge_programs import MEMORY_MB as JUDGE_MEMORY_MB
from sandboxes.languages.judge_programs import SECONDS as JUDGE_SECONDS
from sandboxes.languages.judge_programs import JudgeProgram
from sandboxes.languages.registry import probe_version
from sandboxes.pool.cpus import usable_cpus
from sandboxes.tasks.analyses import drop_test_analyses

MAX_CONFIGURATIONS = 256
"""Sets of options whose evaluators are kept."""

MAX_ANALYSED_CHARS = 32 << 20
"""Length of all tests whose analyses are kept in memory."""


class Service:
    """Runs tasks for clients. Used in one event loop; a context manager for `async with`."""

    def __init__(self, settings: ServerSettings, metrics: Metrics):
        """Set up a service; nothing is started yet."""
        self.settings, self.metrics = settings, metrics
        self.languages: Mapping[str, str] = {}
        """The languages that candidates may be written in, with their versions."""
        self.isolation = Isolation((), {}, "")
        """The isolation of candidates."""
        self.test_runners: set[str] = set()
        """Programs that run tests, such as jest, and have worked in the sandbox."""
        self.is_ready = False
        """True while programs are accepted."""
        self.num_workers = settings.config.num_workers or max(1, usable_cpus() // settings.processes)
        self._evaluator = Evaluator(settings.config)
        self._evaluator_with = lru_cache(MAX_CONFIGURATIONS)(self._make_evaluator)
        self.places = QueuePlaces(settings.max_queue, self.num_workers)
        self._memory = TaskMemory()
        self._analysed_chars = 0
        """Length of the tests that were parsed since the analyses were dropped."""
        self.ending: asyncio.Future[Any] | None = None
        """The end of programs and sessions, once the server has waited for them for long enough."""
        metrics.watch_queue(lambda: self._evaluator.waiting, lambda: self.places.taken)

    async def __aenter__(self) -> Self:
        """Start the workers, and wait until they are warm.

        Raises:
            SandboxUnavailable: if the sandbox does not work here, or lacks a language that the owner named.
        """
        config = self.settings.config
        names = self.settings.allowed_languages
        if not names:
            names = tuple(config.sandbox.languages or ())
        if not names:
            available = await asyncio.to_thread(probe_languages, config.sandbox, keep_warm=True)
            config, names = replace(config, sandbox=available.sandbox), ("python", *available.names)
        if config.num_workers is None and config.cluster is None:
            config = replace(config, num_workers=self.num_workers)
        config = replace(config, tasks=replace(config.tasks, languages=names))
        self._evaluator = Evaluator(config, retries_alone=False, on_usage=self.metrics.count_usage)
        await self._evaluator.__aenter__()
        pool = await asyncio.to_thread(self._evaluator.pool, names)
        self.isolation = pool.preflight()
        self.languages = {
            name: self.isolation.python if name == "python" else await asyncio.to_thread(probe_version, pool, name)
            for name in names
        }
        self.is_ready = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the programs that still run, and the workers."""
        await self.end_programs()
        await asyncio.to_thread(close_pools)

    def stop_accepting(self) -> None:
        """Refuse programs from now on. Those that were accepted go on."""
        self.is_ready = False

    async def end_programs(self) -> None:
        """End the programs that still run. Whoever waits for them gets a ShuttingDown."""
        self.is_ready = False
        await self._evaluator.__aexit__(None, None, None)

    async def evaluate(self, task: Task, options: Mapping[str, Any], client: str) -> RunResult:
        """Run the only candidate of a task. If the awaiting task is cancelled, so is the program.

        Args:
            task: with one candidate.
            options: of the option table, as the client chose them.
            client: whom the program is run for, as `request.state.client` names it.

        Returns:
            The verdict, or the SandboxUnavailable that says why there is none.

        Raises:
            InvalidRequest, LimitExceeded: if the task or the options are refused.
            QueueFull, ShuttingDown: if the program is not accepted, or the server ends before it.
        """
        with self.admitted(client):
            assembled = await self.assemble(task, options)
            with self.holding([assembled]):
                return await self.run(assembled, 0, client)

    async def assemble(self, task: Task, options: Mapping[str, Any], field: str = "") -> AssembledTask:
        """Build the programs of a task; nothing is run.

        Args:
            task: with a language.
            options: of the option table, as the client chose them.
            field: the place of the task in the request, such as "tasks.0.", for messages.

        Raises:
            InvalidRequest, LimitExceeded: if the task or the options are refused.
        """
        self._check_language(task.language, f"{field}language")
        try:
            evaluator = self._evaluator_with(json.dumps(options, sort_keys=True))
        except (ValueError, TypeError) as error:
            raise InvalidRequest(f"{field}options", str(error)) from None
        seconds_each = (task.limits or evaluator.config.limits).wall_seconds
        bounds = (seconds_each, self.settings.max_task_seconds, f"{field}cases")
        try:
            if isinstance(task.reference, str) and len(task.reference) < SMALL_TESTS_CHARS:
                cases = count_cases(task, *bounds)
                batch = evaluator.assemble([task])
            else:
                cases = await asyncio.to_thread(count_cases, task, *bounds)
                batch = await asyncio.to_thread(evaluator.assemble, [task])
        except (ValueError, TypeError) as error:
            raise InvalidRequest(f"{field}tests", str(error)) from None
        except (RecursionError, MemoryError):
            raise InvalidRequest(f"{field}tests", "the tests are nested too deeply") from None
        finally:
            self._count_analysed(task.reference)
        self._check_judges(batch.judges, field)
        seconds_each += sum(judge.seconds for judge in batch.judges)
        check_seconds(f"{field}cases", cases, seconds_each, self.settings.max_task_seconds)
        return AssembledTask(evaluator, batch, evaluator.config.extra_fields, cases)

    def _check_judges(self, judges: Iterable[JudgeProgram], field: str) -> None:
        """Raise LimitExceeded for more than the owner allows and the default is, InvalidRequest for a language."""
        for judge in judges:
            if judge.language != "python":
                self._check_language(judge.language, f"{field}cases.{judge.kind}.language")
            for name, value, default, limit in (
                ("timeout", judge.seconds, JUDGE_SECONDS, self.settings.max_timeout),
                ("memory_mb", judge.memory_mb, JUDGE_MEMORY_MB, self.settings.max_memory_mb),
            ):
                if value > max(default, limit):
                    raise LimitExceeded(f"{field}cases.{judge.kind}.{name}", value, limit)

    def _count_analysed(self, reference: object) -> None:
        self._analysed_chars += len(reference) if isinstance(reference, str) else 0
        if self._analysed_chars > MAX_ANALYSED_CHARS:
            self._analysed_chars = 0
            drop_test_analyses()

    async def run(self, task: AssembledTask, index: int, client: str) -> RunResult:
        """Run a candidate of a task. The program must be admitted. Otherwise as `evaluate`."""
        began = time.monotonic()
        try:
            result = await task.evaluator.run_assembled(task.batch, index, client)
        except RunStopped:
            raise ShuttingDown from None
        except SandboxUnavailable as error:
            # The sandbox does not start any more.
            result = error
        except asyncio.CancelledError:
            self.metrics.count_cancelled()
            raise
        self.metrics.count_result(result, time.monotonic() - began)
        if not isinstance(result, SandboxUnavailable):
            self.places.note_seconds(result.wall_seconds)
        return result

    async def execute(self, run: RawRun, client: str) -> RawResult:
        """Run a program as it stands. If the awaiting task is cancelled, so is the program.

        Raises:
            ValueError: if the sandbox does not run such a program.
            InvalidRequest: if its language is not one of the server's.
            LimitExceeded: if it asks for more than the owner allows.
            QueueFull, ShuttingDown: as `evaluate`.
            SandboxUnavailable: if the sandbox could not run it.
        """
        if run.source is not None:
            self._check_language(run.language, "language")
        self._check_raw_limits(run)
        with self.admitted(client):
            began = time.monotonic()
            try:
                result = await self._evaluator.execute_async(run, client)
            except RunStopped:
                raise ShuttingDown from None
            except asyncio.CancelledError:
                self.metrics.count_cancelled()
                raise
            except SandboxUnavailable as error:
                self.metrics.count_result(error, time.monotonic() - began)
                raise
        process = result.run or result.compile
        seconds = process.wall_seconds if process else 0.0
        self.metrics.count_raw_run(seconds, time.monotonic() - began)
        self.places.note_seconds(seconds)
        return result

    def _check_language(self, language: str | None, field: str) -> None:
        if language not in self.languages:
            names = ", ".join(self.languages)
            raise InvalidRequest(field, f"programs in {language} don't run here; choose one of {names}")

    def _check_raw_limits(self, run: RawRun) -> None:
        """Raise LimitExceeded if a raw run asks for more than the owner allows."""
        settings = self.settings
        asked = [("timeout", run.limits.wall_seconds, settings.max_timeout)]
        asked += [("memory_mb", run.limits.memory_bytes / (1 << 20), settings.max_memory_mb)]
        asked += [("max_output_bytes", run.limits.output_bytes, settings.max_kept_output_bytes)]
        asked += [("max_processes", run.limits.processes, settings.config.limits.processes)]
        if run.compile_limits:
            asked += [("compile_timeout", run.compile_limits.wall_seconds, settings.max_compile_timeout)]
        for name, value, limit in asked:
            if value > limit:
                raise LimitExceeded(name, value, limit)

    @contextlib.contextmanager
    def admitted(self, client: str, programs: int = 1) -> Iterator[None]:
        """Count programs of a client as pending for as long as the block runs.

        Raises:
            QueueFull: if there is no room for them, as `QueuePlaces.take` says.
            ShuttingDown: if no programs are accepted any more.
        """
        if not self.is_ready:
            self.metrics.count_rejected("shutting_down", programs)
            raise ShuttingDown
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self.places.take(client, programs))
            except QueueFull:
                self.metrics.count_rejected("queue_full", programs)
                raise
            yield

    def holding(self, tasks: Iterable[AssembledTask]) -> AbstractContextManager[None]:
        """Count the memory of tasks for as long as the block runs, which raises QueueFull if there is no room."""
        return self._memory.holding(tasks, self._queue_full)

    def _queue_full(self, programs: int) -> QueueFull:
        self.metrics.count_rejected("queue_full", programs)
        return self.places.full()

    def _make_evaluator(self, options: str) -> Evaluator:
        """Return the evaluator of a client's options.

        Raises:
            LimitExceeded: if one exceeds a limit of the owner's.
            ValueError, TypeError: if options are invalid, or contradict each other.
        """
        given = json.loads(options)
        for name, limit in self.settings.limits.items():
            if given.get(name) is not None and given[name] > limit:
                raise LimitExceeded(name, given[name], limit)
        base = self._evaluator.config
        config = self.settings.config_with(given)
        tasks = replace(config.tasks, languages=base.tasks.languages)
        return self._evaluator.like(replace(config, sandbox=base.sandbox, tasks=tasks))
