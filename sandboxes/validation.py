"""Checks of the arguments that users give, and short texts of values for messages."""

from __future__ import annotations

import difflib
import json
import math
import numbers
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

MAX_SUMMARIZED = 10
# A slash inside a word, as in "and/or", begins no path. An address stays, because it is there to be read.
PATH = re.compile(r"""(https?://\S+)|(?<![\w.])/[^\s'"`,;:()\[\]]*""")
MAX_REPR_CHARS = 60
MAX_NEAR = 3


def positive_int(name: str, value: Any) -> int:
    """Return an int of at least 1, from any kind of integer.

    Raises:
        TypeError: if the value is not an integer, or is a bool.
        ValueError: if it is below 1.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, not {value!r}")
    return int(value)


def positive_number(name: str, value: Any, unit: str) -> float:
    """Return a finite float above 0, from any kind of real number.

    Args:
        name: of the value, for messages.
        value: any value.
        unit: what the number counts, such as "seconds"; "" for a plain number.

    Raises:
        TypeError: if the value is not a real number, or is a bool.
        ValueError: if it is not above 0, infinite or NaN.
    """
    counted = f" of {unit}" if unit else ""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number{counted}, not {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    # Not `number <= 0`, which NaN passes.
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be a finite number{counted} above 0, not {value!r}")
    return number


def true_or_false(name: str, value: Any) -> bool:
    """Return a bool, from Python's or NumPy's.

    Raises:
        TypeError: if the value is anything else.
    """
    # Importing NumPy would take longer than everything else that a check needs. No value is its own without it.
    numpy = sys.modules.get("numpy")
    if not isinstance(value, bool) and not (numpy and isinstance(value, numpy.bool_)):
        raise TypeError(f"{name} must be True or False, not {short_repr(value)}")
    return bool(value)


def short_repr(value: Any) -> str:
    """Return a value's repr for an error message, cut to MAX_REPR_CHARS."""
    text = repr(value)
    return text if len(text) <= MAX_REPR_CHARS else text[: MAX_REPR_CHARS - 3] + "..."


def short_json(value: Any) -> str:
    """Return a value of a file for an error message, cut to MAX_REPR_CHARS: as JSON, and a text in quotation marks."""
    if isinstance(value, str):
        return short_repr(value)
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, TypeError, RecursionError):
        return short_repr(value)
    return text if len(text) <= MAX_REPR_CHARS else text[: MAX_REPR_CHARS - 3] + "..."


def system_reason(error: OSError) -> str:
    """Return why the system refused something, without the error's number and the path."""
    return error.strerror or str(error)


def hide_paths(text: str) -> str:
    """Return a message without its paths: a server's clients must learn nothing about its files."""
    return PATH.sub(lambda match: match[1] or "…", text)


def summarize(values: Sequence[Any]) -> str:
    """Return the first MAX_SUMMARIZED values, separated by commas, and how many more there are."""
    shown = ", ".join(str(value) for value in values[:MAX_SUMMARIZED])
    return shown if len(values) <= MAX_SUMMARIZED else f"{shown} and {len(values) - MAX_SUMMARIZED} more"


def near_names(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the known names that may be meant, or ""."""
    return named_near(difflib.get_close_matches(name, [*known], MAX_NEAR))


def named_near(names: Sequence[str]) -> str:
    """Return the end of a message with the names that may be meant; "" without any."""
    return f"; near it {'is' if len(names) == 1 else 'are'} {', '.join(names)}" if names else ""


def printable(text: str) -> str:
    """Return text as one line that can't move a terminal's cursor, change its colours or reverse its direction.

    Line breaks, tabs and other white space become spaces. Other characters that don't print become U+FFFD.
    """
    if text.isprintable():
        return text
    line = " ".join(part.strip() for part in text.splitlines() if part.strip())
    return "".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in line)
