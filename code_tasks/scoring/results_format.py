"""The lines of a results file, and the checks of lines that are read.

`code-eval run --output` and the Space write results; `report`, `--resume` and the Space read them. Each line is a
sample with its result, as `sandboxes.result_dict` gives it. A finished run adds a last line, {"summary": ...}.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from code_tasks.benchmarks.readers import InputError
from sandboxes import Outcome
from sandboxes.validation import short_json

TEXTS = ("detail", "traceback", "stdout", "stderr")
NUMBERS = ("wall_seconds", "cpu_seconds", "peak_memory_bytes", "attempts")
TEST_TEXTS = ("name", "outcome", "message")
OUTCOMES = tuple(outcome.value for outcome in Outcome)
MAX_NUMBER = 1e18
WANTED = "give a run log that `code-eval solve` wrote, or results of `code-eval run --output`"


def result_line(record: Mapping[str, Any]) -> bytes:
    """Return the line of a sample with its result."""
    return json.dumps(record).encode() + b"\n"


def summary_line(summary: Mapping[str, Any]) -> bytes:
    """Return the last line: time and memory of the run, and its settings."""
    return result_line({"summary": dict(summary)})


def summary_from(value: Any) -> Mapping[str, Any] | None:
    """Return the summary that a line holds; None for the line of a sample."""
    if isinstance(value, dict) and list(value) == ["summary"] and isinstance(value["summary"], dict):
        return value["summary"]
    return None


def checked_record(location: str, record: Any) -> dict[str, Any]:
    """Return a sample with its result, checked.

    Args:
        location: "file:line", for messages.
        record: the value of a line.

    Returns:
        "task_id", "completion", "completion_id" and "result"; for a sample that was run, also the fields that
        `checked_result` returns.

    Raises:
        InputError: if the line is not a sample with its result.
    """
    if not isinstance(record, dict):
        raise InputError(f"{location}: not a JSON object, but {short_json(record)}; {WANTED}")
    names = ("task_id", "completion", "result")
    if missing := [name for name in (*names, "completion_id") if name not in record]:
        raise InputError(f"{location}: missing key {missing[0]!r}; {WANTED}")
    checked: dict[str, Any] = {name: text(location, record, name) for name in names}
    checked["completion_id"] = count(location, record, "completion_id")
    return checked | checked_result(location, record) if "outcome" in record else checked


def check_counted(location: str, record: Mapping[str, Any]) -> None:
    """Raise InputError if a field of a checked record, from which a score is counted, is missing or invalid."""
    passed = record.get("passed")
    if passed is not (record["outcome"] == "passed" if "outcome" in record else None) or "passed" not in record:
        raise InputError(
            f"{location}: passed is {short_json(passed)}, but outcome is {short_json(record.get('outcome'))}"
        )
    for name in ("flaky", "cached") if "outcome" in record else ():
        flag(location, record, name)


def checked_result(location: str, result: Any) -> dict[str, Any]:
    """Return a verdict as `sandboxes.result_dict` gives it, without the fields that nobody reads.

    Raises:
        InputError: if a field is missing or invalid.
    """
    if not isinstance(result, dict):
        raise InputError(f"{location}: the result is not an object, but {short_json(result)}")
    checked: dict[str, Any] = {name: text(location, result, name) for name in ("outcome", "grading", *TEXTS)}
    if checked["outcome"] not in OUTCOMES:
        unknown = short_json(checked["outcome"])
        raise InputError(f"{location}: unknown outcome {unknown}; it must be one of {', '.join(OUTCOMES)}")
    if checked["grading"] not in ("shared", "separate"):
        raise InputError(f"{location}: unknown grading {short_json(checked['grading'])}; it must be shared or separate")
    checked |= {name: number(location, result, name) for name in NUMBERS}
    # Results of earlier versions don't have it.
    checked["waited_seconds"] = number(location, {"waited_seconds": 0, **result}, "waited_seconds")
    if "reading" in result:
        checked |= {name: text(location, result, name) for name in ("program", "reading")}
    layers = result.get("isolation")
    if not isinstance(layers, list) or not all(isinstance(layer, str) for layer in layers):
        raise InputError(f"{location}: isolation is not a list of strings, but {short_json(layers)}")
    return checked | {"isolation": layers, "tests": checked_tests(location, result.get("tests"))}


def checked_tests(location: str, tests: Any) -> list[dict[str, str]]:
    """Return the tests of a verdict. Raise InputError if one is invalid."""
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        raise InputError(f"{location}: tests is not a list of objects, but {short_json(tests)}")
    checked = [{name: text(location, test, name) for name in TEST_TEXTS} for test in tests]
    if unknown := [test["outcome"] for test in checked if test["outcome"] not in OUTCOMES]:
        raise InputError(f"{location}: unknown outcome {short_json(unknown[0])} of a test")
    return checked


def text(location: str, record: Mapping[str, Any], name: str) -> str:
    """Return a field that must be a string. Raise InputError for another type."""
    value = record.get(name)
    if not isinstance(value, str):
        raise InputError(f"{location}: {name} is not a string, but {short_json(value)}")
    return value


def flag(location: str, record: Mapping[str, Any], name: str) -> bool:
    """Return a field that must be true or false. Raise InputError for another value."""
    value = record.get(name)
    if not isinstance(value, bool):
        raise InputError(f"{location}: {name} is neither true nor false, but {short_json(value)}")
    return value


def count(location: str, record: Mapping[str, Any], name: str) -> int:
    """Return a field that must be a whole number of at least 0. Raise InputError for another value."""
    value = number(location, record, name)
    if not isinstance(value, int):
        raise InputError(f"{location}: {name} is not a whole number, but {short_json(value)}")
    return value


def number(location: str, record: Mapping[str, Any], name: str) -> int | float:
    """Return a field that must be a finite number of at least 0. Raise InputError for another value."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < MAX_NUMBER:
        raise InputError(f"{location}: {name} is not a number that is finite and at least 0, but {short_json(value)}")
    return value


def changed_settings(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return a text for each setting that differs between a file and the run that would continue it.

    Args:
        old: the settings in the file.
        new: the settings of the run.
    """
    # The file's settings went through JSON, which makes lists of tuples.
    new = json.loads(json.dumps(new))
    names = [name for name in {**new, **old} if old.get(name) != new.get(name)]
    return [f"{name} was {short_json(old.get(name))} and is {short_json(new.get(name))}" for name in names]
