"""The tests of EvalPlus's problems: this text is a part of them, see `evalplus.py`.

Each function imports what it needs, because a candidate that forgets an import must not find it here.
"""

from __future__ import annotations

from typing import Any


def code_eval_restored(encoded: dict[str, Any]) -> Any:
    """Return the value of an object of JSON."""
    [(kind, items)] = encoded.items()
    if kind == "complex":
        return complex(items[0], items[1])
    return tuple(items) if kind == "tuple" else set(items) if kind == "set" else dict(items)


def code_eval_values(text: str) -> Any:
    """Return the value of a text of JSON."""
    from json import loads

    return loads(text, object_hook=code_eval_restored)


def code_eval_is_close(result: Any, expected: Any, atol: float) -> bool:
    """Return whether numbers, and those in lists and tuples of the same length, are equal within the tolerance."""
    if result == expected:
        return True
    if isinstance(expected, (list, tuple)) and isinstance(result, (list, tuple)):
        return len(result) == len(expected) and all(map(code_eval_is_close, result, expected, [atol] * len(expected)))
    return bool(abs(expected) != float("inf") and abs(result - expected) <= atol + 1e-7 * abs(expected))


def code_eval_is_right(result: Any, expected: Any, atol: float) -> bool:
    """Return whether a result is the expected one. Floats may differ by 1e-6 where a problem has no tolerance."""
    if result == expected:
        return True
    parts = expected if isinstance(expected, (list, tuple)) else [expected]
    if atol == 0 and parts and all(isinstance(part, float) for part in parts):
        atol = 1e-6
    if type(result) != type(expected):  # noqa: E721 (tests that run apart can't ask for the identity of a result's type)
        return False
    return atol != 0 and code_eval_is_close(result, expected, atol)


def code_eval_digest(value: Any) -> str:
    """Return a digest of plain data, by which equal values are known; "" for anything else."""
    from hashlib import sha256
    from marshal import dumps

    try:
        return sha256(dumps(value, 2)).hexdigest()
    except ValueError:
        return ""


def code_eval_end_input(number: int, frame: Any) -> None:
    """End a call whose timer has expired."""
    raise TimeoutError("it took too much CPU time")
