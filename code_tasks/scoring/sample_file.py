"""A file of samples that need not fit into memory. It is read once to check it, and again to run the samples."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError, InputErrors
from code_tasks.benchmarks.sample_reader import NO_COLUMNS, SampleReader
from code_tasks.benchmarks.samples import Sample
from code_tasks.scoring.coverage import Coverage


@dataclass(frozen=True)
class IndexedSample:
    """A sample with its indices."""

    index: int
    """Position in the file, from 0."""

    completion_id: int
    """Position among the samples of its task, from 0."""

    sample: Sample


class SampleFile:
    """A context manager: the samples of a file, in the file's order."""

    def __init__(
        self,
        path: Path,
        problems: Mapping[str, Problem],
        preferred: str = "",
        chosen: Collection[str] | None = None,
        columns: Mapping[str, str] = NO_COLUMNS,
    ):
        """Store the arguments; nothing is read yet.

        Args:
            path: a file or folder in one of the shapes of samples, or a pipe, which can be read only once.
            problems: by task_id, in their order.
            preferred: the field that counts in a record with several, as for `samples_of`.
            chosen: ids of the problems whose samples are taken. None: all.
            columns: as for `SampleReader`.
        """
        self.path = path
        self.problems = problems
        self.counts_by_task: Counter[str] = Counter()
        """Number of samples of each task."""

        self.skipped = 0
        """Number of samples of problems that are not chosen."""

        self.sha256 = ""
        """Hash of the samples."""

        self._chosen = problems if chosen is None else chosen
        self._reader = SampleReader(path, problems, preferred, columns=columns)
        self._stack = ExitStack()

    @property
    def total(self) -> int:
        """The number of samples."""
        return self.counts_by_task.total()

    @property
    def hints(self) -> list[str]:
        """Sentences on how the samples were understood, for the user."""
        return list(self._reader.hints)

    def coverage(self, is_zero: bool) -> Coverage:
        """Return what the samples leave out.

        Args:
            is_zero: whether problems without a sample count as unsolved.
        """
        missing = [task_id for task_id in self._chosen if task_id not in self.counts_by_task]
        return Coverage(len(self._chosen), missing, self.skipped, is_zero)

    def __enter__(self) -> SampleFile:
        """Read the file, and check each sample.

        Raises:
            InputError: naming the lines that are not samples of one of the problems, or what the file is instead.
        """
        with ExitStack() as stack:
            self._reader.open(stack)
            try:
                self._check()
            except InputError as error:
                raise self._reader.explain_error(error) from error
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the copy of a pipe's content."""
        self._stack.close()

    def _check(self) -> None:
        digest, faults = hashlib.sha256(), InputErrors()
        for sample in self._reader.read(faults):
            if sample.task_id not in self._chosen:
                self.skipped += 1
                continue
            self.counts_by_task[sample.task_id] += 1
            digest.update(json.dumps([sample.task_id, sample.form, sample.completion]).encode())
        faults.raise_if_any()
        self.sha256 = digest.hexdigest()
        if not self.counts_by_task:
            what = "" if len(self._chosen) == len(self.problems) else f" of the {len(self._chosen)} chosen tasks"
            raise InputError(f"{self.path}: there are no samples{what} in it")

    def _samples(self, faults: InputErrors) -> Iterator[Sample]:
        return (sample for sample in self._reader.read(faults) if sample.task_id in self._chosen)

    def __iter__(self) -> Iterator[IndexedSample]:
        """Read the file again, and yield its samples."""
        counts: Counter[str] = Counter()
        faults = InputErrors()
        for index, sample in enumerate(self._samples(faults)):
            yield IndexedSample(index, counts[sample.task_id], sample)
            counts[sample.task_id] += 1
        if faults.count or counts != self.counts_by_task:
            raise InputError(f"{self.path} changed while it was read")

    def records(self) -> Iterator[Mapping[str, Any]]:
        """Read the file again, and yield the records in which the samples are."""
        return (record for _, record in self._reader.records(InputErrors()))

    def groups(self, size: int, without: Container[int] = ()) -> Iterator[list[IndexedSample]]:
        """Yield the samples in lists.

        Args:
            size: samples per list.
            without: indices of samples that are left out.
        """
        remaining = (sample for sample in self if sample.index not in without)
        while group := list(itertools.islice(remaining, size)):
            yield group
