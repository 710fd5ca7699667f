"""Arguments that people give, checked, and values as people read them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

MOST_LISTED = 10
MOST_SHORT_CHARS = 60


def whole_number(name: str, value: Any) -> int:
    """An int of at least 1, from any kind of integer.

    Raises:
        TypeError: if it is none, or a bool.
        ValueError: if it is below 1.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, not {value!r}")
    return int(value)


def positive(name: str, value: Any, unit: str) -> float:
    """A finite float above 0, from any kind of real number.

    Raises:
        TypeError: if it is none, or a bool.
        ValueError: if it is not above 0, infinite or NaN.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number of {unit}, not {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    # Not `number <= 0`, which NaN passes.
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be a finite number of {unit} above 0, not {value!r}")
    return number


def shortened(value: Any) -> str:
    """What a value looks like, for an error message."""
    text = repr(value)
    return text if len(text) <= MOST_SHORT_CHARS else text[: MOST_SHORT_CHARS - 3] + "..."


def listed(values: Sequence[Any]) -> str:
    """The first values, and how many more there are, as people read a list."""
    shown = ", ".join(str(value) for value in values[:MOST_LISTED])
    return shown if len(values) <= MOST_LISTED else f"{shown} and {len(values) - MOST_LISTED} more"


def printable(text: str) -> str:
    """Returns text as one line that can't move a terminal's cursor, change its colours or reverse its direction.

    Line breaks, tabs and other white space become spaces; other characters that don't print become U+FFFD.
    """
    if text.isprintable():
        return text
    line = " ".join(part.strip() for part in text.splitlines() if part.strip())
    return "".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in line)
