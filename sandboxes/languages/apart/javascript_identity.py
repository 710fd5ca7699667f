"""Whether tests in JavaScript ask if two results of a function are one object, as those of a singleton do.

Each result is a copy in the tests' process, so that no candidate would pass. Calls with arguments are not looked at:
tests that compare these by identity have numbers and texts, of functions that are pure.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from sandboxes.languages.apart.javascript_tokens import Token

OPERATORS = frozenset(("===", "==", "!==", "!="))
FUNCTIONS = frozenset(("equal", "is", "strictEqual"))
"""Functions of assert's, and `Object.is`, that compare two arguments by their identity."""

ENDS = frozenset(("", ")", ",", ";", "}", "&", "|", "?", ":", *OPERATORS))
"""Tokens after a whole operand."""

BEFORE = frozenset((".", "?.", "+", "-", "*", "/", "%", "<", ">"))
"""Tokens before the rest of an operand."""


class Tests(Protocol):
    """What is asked of `TestsText`, which asks this module."""

    tokens: list[Token]
    closing: dict[int, int]

    @property
    def aliases(self) -> dict[str, str]:
        """As in `TestsText`, like all that follows."""

    def at(self, place: int) -> Token:
        """Return a token."""

    def is_unknown(self, place: int) -> bool:
        """Return whether a token is a name of the candidate's."""

    def comma_after(self, place: int) -> int:
        """Return the place of the comma after an argument."""


class ComparedResults:
    """The results of calls without arguments, by the functions of the candidate's that are called."""

    def __init__(self, text: Tests) -> None:
        """Look at the tests; nothing is searched yet."""
        self.text = text

    @cached_property
    def origins(self) -> dict[str, str]:
        """The functions whose results variables get, by those variables."""
        found = {}
        for place, token in enumerate(self.text.tokens):
            if token.text == "=" and (function := self.call_at(place + 1)):
                found[self.text.at(place - 1).text] = function
        return found

    def call_at(self, place: int) -> str:
        """Return the candidate's function that is called without arguments as the operand at a place; "" if none is."""
        text = self.text
        place += text.at(place).text == "await"
        name, after = text.at(place).text, text.at(place + 3)
        is_own = text.is_unknown(place) or name in text.aliases.values()
        if not is_own or text.at(place + 1).text != "(" or text.at(place + 2).text != ")":
            return ""
        return name if after.text in ENDS or after.follows_line else ""

    def result_at(self, place: int) -> str:
        """Return the function whose result is the operand at a place, as a call or a variable."""
        after = self.text.at(place + 1)
        if self.text.at(place).text in self.origins and (after.text in ENDS or after.follows_line):
            return self.origins[self.text.at(place).text]
        return self.call_at(place)

    def result_before(self, place: int) -> str:
        """Return the function whose result is the operand that ends before a place."""
        text = self.text
        first = place - 3 if text.at(place - 1).text == ")" and text.at(place - 2).text == "(" else place - 1
        return "" if text.at(first - 1).text in BEFORE else self.result_at(first)

    def are_compared(self, place: int) -> bool:
        """Return whether a token compares two results of one function by their identity."""
        text = self.text
        name, is_call = text.at(place).text, text.at(place + 1).text == "("
        one = other = ""
        if name in OPERATORS:
            one, other = self.result_before(place), self.result_at(place + 1)
        elif name in FUNCTIONS and is_call:
            one, other = self.result_at(place + 2), self.result_at(text.comma_after(place + 2) + 1)
        elif name == "toBe" and is_call:
            closing = place - 4 if text.at(place - 2).text == "resolves" else place - 2
            opening = next((first for first, last in text.closing.items() if last == closing), place)
            one, other = self.result_at(opening + 1), self.result_at(place + 2)
        return one == other != ""
