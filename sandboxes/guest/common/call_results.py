"""Compares the results of calls with those that are right, both in JSON. Used by `checkers`."""

from __future__ import annotations

import json
import math
import struct
from decimal import Decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_DIGITS = 4000
MAX_LINES_AFTER = 100
MAX_SHOWN_CHARS = 60
WORDS = {"Word": 64, "Word8": 8, "Word16": 16, "Word32": 32, "Word64": 64}
SIGNED_WORDS = {"Int8": 8, "Int16": 16, "Int32": 32, "Int64": 64}
"""Bits of types of integers, whose literals lose what has no place in them."""


def result_difference(expected: str, actual: str) -> str:
    """Return what is wrong with the result of a call, as `difference` does.

    Args:
        expected: the result, in JSON.
        actual: the output of the program, whose last line is its result, in JSON.
    """
    try:
        result = read_result(actual)
    except (ValueError, RecursionError):
        return "should return %s, but did not return" % shortened(expected)
    if result == json.loads(expected):
        return ""
    return "should return %s, but returned %s" % (shortened(expected), shortened(json.dumps(result)))


def results_difference(expected: str, actual: str) -> str:
    """Return what is wrong with the results of several calls, as `difference` does.

    Args:
        expected: a list in JSON, with [result, tolerance of its numbers] of each call, and after these other results
            that are right too. Without a tolerance the numbers are literals, and those of the output come with their
            types. "exact" in its place: a number is equal to none of another type of JSON's, and to no condition.
        actual: the output of the program, with a line that is the list of its results, in JSON.
    """
    wanted = json.loads(expected)
    results = find_results(actual, len(wanted))
    if results is None:
        return "the calls did not all return"
    for number, ((result, tolerance, *others), returned) in enumerate(zip(wanted, results), start=1):
        if not is_near(result, returned, tolerance) and returned not in others:
            texts = [shortened(json.dumps(each)) for each in (result, returned)]
            return "call {} should return {}, but returned {}".format(number, *texts)
    return ""


def find_results(output: str, count: int) -> list[Any] | None:
    """Return the list of results in one of the last lines of an output; None if there is none of this length.

    Destructors and threads of a candidate may write after it.
    """
    for line in reversed(output.rsplit("\n", MAX_LINES_AFTER)):
        try:
            results = read_result(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(results, list) and len(results) == count:
            return results
    return None


def read_result(output: str) -> Any:
    """Return the value in the last line of an output.

    Raises:
        ValueError, RecursionError: if there is none.
    """
    return json.loads(output.rstrip("\n").rpartition("\n")[2], parse_int=read_integer)


def is_near(wanted: Any, had: Any, tolerance: float | str | None) -> bool:
    """Return whether two values are equal, but for differences of numbers that are less than a tolerance."""
    if tolerance is None or isinstance(tolerance, str):
        return is_alike(wanted, had, is_literal if tolerance is None else is_same)
    if not tolerance:
        return bool(wanted == had)
    if isinstance(wanted, list) and isinstance(had, list):
        return len(wanted) == len(had) and all(is_near(one, other, tolerance) for one, other in zip(wanted, had))
    numbers = [each for each in (wanted, had) if isinstance(each, (int, float))]
    try:
        return bool(wanted == had) or len(numbers) == 2 and abs(wanted - had) < tolerance
    except OverflowError:
        # An integer that no float can hold is near to none.
        return False


def is_alike(wanted: Any, had: Any, is_equal: Callable[[Any, Any], bool]) -> bool:
    """Return whether two values have the same lists and tables, and what these hold is equal.

    Args:
        wanted: the expected value.
        had: the other one.
        is_equal: compares values that are neither a list nor, in the expected value, a table.
    """
    if isinstance(wanted, list):
        return (
            isinstance(had, list)
            and len(wanted) == len(had)
            and all(is_alike(one, other, is_equal) for one, other in zip(wanted, had))
        )
    if isinstance(wanted, dict):
        return (
            isinstance(had, dict)
            and wanted.keys() == had.keys()
            and all(is_alike(value, had[key], is_equal) for key, value in wanted.items())
        )
    return is_equal(wanted, had)


def is_same(wanted: Any, had: Any) -> bool:
    """Return whether two values are equal, and of the same type."""
    return type(wanted) is type(had) and bool(wanted == had)


def is_literal(wanted: Any, had: Any) -> bool:
    """Return whether a value is that of a literal, whose number has the type of that in the value.

    Args:
        wanted: the value of the literal, as it is written.
        had: the value. A number is {type: number}. An integer of 64 bits is one without a type.
    """
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        return is_same(wanted, had)
    if not isinstance(had, dict):
        return type(had) is int and as_type(wanted, "Int64") == had
    if len(had) != 1:
        return False
    [(name, number)] = had.items()
    return number is not None and bool(as_type(wanted, name) == number)


def as_type(number: float, name: str) -> Any:
    """Return the value of a literal in a type of Haskell's; None if there is no such type, or no such literal of it."""
    if name == "Ratio":
        return [*Decimal(str(number)).as_integer_ratio()]
    if name in ("Float", "Double"):
        number = float(number)
        try:
            return struct.unpack("f", struct.pack("f", number))[0] if name == "Float" else number
        except OverflowError:
            return math.copysign(math.inf, number)
    if not isinstance(number, int):
        return None
    if name in SIGNED_WORDS:
        half = 1 << (SIGNED_WORDS[name] - 1)
        return (number + half) % (2 * half) - half
    if name in WORDS:
        return number % (1 << WORDS[name])
    return number if name in ("Integer", "Natural") else None


def read_integer(digits: str) -> int | str:
    """Return an integer, or its text if reading it would take long."""
    return int(digits) if len(digits) <= MAX_DIGITS else digits


def shortened(text: str) -> str:
    """Return a text, cut if it is long."""
    return text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 3] + "..."
