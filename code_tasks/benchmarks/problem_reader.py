"""Readers of problems: from records to problems by task_id, with the check of fields that are not read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.diagnosis import PROBLEMS
from code_tasks.benchmarks.problems import Problem, parse_problem, published_fields
from code_tasks.benchmarks.readers import InputError, InputErrors, explain_error, objects_of, parse_lines
from code_tasks.benchmarks.record_shapes import PLAIN_SHAPES, RecordShape, check_record
from sandboxes.validation import short_json, summarize


def read_problems(
    path: Path,
    records: Callable[[Path, InputErrors], Iterable[tuple[str, Any]]] | None = None,
    ignored: Collection[str] = (),
) -> dict[str, Problem]:
    """Return the problems of a file that belong to no benchmark, by task_id.

    Args:
        path: of the file.
        records: yields the (location, value) pairs of a path. None: JSON lines alone are read.
        ignored: fields that are left out.

    Raises:
        InputError: with a message for each line that is not a problem, or that repeats one; or what the file is.
    """
    read, errors = records or parse_lines, InputErrors()
    try:
        found = without_fields(read(path, errors), ignored)
        return parse_problems(found, parse_at, PLAIN_SHAPES, errors, f"{path}: there are no problems in it")
    except InputError as error:
        raise explain_error(error, PROBLEMS, path, functools.partial(read, path), lines_only=not records) from error


def parse_at(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record whose position does not matter, as `parse_problem` does."""
    return parse_problem(record)


def parse_problems(
    records: Iterable[tuple[str, Any]],
    parse: Callable[[Mapping[str, Any], int], Problem | None],
    shapes: Sequence[RecordShape],
    errors: InputErrors,
    if_none: str,
) -> dict[str, Problem]:
    """Parse (location, record) pairs into problems by task_id.

    Args:
        records: the pairs.
        parse: (record, position from 0) -> the problem, or None to leave the record out. May raise ValueError and
            TypeError, or InputError for an error that all records have.
        shapes: those that `parse` reads, as for `check_record`.
        errors: gets the errors of records.
        if_none: the message of the error if there are no problems.

    Raises:
        InputError: if there are errors, or no problems.
    """
    problems: dict[str, Problem] = {}
    for position, (location, record) in enumerate(objects_of(records, errors)):
        try:
            problem = parse(record, position)
            if problem is not None:
                check_record(record, shapes)
        except InputError as error:
            # It is about all records, so that none of the others is read.
            raise InputError(f"{location}: {error}") from None
        except (ValueError, TypeError) as error:
            errors.add(*(f"{location}: {line}" for line in str(error).splitlines()))
            continue
        if problem is None:
            continue
        if problem.task_id in problems:
            errors.add(f"{location}: duplicate task_id {short_json(problem.task_id)}")
        problems[problem.task_id] = replace(problem, published=published_fields(record))
    errors.raise_if_any()
    if not problems:
        raise InputError(if_none)
    return problems


def without_fields(records: Iterable[tuple[str, Any]], ignored: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield (location, record) pairs without some fields of the records.

    Args:
        records: the pairs.
        ignored: names of the fields.

    Raises:
        InputError: at the end, if no record had one of the fields.
    """
    names: dict[str, None] = {}
    for location, record in records:
        if not isinstance(record, dict) or not ignored:
            yield location, record
            continue
        names.update(dict.fromkeys(record))
        yield location, {name: value for name, value in record.items() if name not in ignored}
    if unknown := [name for name in ignored if name not in names]:
        shown = summarize([*map(repr, names)])
        raise InputError(f"no problem has the field {unknown[0]!r}, which is to be left out; there are {shown}")
