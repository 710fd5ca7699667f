"""Data and calls in tests in compiled languages. Used by `plain_tests`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sandboxes.languages.apart.c_numbers import shortest_single
from sandboxes.languages.apart.plain_tokens import NotPlain, TokenReader

MAX_INT = 2**31 - 1
MAX_DIGITS, MAX_EXPONENT = 300, 5
FLOAT_BITS = 24
"""Those of a number with 32 bits."""


class Character(str):
    """The value of a literal of one character."""


class Marked(dict[str, Any]):
    """A value with its class: {class: value}."""

    @property
    def kind(self) -> str:
        """The name of the class."""
        return next(iter(self))

    @property
    def value(self) -> Any:
        """What JSON has of the value."""
        return self[self.kind]


@dataclass(frozen=True)
class Call:
    """A call of the candidate's function."""

    source: str
    calls: frozenset[str] = frozenset()
    """Names of what its arguments call."""


@dataclass(frozen=True)
class Place:
    """What tests compare with data: a call of a function, or a variable or a part of one."""

    source: str
    names: frozenset[str]
    """All names in it."""

    calls: tuple[str, ...]
    """The functions that it calls, the outer one first."""

    has_data: bool
    """Whether the arguments of a call hold numbers or texts."""


class DataReader(TokenReader):
    """Takes data, and calls of the candidate's functions."""

    foreign: frozenset[str] = frozenset()
    """Names whose calls are none of the candidate's."""

    constructors: frozenset[str] = frozenset()
    """Names whose calls only make data."""

    casts: Mapping[str, type] = {}
    """Types of Python by the names of the language's types that data is converted to."""

    has_tuples = False
    """Whether data between round brackets, with commas, is a tuple."""

    single = staticmethod(shortest_single)
    """Returns a number of 32 bits as programs write it."""

    def items(self, end: str) -> list[Any]:
        """Take data between commas, up to a bracket."""
        found = []
        while not self.take(end):
            found.append(self.data())
            if not self.next_is(end):
                self.expect(",")
        return found

    def list_or_table(self) -> Any:
        """Take what stands between square brackets: elements, or keys and values."""
        found: list[Any] = []
        pairs: list[Any] = []
        while not self.take("]"):
            value = self.data()
            if self.take(":"):
                pairs.append([value, self.data()])
            else:
                found.append(value)
            if not self.next_is("]"):
                self.expect(",")
        if pairs and found:
            raise NotPlain("a list with keys")
        return table(pairs) if pairs else found

    def data(self) -> Any:
        """Take an expression that is data, or arithmetic of numbers."""
        value = self.product()
        while self.next_is("+") or self.next_is("-"):
            is_sum = self.take("+") or not self.take("-")
            other = self.product()
            if not is_number(value) or not is_number(other):
                raise NotPlain("arithmetic of something else than numbers")
            value = bounded(value + other if is_sum else value - other)
        return value

    def product(self) -> Any:
        """Take data, or a product of numbers."""
        value = self.operand()
        while self.take("*"):
            other = self.operand()
            if not is_number(value) or not is_number(other):
                raise NotPlain("arithmetic of something else than numbers")
            value = bounded(value * other)
        if isinstance(value, Call):
            raise NotPlain("a call where data should be")
        return value

    def operand(self) -> Any:
        """Take data, or a call of the candidate's function."""
        token = self.peek()
        if token.kind == "number":
            self.at += 1
            is_single = isinstance(token.text, float) and self.code[token.end - 1] in "fF"
            return self.single(token.text) if is_single else token.text
        if token.kind == "text":
            text = ""
            while self.peek().kind == "text":
                text += self.peek().text
                self.at += 1
            return text
        if token.kind == "char":
            self.at += 1
            return self.char(token.text)
        if self.take("-"):
            value = self.operand()
            if not is_number(value):
                raise NotPlain("no number after a minus sign")
            return -value
        if self.take("("):
            return self.parenthesised()
        for word, value in (("true", True), ("false", False)):
            if self.take(word):
                return value
        return self.own_operand()

    def parenthesised(self) -> Any:
        """Take an operand and the bracket after it, a cast and its operand, or a tuple. The first bracket is taken."""
        kind = self.peek().text
        if self.peek().kind == "name" and kind in self.casts and self.peek(1).text == ")":
            self.at += 2
            return self.converted(kind)
        value = self.operand()
        if not self.has_tuples or self.next_is(")"):
            self.expect(")")
            return value
        if isinstance(value, Call):
            raise NotPlain("a call as part of a tuple")
        self.expect(",")
        return self.tuple_of([value, *self.items(")")])

    def tuple_of(self, parts: list[Any]) -> Any:
        """Return the data of a tuple."""
        return parts

    def converted(self, kind: str) -> Any:
        """Take data that is converted to a type, which must not change it.

        Args:
            kind: the name of the type, one of `casts`.
        """
        value = self.operand()
        self.check_kind(value, kind)
        return self.single(value) if kind == "float" else value

    def check_kind(self, value: Any, kind: str) -> None:
        """Check that data is the same as a type.

        Args:
            value: the data.
            kind: the name of the type.
        """
        wanted = self.casts.get(kind)
        if not (is_number(value) if wanted is float else type(value) is wanted):
            raise NotPlain(f"something else as {kind}")

    def braces(self) -> list[Any]:
        """Take elements in braces, which may be such lists themselves."""
        self.expect("{")
        found: list[Any] = []
        while not self.take("}"):
            found.append(self.braces() if self.next_is("{") else self.element())
            if not self.next_is("}"):
                self.expect(",")
        return found

    def element(self) -> Any:
        """Take an element of a list."""
        return self.data()

    def char(self, text: str) -> Any:
        """Return the value of a literal of one character."""
        return Character(text)

    def own_operand(self) -> Any:
        """Take an operand that has its own form in a language."""
        return self.call()

    def call(self) -> Call:
        """Take a call, whatever its arguments are."""
        first = self.at
        if self.name() in self.foreign:
            raise NotPlain("no call of the candidate's")
        return self.called(first)

    def called(self, first: int) -> Call:
        """Take the arguments of a call.

        Args:
            first: the first token of the call.
        """
        if not self.next_is("("):
            raise NotPlain("no call")
        opening = self.at
        self.skip_brackets()
        inner = self.tokens[opening : self.at]
        calls = [name.text for name, bracket in pairwise(inner) if name.kind == "name" and bracket.text == "("]
        return Call(self.source(first), frozenset(calls))


def table(pairs: Any) -> dict[Any, Any]:
    """Return pairs as a table. JSON makes texts of its keys.

    Raises:
        NotPlain: if they are something else, or a key is no number and no text.
    """
    is_table = isinstance(pairs, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
    if not is_table or not all(isinstance(key, str | int | float) for key, _ in pairs):
        raise NotPlain("a table of something else")
    return dict(pairs)


def bounded(value: float) -> float:
    """Return a number that arithmetic has made.

    Raises:
        NotPlain: if the languages' integers may be too small for it.
    """
    if isinstance(value, int) and abs(value) > MAX_INT:
        raise NotPlain("a large number")
    return value


def is_number(value: Any) -> bool:
    """Return whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_literal(text: str) -> int | float:
    """Return the value of a number.

    Raises:
        NotPlain: if it may be another one where the checker rounds it than in the language.
    """
    if len(text) > MAX_DIGITS or len(text.lower().partition("e")[2]) > MAX_EXPONENT:
        raise NotPlain("a long number")
    value = int(text) if text.isdecimal() else float(text)
    # A literal of a rational number is not rounded.
    if Decimal(text) != Decimal(repr(value)):
        raise NotPlain(text)
    numerator = float(value).as_integer_ratio()[0]
    bits = numerator.bit_length() - (numerator & -numerator).bit_length() + 1
    # The checker makes a double of it, and a Float of that. The double may be halfway between two of these.
    if bits == FLOAT_BITS + 1 and Decimal(text) != Decimal(float(value)):
        raise NotPlain(text)
    return value
