"""The service behind the pages and the endpoints: it runs and scores programs for visitors."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from code_tasks.scoring.batch import SampleBatch
from code_tasks.scoring.estimates import PassAtK, pass_at_k
from sandboxes import EvalConfig, RunResult, Verdict, result_dict
from sandboxes.extraction.hints import AnswerHints
from sandboxes.outcome_labels import NOT_RUN
from sandboxes.runner import state_of
from sandboxes.validation import printable
from space.available_languages import Languages
from space.available_sandboxes import SandboxAvailability, default_sandbox
from space.background_run import BackgroundRunner
from space.errors import request_errors
from space.remote_evaluation import Answer, RemoteEvaluation
from space.service_requests import check_tests_of_file, checked_choices, checked_programs
from space.settings import Settings
from space.time_outs import worded_detail
from space.uploads import FileStore, ResultsFile, read_uploads

MAX_CURVE_POINTS = 50
MAX_CELL_CHARS = 200


@dataclass(frozen=True)
class Progress:
    """The results of a run so far, and its score once it is over."""

    total: int
    """All programs of the run."""

    results: Mapping[int, RunResult]
    """The results so far, by the index of the program."""

    is_over: bool
    estimates: Sequence[PassAtK] = ()
    """pass@k over the programs that were run. Empty while the run is not over."""

    left_out: Sequence[str] = ()
    """A line for each k that is left out."""

    curve: Sequence[PassAtK] = ()
    """pass@k for each k that there are enough candidates for, to be drawn."""

    wall_seconds: float = 0.0
    hints: AnswerHints = field(default_factory=AnswerHints)
    """What the results say about the answers, once the run is over."""

    @property
    def note(self) -> str:
        """A sentence about a run in which some programs have no verdict; empty for other runs."""
        if not self.is_over or len(self.results) == self.total:
            return ""
        return (
            "The run exceeded the time limit of this server and was stopped: the other candidates have no verdict "
            "and are not in the score"
        )

    @property
    def counts(self) -> Counter[str]:
        """Programs by outcome; NOT_RUN for programs that the sandbox could not run."""
        return Counter(map(state_of, self.results.values()))


@dataclass(frozen=True)
class Evaluation:
    """The progress of candidates that were sent in the request itself."""

    progress: Progress
    results: Sequence[Mapping[str, Any] | None]
    """One per candidate, task by task; None for a candidate without a verdict."""


@dataclass(frozen=True)
class FileScore:
    """The progress of a file of samples."""

    progress: Progress
    file: ResultsFile | None = None
    """The results; None until the run is over."""

    rows: Sequence[Sequence[Any]] = ()
    """The table, once the run is over: number, task, sample, outcome, seconds, MiB, detail."""


class Service:
    """Scores programs for visitors. Their runs are independent."""

    def __init__(self, settings: Settings, sandboxes: Mapping[str, SandboxAvailability], store: FileStore):
        """Start nothing yet.

        Args:
            settings: the limits of what visitors may ask for.
            sandboxes: the sandboxes by name.
            store: keeps the results.
        """
        self.settings = settings
        self.sandboxes = sandboxes
        self.default_sandbox = default_sandbox(sandboxes, settings)
        self.languages = Languages(sandboxes)
        self.store = store
        self._runner = BackgroundRunner(settings)
        self._remote = RemoteEvaluation(settings, self._runner)

    def choices(
        self, sandbox: Any, grading: Any, k: Any, timeout: Any, memory_mb: Any, language: Any, extract: Any = "none"
    ) -> EvalConfig:
        """Return a visitor's choices, checked as `checked_choices` does; None chooses the default sandbox."""
        sandbox = self.default_sandbox if sandbox is None else sandbox
        choices = checked_choices(
            self.settings, self.sandboxes, sandbox, grading, k, timeout, memory_mb, language, extract
        )
        return self.languages.chosen(choices, {choices.tasks.language})

    async def evaluate(
        self, choices: EvalConfig, predictions: Any, references: Any
    ) -> AsyncGenerator[Evaluation, None]:
        """Run candidates, in the metric's arguments, and yield the progress.

        Raises:
            RequestError: for an invalid request.
        """
        sizes, batch = await asyncio.to_thread(checked_programs, self.settings, choices, predictions, references)
        ids = [(task, number) for task, size in enumerate(sizes) for number in range(size)]
        started_at = time.monotonic()

        def evaluation(results: Mapping[int, RunResult], is_over: bool) -> Evaluation:
            shown = [
                result_dict(task, number, results[index], choices.extra_fields, ids) if index in results else None
                for index, (task, number) in enumerate(ids)
            ]
            results_by_task: dict[str, list[RunResult]] = {str(task): [] for task in range(len(sizes))}
            for index, result in sorted(results.items()):
                results_by_task[str(ids[index][0])].append(result)
            total = len(batch.programs)
            progress = progress_with_scores(total, results, is_over, results_by_task, choices.k, started_at)
            if is_over:
                run = [(task, predictions[task][number], shown[index]) for index, (task, number) in enumerate(ids)]
                ended = [(task, answer, result) for task, answer, result in run if result]
                progress = replace(progress, hints=AnswerHints.of(ended))
            return Evaluation(progress, shown)

        results: Mapping[int, RunResult] = {}
        async with aclosing(self._runner.run(choices, batch)) as run:
            async for results in run:
                yield evaluation(results, is_over=False)
        yield evaluation(results, is_over=True)

    async def score(
        self, choices: EvalConfig, samples: str | None, problems: str | None, dataset: str | None
    ) -> AsyncGenerator[FileScore, None]:
        """Run the samples of a file, and yield the progress.

        Args:
            choices: how to run and score the samples.
            samples: path of the file.
            problems: path of a file of problems, or None.
            dataset: name of a dataset, or None.

        Raises:
            RequestError: for an invalid request.
        """
        sample_batch = await asyncio.to_thread(self._sample_batch, choices, samples, problems, dataset)
        choices = self.languages.chosen(choices, sample_batch.batch.languages)
        started_at = time.monotonic()
        results: Mapping[int, RunResult] = {}
        async with aclosing(self._runner.run(choices, sample_batch.batch)) as run:
            async for results in run:
                yield FileScore(Progress(len(sample_batch.programs), results, is_over=False))
        yield await asyncio.to_thread(self._score, choices, sample_batch, results, started_at)

    def predict(self, values: Mapping[str, Any], samples: str | None) -> AsyncGenerator[Answer | None, None]:
        """Run a file of samples for BigCodeBench's client, as `RemoteEvaluation.predict` does."""
        config = self.choices(None, "auto", 1, self.settings.max_timeout, self.settings.max_memory_mb, "python")
        return self._remote.predict(config, values, samples)

    def _sample_batch(
        self, choices: EvalConfig, samples: str | None, problems: str | None, dataset: str | None
    ) -> SampleBatch:
        """Return the programs of a file."""
        in_file, tasks = read_uploads(self.settings, samples, problems, dataset, choices.tasks.language)
        used = {sample.task_id: tasks[sample.task_id] for sample in in_file}
        # Checked first: otherwise Go's packages would be compiled on a server without Go.
        self.languages.chosen(choices, {problem.language or choices.tasks.language for problem in used.values()})
        if problems:
            check_tests_of_file({problem.tests for problem in used.values()})
        with request_errors():
            return SampleBatch.of(in_file, tasks, choices.tasks, choices.limits, choices.grading)

    def _score(
        self, choices: EvalConfig, batch: SampleBatch, results: Mapping[int, RunResult], started_at: float
    ) -> FileScore:
        """Return the score of a run that is over, and keep its results."""
        records = batch.records(results, choices.extra_fields)
        results_by_task = batch.results_by_task(results)
        progress = progress_with_scores(len(batch.programs), results, True, results_by_task, choices.k, started_at)
        hints = AnswerHints.of((record["task_id"], record["completion"], record) for record in records)
        rows = [table_row(number, record) for number, record in enumerate(records, start=1)]
        return FileScore(replace(progress, hints=hints), self.store.keep(records), rows)


def table_row(number: int, record: Mapping[str, Any]) -> list[Any]:
    """Return a record as a row of the table."""
    task = table_cell(record["task_id"])
    if record["passed"] is None:
        state = record.get("outcome", NOT_RUN)
        return [number, task, record["completion_id"], state, None, None, table_cell(record["result"])]
    return [
        number,
        task,
        record["completion_id"],
        record["outcome"],
        round(record["wall_seconds"], 3),
        round(record["peak_memory_bytes"] / (1 << 20)),
        table_cell(worded_detail(record)),
    ]


def table_cell(text: str) -> str:
    """Return a text short enough for the table. A click on the row shows all of it."""
    return printable(text if len(text) <= MAX_CELL_CHARS else text[: MAX_CELL_CHARS - 1] + "…")


def progress_with_scores(
    total: int,
    results: Mapping[int, RunResult],
    is_over: bool,
    results_by_task: Mapping[str, Sequence[RunResult]],
    ks: Sequence[int],
    started_at: float,
) -> Progress:
    """Return the progress of a run, with its scores if it is over.

    Args:
        total: all programs of the run.
        results: the results so far, by the index of the program.
        is_over: whether there will be no more.
        results_by_task: the results of each task.
        ks: the k of pass@k.
        started_at: when the run began, by `time.monotonic`.
    """
    if not is_over:
        return Progress(total, results, is_over)
    estimates, lines = pass_at_k(results_by_task, ks)
    # The lines name tasks, and a visitor's task may have a long name.
    left_out = [table_cell(line) for line in lines]
    verdicts = (sum(isinstance(result, Verdict) for result in group) for group in results_by_task.values() if group)
    max_k = min(verdicts, default=0)
    step = -(-max_k // MAX_CURVE_POINTS)
    curve, _ = pass_at_k(results_by_task, range(1, max_k + 1, step or 1))
    return Progress(total, results, is_over, estimates, left_out, curve, time.monotonic() - started_at)
