"""Tests in Swift that compare results of calls with data: assertions at the top level, as in MultiPL-E."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from typing import Any

from sandboxes.languages.apart.plain_data import Call
from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.apart.plain_variables import VariablesReader
from sandboxes.languages.apart.swift_results import PROGRAM, RESULTS_MARK

IMPORT = re.compile(r"^[ \t]*(?:@testable[ \t]+)?import[ \t]+[\w. ]+$", re.MULTILINE)
CHECKS = ("assert", "precondition")
LIBRARY = frozenset(
    "Array Bool Character Dictionary Double Float Int Set String XCTAssertEqual abs fatalError guard if for func let"
    " max min print repeat return switch throw try var while zip".split()
).union(CHECKS)
UNREAD = re.compile(r'\\\(|"""|#"|`')
"""Texts with expressions, of several lines or without escapes, and names in quotes."""

# The helper of all records, which compares lists of pairs.
PAIRS = (
    "func ==(left: [(Int, Int)], right: [(Int, Int)]) -> Bool { if left.count != right.count { return false }"
    " for (l, r) in zip(left, right) { if l != r { return false } } return true }"
)
PAIRS_TEXT = re.compile(r"\s*".join(re.escape(part) for part in re.findall(r"\w+|\S", PAIRS)))


class SwiftReader(VariablesReader):
    """Reads tests in Swift."""

    record = "codeEvalAdd(%s)\n"
    foreign = LIBRARY
    has_tuples = True

    def char(self, text: str) -> Any:
        """Refuse what no literal in Swift looks like.

        Raises:
            NotPlain: always.
        """
        raise NotPlain(text)

    def operand(self) -> Any:
        """Take an operand, and the type that names the kind of an empty list or table."""
        value = super().operand()
        if not isinstance(value, Call) and self.next_is("as"):
            if value not in ([], {}):
                raise NotPlain("a value of another type")
            self.at += 1
            self.expect("[")
            self.at -= 1
            self.skip_brackets()
        return value

    def own_operand(self) -> Any:
        """Take a list, a table, a case of an enumeration, a variable, or a call."""
        if self.take("nil"):
            return None
        if self.take("[", ":", "]"):
            return {}
        if self.take("["):
            return self.list_or_table()
        if self.take("."):
            name = self.name()
            self.expect("(")
            values = self.items(")")
            return {name: values[0] if len(values) == 1 else values}
        if self.is_variable():
            return self.variables[self.name()]
        return self.call()

    def call(self) -> Call:
        """Take a call of a function, or a method of `Solution()`."""
        first = self.at
        name = self.name()
        if name in self.foreign:
            raise NotPlain("no call of the candidate's")
        # A method of a result may compare it with what is expected.
        if self.take(".") or name[0].isupper() and self.take("(", ")", "."):
            self.name()
        found = self.called(first)
        if self.peek().text in (".", "?", "!", "[", "("):
            raise NotPlain("a part of a result")
        return found

    def declaration(self) -> None:
        """Take a variable that has data, or the result of a call."""
        first = self.at
        self.at += 1
        name = self.name()
        while not self.take("="):
            if self.peek().kind not in ("name", "symbol") or self.peek().text in (",", "{"):
                raise NotPlain("a variable without a value")
            self.at += 1
        begin = self.at
        value = self.operand()
        self.check_end()
        self.declare(name, value, self.source(begin), f"{self.source(first)}\n")

    def check_end(self) -> None:
        """Check that a statement ends here: with the text, or before another statement."""
        token = self.peek()
        has_end = token.text == ";" or "\n" in self.code[self.peek(-1).end : token.start]
        if token is not self.end and not (has_end and token.text in (";", "let", "var", *CHECKS)):
            raise NotPlain("a longer statement")

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`. No character is a number."""
        self.check(call, value)

    def note_shape(self, first: int, begin: int, end: int) -> None:
        """Keep a comparison for the check of its types, unless it has variables, which the program may lack."""
        if self.shape or self.has_variables(first):
            return
        start, stop = self.tokens[first].start, self.peek(-1).end
        # Blanks would change what a sign or a dot means. A text may be a character.
        neutral = "".join('"x"' if part == '""' else part for part in self.neutral(begin, end))
        self.shape = self.code[start : self.tokens[begin].start] + neutral + self.code[self.tokens[end - 1].end : stop]

    def statement(self) -> None:
        """Take a statement of the tests."""
        if self.next_is("let") or self.next_is("var"):
            self.declaration()
        elif self.peek().text in CHECKS and self.peek(1).text == "(":
            self.at += 2
            if not self.difference("abs", "("):
                self.comparison()
            if self.take(","):
                if self.peek().kind != "text":
                    raise NotPlain("a message that is computed")
                self.at += 1
            self.expect(")")
        else:
            raise NotPlain("a statement of another kind")
        while self.take(";"):
            continue

    def result(self, tests: str, name: str = "") -> PlainTests:
        """Return the tests, with all forms of the texts that they expect."""
        expected = [[value, tolerance, *other_forms(value)] for value, tolerance in self.expected]
        return replace(super().result(tests, name), expected=json.dumps(expected))


def other_forms(value: Any) -> list[Any]:
    """Return the other ways in which a program writes what is equal to a value.

    Texts are equal if their normal forms are. A result may have the type AnyHashable.

    Args:
        value: data.
    """
    forms = [normalised(value, form) for form in ("NFC", "NFD")] + [as_hashable(value)]
    return [form for form in forms if form != value]


def normalised(value: Any, form: str) -> Any:
    """Return data whose texts are in a normal form of Unicode."""
    if isinstance(value, str):
        return unicodedata.normalize(form, value)  # type: ignore[arg-type]
    if isinstance(value, list):
        return [normalised(each, form) for each in value]
    if isinstance(value, dict):
        return {normalised(key, form): normalised(each, form) for key, each in value.items()}
    return value


def as_hashable(value: Any) -> Any:
    """Return data as a program writes it if its parts have the type AnyHashable: with the kinds of its numbers."""
    if isinstance(value, bool):
        return {"Bool": value}
    if isinstance(value, int | float):
        return {"number": value}
    if isinstance(value, list):
        return [as_hashable(each) for each in value]
    if isinstance(value, dict):
        return {key: as_hashable(each) for key, each in value.items()}
    return value


@or_none
def swift_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    if UNREAD.search(tests):
        raise NotPlain("a text or a name of another form")
    pairs = PAIRS_TEXT.search(tests)
    body = IMPORT.sub("", PAIRS_TEXT.sub("", tests, count=1))
    reader = SwiftReader(body)
    while reader.peek() is not reader.end:
        reader.statement()
    parts = {"imports": "\n".join(IMPORT.findall(tests)), "pairs": pairs[0] if pairs else "", "mark": RESULTS_MARK}
    types = f"if false {{ _ = {reader.shape} }}" if reader.shape else ""
    return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements), "types": types})
