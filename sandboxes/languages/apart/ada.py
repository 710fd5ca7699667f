"""Tests in Ada that compare results of calls with data: a procedure of assertions, as in MultiPL-E.

The name of the type that a function returns says how its results are written, because no unit of a library of Ada's
writes values of any type. It is in the tests, where the function is renamed. Whole numbers and conditions need no name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandboxes.languages.apart.ada_results import RESULTS
from sandboxes.languages.apart.ada_shapes import Shape, Unbounded, merged, neutral, recording, shape_of
from sandboxes.languages.apart.plain_data import Call, Character, is_number, read_literal
from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain, Token, TokenReader

TOKEN = re.compile(
    r"""(?P<blank>\s+|--[^\n]*)
    |(?P<text>"(?:""|[^"\n])*")
    |(?P<char>'[^\n]')
    |(?P<number>[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:[eE][-+]?[0-9]+)?(?![\w#]))
    |(?P<name>[A-Za-z]\w*)
    |(?P<symbol>=>|:=|\.\.|\*\*|/=|<=|>=|<>|<<|>>|[^\s\w"])""",
    re.VERBOSE | re.ASCII,
)
DATA_WORDS = frozenset(("true", "false", "to_unbounded_string"))
KEYWORDS = frozenset("abs and case declare else for if in mod new not null or others raise rem then when xor".split())
MAX_NUMBER = 2**63

PROGRAM = (
    """\
%(context)s
with Code_Eval_Results;
procedure %(name)s is
%(declarations)s
begin
%(statements)s
   Code_Eval_Results.Finish;
end %(name)s;

"""
    + RESULTS
)


@dataclass(frozen=True)
class AdaCall(Call):
    """A call of a function."""

    function: str = ""


def scan(code: str) -> Iterator[Token]:
    """Yield the tokens of a text. A tick after a name or a bracket begins an attribute.

    Raises:
        NotPlain: if it has one that is not understood.
    """
    place, last = 0, ""
    while place < len(code):
        found = TOKEN.match(code, place)
        if not found:
            raise NotPlain(code[place])
        kind, text = str(found.lastgroup), found[0]
        if kind == "char" and (last[-1:].isalnum() or last == ")"):
            kind, text = "symbol", "'"
        value: Any = text
        if kind == "number":
            value = read_literal(text.replace("_", ""))
            if isinstance(value, float) and "." not in text:
                raise NotPlain("an integer with an exponent")
        elif kind == "text":
            value = text[1:-1].replace('""', '"')
        elif kind == "char":
            value = text[1]
        elif kind == "name":
            value = text.lower()
        if kind in ("text", "char") and not all(" " <= each <= "~" for each in value):
            raise NotPlain(text)
        if kind != "blank":
            yield Token(kind, value, place, place + len(text))
            last = text if kind in ("name", "symbol") else ""
        place += len(text)


class AdaReader(TokenReader):
    """Reads tests in Ada."""

    scanned = staticmethod(scan)

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        self.types: dict[str, str] = {}
        self.calls: list[tuple[AdaCall, Shape]] = []
        self.expected: list[Any] = []

    def names(self) -> str:
        """Take a name with those of the units before it, and return its text."""
        first = self.at
        self.name()
        while self.take("."):
            self.name()
        return re.sub(r"\s", "", self.source(first))

    def context(self) -> str:
        """Take what stands before the procedure, and return it."""
        first = self.at
        while not self.next_is("procedure"):
            if self.take("pragma"):
                if self.name() not in ("ada_2022", "ada_2012"):
                    raise NotPlain("another pragma")
            else:
                self.unit_names("with", "use")
            self.expect(";")
        return self.source(first) if self.at > first else ""

    def unit_names(self, *words: str) -> None:
        """Take a clause with names of units, after one of the words."""
        if self.name() not in words:
            raise NotPlain("another declaration")
        self.names()
        while self.take(","):
            self.names()

    def declarations(self) -> str:
        """Take the declarations of the procedure, and return them."""
        first = self.at
        while not self.next_is("begin"):
            if self.take("function"):
                name = self.name()
                if self.next_is("("):
                    self.skip_brackets()
                self.expect("return")
                self.types[name] = self.names()
                self.expect("renames")
                self.names()
            else:
                self.unit_names("use")
            self.expect(";")
        return self.source(first) if self.at > first else ""

    def statement(self) -> None:
        """Take an assertion."""
        self.expect("pragma", "assert", "(")
        self.condition()
        if self.take(","):
            if self.peek().kind != "text":
                raise NotPlain("a message that is no text")
            self.at += 1
        self.expect(")", ";")

    def condition(self) -> None:
        """Take a condition that has to hold, and note its call."""
        if self.take("not"):
            self.note(self.side(), False)
            return
        left = self.side()
        if not self.take("="):
            self.note(left, True)
            return
        right = self.side()
        self.note(*((right, left) if isinstance(right, AdaCall) else (left, right)))

    def side(self) -> Any:
        """Take a side of a comparison: data, or a call."""
        first = self.at
        try:
            return self.data()
        except NotPlain:
            self.at = first
        name = self.names().lower()
        words: list[str] = []
        if self.next_is("("):
            opening = self.at
            self.skip_brackets()
            words = [token.text for token in self.tokens[opening : self.at] if token.kind == "name"]
        if name in KEYWORDS or {*words} & KEYWORDS:
            raise NotPlain("no call")
        return AdaCall(self.source(first), frozenset(words) - DATA_WORDS, name)

    def data(self) -> Any:
        """Take data."""
        if self.take("-"):
            if self.peek().kind != "number":
                raise NotPlain("no number after a minus sign")
            return -self.data()
        token = self.peek()
        if token.kind in ("number", "text", "char"):
            self.at += 1
            if is_number(token.text) and abs(token.text) >= MAX_NUMBER:
                raise NotPlain("a large number")
            return Character(token.text) if token.kind == "char" else token.text
        if self.take("true"):
            return True
        if self.take("false"):
            return False
        if self.take("to_unbounded_string", "("):
            if self.peek().kind != "text":
                raise NotPlain("no text")
            self.at += 1
            self.expect(")")
            return Unbounded(self.peek(-2).text)
        self.expect("[")
        found: list[Any] = []
        if self.take("]"):
            return found
        found.append(self.data())
        while self.take(","):
            found.append(self.data())
        self.expect("]")
        return found

    def note(self, call: Any, value: Any) -> None:
        """Note that a call returns a value."""
        if not isinstance(call, AdaCall) or isinstance(value, AdaCall):
            raise NotPlain("no comparison of a call with data")
        # It may be another function's comparison, with what it expects.
        if isinstance(value, bool) and call.calls:
            raise NotPlain("a condition on another function's result")
        self.calls.append((call, shape_of(value)))
        self.expected.append([value, None])

    def recorded(self) -> Iterator[str]:
        """Yield the statements that write the results. The compiler checks each function's type by a comparison."""
        shapes: dict[str, Shape] = {}
        for call, shape in self.calls:
            shapes[call.function] = merged(shapes.get(call.function), shape)
        checked = set()
        for call, _ in self.calls:
            shape = shapes[call.function]
            if call.function not in checked:
                comparison = f"{call.source} = {neutral(shape)}"
                yield f"   Code_Eval_Results.Check (Code_Eval_Results.Never and then {comparison});"
                checked.add(call.function)
            yield from recording(call.source, self.types.get(call.function, ""), shape)


@or_none
def ada_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = AdaReader(tests)
    context = reader.context()
    reader.expect("procedure")
    name = reader.name()
    reader.expect("is")
    declarations = reader.declarations()
    reader.expect("begin")
    while not reader.take("end"):
        reader.statement()
    if not reader.next_is(";"):
        reader.expect(name)
    reader.expect(";")
    if not reader.calls or reader.peek() is not reader.end:
        raise NotPlain("no call, or more than calls")
    parts = {"context": context, "name": name, "declarations": declarations}
    program = PROGRAM % {**parts, "statements": "\n".join(reader.recorded())}
    return PlainTests(program, json.dumps(reader.expected))
