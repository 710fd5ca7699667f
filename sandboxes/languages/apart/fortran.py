"""Tests in Fortran that compare results with data: a program of conditions that end it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sandboxes.languages.apart.c_numbers import Number, number
from sandboxes.languages.apart.fortran_conditions import (
    HARMLESS,
    KINDS,
    ConditionReader,
    Known,
    calls_in,
    check_data,
    names_in,
    scan,
)
from sandboxes.languages.apart.fortran_results import FINISH, USE_MODULE, results_module
from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain, Token

DECLARATION = re.compile(
    r"(?:integer|real|double\s+precision|complex|logical|character|type\s*\()[^!]*?(?:::|\s)", re.IGNORECASE
)
FIRST = re.compile(r"(?:use\b|implicit\s+none$|external\b)", re.IGNORECASE)
DOUBLES = re.compile(r"kind\(\d*\.?\d*d0\)|real64|8|selected_real_kind\((?:p=)?15(?:,(?:r=)?307)?\)")
SINGLES = re.compile(r"kind\(\d*\.\d*\)|real32|4")
PRINTING = re.compile(r"print\b|write\s*\(\s*(?:\*|6|error_unit|output_unit)\s*,", re.IGNORECASE)


def logical_lines(code: str) -> Iterator[str]:
    """Yield the statements of a source in free form, without comments."""
    found = ""
    for line in code.split("\n"):
        text, goes_on = without_comment(line)
        text = text.strip()
        if not text and goes_on is None:
            continue
        found += text.removeprefix("&") if found else text
        if goes_on:
            continue
        yield from (part.strip() for part in found.split(";") if part.strip())
        found = ""
    if found:
        raise NotPlain("a line that goes on at the end")


def without_comment(line: str) -> tuple[str, bool | None]:
    """Return a line without its comment, and whether it goes on; None if there is nothing else."""
    if line.lstrip().startswith("#") or not line.replace("\t", " ").isprintable():
        raise NotPlain("another form of lines")
    text = line
    place, quote = 0, ""
    while place < len(line):
        char = line[place]
        if quote:
            quote = "" if char == quote else quote
            if char == ";":
                raise NotPlain("a semicolon in a text")
        elif char in "\"'":
            quote = char
        elif char == "!":
            text = line[:place]
            break
        place += 1
    if quote:
        raise NotPlain("a text that goes on")
    stripped = text.rstrip()
    if stripped.endswith("&"):
        return stripped[:-1], True
    return stripped, False if stripped.strip() else None


class FortranReader:
    """Reads tests in Fortran, statement by statement."""

    def __init__(self, code: str) -> None:
        """Begin with the first statement."""
        self.lines = [*logical_lines(code)]
        self.at = 0
        self.kept: list[str] = []
        self.expected: list[list[Any]] = []
        self.known = Known(set(), set(), set(), set(), {}, dict(KINDS))
        # Variables whose declarations hold data.
        self.set: set[str] = set()

    def next(self) -> str:
        """Take a statement."""
        if self.at >= len(self.lines):
            raise NotPlain("no end")
        self.at += 1
        return self.lines[self.at - 1]

    def read(self) -> str:
        """Take the program, and return the one that records results."""
        head = self.next()
        if not re.fullmatch(r"program\s+\w+", head, re.IGNORECASE):
            raise NotPlain("no program")
        first: list[str] = []
        while FIRST.match(self.peek()):
            first.append(self.next())
        while DECLARATION.match(self.peek()) or re.fullmatch("interface", self.peek(), re.IGNORECASE):
            self.declaration()
        while not re.fullmatch(r"end(?:\s*program(?:\s+\w+)?)?", self.peek(), re.IGNORECASE):
            if self.statement():
                break
        end = self.next()
        if not re.fullmatch(r"end(?:\s*program(?:\s+\w+)?)?", end, re.IGNORECASE) or self.at != len(self.lines):
            raise NotPlain("more than a program")
        named = Counter(name for line in self.kept for name in names_in([*scan(line)]))
        if any(named[name] < 2 for name in self.set):
            raise NotPlain("data that nothing uses")
        uses = [line for line in first if line.lower().startswith("use")]
        others = [line for line in first if line not in uses]
        return "\n".join(
            [results_module("\n".join(self.kept)), head, *uses, USE_MODULE, *others, *self.kept, FINISH, end, ""]
        )

    def peek(self) -> str:
        """Return the next statement."""
        return self.lines[self.at] if self.at < len(self.lines) else ""

    def declaration(self) -> None:
        """Take a declaration, or interfaces."""
        line = self.next()
        if line.lower() == "interface":
            self.kept.append(line)
            while not re.fullmatch(r"end\s*interface", line, re.IGNORECASE):
                line = self.next()
                self.kept.append(line)
            return
        reader = ConditionReader(line, self.known)
        texts = [token.text if token.kind != "text" else "" for token in reader.tokens]
        if "::" not in texts:
            if "=" in texts or "/" in texts:
                raise NotPlain("data without colons")
            self.known.variables |= names_in(reader.tokens[1:]) if "external" not in texts else set()
            self.kept.append(line)
            return
        middle = texts.index("::")
        attributes, reader.at = texts[:middle], middle + 1
        if {"function", "subroutine", "procedure"} & {*attributes}:
            raise NotPlain("a procedure")
        while True:
            self.variable(reader, attributes)
            if reader.peek() is reader.end:
                break
            reader.expect(",")
        self.kept.append(line)

    def variable(self, reader: ConditionReader, attributes: list[str]) -> None:
        """Take a variable of a declaration."""
        name = reader.name()
        is_list = reader.next_is("(")
        if is_list:
            reader.skip_brackets()
        if reader.take("*"):
            raise NotPlain("a length")
        if "external" not in attributes:
            self.known.variables.add(name)
        if is_list or "dimension" in attributes:
            self.known.arrays.add(name)
        if not reader.take("="):
            return
        first = reader.at
        while reader.peek() is not reader.end and not reader.next_is(","):
            if reader.next_is("(") or reader.next_is("["):
                reader.skip_brackets()
            elif reader.next_is("(/"):
                while not reader.take("/)"):
                    reader.at += 1
                    if reader.peek() is reader.end:
                        raise NotPlain("a list without an end")
            else:
                reader.at += 1
        source = "".join(reader.source(first).lower().split())
        if (
            "parameter" in attributes
            and attributes[0] == "integer"
            and (DOUBLES.fullmatch(source) or SINGLES.fullmatch(source))
        ):
            self.known.kinds[name] = "double" if DOUBLES.fullmatch(source) else "float"
            return
        check_data(reader.tokens[first : reader.at], self.known)
        if "parameter" in attributes and attributes[0] in ("real", "double"):
            value = ConditionReader(reader.source(first), self.known)
            kind = attributes[attributes.index("(") + 1 :] if "(" in attributes else []
            self.known.numbers[name] = self.converted(value.number(), attributes[0], kind)
            if value.peek() is not value.end:
                raise NotPlain("a constant of another kind")
            return
        self.set.add(name)

    def converted(self, value: Number, word: str, kind: list[str]) -> Number:
        """Return the number that a constant holds."""
        if word == "double":
            return number("double", value.value)
        names = [text for text in kind[: kind.index(")")] if text not in ("kind", "=")] if kind else []
        if not kind:
            return number("float", value.value)
        if len(names) != 1 or names[0] not in self.known.kinds:
            raise NotPlain("a kind of reals")
        return number(self.known.kinds[names[0]], value.value)

    def statement(self) -> bool:
        """Take a statement. Return whether it ends the program."""
        line = self.next()
        reader = ConditionReader(line, self.known)
        if reader.take("if"):
            self.decision(reader)
        elif PRINTING.match(line):
            check_printing(reader.tokens, self.known)
        elif re.fullmatch(r"stop(?:\s+0)?", line, re.IGNORECASE):
            return True
        elif reader.take("call"):
            place = reader.place()
            if (
                reader.peek() is not reader.end
                or place.calls[:1] in ((), ("exit",), ("abort",))
                or "exit" in place.names
            ):
                raise NotPlain("a call of another kind")
            self.known.note_result(place, {*place.names} & self.known.variables)
            self.kept.append(line)
        else:
            self.assignment(reader, line)
        return False

    def assignment(self, reader: ConditionReader, line: str) -> None:
        """Take an assignment to a variable."""
        target = reader.place()
        if target.calls or not target.names & self.known.variables:
            raise NotPlain("no assignment")
        reader.expect("=")
        first = reader.at
        tokens = reader.tokens[first:]
        calls = {name for name in calls_in(tokens) if name not in self.known.arrays}
        if calls or names_in(tokens) & self.known.results:
            place = reader.place()
            if reader.peek() is not reader.end:
                raise NotPlain("a result that is changed")
            self.known.note_result(place, {*target.names} & self.known.variables)
        else:
            check_data(tokens, self.known)
        self.kept.append(line)

    def decision(self, reader: ConditionReader) -> None:
        """Take an `if` that ends the program where a result is wrong."""
        reader.expect("(")
        reader.condition(False)
        reader.expect(")")
        if reader.take("then"):
            if reader.peek() is not reader.end:
                raise NotPlain("no condition")
            fails = False
            while not re.fullmatch(r"end\s*if", self.peek(), re.IGNORECASE):
                line = self.next()
                fails = not PRINTING.match(line) and self.fails(line) or fails
            self.next()
        else:
            fails = self.fails(reader.code[reader.peek().start :])
        if not fails:
            raise NotPlain("no failure")
        self.kept += reader.records
        self.expected += reader.expected

    def fails(self, line: str) -> bool:
        """Return whether a statement ends the program, and fails it.

        Raises:
            NotPlain: if it does something else.
        """
        found = re.fullmatch(
            r"error\s*stop(?:\s+(?:\d+|\"[^\"]*\"|'[^']*'))?|stop\s+(\d+)|call\s+exit\s*\(\s*(\d+)\s*\)"
            r"|call\s+abort(?:\s*\(\s*\))?",
            line,
            re.IGNORECASE,
        )
        if not found or any(status is not None and not int(status) for status in found.groups()):
            raise NotPlain("another consequence")
        return True


def check_printing(tokens: Sequence[Token], known: Known) -> None:
    """Check that what is printed calls nothing, and that printing sets no variable, as `iostat=i` and `(i, i=1,3)` do.

    Raises:
        NotPlain: if it does.
    """
    signs = [place for place, token in enumerate(tokens) if token.kind == "symbol" and token.text == "="]
    if any(tokens[place - 1].text not in ("fmt", "unit", "advance") for place in signs):
        raise NotPlain("a variable that printing sets")
    if {name for name in calls_in(tokens) if name not in known.arrays} - HARMLESS - {"write", "print"}:
        raise NotPlain("a call in what is printed")


@or_none
def fortran_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = FortranReader(tests)
    program = reader.read()
    if not reader.expected:
        raise NotPlain("no call")
    return PlainTests(program, json.dumps(reader.expected))
