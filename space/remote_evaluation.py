"""BigCodeBench's remote evaluation on the Space: `/predict`, which its `--execution gradio` calls."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

from code_tasks.adapters.bigcodebench import Evaluation, OwnerBounds, RemoteEvaluator
from code_tasks.adapters.bigcodebench_parameters import Parameters
from code_tasks.benchmarks import load_source
from sandboxes import EvalConfig, Evaluator, ProgramBatch, RunResult, SandboxUnavailable
from sandboxes.validation import hide_paths
from space.background_run import BackgroundRunner
from space.errors import RequestError, request_errors
from space.settings import Settings
from space.uploads import check_size

Answer = tuple[dict[str, Any], dict[str, Any]]


class RemoteEvaluation:
    """Runs files of samples for BigCodeBench's client."""

    def __init__(self, settings: Settings, runner: BackgroundRunner):
        """Load nothing yet: a dataset of the Hub is loaded for the first request.

        Args:
            settings: the limits of what visitors may ask for.
            runner: runs the programs.
        """
        self.settings = settings
        self._runner = runner

    async def predict(
        self, config: EvalConfig, values: Mapping[str, Any], samples: str | None
    ) -> AsyncGenerator[Answer | None, None]:
        """Run a file of samples. Yield None while it runs, and then (results, pass_at_k).

        Args:
            config: how candidates are run, without a benchmark's limits.
            values: the parameters by name.
            samples: path of the file.

        Raises:
            RequestError: for an invalid request, and if there is a program without a verdict.
        """
        evaluation, order, batch = await asyncio.to_thread(self._prepared, config, values, samples)
        results: Mapping[int, RunResult] = {}
        async with aclosing(self._runner.run(config, batch)) as run:
            async for update in run:
                results = update
                yield None
        if len(results) < len(batch.programs):
            raise RequestError(
                f"the run exceeded the {self.settings.max_run_seconds:g} seconds that this server allows: choose tasks "
                "with selective_evaluate, or ask its owner to raise CODE_EVAL_MAX_RUN_SECONDS"
            )
        in_order = [results[index] for index in sorted(results, key=order.__getitem__)]
        try:
            yield await asyncio.to_thread(evaluation.answer, in_order, config.tasks)
        except SandboxUnavailable as error:
            raise RequestError(
                f"the sandbox could not run a program, so that there are no verdicts: {hide_paths(str(error))}"
            ) from None

    def _prepared(
        self, config: EvalConfig, values: Mapping[str, Any], samples: str | None
    ) -> tuple[Evaluation, list[int], ProgramBatch]:
        """Return the evaluation, the index of each program's result in its answer, and the programs."""
        if not samples:
            raise RequestError('there is no file of samples: JSON lines with "task_id" and "completion" or "solution"')
        settings, path = self.settings, Path(samples)
        check_size(settings, path)
        bounds = OwnerBounds(settings.max_timeout, settings.max_memory_mb << 20, settings.max_samples)
        try:
            with request_errors(), open(path, "rb") as file:
                parameters = Parameters.of(values)
                remote = self._remote
                for loaded in remote.offered.values():
                    loaded.benchmark.check_sandbox(config.sandbox)
                evaluation = remote.evaluation(parameters, file, path.name, bounds)
                order, tasks = evaluation.tasks(config)
                return evaluation, order, Evaluator(config).assemble(tasks)
        except RequestError as error:
            raise RequestError(hide_paths(str(error))) from None

    @functools.cached_property
    def _remote(self) -> RemoteEvaluator:
        loaded = [load_source(source) for source in self.settings.benchmarks]
        return RemoteEvaluator({each.benchmark.name: each for each in loaded})
