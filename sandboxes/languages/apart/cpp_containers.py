"""Data of containers in tests in C++, as the types of their elements have it. Used by `cpp`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sandboxes.languages.apart.c_numbers import single
from sandboxes.languages.apart.plain_data import Character
from sandboxes.languages.apart.plain_tokens import NotPlain

TABLES = ("map", "unordered_map")
NUMBERED_CHARS = frozenset(("signed", "unsigned", "wchar_t", "char8_t", "char16_t", "char32_t"))
"""Words in the names of types whose characters are written as numbers."""

MAX_FLOAT_INT = 2**24
"""Each whole number up to it is a float."""


def typed(value: Any, words: Sequence[str]) -> Any:
    """Return the data of a container as the type of its elements has it.

    Args:
        value: the data.
        words: the words of the container's type arguments.

    Raises:
        NotPlain: if the text of the data does not say what it is there.
    """
    kinds = {*words}
    is_mixed = bool(kinds & {"pair", "tuple"})
    if kinds & {*TABLES, *NUMBERED_CHARS} - {"unsigned"} or {"unsigned", "char"} <= kinds:
        raise NotPlain("a container of containers with keys, or of numbers that look like characters")
    if isinstance(value, dict):
        key, *others = words or [""]
        check_chars([*value], key == "char")
        check_chars(leaves([*value.values()]), "char" in others)
    elif words and not is_mixed:
        check_chars(leaves(value), "char" in kinds)
    if "float" not in kinds:
        return value
    if is_mixed or "double" in kinds:
        raise NotPlain("floats beside doubles")
    return as_floats(value)


def leaves(value: Any) -> list[Any]:
    """Return the data in lists, and in lists of these."""
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, list) else [value]


def check_chars(found: Sequence[Any], are_chars: bool) -> None:
    """Check that data are characters, or that none of them is one."""
    if any(isinstance(each, Character) != are_chars for each in found):
        raise NotPlain("characters among numbers")


def as_floats(value: Any) -> Any:
    """Return data with the nearest floats in place of numbers."""
    if isinstance(value, list):
        return [as_floats(each) for each in value]
    if isinstance(value, dict):
        return {key: as_floats(each) for key, each in value.items()}
    if isinstance(value, int) and abs(value) > MAX_FLOAT_INT:
        raise NotPlain("a number that no float holds")
    return single(Fraction(value)) if isinstance(value, float) else value
