"""Reads the samples of a file or folder, of any of the shapes in `sample_files`, and finds their problems."""

from __future__ import annotations

import functools
import itertools
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from code_tasks.benchmarks.diagnosis import SAMPLES
from code_tasks.benchmarks.known_ids import KnownIds
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError, InputErrors, cant_read, explain_error, objects_of
from code_tasks.benchmarks.sample_columns import with_columns, with_official_columns
from code_tasks.benchmarks.sample_files import SHAPES, SampleInput, Shape, detected_shape
from code_tasks.benchmarks.samples import Sample, is_result, samples_of
from code_tasks.benchmarks.sources import Records
from sandboxes.validation import short_repr

RESULTS_HINT = "these are results: their samples are judged again"
NO_COLUMNS: Mapping[str, str] = MappingProxyType({})


class SampleReader:
    """Reads the samples of a file or folder, as often as it is iterated."""

    def __init__(
        self,
        path: Path,
        problems: Mapping[str, Problem],
        preferred: str = "",
        shapes: Sequence[Shape] = SHAPES,
        *,
        skips_unknown: bool = False,
        columns: Mapping[str, str] = NO_COLUMNS,
    ):
        """Store the arguments; nothing is read yet.

        Args:
            path: of the file or folder.
            problems: by task_id, in their order.
            preferred: as for `samples_of`.
            shapes: that the file may have.
            skips_unknown: whether to leave out samples of other problems, which are errors otherwise.
            columns: the names of columns by the fields that they stand for, as `parse_columns` returns them.
        """
        self.columns = columns
        self.skips_unknown = skips_unknown
        self.given = SampleInput(path, problems, path)
        self.preferred, self.shapes = preferred, shapes
        self.hints: dict[str, None] = {}
        """Sentences on how samples were understood, each once."""

    def open(self, stack: ExitStack) -> None:
        """Copy a pipe's content, which can't be read twice. `stack` removes the copy. Raises InputError."""
        path = self.given.path
        if str(path) == "-" and not path.exists():
            raise InputError("can't read -: the path of standard input is /dev/stdin")
        if not path.exists() or path.is_file() or path.is_dir():
            return
        copy = stack.enter_context(tempfile.NamedTemporaryFile(prefix="code-eval-samples-"))
        try:
            with open(path, "rb") as pipe:
                shutil.copyfileobj(pipe, copy)
            copy.flush()
        except OSError as error:
            raise cant_read(path, error) from error
        self.given = replace(self.given, path=Path(copy.name))

    def records(self, errors: InputErrors) -> Records:
        """Yield the (location, record) pairs in which the samples are.

        Raises:
            InputError: if the file can't be read, or has none of the shapes.
        """
        shape = detected_shape(self.given, self.shapes)
        if shape.hint:
            self.hints[shape.hint] = None
        for location, record in objects_of(shape.records(self.given, errors), errors):
            if is_result(record):
                self.hints[RESULTS_HINT] = None
            elif list(record) == ["summary"] and RESULTS_HINT in self.hints:
                continue
            try:
                yield location, with_columns(record, self.columns) if self.columns else with_official_columns(record)
            except ValueError as error:
                errors.add(f"{location}: {error}")

    def read(self, errors: InputErrors) -> Iterator[Sample]:
        """Yield the samples of the problems. The errors of others are added to `errors`.

        Raises:
            InputError: as `records` does.
        """
        problems = self.given.problems
        for location, record in self.records(errors):
            try:
                samples, hint = samples_of(record, self.preferred)
            except ValueError as error:
                errors.add(*(f"{location}: {line}" for line in str(error).splitlines()))
                continue
            if samples and (task_id := samples[0].task_id) not in problems:
                if self.skips_unknown:
                    continue
                errors.add(f"{location}: there is no problem {short_repr(task_id)}{self._known_ids.hint(task_id)}")
                continue
            if hint and samples and problems[task_id].prompt:
                self.hints[hint] = None
            yield from samples

    @functools.cached_property
    def _known_ids(self) -> KnownIds:
        return KnownIds(self.given.problems)

    def explain_error(self, error: InputError) -> InputError:
        """Return one error about the whole file in place of the errors of its records, if it is of another kind."""
        given, is_lines = self.given, len(self.shapes) == 1

        def records(errors: InputErrors) -> Records:
            return self.records(errors) if self.columns else detected_shape(given, self.shapes).records(given, errors)

        known = () if self.skips_unknown else given.problems
        return explain_error(error, SAMPLES, given.path, records, shown=given.shown, known=known, lines_only=is_lines)


def read_samples(
    path: Path, problems: Mapping[str, Problem], shapes: Sequence[Shape] = SHAPES, max_samples: int | None = None
) -> list[Sample]:
    """Return the samples of a file or folder, in its order.

    Args:
        path: of the file or folder.
        problems: by task_id, in their order.
        shapes: that the file may have.
        max_samples: the largest number of samples.

    Raises:
        InputError: with a message for each record that is not a sample of one of the problems.
    """
    errors = InputErrors()
    with ExitStack() as stack:
        reader = SampleReader(path, problems, shapes=shapes)
        reader.open(stack)
        try:
            samples = list(itertools.islice(reader.read(errors), max_samples and max_samples + 1))
            errors.raise_if_any()
        except InputError as error:
            raise reader.explain_error(error) from error
    if max_samples is not None and len(samples) > max_samples:
        raise InputError(f"{path} has more than {max_samples:,} samples, which is the limit here")
    if not samples:
        raise InputError(f"{path}: there are no samples in it")
    return samples
