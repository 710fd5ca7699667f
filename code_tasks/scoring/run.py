"""The run of a file of samples: few samples are in memory at once, and results go to disk as they arrive."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import resource
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.samples import Sample
from code_tasks.scoring.batch import tasks_of_samples
from code_tasks.scoring.coverage import WHOLE, Coverage
from code_tasks.scoring.results_file import PartialResults
from code_tasks.scoring.sample_file import IndexedSample, SampleFile
from code_tasks.scoring.strict import BothResults, with_own_verdict
from code_tasks.scoring.summary import NO_SCORES, Tally, as_data, as_text, scores
from sandboxes import EvalConfig, Evaluator, RunResult, Task, Usage, UsageMeter, result_dict
from sandboxes.extraction import EXTRACTORS, OwnExtractor
from sandboxes.pool.progress import ProgressBar
from sandboxes.tasks.batch import TaskFacts, invalid_tests_message

# Samples that are sorted by task together. Samples of one task share its tests, which saves the sandbox work.
SAMPLES_PER_GROUP = 2048


@dataclass(frozen=True)
class ScoringConfig:
    """The configuration with which samples of problems are run."""

    problems: Mapping[str, Problem]
    config: EvalConfig
    official_form: Callable[[Problem], Problem] | None = None
    """For `--strict-official`, as `Benchmark.official_form`. None: samples have our verdict alone."""

    def tasks(self, samples: Sequence[Sample]) -> tuple[list[int], list[Task]]:
        """Return (order, tasks) of samples, as `tasks_of_samples` does."""
        return tasks_of_samples(samples, self.problems, self.config.tasks, self.config.limits)

    def official_tasks(self, samples: Sequence[Sample]) -> tuple[list[int], list[Task]]:
        """Return the same with the official forms of problems, without the problems that have none of their own."""
        if self.official_form is None:
            return [], []
        names = {sample.task_id for sample in samples}
        forms = {name: self.official_form(self.problems[name]) for name in names}
        forms = {name: form for name, form in forms.items() if form is not self.problems[name]}
        chosen = [number for number, sample in enumerate(samples) if sample.task_id in forms]
        own = [samples[number] for number in chosen]
        options = self.config.tasks
        if options.extract is EXTRACTORS["auto"]:
            # The official graders read no answers in this way.
            options = replace(options, extract=None)
        order, tasks = tasks_of_samples(own, forms, options, self.config.limits)
        return [chosen[number] for number in order], tasks

    def for_file(self, file: SampleFile) -> tuple[EvalConfig, list[TaskFacts]]:
        """Return the configuration for a file's samples, with the languages of all its tasks, and what these need.

        Raises:
            ValueError, TypeError: if a task can't be run with this configuration, or if tests are invalid and the
                options don't skip them; the message names the tasks.
        """
        options = replace(self.config.tasks, extract=None)
        evaluator = Evaluator(replace(self.config, tasks=replace(options, on_invalid_tests="skip")))
        languages: set[str] = set()
        facts: list[TaskFacts] = []
        invalid: dict[str, list[str]] = {}
        for task_id in file.counts_by_task:
            batch = evaluator.assemble(self.tasks([Sample(task_id, "")])[1])
            languages |= batch.languages
            # Without the tests: those of all tasks would be too large.
            facts += [replace(task, tests=None) for task in batch.tasks]
            if reason := batch.programs[0].invalid_tests:
                invalid.setdefault(reason, []).append(batch.tasks[0].name)
        if invalid and options.on_invalid_tests == "raise":
            raise ValueError(invalid_tests_message(invalid))
        return replace(self.config, tasks=replace(options, languages=tuple(sorted(languages)))), facts

    def settings(self, file: SampleFile) -> dict[str, Any]:
        """Return the values that affect results, which a resumed run compares with those of its partial file."""
        problems = [dataclasses.astuple(self.problems[task_id]) for task_id in sorted(file.counts_by_task)]
        return {
            "samples": file.sha256,
            "problems": hashlib.sha256(json.dumps(problems, default=named).encode()).hexdigest(),
            "grading": self.config.grading,
            "limits": dataclasses.asdict(self.config.limits),
            "kinds": {name: named(value) for name, value in vars(self.config.tasks).items()},
            **({"strict_official": True} if self.official_form else {}),
        }


def named(value: Any) -> Any:
    """Return the name of a function; any other value unchanged."""
    value = value.function if isinstance(value, OwnExtractor) else value
    return f"{value.__module__}:{value.__qualname__}" if callable(value) else value


@dataclass(frozen=True)
class ScoreSummary:
    """The results of a run as counts, with its resource usage."""

    tally: Tally
    metered: Usage
    ran: int
    """Number of samples that this run ran. The other results are those of an interrupted run."""

    coverage: Coverage = WHOLE
    """What the samples leave out."""

    def as_text(self, ks: Sequence[int] | None) -> str:
        """Return the report, as `summary.as_text` does."""
        return as_text(self.tally, ks, self.metered.wall_seconds, self.ran, self.coverage)

    def as_data(self, ks: Sequence[int] | None) -> dict[str, Any]:
        """Return the report as plain data, as `summary.as_data` does, with what this run cost."""
        cost = {"samples_run": self.ran, "wall_seconds": round(self.metered.wall_seconds, 3)}
        return {**as_data(self.tally, ks, self.coverage), **cost}

    def pass_at(self, k: int) -> float | None:
        """Return pass@k in [0, 1]; None if a task has too few samples."""
        estimate = scores(self.tally, [k], self.coverage)[0].get(f"pass@{k}")
        return estimate.mean if estimate else None

    def summary(self) -> dict[str, Any]:
        """Return time, memory and speed of the run, for the results file."""
        metered = self.metered
        return {
            "samples": self.tally.samples,
            "samples_run": self.ran,
            "wall_seconds": round(metered.wall_seconds, 3),
            "samples_per_second": round(self.ran / metered.wall_seconds, 1),
            "worker_utilisation": round(metered.utilisation, 3),
            "restarts": metered.restarts,
            "retries": metered.retries,
            "lost_seconds": round(metered.lost_seconds, 3),
            "peak_memory_bytes": metered.peak_memory_bytes,
            # ru_maxrss is in KiB on Linux.
            "caller_peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
        }


def summary_of_results(results: Iterable[Mapping[str, Any]], problems: Mapping[str, Problem]) -> ScoreSummary:
    """Return the summary of a run that is complete already, of which nothing ran now.

    Args:
        results: the records of its results file.
        problems: by task_id.
    """
    tally = Tally()
    for record in results:
        problem = problems.get(record["task_id"])
        tally.add(record["task_id"], record, problem.scores if problem else NO_SCORES)
    return ScoreSummary(tally, UsageMeter().snapshot(), 0)


@dataclass(frozen=True)
class ScoringRun:
    """A run of the samples of a file."""

    file: SampleFile
    scoring: ScoringConfig
    evaluator: Evaluator
    """The evaluator for the file, with the configuration of `ScoringConfig.for_file`."""

    def run(self, output: Path | None, settings: Mapping[str, Any], resume: bool) -> ScoreSummary:
        """Run the samples that have no results yet, with a progress bar.

        Args:
            output: the results file; None: results are not written.
            settings: the values that affect results.
            resume: whether to continue the partial file of `output`.

        Raises:
            PartialResultsError: as `PartialResults` does.
            SandboxUnavailable: as `Evaluator.run` does.
            InputError: if the file of samples changed.
        """
        tally = Tally()
        with ExitStack() as stack:
            partial = (
                stack.enter_context(PartialResults(output, self.file.total, settings, resume, self.file.counts_by_task))
                if output
                else None
            )
            for _, record in partial.records() if partial else ():
                tally.add(record["task_id"], record, self.scores(record))
            samples_before = tally.samples
            meter = UsageMeter()
            bar = stack.enter_context(ProgressBar(self.file.total - samples_before, self.evaluator.config.progress))

            def add(index: int, record: dict[str, Any]) -> None:
                tally.add(record["task_id"], record, self.scores(record))
                if partial:
                    partial.write(index, record)

            self._run(bar, meter, add, partial if partial else ())
            summary = ScoreSummary(tally, meter.snapshot(), tally.samples - samples_before)
            if partial:
                partial.finish(summary.summary())
        return summary

    def scores(self, record: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
        """Return the further scores of a sample's problem. Official forms have no single tests to count them from."""
        return NO_SCORES if self.scoring.official_form else self.scoring.problems[record["task_id"]].scores

    def _run(
        self,
        bar: ProgressBar,
        meter: UsageMeter,
        add: Callable[[int, dict[str, Any]], None],
        without: Container[int],
    ) -> None:
        """Run all samples but those in `without`, and call `add` with each sample's index and record."""
        running: dict[int, Started] = {}
        ids, both = SampleIds(), BothResults()

        def report(index: int, result: RunResult) -> None:
            started = running.pop(index)
            indexed, sample = started.indexed, started.indexed.sample
            fields = self.evaluator.config.extra_fields
            record = result_dict(sample.task_id, indexed.completion_id, result, fields, ids)
            if started.is_one_of_two:
                settled = both.add(indexed.index, started.is_official, result, record)
                if settled is None:
                    return
                result, record = settled
            elif self.scoring.official_form:
                record = with_own_verdict(record, record)
            bar.count(index, result)
            add(indexed.index, sample.record() | record)

        self.evaluator.run_stream(self._tasks(running, ids, without), report, meter=meter)

    def _tasks(self, running: dict[int, Started], ids: SampleIds, without: Container[int]) -> Iterator[Task]:
        """Yield the samples' tasks, and put the sample of each candidate into `running`, by the candidate's index."""
        for group in self.file.groups(SAMPLES_PER_GROUP, without):
            samples = [indexed.sample for indexed in group]
            official = self.scoring.official_tasks(samples)
            have_two = set(official[0])
            for is_official, (order, tasks) in enumerate((self.scoring.tasks(samples), official)):
                remaining = iter(order)
                for task in tasks:
                    for _ in task.candidates:
                        number = next(remaining)
                        running[len(ids)] = Started(group[number], bool(is_official), number in have_two)
                        ids.add(group[number])
                    yield task


class Started(NamedTuple):
    """The sample of a program that was started."""

    indexed: IndexedSample
    is_official: bool
    """True if the program judges as the official grader."""

    is_one_of_two: bool
    """True if the sample has two programs: ours, and the official grader's."""


class SampleIds(Mapping[int, tuple[str, int]]):
    """(task_id, completion_id) of each program that was started. A later program may be a duplicate of it."""

    def __init__(self) -> None:
        """Start without programs."""
        self._task_ids: list[str] = []
        # A million samples of few tasks need a number each, and share the strings of their task ids.
        self._completion_ids = array("q")
        self._names: dict[str, str] = {}

    def add(self, indexed: IndexedSample) -> None:
        """Add the ids of the next program."""
        task_id = indexed.sample.task_id
        self._task_ids.append(self._names.setdefault(task_id, task_id))
        self._completion_ids.append(indexed.completion_id)

    def __getitem__(self, index: int) -> tuple[str, int]:
        """Return the ids of one program."""
        return self._task_ids[index], self._completion_ids[index]

    def __iter__(self) -> Iterator[int]:
        """Yield the programs' indices."""
        return iter(range(len(self)))

    def __len__(self) -> int:
        """Return the number of programs."""
        return len(self._task_ids)
