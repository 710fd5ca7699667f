"""Tests in Go that compare results of calls with data: one test of testify's assertions, as in HumanEval-X, or a table.

MultiPL-E's tests are tables of calls and data, and compare their texts, as `fmt` writes them.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from sandboxes.languages.apart.plain_data import table
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.calls.go import SHOW
from sandboxes.languages.comments import without_literals

IMPORTS = re.compile(r'^import[ \t]*(?:\([^()]*\)|"[\w./]+")[ \t]*$', re.MULTILINE)
USED = re.compile(r"\b([a-z]\w*)\.([A-Z]\w*)\(")
PACKAGE = re.compile(r"^package[ \t]+\w+[ \t]*$", re.MULTILINE)
TABLE_END = """
for i, tc := range tests {
t.Run(fmt.Sprintf("test num % d", i), func(t *testing.T) {
if fmt.Sprintf("%v", tc.actual) != fmt.Sprintf("%v", tc.expected) {
t.Errorf("expected '%s', got '%s'", tc.expected, tc.actual)
}
})
}
}
"""
CASTS = {"int": int, "int64": int, "int32": int, "float64": float, "string": str}

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

%(used)s

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
    constructors = frozenset(CASTS)
    casts = CASTS

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
            return Typed(self.pairs() if kind.startswith("map") else self.braces(), kind)
        if self.take("nil"):
            return Typed(None, "<nil>")
        if self.peek().text in CASTS and self.peek(1).text == "(":
            kind = self.name()
            self.expect("(")
            value = self.parenthesised()
            self.check_kind(value, kind)
            return Typed(value, kind)
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

    def element(self) -> Any:
        """Take an element of a list."""
        return plain(self.data())

    def pairs(self) -> dict[Any, Any]:
        """Take keys and values in braces. Values that are lists may lack their type."""
        self.expect("{")
        found: list[Any] = []
        while not self.take("}"):
            key = self.element()
            self.expect(":")
            found.append([key, self.braces() if self.next_is("{") else self.element()])
            if not self.next_is("}"):
                self.expect(",")
        return table(found)

    def expectation(self, value: Any) -> Any:
        """Return a value and its type."""
        return [plain(value), kind_of(value)]

    def rows(self) -> None:
        """Take MultiPL-E's table, and the loop over it, up to the end of the test."""
        self.expect("candidate", ":=")
        self.statements.append(f"\tcandidate := {self.name()}\n")
        self.expect(
            "type", "test", "struct", "{", "actual", "interface", "{", "}", "expected", "interface", "{", "}", "}"
        )
        self.expect("tests", ":=", "[", "]", "test", "{")
        self.record = '\tcodeEvalAdd(codeEvalFmt.Sprintf("%%v", %s))\n'
        while not self.take("}"):
            self.expect("{", "actual", ":")
            call = self.call()
            self.expect(",", "expected", ":")
            self.check(call, shown(plain(self.data())))
            self.expect("}")
            self.take(",")
        if "".join(self.code[self.peek().start :].split()) != "".join(TABLE_END.split()):
            raise NotPlain("another loop")
        self.at = len(self.tokens)

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
            if self.take(","):
                # A message.
                self.data()
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


def plain(value: Any) -> Any:
    """Return the value of data."""
    return value.value if isinstance(value, Typed) else value


def kind_of(value: Any) -> str:
    """Return the type of data, as Go writes it."""
    if isinstance(value, Typed):
        return value.kind
    return {bool: "bool", int: "int", float: "float64", str: "string"}[type(value)]


def used_functions(code: str) -> dict[str, str]:
    """Return a function that tests use of each package, by the package's name.

    Args:
        code: the tests, without imports.
    """
    plain = without_literals(code)
    found = {package: name for package, name in USED.findall(plain) if package not in ("t", "tc")}
    return found | ({"testing": "T"} if "testing." in plain else {})


def uses_of(used: dict[str, str]) -> str:
    """Return code that uses these packages. Go refuses imports that nothing uses, the candidate's too."""
    lines = [f"\t_ = {package}.{name}\n" for package, name in sorted(used.items()) if package != "testing"]
    return f"func codeEvalUses({'t *testing.T' if 'testing' in used else ''}) {{\n{''.join(lines)}}}"


def shown(value: Any) -> str:
    """Return data as `fmt` writes it with "%v"."""
    if value is None or isinstance(value, bool):
        return {None: "<nil>", True: "true", False: "false"}[value]
    if isinstance(value, list):
        return "[" + " ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{shown(key)}:{shown(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, float):
        return shown_float(value)
    return str(value)


def shown_float(value: float) -> str:
    """Return a float as `fmt` writes it with "%v": in its shortest form, with an exponent from 1e+21 and below 1e-4."""
    if not value:
        return "0"
    if not 1e-4 <= abs(value) < 1e21:
        digits, _, power = f"{Decimal(repr(value)):e}".partition("e")
        return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}e{power[0]}{power[1:]:0>2}"
    text = f"{Decimal(repr(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@or_none
def go_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    imports = re.findall(r'"([\w./]+)"', "".join(IMPORTS.findall(tests)))
    code = IMPORTS.sub("", PACKAGE.sub("", tests))
    reader = GoReader(code)
    reader.expect("func")
    name = reader.name()
    reader.expect("(", "t", "*", "testing", ".", "T", ")", "{")
    if not name.startswith("Test"):
        raise NotPlain("no test")
    if reader.take("assert", ":=", "assert", ".", "New", "(", "t", ")"):
        while not reader.take("}"):
            reader.statement()
    else:
        reader.rows()
    used = used_functions(code)
    kept = "".join(f'import "{path}"\n' for path in imports if path.rpartition("/")[2] in used)
    parts = {"imports": kept, "used": uses_of(used), "statements": "".join(reader.statements)}
    return reader.result(PROGRAM % parts, name)
