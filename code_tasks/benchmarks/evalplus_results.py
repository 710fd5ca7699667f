"""The program that prints the results of an EvalPlus problem's canonical solution: this text is its second part.

The first part is that of `evalplus_tests.py`, see `evalplus.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from code_tasks.benchmarks.evalplus_tests import code_eval_digest


def code_eval_encoded(value: Any) -> Any:
    """Return a value as JSON can hold it. Raise TypeError for one that is no plain data."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [code_eval_encoded(item) for item in value]
    if kind is dict:
        return {"dict": [[code_eval_encoded(key), code_eval_encoded(item)] for key, item in value.items()]}
    if kind is tuple or kind is set:
        return {kind.__name__: [code_eval_encoded(item) for item in value]}
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    raise TypeError(f"{kind.__name__} is no plain data")


def code_eval_size(value: Any, limit: int) -> int:
    """Return about how many characters and items a value has, the limit for all that have more."""
    kind, size = type(value), 1
    if kind is str:
        size += len(value)
    elif kind is int:
        size += value.bit_length() // 4
    elif kind in (list, tuple, set, dict):
        for item in value.items() if kind is dict else value:
            size += code_eval_size(item, limit - size)
            if size >= limit:
                break
    return min(size, limit)


def code_eval_known_digest(value: Any) -> str:
    """Return the digest of a value; "" if there is none, or if the value is not equal to itself, as NaN is not."""
    from marshal import dumps, loads

    digest = code_eval_digest(value)
    return digest if digest and loads(dumps(value, 2)) == value else ""


def code_eval_print_known(source: str, name: str, groups: dict[str, list[Any]]) -> None:
    """Print the results of a canonical solution, and the CPU seconds that they take, as JSON.

    Of results that are long, and of those that are no plain data, the size and the digest are printed.

    Args:
        source: of the solution.
        name: of its function.
        groups: the arguments of each call, by the name of the group.
    """
    from copy import deepcopy
    from json import dumps
    from sys import stdout
    from time import process_time

    space: dict[str, Any] = {}
    exec(compile(source, "solution.py", "exec", 0, True), space)
    known: dict[str, list[Any]] = {}
    left = 900_000
    for group, calls in groups.items():
        known[group] = []
        for arguments in calls:
            given = deepcopy(arguments)
            begin = process_time()
            result = space[name](*given)
            seconds = round(process_time() - begin, 4)
            size = code_eval_size(result, 10_000_001)
            try:
                encoded = dumps([code_eval_encoded(result), seconds]) if size <= 20_000 else ""
            except (TypeError, ValueError, RecursionError):
                encoded = ""
            is_kept = encoded and len(encoded) <= left
            known[group].append([result, seconds] if is_kept else [size, code_eval_known_digest(result), seconds])
            left -= len(encoded) if is_kept else 0
    stdout.write(dumps(code_eval_encoded(known)) + "\n")
