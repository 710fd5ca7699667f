"""Batches of samples: their programs, and their results in the samples' order."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.samples import Sample
from sandboxes import Limits, Program, ProgramBatch, RunResult, Task, TaskOptions, result_dict


def tasks_of_samples(
    samples: Sequence[Sample], problems: Mapping[str, Problem], options: TaskOptions, limits: Limits
) -> tuple[list[int], list[Task]]:
    """Return (order, tasks): the sample's index of each candidate, and the tasks with these candidates.

    Neighbours have the same tests, which saves the sandbox work.

    Args:
        samples: samples of these problems.
        problems: by task_id.
        options: options of the tasks. The language is for problems that have none; the extractor is applied here.
        limits: those of the run, which hold where a problem has none.
    """
    order = sorted(range(len(samples)), key=lambda index: samples[index].task_id)
    tasks = []
    for task_id, indexes in itertools.groupby(order, key=lambda index: samples[index].task_id):
        problem = problems[task_id]
        language = problem.language or options.language
        candidates = [samples[index].extracted(problem, language, options.extract) for index in indexes]
        tasks.append(problem.task(candidates, limits, language))
    return order, tasks


@dataclass(frozen=True)
class SampleBatch:
    """Samples and the programs that grade them."""

    samples: Sequence[Sample]
    order: Sequence[int]
    """Index of each program's sample."""

    batch: ProgramBatch
    """The programs of the samples."""

    @classmethod
    def of(
        cls,
        samples: Sequence[Sample],
        problems: Mapping[str, Problem],
        options: TaskOptions,
        limits: Limits,
        grading: str,
    ) -> SampleBatch:
        """Return the programs of samples.

        Args:
            samples: samples of these problems.
            problems: by task_id.
            options: as `tasks_of_samples` takes them.
            limits: limits of each program, unless its problem has its own.
            grading: one of GRADINGS.

        Raises:
            ValueError, TypeError: if a problem can't be run with these options; the message names the problem.
        """
        order, tasks = tasks_of_samples(samples, problems, options, limits)
        batch = ProgramBatch.assemble(tasks, replace(options, extract=None), limits, grading)
        return cls(samples, order, batch)

    @property
    def programs(self) -> Sequence[Program]:
        """The program of each sample, in `order`."""
        return self.batch.programs

    def results_by_task(self, results: Mapping[int, RunResult]) -> dict[str, list[RunResult]]:
        """Return the results of each task's samples, in the samples' order.

        Args:
            results: the result of each program that was run, by its index.
        """
        tasks: dict[str, list[RunResult]] = {sample.task_id: [] for sample in self.samples}
        by_sample = {self.order[index]: result for index, result in results.items()}
        for index in sorted(by_sample):
            tasks[self.samples[index].task_id].append(by_sample[index])
        return tasks

    def records(self, results: Mapping[int, RunResult], extra_fields: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Return samples with their results, as results.jsonl has them, in the samples' order.

        Args:
            results: the result of each program that was run, by its index.
            extra_fields: further fields of results, as `result_dict` takes them.
        """
        ids = self._ids(results)
        program_of_sample = {self.order[index]: index for index in results}
        return [
            self.samples[number].record() | result_dict(*ids[index], results[index], extra_fields, ids)
            for number, index in sorted(program_of_sample.items())
        ]

    def _ids(self, results: Mapping[int, RunResult]) -> list[tuple[str, int]]:
        """Return (task_id, completion_id) of each program's sample. Samples that were not run are not numbered."""
        counts: dict[str, int] = {}
        ids = [("", 0)] * len(self.programs)
        for number, index in sorted((number, index) for index, number in enumerate(self.order)):
            task_id = self.samples[number].task_id
            ids[index] = (task_id, counts.get(task_id, 0))
            counts[task_id] = ids[index][1] + (index in results)
        return ids
