"""The data that a format of results is written from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.samples import COMPLETION, Sample
from code_tasks.scoring.estimates import DEFAULT_KS, pass_at_k_from_counts
from code_tasks.scoring.results import Record, Results
from sandboxes import Outcome, TaskOptions

Entry = TypeVar("Entry")
Files = Iterator[tuple[str, Iterable[bytes]]]
"""(ending of the file's path, content) pairs."""

PASSED, TIMED_OUT = Outcome.PASSED.value, Outcome.TIMED_OUT.value


@dataclass(frozen=True)
class GradedRun:
    """A finished run."""

    results: Results
    problems: Mapping[str, Problem]
    options: TaskOptions
    """The options of the tasks: language and extractor."""

    sample_records: Callable[[], Iterator[Mapping[str, Any]]]
    """Returns the records of the samples as their file has them."""

    name: str
    """The name of the results, without a folder and an ending."""

    def records(self) -> Iterator[Record]:
        """Yield the samples that were run. Other tools know no sample that could not be run."""
        return (record for record in self.results if record["passed"] is not None)

    def by_task(self, entry: Callable[[Record], Entry]) -> dict[str, list[Entry]]:
        """Return an entry for each sample of each task, in the samples' order."""
        tasks: dict[str, list[Entry]] = {}
        for record in self.records():
            tasks.setdefault(record["task_id"], []).append(entry(record))
        return tasks

    def program(self, record: Record) -> str:
        """Return the program of a sample as it was run, without its tests."""
        sample = Sample(record["task_id"], record["completion"], record.get("form", COMPLETION))
        problem = self.problems[sample.task_id]
        return sample.program(problem, problem.language or self.options.language, self.options.extract)


@dataclass(frozen=True)
class ResultsFormat:
    """A way in which another tool writes results."""

    name: str
    endings: tuple[str, ...]
    """The endings of its files' names, after the name of the results. A slash is the end of a folder's name."""

    files: Callable[[GradedRun], Files]


def pass_at_k(counts: Mapping[str, tuple[int, int]], ks: Sequence[int] = DEFAULT_KS) -> dict[str, float]:
    """Return {"pass@k": mean over tasks} from each task's (number of samples, number of passed samples)."""
    return {f"pass@{estimate.k}": estimate.mean for estimate in pass_at_k_from_counts(counts, ks)[0]}


def json_file(value: Any, indent: int | None = None) -> list[bytes]:
    """Return the content of a JSON file."""
    return [json.dumps(value, indent=indent).encode()]
