"""Calls a function in the way of the graders of LiveCodeBench, APPS, TACO and verl: all calls in one process.

This text becomes a part of a program's tests, see `forms.py`. A candidate shares the interpreter with it, as it does in
the graders, and can forge a pass.
"""

from __future__ import annotations

import json
from typing import Any

from code_tasks.benchmarks.official.running import alarm, described, loaded, take_functions_away

LOADED_FIRST = ("taco", "deepcoder")
"""Graders that take functions away only once a candidate's module has run."""


def run_calls(source: str, rules: dict[str, Any]) -> None:
    """Make the calls of a problem. Raise an exception at the first whose result is wrong."""
    grader, seconds, function = rules["grader"], rules["seconds"], rules["function"]
    if grader not in LOADED_FIRST:
        take_functions_away(grader)
    with alarm(seconds):
        module = loaded(rules["preamble"] + source)
        called = getattr(module.Solution() if "class Solution" in source else module, function)
    if grader in LOADED_FIRST:
        take_functions_away(grader)
    for number, (given, wanted) in enumerate(rules["cases"], 1):
        arguments, expected = decoded(given, wanted) if grader == "livecodebench" else with_int_keys(given, wanted)
        try:
            with alarm(seconds):
                result = called(*arguments)
                is_right = bool(COMPARISONS[grader](result, expected))
        except Exception as error:
            raise AssertionError(f"case {number}: {described(error)}") from None
        if not is_right:
            raise AssertionError(
                f"case {number}: {function} should return {expected!r:.80}, but returned {result!r:.80}"
            )


def decoded(given: str, wanted: str) -> tuple[list[Any], Any]:
    """Return (arguments, result) of a call of LiveCodeBench: each line is one argument, in JSON."""
    return [json.loads(line) for line in given.split("\n")], json.loads(wanted)


def with_int_keys(arguments: Any, expected: Any) -> tuple[Any, Any]:
    """Return (arguments, result) of a call with int keys in a dict that comes first. Nothing else then remains."""
    if arguments and isinstance(arguments[0], dict):
        arguments = only_dict(arguments[0], arguments)
    if isinstance(expected, dict):
        expected = only_dict(expected, expected)
    if isinstance(expected, list) and expected and isinstance(expected[0], dict):
        expected = only_dict(expected[0], expected)
    return arguments, expected


def only_dict(value: dict[Any, Any], otherwise: Any) -> Any:
    """Return a list of a dict with int keys, or something else if its keys are no numbers."""
    try:
        return [{int(key): item for key, item in value.items()}]
    except ValueError:
        return otherwise


def is_right_in_livecodebench(result: Any, expected: Any) -> Any:
    """Return whether a result is equal, or a tuple of what is expected in a list."""
    return (list(result) if isinstance(result, tuple) else result) == expected


def is_right_in_apps(result: Any, expected: Any) -> Any:
    """Return whether a result is equal, or the first item of what is expected, also with tuples as rows."""
    result = list(result) if isinstance(result, tuple) else result
    is_right = result == expected
    if isinstance(expected, list) and expected:
        is_right = is_right or result == expected[0]
    try:
        if isinstance(result[0], tuple):
            is_right = is_right or [list(row) for row in result] == expected[0]
    except Exception:  # noqa: S110 (the graders go on then)
        pass
    return is_right


def is_right_in_prime_code(result: Any, expected: Any) -> bool:
    """Return whether a result is right as in APPS. It must be one that JSON can hold."""
    json.dumps(result)
    return is_right_in_apps(result, expected) is True


COMPARISONS = {
    "livecodebench": is_right_in_livecodebench,
    "apps": is_right_in_apps,
    "taco": is_right_in_apps,
    "deepcoder": is_right_in_apps,
    "prime_code": is_right_in_prime_code,
}
