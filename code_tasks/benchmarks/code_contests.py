"""CodeContests: programs that read stdin, with limits of their own.

Source: Li et al. 2022, "AlphaCode", arXiv:2203.07814, and the test runner in its repository. A completion is a whole
program, in the language that is chosen for the run. Words are compared in any case, and numbers within 1e-5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import case_text, optional_interactor, required, solution_code, text_field
from sandboxes.tasks.io_cases import parse_cases
from sandboxes.validation import short_json

SECONDS, MEMORY_BYTES = 10.0, 256 << 20
"""Limits of problems that have none."""

ADDED_BYTES = 32 << 20
"""Memory that the runner adds to a problem's own limit, for the interpreter."""

FILES_CAVEAT = "its statement names files, and the runner of CodeContests gives standard input and output"
TEST_FIELDS = ("public_tests", "private_tests", "generated_tests")
PYTHON = (3, "PYTHON3")
"""Python 3 in `solutions`, by the number and the name of the dataset's schema."""


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of CodeContests. Public, private and generated tests count."""
    for name in TEST_FIELDS[:2]:
        required(record, name)
    rows = [row for name in TEST_FIELDS for row in rows_of(name, record.get(name), ("input", "output"))]
    tests = {
        "inputs": [case_text(one) for one, _ in rows],
        "outputs": [case_text(other) for _, other in rows],
        **(optional_interactor(record) or {"checker": "codecontests"}),
    }
    parse_cases(tests)
    gold = rows_of("solutions", record.get("solutions"), ("language", "solution"))
    solution = next((solution_code(code) for language, code in gold if language in PYTHON), None)
    return Problem(
        *(text_field(record, "name"), "", json.dumps(tests)),
        canonical_solution=solution,
        limits={"wall_seconds": seconds_of(record), "memory_bytes": bytes_of(record)},
        caveat=FILES_CAVEAT if record.get("input_file") or record.get("output_file") else "",
    )


def rows_of(name: str, value: Any, columns: tuple[str, str]) -> Iterator[tuple[Any, Any]]:
    """Yield the rows of a field with two columns: lists of the same length, or a list of objects. None: no rows.

    Args:
        name: of the field, for messages.
        value: of the field.
        columns: names.

    Raises:
        ValueError: if the value is anything else.
    """
    if isinstance(value, list) and all(isinstance(row, Mapping) and {*columns} <= {*row} for row in value):
        yield from ((row[columns[0]], row[columns[1]]) for row in value)
    elif value is not None:
        lists = [value.get(column) for column in columns] if isinstance(value, Mapping) else [None]
        own = [each for each in lists if isinstance(each, list)]
        if len(own) != len(lists):
            raise ValueError(f"{name!r} has no lists {columns[0]!r} and {columns[1]!r}: {short_json(value)}")
        if len(own[0]) != len(own[1]):
            raise ValueError(f"{name!r} has {len(own[0])} of {columns[0]!r}, but {len(own[1])} of {columns[1]!r}")
        yield from zip(own[0], own[1], strict=True)


def seconds_of(record: Mapping[str, Any]) -> float:
    """Return the time limit of a problem. Raises ValueError if it is not one."""
    limit = record.get("time_limit")
    if limit is None:
        return SECONDS
    parts = [limit.get(name) or 0 for name in ("seconds", "nanos")] if isinstance(limit, Mapping) else [limit, 0]
    if not all(isinstance(part, int | float) and not isinstance(part, bool) and 0 <= part < 1e10 for part in parts):
        raise ValueError(f"'time_limit' has no seconds and nanos, but is {short_json(limit)}")
    return parts[0] + parts[1] / 1e9 or SECONDS


def bytes_of(record: Mapping[str, Any]) -> int:
    """Return the memory of a program. Raises ValueError if the record's limit is no number of bytes."""
    limit = record.get("memory_limit_bytes") or MEMORY_BYTES
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise ValueError(f"'memory_limit_bytes' is not a number of bytes, but {short_json(limit)}")
    return limit + ADDED_BYTES


CODECONTESTS = Benchmark(*("codecontests", parse, "deepmind/code_contests"), fields=TEST_FIELDS, runs_restricted=False)
