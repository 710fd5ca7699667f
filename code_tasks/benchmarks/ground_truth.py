"""Tests of a training sample by themselves, without the record around them, in the shapes that datasets for verl have.

verl's Parquet files hold the tests in `reward_model.ground_truth`, and its trainers hand over nothing else.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from code_tasks.benchmarks import deepcoder, kodcode, prime_code, verification_info
from code_tasks.benchmarks.benchmark import limits_of_calls
from code_tasks.benchmarks.problems import Problem, check_has_tests
from code_tasks.benchmarks.records import case_text
from sandboxes.validation import short_json

NAME = "ground_truth"
"""Name of the problems, for messages."""

MAX_KEPT = 64
"""Problems that are kept: the samples of a group have the same tests, and come within seconds."""

IMPORTS_SOLUTION = re.compile(r"^[ \t]*(?:from|import)[ \t]+solution\b", re.MULTILINE)


def problem_of_ground_truth(truth: Any) -> Problem:
    """Return the problem of a ground truth.

    Args:
        truth: data, or a text of JSON with it. {"inputs", "outputs"}, with "fn_name" for calls, as verl's prime_code
            takes it. {"assert_case"}, a list of statements. A list of cases, or DeepCoder's other shapes.
            {"language", "test_cases"}, as in `verification_info`. A text that is code: tests in Python.

    Raises:
        ValueError, TypeError: if it is anything else, or has no tests.
    """
    return problem_of_text(truth if isinstance(truth, str) else json.dumps(plain(truth)))


@functools.lru_cache(MAX_KEPT)
def problem_of_text(text: str) -> Problem:
    """Return the problem of a ground truth that is a text. Raises as `problem_of_ground_truth` does."""
    try:
        value = json.loads(text)
    except ValueError:
        return problem_of_code(text)
    except RecursionError:
        raise ValueError(f"{NAME!r} is nested too deeply: {short_json(text)}") from None
    value = without_missing(value)
    if isinstance(value, dict):
        if value.get("assert_case"):
            return problem_of_asserts(value)
        if "test_cases" in value:
            record = {"problem_id": NAME, "verification_info": value}
            problem = verification_info.parse(record, verification_info.OPEN_R1_SECONDS, any_status=True)
            if problem is not None:
                return problem
        if "inputs" in value:
            return prime_code.problem_of_truth(NAME, value, None)
    if isinstance(value, list) and value:
        return deepcoder.parse({"tests": value}, 0)
    raise ValueError(
        f"{NAME!r} has no tests: {short_json(text)}; give inputs and outputs, assert_case, a list of cases, or code"
    )


def without_missing(value: Any) -> Any:
    """Return data whose objects lack the fields that are None, because a table has all fields in all rows."""
    if isinstance(value, list):
        return [without_missing(each) if isinstance(each, dict) else each for each in value]
    return {name: each for name, each in value.items() if each is not None} if isinstance(value, dict) else value


def problem_of_asserts(value: Mapping[str, Any]) -> Problem:
    """Return the problem of `assert_case`: each entry is code that runs after the candidate.

    Raises:
        ValueError, TypeError: if there are inputs or outputs too, which no published data has.
    """
    asserts = value["assert_case"]
    if not isinstance(asserts, list) or not all(isinstance(each, str) for each in asserts):
        raise TypeError(f"'assert_case' is not a list of strings, but {short_json(asserts)}")
    for name in ("inputs", "outputs"):
        given = value.get(name)
        if isinstance(given, list) and any(map(case_text, given)):
            raise ValueError(f"{NAME!r} has both 'assert_case' and {name!r}, {short_json(given)}; give one of them")
    return problem_of_code("\n".join(asserts) + "\n", len(asserts))


def problem_of_code(tests: str, count: int = 1) -> Problem:
    """Return the problem of tests that are Python code, which may import the candidate as the module `solution`.

    Args:
        tests: the code.
        count: of the tests in it, each of which may take its time.

    Raises:
        ValueError: if the code holds no test.
    """
    if IMPORTS_SOLUTION.search(tests):
        return kodcode.parse({"question_id": NAME, "test": tests, "solution": ""}, 0)
    check_has_tests(tests, NAME, "python")
    return Problem(NAME, "", tests, "python", limits=limits_of_calls(prime_code.SECONDS, count))


def plain(value: Any) -> Any:
    """Return data as lists, dicts and scalars, without the arrays of NumPy that Parquet readers make."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(item) for item in value]
    if value is not None and not isinstance(value, str | int | float):
        raise TypeError(f"{NAME!r} must be data or a text, not {short_json(value)}")
    return value
