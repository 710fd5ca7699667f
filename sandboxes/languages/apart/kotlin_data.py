"""Data in tests in Kotlin, as `kotlin_results` writes results: equal in JSON if they are equal in Kotlin.

A number of another class than Int and Double, a Pair and a Triple are {class: value}. The keys of a Map are texts: in
quotes if they are texts in Kotlin, and with an L if they are Longs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sandboxes.languages.apart.c_numbers import single
from sandboxes.languages.apart.plain_data import MAX_INT, Marked
from sandboxes.languages.apart.plain_tokens import NotPlain

SUFFIX = re.compile(r"(?:0[xX][\da-fA-F_]+|[\d_]*\.?[\d_]*(?:[eE][-+]?\d+)?)([LfF]?)")
WHOLE = ("Long", "Short", "Byte")
SIZES = {"Short": 2**15, "Byte": 2**7}
SCALARS = {bool: "Boolean", int: "Int", float: "Double", str: "String"}
OBJECTS = ("Any", "Number", "Comparable", "CharSequence")
"""Types that say nothing about the class of a literal."""

LIST_TYPES = ("List", "MutableList", "ArrayList", "Collection", "MutableCollection", "Iterable", "MutableIterable")
MAP_TYPES = ("Map", "MutableMap", "HashMap", "LinkedHashMap")
PARTS = {"Pair": 2, "Triple": 3}


@dataclass(frozen=True)
class Kind:
    """A type: its name, and its arguments, which are None where they are not given."""

    name: str
    arguments: tuple[Kind | None, ...] = ()

    def argument(self, place: int) -> Kind | None:
        """Return an argument; None if there is none."""
        return self.arguments[place] if place < len(self.arguments) else None


def number(value: float, text: str, is_negative: bool) -> Any:
    """Return the data of a literal.

    Args:
        value: what the digits say.
        text: the literal.
        is_negative: whether a sign comes before it.

    Raises:
        NotPlain: if Kotlin has no such literal, or it is a zero with a sign.
    """
    found = SUFFIX.fullmatch(text)
    is_real = isinstance(value, float)
    if not found or is_real and found[1] == "L":
        raise NotPlain(text)
    if is_real and is_negative and not value:
        raise NotPlain("a zero with a sign")
    value = -value if is_negative else value
    if found[1] == "L" or not is_real and not -MAX_INT - 1 <= value <= MAX_INT:
        return Marked(Long=value)
    return Marked(Float=single(value)) if found[1] else value


def table(pairs: list[Any]) -> dict[str, Any]:
    """Return the Map of pairs.

    Raises:
        NotPlain: if they are something else, or a key is none that every program writes alike.
    """
    found = {}
    for pair in pairs:
        if not isinstance(pair, Marked) or pair.kind != "Pair":
            raise NotPlain("a table of something else")
        key, value = pair.value
        found[key_text(key)] = value
    return found


def key_text(key: Any) -> str:
    """Return the text of a key of a Map."""
    if isinstance(key, str):
        return f'"{key}"'
    if isinstance(key, Marked) and key.kind == "Long":
        return f"{key.value}L"
    if isinstance(key, bool):
        return str(key).lower()
    if not isinstance(key, int):
        raise NotPlain("a key of another class")
    return str(key)


def typed(value: Any, kind: Kind | None) -> Any:
    """Return data as an expression of a type has it.

    Args:
        value: the data.
        kind: the type; None if the data alone says it.

    Raises:
        NotPlain: if the type is not known, or data has none of its values.
    """
    if value is None:
        return value
    if kind is None or kind.name in OBJECTS:
        return settled(value)
    if isinstance(value, list) and kind.name in LIST_TYPES:
        return [typed(each, kind.argument(0)) for each in value]
    if isinstance(value, Marked):
        if value.kind != kind.name:
            raise NotPlain(kind.name)
        if value.kind in PARTS:
            parts = [typed(each, kind.argument(place)) for place, each in enumerate(value.value)]
            return Marked({value.kind: parts})
        return value
    if isinstance(value, dict) and kind.name in MAP_TYPES:
        return {typed_key(key, kind.argument(0)): typed(each, kind.argument(1)) for key, each in value.items()}
    if type(value) is int and kind.name in WHOLE:
        if abs(value) >= SIZES.get(kind.name, 2**63):
            raise NotPlain(kind.name)
        return Marked({kind.name: value})
    if SCALARS.get(type(value)) != kind.name:
        raise NotPlain(kind.name)
    return value


def typed_key(text: str, kind: Kind | None) -> str:
    """Return the text of a key as an expression of a type has it."""
    if kind is not None and kind.name in WHOLE and not text.endswith("L"):
        raise NotPlain(kind.name)
    return text


def settled(value: Any) -> Any:
    """Return data whose type nothing else says.

    Raises:
        NotPlain: if a list has literals without a suffix beside those with one, whose class these may take.
    """
    if isinstance(value, list):
        classes = {class_of(each) for each in value}
        if "Int" in classes and "Long" in classes:
            raise NotPlain("numbers of several classes")
    parts = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    for each in parts:
        if isinstance(value, Marked) and isinstance(each, list):
            # Each part of a pair has a type of its own.
            for part in each:
                settled(part)
        else:
            settled(each)
    return value


def class_of(value: Any) -> str:
    """Return the name of the class of data; "" if it is no number and no text."""
    return value.kind if isinstance(value, Marked) else SCALARS.get(type(value), "")
