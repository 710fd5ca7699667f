"""Tests in compiled languages that compare results of calls with data, read as calls and what they return.

HumanEval-X, HumanEvalPack and MultiPL-E mostly have such tests. Their calls are compiled with the candidate, as they
are written, and their results are compared elsewhere: see `Language.plain_tests`. A text that a reader does not
understand wholly is none of these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\])*"|`[^`]*`)
    |(?P<char>'(?:\\.[^']*|[^'\\])')
    |(?P<number>\d[\w]*(?:\.(?![.\w])|\.\d\w*)?(?:(?<=[eE])[-+]\d+)?|\.\d\w*)
    |(?P<name>[^\W\d]\w*)
    |(?P<symbol>::|->|=>|:=|==|!=|<=|>=|&&|\|\||\S)""",
    re.VERBOSE | re.DOTALL,
)
NUMBER = re.compile(
    r"(?P<hex>0[xX][\da-fA-F_]+)|(?P<whole>[\d_]+)(?P<part>\.[\d_]*)?(?P<power>[eE][-+]?\d+)?|(?P<small>\.\d+)"
)
SUFFIX = re.compile(r"(?:[fFdDlLuU]{1,3}|_?[iu](?:8|16|32|64|128|size)|_?f(?:32|64))?")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
ESCAPE = re.compile(r"\\(u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|.)", re.DOTALL)
FIRST_COMMENTS = re.compile(r"(?:[ \t]*//[^\n]*\n)*")
"""Comments before the first line of code, which may choose options of the compiler."""

BRACKETS = {"(": ")", "[": "]", "{": "}"}
NEUTRAL = {"text": '""', "char": "' '", "true": "false"}


class NotPlain(Exception):
    """Tests do more than compare results of calls with data."""


@dataclass(frozen=True)
class PlainTests:
    """Tests whose calls and expected results are apart."""

    tests: str
    """Tests that make the calls, and write the results as a line of JSON. They hold no expected result."""

    expected: str
    """The results, as the checker "results" reads them: [value, largest difference of its numbers] of each call."""

    name: str = ""
    """The name of the test that has the calls; "" for that of a whole program."""


@dataclass(frozen=True)
class Call:
    """A call of the candidate's function."""

    source: str


@dataclass(frozen=True)
class Token:
    """A part of a text: its kind, one of TOKEN's groups, the value of a literal or its text, and where it stands."""

    kind: str
    text: Any
    start: int
    end: int


def scan(code: str) -> Iterator[Token]:
    """Yield the tokens of a text.

    Raises:
        NotPlain: if it has a literal that is not understood.
    """
    for found in TOKEN.finditer(code):
        kind, text = str(found.lastgroup), found[0]
        value: Any = text
        if kind == "number":
            value = read_number(text)
        elif kind in ("text", "char"):
            value = text[1:-1] if text[0] == "`" else ESCAPE.sub(unescape, text[1:-1])
        if kind != "blank":
            yield Token(kind, value, *found.span())


def read_number(text: str) -> int | float:
    """Return the value of a number."""
    found = NUMBER.match(text)
    if not found or not SUFFIX.fullmatch(text[found.end() :]):
        raise NotPlain(text)
    digits = found[0].replace("_", "")
    if found["hex"]:
        return int(digits, 16)
    suffix = text[found.end() :].lstrip("_")
    is_float = found["part"] is not None or found["power"] or found["small"] or suffix[:1] in ("f", "F", "d", "D")
    if not is_float and len(digits) > 1 and digits[0] == "0":
        raise NotPlain(text)
    return float(digits) if is_float else int(digits)


def unescape(found: re.Match[str]) -> str:
    """Return the character of an escape sequence."""
    said = found[1]
    if said[0] in "uUx" and len(said) > 1:
        return chr(int(said[1:].strip("{}"), 16))
    if said in "\"'\\":
        return said
    if said not in ESCAPES:
        raise NotPlain(said)
    return ESCAPES[said]


class Reader:
    """Reads a text as statements with calls and data. Languages add what they have of their own."""

    record = "%s;\n"
    """The statement that notes the result of a call."""

    callables: frozenset[str] = frozenset()
    """Names that are called in comparisons and are none of the candidate's."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        self.code, self.at = code, 0
        self.tokens = [*scan(code)]
        self.end = Token("end", "", len(code), len(code))
        self.statements: list[str] = []
        self.expected: list[tuple[Any, float]] = []
        # A comparison of the tests with its expected value taken out, for the compiler to check the types of.
        self.shape = ""

    def peek(self, step: int = 0) -> Token:
        """Return a token that has not been taken; the end after the last."""
        place = self.at + step
        return self.tokens[place] if 0 <= place < len(self.tokens) else self.end

    def next_is(self, *texts: str) -> bool:
        """Return whether these tokens, which are no literals, come next."""
        coming = [self.peek(step) for step in range(len(texts))]
        return all(
            token.kind in ("name", "symbol") and token.text == text for token, text in zip(coming, texts, strict=True)
        )

    def take(self, *texts: str) -> bool:
        """Take tokens if they come next. Return whether they do."""
        if not self.next_is(*texts):
            return False
        self.at += len(texts)
        return True

    def expect(self, *texts: str) -> None:
        """Take tokens that have to come next."""
        if not self.take(*texts):
            raise NotPlain(f"{self.peek().text!r} where {' '.join(texts)!r} should be")

    def name(self) -> str:
        """Take a name."""
        token = self.peek()
        if token.kind != "name":
            raise NotPlain(f"{token.text!r} is no name")
        self.at += 1
        return str(token.text)

    def source(self, first: int) -> str:
        """Return the text from a token to the last one that was taken."""
        return self.code[self.tokens[first].start : self.peek(-1).end]

    def skip_brackets(self) -> None:
        """Take a bracket, and all up to the one that closes it."""
        opened: list[str] = []
        while True:
            token = self.peek()
            if token is self.end:
                raise NotPlain("a bracket that is not closed")
            self.at += 1
            if token.kind == "symbol" and token.text in BRACKETS:
                opened.append(BRACKETS[token.text])
            elif token.kind == "symbol" and opened and token.text == opened[-1]:
                opened.pop()
            if not opened:
                return

    def skip_type_arguments(self) -> None:
        """Take what stands between angle brackets, if they come next."""
        if not self.take("<"):
            return
        depth = 1
        while depth:
            token = self.peek()
            if token.kind not in ("name", "symbol", "number"):
                raise NotPlain("type arguments without an end")
            depth += (token.text == "<") - (token.text == ">")
            self.at += 1

    def keep_statement(self, first: int) -> None:
        """Take the rest of a statement that compares nothing, and keep it as it is."""
        while not self.next_is(";"):
            token = self.peek()
            if token is self.end or token.text in ("assert", "throw", "exit", "return", "}"):
                raise NotPlain("a statement that decides something else")
            if token.kind == "symbol" and token.text in BRACKETS:
                self.skip_brackets()
            else:
                self.at += 1
        self.expect(";")
        self.statements.append(self.source(first) + "\n")

    def items(self, end: str) -> list[Any]:
        """Take data between commas, up to a bracket."""
        found = []
        while not self.take(end):
            found.append(self.data())
            if not self.next_is(end):
                self.expect(",")
        return found

    def data(self) -> Any:
        """Take an expression that is data, or arithmetic of numbers."""
        value = self.product()
        while self.next_is("+") or self.next_is("-"):
            is_sum = self.take("+") or not self.take("-")
            other = self.product()
            if not is_number(value) or not is_number(other):
                raise NotPlain("arithmetic of something else than numbers")
            value = value + other if is_sum else value - other
        return value

    def product(self) -> Any:
        """Take data, or a product of numbers."""
        value = self.operand()
        while self.take("*"):
            other = self.operand()
            if not is_number(value) or not is_number(other):
                raise NotPlain("arithmetic of something else than numbers")
            value *= other
        if isinstance(value, Call):
            raise NotPlain("a call where data should be")
        return value

    def operand(self) -> Any:
        """Take data, or a call of the candidate's function."""
        token = self.peek()
        if token.kind == "number":
            self.at += 1
            return token.text
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

    def char(self, text: str) -> Any:
        """Return the value of a literal of one character."""
        return text

    def parenthesised(self) -> Any:
        """Take an operand and the bracket after it. The one before it has been taken."""
        value = self.operand()
        self.expect(")")
        return value

    def own_operand(self) -> Any:
        """Take an operand that has its own form in a language."""
        return self.call()

    def call(self) -> Call:
        """Take a call, whatever its arguments are."""
        first = self.at
        if self.name() in self.callables:
            raise NotPlain("a call of a library's function")
        if not self.next_is("("):
            raise NotPlain("a variable")
        self.skip_brackets()
        return Call(self.source(first))

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
        self.check(left, right)
        is_reversed = isinstance(right, Call)
        self.note_shape(first, *((first, middle) if is_reversed else (middle + 1, self.at)))

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
        value = self.data()
        self.expect(")", "<")
        tolerance = self.data()
        if not is_number(value) or not is_number(tolerance):
            raise NotPlain("a difference of something else than numbers")
        self.check(call, sign * value, float(tolerance))
        return True

    def check(self, left: Any, right: Any, tolerance: float = 0) -> None:
        """Note that a call returns a value. One of the two is the call."""
        if isinstance(right, Call):
            left, right = right, left
        if not isinstance(left, Call) or isinstance(right, Call):
            raise NotPlain("no comparison of a call with data")
        self.statements.append(self.record % left.source)
        self.expected.append((right, tolerance))

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
        """Yield the tokens of data of the same type. A list has one element at most."""
        place = begin
        while place < end:
            token = self.tokens[place]
            text = self.code[token.start : token.end]
            if token.kind == "symbol" and text in "[{":
                commas, closing = self.inside(place)
                yield text
                yield from self.neutral(place + 1, commas[0] if commas else closing)
                place, text = closing, BRACKETS[text]
            elif token.kind == "number":
                text = neutral_number(text)
            yield NEUTRAL.get(token.kind) or NEUTRAL.get(text) or text
            place += 1

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
        if not self.expected:
            raise NotPlain("no call")
        comments = FIRST_COMMENTS.match(self.code)
        return PlainTests(
            (comments[0] if comments else "") + tests, json.dumps([list(each) for each in self.expected]), name
        )


def neutral_number(text: str) -> str:
    """Return the number 0 of the type that a number has."""
    found = NUMBER.match(text)
    assert found
    form = "0" if found["hex"] or not (found["part"] or found["power"] or found["small"]) else "0.0"
    return form + text[found.end() :]


def is_number(value: Any) -> bool:
    """Return whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)
