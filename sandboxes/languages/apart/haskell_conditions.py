"""Conditions of tests in Haskell, and the calls in them. Used by `haskell`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sandboxes.languages.apart.haskell_data import HaskellDataReader, Shape, expectation, shape_of
from sandboxes.languages.apart.plain_data import Call
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.haskell_source import PRELUDE

VARIABLE = re.compile(r"[a-z_][\w']*", re.ASCII)
KEYWORDS = frozenset("case class data default do else if import in infix infixl infixr instance let module".split()) | {
    *("newtype", "of", "then", "type", "where", "_")
}
FAILURES = ("error", "errorWithoutStackTrace", "fail", "ioError", "die", "exitFailure", "exitWith")
FROM_MODULES = {
    **dict.fromkeys(("die", "exitFailure", "exitWith"), "System.Exit"),
    **dict.fromkeys(("when", "unless"), "Control.Monad"),
}
"""Modules of names that are not the Prelude's."""

DECIDING = frozenset((*FAILURES, *FROM_MODULES, "not", "pure", "return", "putStrLn", "main"))
NOT_CALLED = KEYWORDS | DECIDING | PRELUDE


@dataclass(frozen=True)
class HaskellCall(Call):
    """A call of a function with arguments."""

    function: str = ""
    arguments: tuple[Shape, ...] | None = None
    """None if some of them are no data."""


class HaskellConditionReader(HaskellDataReader):
    """Reads conditions in Haskell."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        self.calls: list[tuple[HaskellCall, Shape]] = []
        self.expected: list[Any] = []

    def condition(self, holds: bool) -> None:
        """Take a condition, and note its calls.

        Args:
            holds: whether it has to hold. Otherwise it must not.
        """
        self.comparison(holds)
        while self.take("&&" if holds else "||"):
            self.comparison(holds)

    def comparison(self, holds: bool) -> None:
        """Take a part of a condition, and note its calls."""
        first, before = self.at, len(self.calls)
        if self.take("not", "("):
            self.condition(not holds)
            self.expect(")")
            return
        if self.take("("):
            # A condition in brackets, or a side.
            try:
                self.condition(holds)
                self.expect(")")
                if not self.next_is("==") and not self.next_is("/="):
                    return
            except NotPlain:
                pass
            del self.calls[before:], self.expected[before:]
            self.at = first
        left = self.side()
        self.note(left, self.side() if self.take("==" if holds else "/=") else holds)

    def side(self) -> Any:
        """Take a side of a comparison: data, or a call."""
        first = self.at
        try:
            return self.data()
        except NotPlain:
            self.at = first
        return self.call()

    def call(self) -> HaskellCall:
        """Take a call of the candidate's function. It may be in brackets, with a type."""
        first = self.at
        if self.take("("):
            inner = self.call()
            if self.take("::"):
                while not self.next_is(")"):
                    if self.peek().kind not in ("name", "symbol"):
                        raise NotPlain("no type")
                    if self.next_is("(") or self.next_is("["):
                        self.skip_brackets()
                    else:
                        self.at += 1
            self.expect(")")
            return HaskellCall(self.source(first), inner.calls, inner.function, inner.arguments)
        name = self.name()
        if not VARIABLE.fullmatch(name) or name in NOT_CALLED:
            raise NotPlain("no call of the candidate's")
        shapes = []
        while self.begins_argument():
            shapes.append(self.argument())
        words = [token.text for token in self.tokens[first + 1 : self.at] if token.kind == "name"]
        if KEYWORDS & {*words}:
            raise NotPlain("a block in an argument")
        calls = frozenset(word for word in words if not word[0].isupper() or "." in word)
        arguments = tuple(shape for shape, is_data in shapes if is_data)
        return HaskellCall(self.source(first), calls, name, arguments if len(arguments) == len(shapes) else None)

    def begins_argument(self) -> bool:
        """Return whether an argument of a call comes next."""
        token = self.peek()
        if token.kind == "name":
            return token.text not in KEYWORDS
        return token.kind in ("number", "text", "char") or self.next_is("(") or self.next_is("[")

    def argument(self) -> tuple[Shape, bool]:
        """Take an argument of a call. Return its shape, and whether it is data."""
        first = self.at
        try:
            return shape_of(self.atom()), True
        except NotPlain:
            self.at = first
        if self.next_is("(") or self.next_is("["):
            self.skip_brackets()
        else:
            self.at += 1
        return None, False

    def note(self, left: Any, right: Any) -> None:
        """Note that a call returns a value. One of the two is the call.

        A condition whose arguments call another function may be that function's comparison, with what it expects.
        """
        if isinstance(right, HaskellCall):
            left, right = right, left
        if not isinstance(left, HaskellCall) or isinstance(right, HaskellCall):
            raise NotPlain("no comparison of a call with data")
        if isinstance(right, bool) and left.calls:
            raise NotPlain("a condition on another function's result")
        self.calls.append((left, shape_of(right)))
        self.expected.append([expectation(right), None])
