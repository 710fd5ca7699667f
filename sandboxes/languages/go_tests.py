"""Tests in Go that compare results of calls with data: one test of testify's assertions, as HumanEval-X has it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sandboxes.languages.go_calls import SHOW
from sandboxes.languages.plain_tests import NotPlain, PlainTests, Reader

IMPORTS = re.compile(r'^import[ \t]*(?:\([^()]*\)|"[\w./]+")[ \t]*$', re.MULTILINE)
PACKAGE = re.compile(r"^package[ \t]+\w+[ \t]*$", re.MULTILINE)
NUMBERS = ("int", "int64", "int32", "float64", "string")

# testify compares types as well, so that they are part of a result.
PROGRAM = (
    """\
%(imports)s
import (
	codeEvalJSON "encoding/json"
	codeEvalFmt "fmt"
	codeEvalMath "math"
	codeEvalOS "os"
	codeEvalReflect "reflect"
	codeEvalStrconv "strconv"
)

const codeEvalTellsNil = true

var codeEvalAll = ""

func codeEvalAdd(value interface{}) {
	kind, _ := codeEvalJSON.Marshal(codeEvalFmt.Sprintf("%%T", value))
	shown := "null"
	if value != nil {
		shown = codeEvalShow(codeEvalReflect.ValueOf(value))
	}
	if codeEvalAll != "" {
		codeEvalAll += ","
	}
	codeEvalAll += "[" + shown + "," + string(kind) + "]"
}

func main() {
%(statements)s
	codeEvalOS.NewFile(1, "stdout").WriteString("\\n[" + codeEvalAll + "]\\n")
}
"""
    + SHOW
)


class GoReader(Reader):
    """Reads tests in Go. Data is a pair of a value and its type."""

    record = "\tcodeEvalAdd(%s)\n"

    def operand(self) -> Any:
        """Take data, or a call of the candidate's function."""
        token = self.peek()
        if token.kind == "char":
            self.at += 1
            return Typed(ord(token.text), "int32")
        return super().operand()

    def own_operand(self) -> Any:
        """Take a list, a table, a number of a type, or a call."""
        if self.next_is("[") or self.next_is("map"):
            kind = self.kind()
            return Typed(self.table() if kind.startswith("map") else self.elements(), kind)
        if self.take("nil"):
            return Typed(None, "<nil>")
        if self.peek().text in NUMBERS and self.peek(1).text == "(":
            kind = self.name()
            self.expect("(")
            return Typed(plain(self.parenthesised()), kind)
        if self.peek(1).text != "(":
            raise NotPlain("a variable")
        return self.call()

    def kind(self) -> str:
        """Take a type, and return it as Go writes it."""
        if self.take("["):
            size = ""
            if not self.take("]"):
                size = str(self.peek().text)
                self.at += 1
                self.expect("]")
            return f"[{size}]{self.kind()}"
        if self.take("map", "["):
            key = self.kind()
            self.expect("]")
            return f"map[{key}]{self.kind()}"
        if self.take("interface", "{", "}"):
            return "interface {}"
        return {"rune": "int32", "byte": "uint8"}.get(name := self.name(), name)

    def elements(self) -> list[Any]:
        """Take elements in braces. Those that are lists may lack their type."""
        self.expect("{")
        found: list[Any] = []
        while not self.take("}"):
            found.append(self.elements() if self.next_is("{") else plain(self.data()))
            if not self.next_is("}"):
                self.expect(",")
        return found

    def table(self) -> dict[str, Any]:
        """Take keys and values in braces."""
        self.expect("{")
        found: dict[str, Any] = {}
        while not self.take("}"):
            key = plain(self.data())
            self.expect(":")
            found[str(key)] = self.elements() if self.next_is("{") else plain(self.data())
            if not self.next_is("}"):
                self.expect(",")
        return found

    def check(self, left: Any, right: Any, tolerance: float = 0) -> None:
        """Note that a call returns a value of a type."""
        left, right = ([plain(each), kind_of(each)] if is_data(each) else each for each in (left, right))
        super().check(left, right, tolerance)

    def statement(self) -> None:
        """Take a statement of a test."""
        if self.take("assert", ".", "Equal", "("):
            is_near = self.take("true", ",") and self.next_is("math", ".", "Abs", "(")
            if is_near:
                self.difference("math", ".", "Abs", "(")
            else:
                if self.peek(-1).text == ",":
                    self.at -= 2
                left = self.side()
                self.expect(",")
                self.check(left, self.side())
            self.expect(")")
        elif self.take("assert", ".", "True", "("):
            self.check(self.operand(), True)
            self.expect(")")
        else:
            self.expect("assert", ".", "False", "(")
            self.check(self.operand(), False)
            self.expect(")")
        self.take(";")


class Typed:
    """Data with a type that its value does not show."""

    def __init__(self, value: Any, kind: str) -> None:
        """Keep both."""
        self.value, self.kind = value, kind


def is_data(value: Any) -> bool:
    """Return whether a side of a comparison is data."""
    return isinstance(value, Typed | bool | int | float | str)


def plain(value: Any) -> Any:
    """Return the value of data."""
    return value.value if isinstance(value, Typed) else value


def kind_of(value: Any) -> str:
    """Return the type of data, as Go writes it."""
    if isinstance(value, Typed):
        return value.kind
    return {bool: "bool", int: "int", float: "float64", str: "string"}[type(value)]


@lru_cache(maxsize=256)
def go_tests(tests: str) -> PlainTests | None:
    """Return tests whose calls and results are apart; None if they do more than compare results with data."""
    imports = re.findall(r'"([\w./]+)"', "".join(IMPORTS.findall(tests)))
    try:
        reader = GoReader(IMPORTS.sub("", PACKAGE.sub("", tests)))
        reader.expect("func")
        name = reader.name()
        reader.expect("(", "t", "*", "testing", ".", "T", ")", "{", "assert", ":=", "assert", ".", "New", "(", "t", ")")
        if not name.startswith("Test"):
            return None
        while not reader.take("}"):
            reader.statement()
        if reader.peek() is not reader.end:
            return None
        statements = "".join(reader.statements)
        # Go refuses imports that nothing uses.
        used = [path for path in imports if re.search(rf"\b{path.rpartition('/')[2]}\.", statements)]
        parts = {"imports": "".join(f'import "{path}"\n' for path in used), "statements": statements}
        return reader.result(PROGRAM % parts, name)
    except (NotPlain, RecursionError, TypeError, KeyError):
        return None
