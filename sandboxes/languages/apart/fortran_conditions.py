"""Conditions in tests in Fortran, which compare results with data. Used by `fortran`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sandboxes.languages.apart.c_conditions import limit_of
from sandboxes.languages.apart.c_numbers import Number, needs_note, number, single, values_by_type
from sandboxes.languages.apart.plain_data import Place
from sandboxes.languages.apart.plain_tokens import NotPlain, Token, TokenReader

TOKEN = re.compile(
    r"""(?P<blank>[ \t]+)
    |(?P<text>"(?:""|[^"\n])*"|'(?:''|[^'\n])*')
    |(?P<number>(?:\d+(?:\.(?![a-z]+\.)\d*)?|\.\d+)(?:[ed][-+]?\d+)?(?:_\w+)?)
    |(?P<symbol>\.[a-z]+\.|==|/=|<=|>=|//|\*\*|\(/|/\)|::|=>|[^\w\s])
    |(?P<name>[a-z]\w*)""",
    re.VERBOSE | re.IGNORECASE,
)
LITERAL = re.compile(r"(?P<digits>\d+)(?P<rest>(?:\.\d*)?)(?:(?P<letter>[ed])(?P<power>[-+]?\d+))?(?:_(?P<kind>\w+))?")
SYNONYMS = {".eq.": "==", ".ne.": "/=", ".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">="}
COMPARISONS = frozenset(("==", "/=", "<", "<=", ">", ">=", ".and.", ".or.", ".not.", ".eqv.", ".neqv."))
FOREIGN = frozenset("abs all any merge index scan verify present associated allocated count findloc".split())
"""Intrinsic functions that compare what they are given."""

HARMLESS = frozenset("size len len_trim kind real int".split())
KINDS = {"4": "float", "real32": "float", "8": "double", "real64": "double"}
"""The types of reals by the names of their kinds."""


def scan(code: str) -> Iterator[Token]:
    """Yield the tokens of a statement. Names and symbols are in small letters, and texts have their values."""
    place = 0
    while place < len(code):
        found = TOKEN.match(code, place)
        if not found:
            raise NotPlain("another token")
        kind, text, place = str(found.lastgroup), found[0], found.end()
        if kind == "text":
            value = text[1:-1].replace(text[0] * 2, text[0])
        else:
            value = SYNONYMS.get(text.lower(), text.lower())
        if kind != "blank":
            yield Token(kind, value, *found.span())


@dataclass
class Known:
    """What is known of the names in tests."""

    variables: set[str]
    arrays: set[str]
    """Variables that brackets may follow."""

    results: set[str]
    """Variables that hold results."""

    compared: set[str]
    """Variables that hold what a function may have compared."""

    numbers: dict[str, Number]
    """Constants that may be tolerances."""

    kinds: dict[str, str]
    """The types of reals by the names of their kinds."""

    def may_compare(self, place: Place) -> bool:
        """Return whether a function may have compared another's result with what is expected, which it was given."""
        if not place.calls:
            return bool(place.names & self.compared)
        is_nested = len(place.calls) > 1 and place.calls[0] not in HARMLESS
        has_data = place.has_data or bool(place.names & self.variables - self.results)
        return is_nested or bool(place.names & self.results) and has_data

    def note_result(self, place: Place, variables: set[str]) -> None:
        """Note that variables hold the results of a call."""
        if self.may_compare(place):
            self.compared |= variables
        self.results |= variables


class ConditionReader(TokenReader):
    """Takes the parts of one statement."""

    def __init__(self, code: str, known: Known) -> None:
        """Begin with the first token."""
        self.code, self.at, self.known = code, 0, known
        self.tokens = [*scan(code)]
        self.end = Token("end", "", len(code), len(code))
        self.records: list[str] = []
        self.expected: list[list[Any]] = []

    def condition(self, holds: bool) -> None:
        """Take a condition, and note the results that decide about it.

        Args:
            holds: whether it has to hold, or must not.
        """
        first = self.at
        self.part(holds)
        # These come last among the operators.
        is_equivalence = self.is_equivalence(first)
        while self.next_is(".and.") or self.next_is(".or."):
            if self.next_is(".and.") != holds:
                raise NotPlain("one of several conditions")
            self.at += 1
            first = self.at
            self.part(holds)
            if is_equivalence or self.is_equivalence(first):
                raise NotPlain("an equivalence of several conditions")

    def is_equivalence(self, first: int) -> bool:
        """Return whether a part of a condition, which ends here, compares truths outside of brackets."""
        depth = 0
        for symbol in (token.text for token in self.tokens[first : self.at] if token.kind == "symbol"):
            depth += (symbol in ("(", "[", "(/")) - (symbol in (")", "]", "/)"))
            if not depth and symbol in (".eqv.", ".neqv."):
                return True
        return False

    def is_at_end(self) -> bool:
        """Return whether a part of a condition ends here."""
        return self.peek() is self.end or any(map(self.next_is, (")", ".and.", ".or.")))

    def part(self, holds: bool) -> None:
        """Take a condition without `.and.` and `.or.`, as `condition` does."""
        first = self.at
        if self.take(".not."):
            self.part(not holds)
            return
        if self.take("("):
            try:
                self.condition(holds)
                self.expect(")")
                if self.is_at_end():
                    return
            except NotPlain:
                pass
            raise NotPlain("brackets of another kind")
        word = "any" if not holds else "all"
        if self.take(word, "("):
            self.lists("/=" if word == "any" else "==")
        elif self.take("abs", "("):
            self.near(holds)
        else:
            self.at = first
            self.comparison(holds)
        if not self.is_at_end():
            raise NotPlain("more than a comparison")

    def lists(self, symbol: str) -> None:
        """Take a comparison of all elements of a list."""
        first = self.at
        try:
            place = self.place()
            self.expect(symbol)
            values = self.list_of_numbers()
        except NotPlain:
            self.at = first
            values = self.list_of_numbers()
            self.expect(symbol)
            place = self.place()
        self.expect(")")
        kinds = {value.kind for value in values}
        if len(kinds) != 1 or any(needs_note(value) and single(value.value) != value.value for value in values):
            raise NotPlain("a list of something else")
        self.note(place, f"list_{kinds.pop()}", [[value.value for value in values], 0])

    def list_of_numbers(self) -> list[Number]:
        """Take a list of numbers."""
        end = "/)" if self.take("(/") else "]"
        if end == "]":
            self.expect("[")
        found = [self.number()]
        while self.take(","):
            found.append(self.number())
        self.expect(end)
        return found

    def near(self, holds: bool) -> None:
        """Take a condition such as `abs(CALL - NUMBER) > NUMBER`."""
        place = self.place()
        sign = 1 if self.take("-") else -1
        if sign < 0:
            self.expect("+")
        value = self.number()
        self.expect(")")
        symbol = str(self.peek().text)
        self.at += 1
        if symbol not in (("<", "<=") if holds else (">", ">=")):
            raise NotPlain("no tolerance")
        name = str(self.peek().text)
        if name in self.known.numbers:
            self.at += 1
            tolerance = self.known.numbers[name]
        else:
            tolerance = self.number()
        value = Number(value.kind, sign * value.value)
        limit = limit_of("fabs", value, float(tolerance.value), symbol in ("<=", ">"))
        self.note(place, f"near_{value.kind}", [value.value, limit])

    def comparison(self, holds: bool) -> None:
        """Take a comparison with data, or a result that is a condition."""
        left = self.side()
        symbol = str(self.peek().text)
        if symbol not in ("==", "/=", ".eqv.", ".neqv."):
            if not isinstance(left, Place):
                raise NotPlain("no result")
            self.note(left, "truth", [holds, 0])
            return
        self.at += 1
        right = self.side()
        place, value = (left, right) if isinstance(left, Place) else (right, left)
        is_equal = holds == (symbol in ("==", ".eqv."))
        if not isinstance(place, Place) or isinstance(value, Place) or isinstance(value, bool) != (symbol[-1] == "."):
            raise NotPlain("no comparison of a result with data")
        if isinstance(value, bool):
            self.note(place, "truth", [value == is_equal, 0])
        elif not is_equal:
            raise NotPlain("a result that is only different")
        elif isinstance(value, str):
            self.note(place, "text", [value.rstrip(" "), 0])
        elif value.is_whole and single(value.value) != value.value:
            self.note(place, "noted", [value.value, 0, *values_by_type(value)[-2:]])
        else:
            self.note(place, value.kind, [value.value, 0])

    def side(self) -> Number | Place | str | bool:
        """Take a side of a comparison."""
        token = self.peek()
        if token.kind == "text":
            self.at += 1
            if "\ufffd" in token.text:
                raise NotPlain("a text whose bytes are others")
            return str(token.text)
        if token.text in (".true.", ".false.") and token.kind == "symbol":
            self.at += 1
            return bool(token.text == ".true.")
        if token.kind == "number" or self.next_is("-") or self.next_is("("):
            return self.number()
        if self.take("trim", "("):
            place = self.place()
            self.expect(")")
            return place
        return self.place()

    def number(self) -> Number:
        """Take a number, with its sign."""
        if self.take("("):
            value = self.number()
            self.expect(")")
            return value
        sign = -1 if self.take("-") else 1
        token = self.peek()
        found = LITERAL.fullmatch(token.text.replace(".", "0.", 1) if token.text.startswith(".") else token.text)
        if token.kind != "number" or not found:
            raise NotPlain("no number")
        self.at += 1
        if not found["rest"] and not found["letter"]:
            if found["kind"] not in (None, "4", "8"):
                raise NotPlain("a kind of integers")
            kind = "long" if found["kind"] == "8" else "int"
            return number(kind, sign * number(kind, int(found["digits"])).value)
        kind = {"d": "double"}.get(found["letter"] or "", "float")
        if found["kind"]:
            if kind == "double" or found["kind"] not in self.known.kinds:
                raise NotPlain("a kind of reals")
            kind = self.known.kinds[found["kind"]]
        text = f"{found['digits']}{found['rest']}e{found['power'] or 0}"
        return number(kind, sign * (single(Fraction(text)) if kind == "float" else float(text)))

    def place(self) -> Place:
        """Take a call, or a variable or a part of one."""
        first = self.at
        self.name()
        while True:
            if self.next_is("("):
                self.skip_brackets()
            elif self.take("%"):
                self.name()
            else:
                break
        tokens = self.tokens[first : self.at]
        calls = tuple(name for name in calls_in(tokens) if name not in self.known.arrays)
        symbols = {token.text for token in tokens if token.kind == "symbol"}
        if FOREIGN & {*calls} or symbols & COMPARISONS or tokens[0].text in ("trim",):
            raise NotPlain("no call of the candidate's")
        names = names_in(tokens)
        has_data = bool(calls) and any(token.kind in ("number", "text") for token in tokens)
        return Place(self.source(first), names, calls, has_data)

    def note(self, place: Place, kind: str, expected: list[Any]) -> None:
        """Note a result, and what it is compared with."""
        if expected[0] in (0, 1) and self.known.may_compare(place):
            raise NotPlain("a condition on another function's result")
        self.records.append(f"call code_eval_{kind}({place.source})")
        self.expected.append(expected)


def calls_in(tokens: Sequence[Token]) -> list[str]:
    """Return the names that brackets follow."""
    return [one.text for one, other in pairwise(tokens) if one.kind == "name" and other.text in ("(", "(/")]


def names_in(tokens: Sequence[Token]) -> frozenset[str]:
    """Return all names."""
    return frozenset(token.text for token in tokens if token.kind == "name")


def check_data(tokens: Sequence[Token], known: Known) -> None:
    """Check that data compares nothing, and calls nothing.

    Raises:
        NotPlain: if it does.
    """
    symbols = {token.text for token in tokens if token.kind == "symbol"}
    calls = {name for name in calls_in(tokens) if name not in known.arrays}
    if symbols & COMPARISONS or calls - HARMLESS or names_in(tokens) & known.results:
        raise NotPlain("more than data")
