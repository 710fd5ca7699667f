"""What the names in tests in JavaScript stand for, as far as their text tells. Used by `javascript`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from sandboxes.languages.apart.javascript_tokens import END, KEYWORDS, NeedsCandidate, Token

BRACKETS = {"(": ")", "[": "]", "{": "}"}

NAMESPACES = frozenset("Array BigInt Buffer Date JSON Math Number Object RegExp String console process".split())
ERRORS = frozenset("AggregateError Error EvalError RangeError ReferenceError SyntaxError TypeError URIError".split())
TYPED_ARRAYS = frozenset(
    "BigInt64Array BigUint64Array Float32Array Float64Array Int16Array Int32Array Int8Array Uint16Array Uint32Array "
    "Uint8Array Uint8ClampedArray".split()
)
CONSTRUCTORS = frozenset(("Map", "Set", "Boolean", *NAMESPACES, *ERRORS, *TYPED_ARRAYS)) - {"JSON", "Math", "console"}
VALUES = frozenset("Infinity NaN undefined".split())
FUNCTIONS = frozenset("isFinite isNaN parseFloat parseInt require".split())
TYPES = frozenset("Partial Pick ReadonlyArray ReadonlyMap ReadonlySet Record".split())
BUILTIN = KEYWORDS | NAMESPACES | CONSTRUCTORS | VALUES | FUNCTIONS | TYPES


@dataclass
class NamesOfTests:
    """The tokens of tests, and what their names stand for."""

    builtin: ClassVar[frozenset[str]] = BUILTIN
    """Names that stand for nothing of the candidate's, unless the tests take them as the candidate."""

    tokens: list[Token]
    closing: dict[int, int] = field(default_factory=dict)
    """Places of brackets that close, by places of those that open."""

    declared: set[str] = field(default_factory=set)
    callable: set[str] = field(default_factory=set)
    """Names that the tests declare as functions, or as parameters."""

    plain: set[str] = field(default_factory=set)
    """Names that begin as data which the tests write out."""

    results: set[str] = field(default_factory=set)
    """Names that get a value which is no function of the tests' own."""

    def __post_init__(self) -> None:
        """Match brackets, and find declarations."""
        opened: list[int] = []
        for place, token in enumerate(self.tokens):
            if token.kind != "symbol":
                continue
            if token.text in BRACKETS:
                opened.append(place)
            elif token.text in BRACKETS.values():
                if not opened or BRACKETS[self.tokens[opened[-1]].text] != token.text:
                    raise NeedsCandidate("the tests have a bracket too many")
                self.closing[opened.pop()] = place
        if opened:
            raise NeedsCandidate("the tests have a bracket that is not closed")
        for place, token in enumerate(self.tokens):
            if token.text == "=>":
                self.declare_parameters(place)
            elif token.text == "function":
                self.declare_function(place)
            elif token.text in ("const", "let", "var", "catch"):
                self.declare_variables(place)
            elif token.text == "=" and self.at(place - 1).kind == "name" and self.at(place - 2).text not in (".", "?."):
                self.assign(self.at(place - 1).text, place + 1)

    def at(self, place: int) -> Token:
        """Return a token; END outside of the text."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else END

    def names_within(self, place: int) -> set[str]:
        """Return the names that a bracket declares as parameters or parts."""
        found = set()
        for inner in range(place + 1, self.closing[place]):
            if self.at(inner).kind == "name" and self.at(inner - 1).text in ("(", ",", "{", "[", "...", ":"):
                found.add(self.at(inner).text)
        return found

    def declare_parameters(self, arrow: int) -> None:
        """Declare the parameters of an arrow function."""
        if self.at(arrow - 1).kind == "name":
            self.callable.add(self.at(arrow - 1).text)
        for opening, closing in self.closing.items():
            # TypeScript has the type of the result between them.
            if closing < arrow <= closing + 8 and self.at(closing + 1).text in ("=>", ":"):
                self.callable |= self.names_within(opening)

    def declare_function(self, place: int) -> None:
        """Declare a function and its parameters."""
        place += 1 + (self.at(place + 1).text == "*")
        if self.at(place).kind == "name":
            self.callable.add(self.at(place).text)
            place += 1
        if self.at(place).text == "(":
            self.callable |= self.names_within(place)

    def declare_variables(self, place: int) -> None:
        """Declare the variables of a statement, or of a `catch`."""
        following = self.at(place + 1)
        if following.text in BRACKETS:
            self.callable |= self.names_within(place + 1)
        elif following.kind == "name":
            self.declared.add(following.text)

    def assign(self, name: str, place: int) -> None:
        """Note what a variable gets: a function, data, or anything else."""
        self.declared.add(name)
        value, following = self.at(place), self.at(place + 1)
        after = self.at(self.closing[place] + 1) if place in self.closing else END
        is_arrow = following.text == "=>" or value.text == "(" and after.text in ("=>", ":")
        is_alias = value.kind == "name" and (following.follows_line or following.text in (";", ","))
        if value.text in ("async", "function", "require") or is_arrow or is_alias and value.text not in VALUES:
            self.callable.add(name)
            return
        self.results.add(name)
        if value.kind in ("text", "number") or value.text in ("[", "{", "new"):
            self.plain.add(name)

    def is_property(self, place: int) -> bool:
        """Return whether a name is that of a property."""
        before, after = self.at(place - 1).text, self.at(place + 1).text
        return before in (".", "?.") or after == ":" and before in ("{", ",")

    def is_unknown(self, place: int) -> bool:
        """Return whether a token is a name that neither the tests nor the language define."""
        name = self.at(place)
        own = self.declared | self.callable
        return name.kind == "name" and not self.is_property(place) and name.text not in own | self.builtin

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Names that stand for another, by those others."""
        found = {}
        for place, token in enumerate(self.tokens):
            value, after = self.at(place + 1), self.at(place + 2)
            if token.text == "=" and value.kind == "name" and (after.follows_line or after.text in (";", ",")):
                if value.text not in self.declared | self.callable | KEYWORDS | VALUES:
                    found[value.text] = self.at(place - 1).text
        return found

    @cached_property
    def names(self) -> set[str]:
        """Names that tests may have from the candidate."""
        unknown = {token.text for place, token in enumerate(self.tokens) if self.is_unknown(place)}
        return unknown | self.aliases.keys()
