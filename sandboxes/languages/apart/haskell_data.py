"""Tokens and data in tests in Haskell. Used by `haskell`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

from sandboxes.languages.apart.plain_data import Character, is_number, read_literal
from sandboxes.languages.apart.plain_tokens import NotPlain, Token, TokenReader

TOKEN = re.compile(
    r"""(?P<blank>[ \r\n]+)
    |(?P<text>"(?:\\.|[^"\\\n])*")
    |(?P<char>'(?:\\'|\\[^'\n]+|[^'\\\n])')
    |(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w']))
    |(?P<name>(?:[A-Z][\w']*\.)*[a-zA-Z_][\w']*)
    |(?P<symbol>[][(){},;`]|[!#$%&*+./<=>?@\\^|~:-]+)""",
    re.VERBOSE | re.ASCII,
)
ESCAPE = re.compile(r"\\(?:([0-9]+)|x([\da-fA-F]+)|(.))", re.ASCII)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "&": ""} | {
    each: each for each in "\\\"'"
}
CONSTANTS = ("True", "False", "Nothing", "LT", "EQ", "GT")
CONSTRUCTORS = ("Just", "Left", "Right")
LAST_CHARACTER = 0x10FFFF
SURROGATE = re.compile("[\ud800-\udfff]")

Shape = tuple[Any, ...] | str | None
"""The type of data, as far as the data tells it: a name, or a name and the shapes of its parts. None: any type."""

NEUTRAL = {"Num": "0", "Fractional": "0.0", "Bool": "Prelude.False", "Char": "' '", "Ordering": "Prelude.EQ"}


@dataclass(frozen=True)
class Made:
    """The value of a constructor with one argument."""

    name: str
    value: Any


class Order(str):
    """The value of a constructor of `Ordering`."""


class Tuple(list[Any]):
    """The values in a tuple."""


def scan(code: str) -> Iterator[Token]:
    """Yield the tokens of a text without comments.

    Raises:
        NotPlain: if it has one that is not understood.
    """
    place = 0
    while place < len(code):
        found = TOKEN.match(code, place)
        if not found:
            raise NotPlain(code[place])
        kind, value = str(found.lastgroup), read_token(str(found.lastgroup), found[0])
        if kind != "blank":
            yield Token(kind, value, *found.span())
        place = found.end()


def read_token(kind: str, text: str) -> Any:
    """Return the value of a literal, or the text of another token."""
    if kind == "number":
        return read_literal(text)
    if kind not in ("text", "char"):
        return text
    value = ESCAPE.sub(unescape, text[1:-1])
    if SURROGATE.search(value) or kind == "char" and len(value) != 1:
        raise NotPlain(text)
    return value


def unescape(found: re.Match[str]) -> str:
    """Return the character of an escape sequence."""
    if found[3]:
        if found[3] not in ESCAPES:
            raise NotPlain(found[0])
        return ESCAPES[found[3]]
    number = int(found[1][:9]) if found[1] else int(found[2], 16)
    if number > LAST_CHARACTER:
        raise NotPlain(found[0])
    return chr(number)


class HaskellDataReader(TokenReader):
    """Takes data."""

    scanned = staticmethod(scan)

    def data(self) -> Any:
        """Take data: a negative number, the value of a constructor, or an atom."""
        if self.take("-"):
            value = self.atom()
            if not is_number(value) or self.peek(-1).kind != "number":
                raise NotPlain("no number after a minus sign")
            return -value
        if self.peek().kind == "name" and self.peek().text in CONSTRUCTORS:
            return Made(self.name(), self.atom())
        return self.atom()

    def atom(self) -> Any:
        """Take data that needs no brackets."""
        token = self.peek()
        self.at += 1
        if token.kind in ("number", "text"):
            return token.text
        if token.kind == "char":
            return Character(token.text)
        if token.kind == "name" and token.text in CONSTANTS:
            return {"True": True, "False": False, "Nothing": None}.get(token.text, Order(token.text))
        if token.kind == "symbol" and token.text == "[":
            return self.items("]")
        if token.kind == "symbol" and token.text == "(":
            found = self.items(")")
            return found[0] if len(found) == 1 else Tuple(found)
        raise NotPlain("no data")

    def items(self, end: str) -> list[Any]:
        """Take data between commas, up to a bracket."""
        found: list[Any] = []
        if self.take(end):
            return found
        found.append(self.data())
        while self.take(","):
            found.append(self.data())
        self.expect(end)
        return found


def expectation(value: Any) -> Any:
    """Return data as `haskell_results` writes it, but for its numbers."""
    if isinstance(value, Made):
        return {value.name: expectation(value.value)}
    if isinstance(value, list):
        is_text = value and not isinstance(value, Tuple) and all(isinstance(each, Character) for each in value)
        return "".join(value) if is_text else [expectation(each) for each in value]
    is_empty = value == "" and not isinstance(value, Character)
    return [] if is_empty else value


def shape_of(value: Any) -> Shape:
    """Return the shape of data.

    Raises:
        NotPlain: if the elements of a list have different types.
    """
    if isinstance(value, Tuple):
        return ("tuple", *map(shape_of, value))
    if isinstance(value, list):
        return ("list", common_shape(map(shape_of, value)))
    if isinstance(value, Made):
        part = shape_of(value.value)
        return {"Just": ("Maybe", part), "Left": ("Either", part, None)}.get(value.name, ("Either", None, part))
    for kind, name in ((bool, "Bool"), (int, "Num"), (float, "Fractional"), (Character, "Char"), (Order, "Ordering")):
        if isinstance(value, kind):
            return name
    return ("Maybe", None) if value is None else ("list", "Char")


def common_shape(shapes: Iterable[Shape]) -> Shape:
    """Return the shape of data that has several.

    Raises:
        NotPlain: if nothing has all of them.
    """
    return reduce(merged, shapes, None)


def merged(one: Shape, other: Shape) -> Shape:
    """Return the shape of data that has two."""
    if one is None or other is None or one == other:
        return other if one is None else one
    if {one, other} == {"Num", "Fractional"}:
        return "Fractional"
    if isinstance(one, tuple) and isinstance(other, tuple) and (one[0], len(one)) == (other[0], len(other)):
        return (one[0], *map(merged, one[1:], other[1:]))
    raise NotPlain("data of different types")


def filled(own: Shape, common: Shape) -> Shape:
    """Return a shape with those parts of another one that it does not tell. Numbers stay what they are."""
    if own is None:
        return lowered(common)
    if isinstance(own, tuple) and isinstance(common, tuple):
        return (own[0], *map(filled, own[1:], common[1:]))
    return own


def lowered(shape: Shape) -> Shape:
    """Return a shape whose numbers may be of any type."""
    if isinstance(shape, tuple):
        return (shape[0], *map(lowered, shape[1:]))
    return "Num" if shape == "Fractional" else shape


def neutral(shape: Shape) -> str:
    """Return source of other data of a shape."""
    if not isinstance(shape, tuple):
        return NEUTRAL[str(shape)]
    kind, *parts = shape
    if kind == "tuple":
        return f"({', '.join(map(neutral, parts))})"
    texts = ["" if part is None else neutral(part) for part in parts]
    if kind == "list":
        return f"[{texts[0]}]"
    if kind == "Maybe":
        return f"(Prelude.Just {texts[0]})" if texts[0] else "Prelude.Nothing"
    made = [f"(Prelude.{name} {text})" for name, text in zip(("Left", "Right"), texts, strict=True) if text]
    return made[0] if len(made) == 1 else f"(Prelude.asTypeOf {made[0]} {made[1]})"
