"""Tests in compiled languages that compare results of calls with data, read as calls and what they return.

HumanEval-X, HumanEvalPack and MultiPL-E mostly have such tests. Their calls are compiled with the candidate, as they
are written, and their results are compared elsewhere: see `Language.plain_tests`. A text that a reader does not
understand wholly is none of these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Any

from sandboxes.languages.apart.plain_data import Call, Character, DataReader, is_number
from sandboxes.languages.apart.plain_tokens import BRACKETS, NotPlain, neutral_number

FIRST_COMMENTS = re.compile(r"(?:[ \t]*//[^\n]*\n)*")
"""Comments before the first line of code, which may choose options of the compiler."""

WORD = re.compile(r"[^\W\d]\w*")
NEUTRAL = {"text": '""', "char": "' '"}
"""The source of other data, by the kind of a literal's token."""


@dataclass(frozen=True)
class PlainTests:
    """Tests whose calls and expected results are apart."""

    tests: str
    """Tests that make the calls, and write the results as a line of JSON. They hold no expected result."""

    expected: str
    """The results, as the checker "results" reads them: [value, tolerance of its numbers] of each call, and after these
    other values that are right too. Without a tolerance the numbers are literals, which have the types of those that
    the call returns. With the tolerance "exact" values are equal to those of the same types alone."""

    name: str = ""
    """The name of the test that has the calls; "" for that of a whole program."""


class Reader(DataReader):
    """Reads a text as statements with calls and data. Languages add what they have of their own."""

    record = "%s;\n"
    """The statement that notes the result of a call."""

    equality = ""
    """The method by which a result is compared with data; "" if there is none."""

    tolerance: float | str = 0
    """The tolerance of results that have to be equal."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        self.statements: list[str] = []
        self.expected: list[tuple[Any, float | str]] = []
        # Another result that is right, by the place of the expected one.
        self.others: dict[int, Any] = {}
        # Variables that hold what a function has returned.
        self.results: set[str] = set()
        # A comparison of the tests with its expected value taken out, for the compiler to check the types of.
        self.shape = ""

    def keep_statement(self, first: int) -> None:
        """Take the rest of a statement that compares nothing, and keep it as it is."""
        begin = max(self.at - 1, 0)
        while not self.next_is(";"):
            token = self.peek()
            if token is self.end or token.text in ("assert", "throw", "exit", "return", "}"):
                raise NotPlain("a statement that decides something else")
            if token.kind == "symbol" and token.text in BRACKETS:
                self.skip_brackets()
            else:
                self.at += 1
        self.expect(";")
        taken = self.tokens[begin : self.at]
        called = {
            name.text
            for before, name, bracket in zip(taken, taken[1:], taken[2:], strict=False)
            if name.kind == "name" and bracket.text == "(" and before.text != "new"
        }
        if called - self.constructors:
            self.results |= {token.text for token in taken if token.kind == "name"} - called
        self.statements.append(self.source(first) + "\n")

    def method(self, *owner: str) -> str:
        """Take a function that only calls the candidate's, as our reader of MultiPL-E writes it, and return it.

        Args:
            owner: the tokens before the name of the candidate's.
        """
        first = self.at
        while not self.next_is("{"):
            if self.peek().kind not in ("name", "symbol") or self.next_is(";"):
                raise NotPlain("no function")
            self.at += 1
        self.expect("{", "return", *owner)
        self.call()
        self.expect(";", "}")
        return self.source(first)

    def side(self) -> Any:
        """Take a side of a comparison: data, or a call."""
        first = self.at
        value = self.operand()
        if isinstance(value, Call):
            return value
        self.at = first
        return self.data()

    def comparison(self) -> None:
        """Take a condition that has to hold, and note its call."""
        first = self.at
        if self.equality and self.method_comparison():
            return
        if self.take("("):
            # A condition, or an operand, in brackets.
            before = len(self.statements), len(self.expected), self.shape
            try:
                self.comparison()
                self.expect(")")
                if not self.next_is("=="):
                    return
            except NotPlain:
                pass
            del self.statements[before[0] :], self.expected[before[1] :]
            self.at, self.shape = first, before[2]
        if self.take("!") or self.take("not"):
            self.check(self.truth(self.operand()), False)
            return
        left, middle = self.side(), self.at
        if not self.take("=="):
            self.check(self.truth(left), True)
            return
        right = self.side()
        is_reversed = isinstance(right, Call)
        begin, end = (first, middle) if is_reversed else (middle + 1, self.at)
        self.check_equal(*((right, left) if is_reversed else (left, right)), " ".join(self.neutral(begin, end)))
        self.note_shape(first, begin, end)

    def method_comparison(self) -> bool:
        """Take a condition such as `CALL.equals(DATA)`, if it is one, and note its call."""
        first = self.at
        try:
            left, middle = self.operand(), self.at
            if self.take(".", self.equality, "("):
                self.check_object(left, self.parenthesised(), first, middle)
                return True
        except NotPlain:
            pass
        self.at = first
        return False

    def check_object(self, left: Any, right: Any, first: int, middle: int) -> None:
        """Note that a call and data are equal as objects.

        Args:
            left: the call or the data.
            right: the other one.
            first: the first token of `left`.
            middle: the token after it.
        """
        self.check(left, right)

    def truth(self, value: Any) -> Any:
        """Return the call whose result is a condition. Some languages have conditions of other types than boolean."""
        return value

    def difference(self, *opening: str) -> bool:
        """Take a condition such as `abs(CALL - NUMBER) < NUMBER`, if it is one, and note its call.

        Args:
            opening: the tokens before the call.
        """
        if not self.take(*opening):
            return False
        call = self.operand()
        sign = -1 if self.take("+") else 1
        if sign > 0:
            self.expect("-")
        # No sum: another number after it would be added to the difference.
        value = self.product()
        self.expect(")", "<")
        self.check_near(call, sign, value)
        return True

    def check_near(self, call: Any, sign: int, value: Any) -> None:
        """Take the number that a difference is less than, and note its call.

        Args:
            call: of which a value is taken away.
            sign: -1 if the value is added.
            value: what is taken away.
        """
        tolerance = self.product()
        if not is_number(value) or not is_number(tolerance) or tolerance <= 0:
            raise NotPlain("a difference of something else than numbers")
        self.check(call, sign * value, float(tolerance))

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`. A character is equal to its number.

        Args:
            call: the call, or data if there is none.
            value: the data, or a call if both are.
            neutral: source of other data of the same type.
        """
        if isinstance(call, Call) and isinstance(value, Character):
            if not value.isascii():
                raise NotPlain("a character whose number has another size elsewhere")
            call, value = replace(call, source=f"({call.source}) + 0"), ord(value)
        self.check(call, value)

    def allow_character(self, value: Any, first: int = ord("!")) -> None:
        """Let the call that was noted last return the character with a number, where no text is equal to it.

        Args:
            value: the number.
            first: that of the first character that results may be.
        """
        if type(value) is int and first <= value < 127:
            self.others[len(self.expected) - 1] = chr(value)

    def check(self, left: Any, right: Any, tolerance: float = 0) -> None:
        """Note that a call returns a value. One of the two is the call.

        A condition whose arguments are another function's result may be its comparison with what is expected.
        """
        if isinstance(right, Call):
            left, right = right, left
        if not isinstance(left, Call) or isinstance(right, Call):
            raise NotPlain("no comparison of a call with data")
        names = {*WORD.findall(left.source)}
        if isinstance(right, bool) and (left.calls - self.constructors or names & self.results):
            raise NotPlain("a condition on another function's result")
        self.statements.append(self.record % left.source)
        self.expected.append((self.expectation(right), tolerance or self.tolerance))

    def expectation(self, value: Any) -> Any:
        """Return what is expected of a call that returns data, as its program writes it."""
        return value

    def note_shape(self, first: int, begin: int, end: int) -> None:
        """Keep a comparison for the check of its types, unless there is one. Its data is replaced by other data.

        Args:
            first: the first token of the comparison, which ends with the last that was taken.
            begin: the first token of the expected data.
            end: the token after it.
        """
        if self.shape:
            return
        start, stop = self.tokens[first].start, self.peek(-1).end
        neutral = " ".join(self.neutral(begin, end))
        self.shape = self.code[start : self.tokens[begin].start] + neutral + self.code[self.tokens[end - 1].end : stop]

    def neutral(self, begin: int, end: int) -> Iterator[str]:
        """Yield the tokens of data of the same type. A list has one element at most, unless its type has a length."""
        place = begin
        while place < end:
            token = self.tokens[place]
            text = self.code[token.start : token.end]
            if token.kind == "symbol" and text in "[{":
                commas, closing = self.inside(place)
                yield text
                is_whole = not commas or self.needs_all(place, len(commas) + 1)
                yield from self.neutral(place + 1, closing if is_whole else commas[0])
                place, text = closing, BRACKETS[text]
            elif token.kind == "number":
                text = neutral_number(text)
            yield NEUTRAL.get(token.kind) or ("false" if text == "true" else text)
            place += 1

    def needs_all(self, opening: int, count: int) -> bool:
        """Return whether a list has another type with fewer elements, as a key and its value have.

        Args:
            opening: the bracket before it.
            count: of its elements.
        """
        return False

    def inside(self, opening: int) -> tuple[list[int], int]:
        """Return the places of the commas between two brackets, and of the closing one."""
        depth, commas = 0, list[int]()
        for place in range(opening, len(self.tokens)):
            token = self.tokens[place]
            if token.kind != "symbol":
                continue
            depth += (token.text in BRACKETS) - (token.text in BRACKETS.values())
            if not depth:
                return commas, place
            if depth == 1 and token.text == ",":
                commas.append(place)
        raise NotPlain("a bracket that is not closed")

    def result(self, tests: str, name: str = "") -> PlainTests:
        """Return the tests.

        Args:
            tests: that make the calls.
            name: of the test that has them.
        """
        if not self.expected or self.peek() is not self.end:
            raise NotPlain("no call, or more than calls")
        comments = FIRST_COMMENTS.match(self.code)
        expected = [list[Any](each) for each in self.expected]
        for place, other in self.others.items():
            expected[place].append(other)
        return PlainTests((comments[0] if comments else "") + tests, json.dumps(expected), name)


def or_none(read: Callable[[str], PlainTests]) -> Callable[[str], PlainTests | None]:
    """Return a function that returns None for tests that `read` does not understand. It remembers what it has read."""

    @lru_cache(maxsize=256)
    @wraps(read)
    def read_or_none(tests: str) -> PlainTests | None:
        try:
            return read(tests)
        except (NotPlain, RecursionError):
            return None

    return read_or_none
