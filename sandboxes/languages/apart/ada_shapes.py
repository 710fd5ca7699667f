"""What data in tests in Ada are like, and the statements that write results which are like them. Used by `ada`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from typing import Any

from sandboxes.languages.apart.plain_data import Character
from sandboxes.languages.apart.plain_tokens import NotPlain

NUMBERS = dict.fromkeys(("integer", "natural", "positive", "long_integer", "long_long_integer"), "Num")
SCALARS = {**NUMBERS, "float": "Fractional", "boolean": "Bool", "string": "Text", "character": "Char"}
ELEMENTS = {**NUMBERS, "float": "Fractional", "boolean": "Bool", "unbounded_string": "Unbounded"}
"""Shapes by the names of types. Those of lists are made of the names of their elements, as in MultiPL-E."""

LIST = re.compile(rf"({'|'.join(ELEMENTS)})(?:_Vector)*(?:_Array|_Vector\.Vector)", re.IGNORECASE)
NEUTRAL = {"Num": "0", "Fractional": "0.0", "Bool": "False", "Text": '""', "Char": "' '"} | {
    "Unbounded": 'To_Unbounded_String ("")'
}
ADD = {
    "Num": "Add_Integer (Long_Long_Integer (%s))",
    "Bool": "Add_Boolean (Boolean (%s))",
    "Fractional": "Add_Float (%s)",
    "Char": "Add_Character (%s)",
    **dict.fromkeys(("Text", "Unbounded"), "Add_Text (%s)"),
}
Shape = str | tuple[Any] | None
"""The type of data: a name, or a list's, with the shape of its elements. None: any type."""


class Unbounded(str):
    """The value of a text of any length."""


def shape_of(value: Any) -> Shape:
    """Return the shape of data.

    Raises:
        NotPlain: if the elements of a list have different types.
    """
    if isinstance(value, list):
        return (reduce(merged, map(shape_of, value), None),)
    for kind, name in (
        *((bool, "Bool"), (int, "Num"), (float, "Fractional")),
        *((Character, "Char"), (Unbounded, "Unbounded"), (str, "Text")),
    ):
        if isinstance(value, kind):
            return name
    raise NotPlain("data of another kind")


def merged(one: Shape, other: Shape) -> Shape:
    """Return the shape of data that has two.

    Raises:
        NotPlain: if nothing has both.
    """
    if one is None or other is None or one == other:
        return other if one is None else one
    if isinstance(one, tuple) and isinstance(other, tuple):
        return (merged(one[0], other[0]),)
    raise NotPlain("data of different types")


def neutral(shape: Shape) -> str:
    """Return source of other data of a shape."""
    if isinstance(shape, tuple):
        return "[]" if shape[0] is None else f"[{neutral(shape[0])}]"
    return NEUTRAL[str(shape)]


def recording(source: str, kind: str, shape: Shape) -> Iterator[str]:
    """Yield the statements that write the result of a call.

    Args:
        source: of the call.
        kind: the type of its result, or "".
        shape: of the expected data.

    Raises:
        NotPlain: if it is not known how results of the type are written.
    """
    is_scalar = SCALARS.get(kind.lower()) == shape if kind else shape in ("Num", "Bool")
    if isinstance(shape, tuple):
        leaf: Shape = shape
        while isinstance(leaf, tuple):
            leaf = leaf[0]
        found = LIST.fullmatch(kind)
        if not found or leaf is not None and ELEMENTS[found[1].lower()] != leaf:
            raise NotPlain("a list of another type")
        yield f"   declare\n      Code_Eval_0 : constant {kind} := {source};\n   begin"
        yield from each_of("Code_Eval_0", shape, 1)
        yield "   end;"
    elif is_scalar:
        yield f"   Code_Eval_Results.{ADD[str(shape)] % source};"
    else:
        raise NotPlain("a result of another type")


def each_of(name: str, shape: Shape, depth: int) -> Iterator[str]:
    """Yield the statements that write a list, or an element of it.

    Args:
        name: of the variable.
        shape: of its value.
        depth: of the list in others.
    """
    blanks = "   " * (depth + 1)
    if isinstance(shape, tuple):
        element = f"Code_Eval_{depth}"
        yield f"{blanks}Code_Eval_Results.Open;\n{blanks}for {element} of {name} loop"
        yield from each_of(element, shape[0], depth + 1)
        yield f"{blanks}end loop;\n{blanks}Code_Eval_Results.Close;"
    else:
        yield f"{blanks}Code_Eval_Results.{'Add_Null' if shape is None else ADD[str(shape)] % name};"
