"""Tests without problems around them: a JSON array of texts, as bigcode-evaluation-harness saves its references."""

from __future__ import annotations

from pathlib import Path

from code_tasks.benchmarks.problem_reader import parse_at, parse_problems
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputErrors
from code_tasks.benchmarks.sources import Records, check_exists, file_records
from sandboxes.validation import short_json


def read_references(path: Path) -> dict[str, Problem]:
    """Return a problem for each text with tests, in the file's order.

    A problem's task_id is its position from 0, as in the results of the metric. It has no prompt.

    Args:
        path: of a JSON array of texts, which may be gzipped. Each is code, or cases as JSON.

    Raises:
        InputError: with a message for each item that is no text with tests.
    """
    check_exists(path)
    errors = InputErrors()
    if_none = f"{path}: there are no references in it"
    return parse_problems(reference_records(path, errors), parse_at, (), errors, if_none)


def reference_records(path: Path, errors: InputErrors) -> Records:
    """Yield a problem's record for each text of the array. The errors of other items are added to `errors`."""
    for number, (location, item) in enumerate(file_records(path, errors)):
        if isinstance(item, str):
            yield location, {"task_id": str(number), "test": item}
        elif item is None:
            # The harness saves null for APPS and others, whose tests it reads from the dataset.
            errors.add(
                f"{location}: null, so the tests are not in this file; --benchmark NAME takes the benchmark's own"
            )
        else:
            errors.add(f"{location}: not a text with tests, but {short_json(item)}")
