"""Tests in Kotlin that compare results of calls with data: a `main` of conditions, or of variables and conditions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sandboxes.languages.apart.kotlin_data import PARTS, Kind, class_of, number, table, typed
from sandboxes.languages.apart.kotlin_results import PROGRAM
from sandboxes.languages.apart.plain_data import Call, Marked
from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.apart.plain_variables import VariablesReader
from sandboxes.languages.compilers.jvm_driver import RESULTS_MARK

IMPORT = re.compile(r"^import[ \t]+kotlin\.[\w.*]+[ \t]*;?[ \t]*$", re.MULTILINE)
LISTS = ("listOf", "mutableListOf", "arrayListOf", "emptyList")
MAPS = ("mapOf", "mutableMapOf", "hashMapOf", "linkedMapOf", "emptyMap")
OTHERS = "Math arrayOf assert check if intArrayOf kotlin maxOf minOf require run setOf throw try when while".split()
LIBRARY = frozenset((*OTHERS, *LISTS, *MAPS, *PARTS))
REALS = ("Double", "Float")


class KotlinReader(VariablesReader):
    """Reads tests in Kotlin."""

    record = "    codeEvalAll.codeEvalAdd(%s)\n"
    foreign = LIBRARY
    constructors = frozenset((*LISTS, *MAPS, *PARTS))
    equality = "equals"
    tolerance = "exact"

    def char(self, text: str) -> Any:
        """Refuse a character, which is equal to no text.

        Raises:
            NotPlain: always.
        """
        raise NotPlain("a character")

    def operand(self) -> Any:
        """Take data, or a call of the candidate's function."""
        is_negative = self.next_is("-") and self.peek(1).kind == "number"
        token = self.peek(1 if is_negative else 0)
        if token.kind != "number":
            return super().operand()
        self.at += 1 + is_negative
        return number(token.text, self.code[token.start : token.end], is_negative)

    def own_operand(self) -> Any:
        """Take a list, a table, a pair, a variable, or a call."""
        name = self.peek().text
        if self.take("null"):
            return None
        if self.is_variable():
            return self.variables[self.name()]
        if name in LISTS or name in MAPS or name in PARTS:
            self.at += 1
            arguments = self.type_arguments()
            self.expect("(")
            return self.made(name, arguments, self.elements())
        return self.call()

    def made(self, name: str, arguments: tuple[Kind | None, ...], elements: list[Any]) -> Any:
        """Return what a function of the library makes.

        Args:
            name: of the function.
            arguments: its type arguments.
            elements: its other ones.
        """
        if name in PARTS:
            if len(elements) != PARTS[name]:
                raise NotPlain("a pair of something else")
            value: Any = Marked({name: elements})
        else:
            value = table(elements) if name in MAPS else elements
        kind = name if name in PARTS else "Map" if name in MAPS else "List"
        return typed(value, Kind(kind, arguments)) if arguments else value

    def elements(self) -> list[Any]:
        """Take elements, or keys and values, up to a bracket."""
        found = []
        while not self.take(")"):
            value = self.data()
            found.append(Marked(Pair=[value, self.data()]) if self.take("to") else value)
            if not self.next_is(")"):
                self.expect(",")
        return found

    def type_arguments(self) -> tuple[Kind | None, ...]:
        """Take the types between angle brackets, if they come next."""
        found: list[Kind | None] = []
        if self.take("<"):
            while not self.take(">"):
                found.append(None if self.take("*") else self.kind())
                if not self.next_is(">"):
                    self.expect(",")
        return tuple(found)

    def kind(self) -> Kind:
        """Take a type."""
        if self.next_is("out") or self.next_is("in"):
            self.at += 1
        name = self.name()
        while self.take("."):
            name = self.name()
        found = Kind(name, self.type_arguments())
        self.take("?")
        return found

    def call(self) -> Call:
        """Take a call of a function, which may be an object's, or a method of `Solution()`."""
        first = self.at
        name = self.name()
        if name in self.foreign:
            raise NotPlain("no call of the candidate's")
        # A method of a result may compare it with what is expected.
        is_object = name not in self.variables and self.take(".")
        if is_object or name[0].isupper() and self.take("(", ")", "."):
            self.name()
        return self.called(first)

    def declaration(self) -> None:
        """Take a variable that has data, or the result of a call."""
        first = self.at
        self.at += 1
        name = self.name()
        kind = self.kind() if self.take(":") else None
        self.expect("=")
        begin = self.at
        value = self.operand()
        if not isinstance(value, Call):
            value = typed(value, kind)
            if kind is not None and class_of(value) in REALS and kind.name not in REALS:
                raise NotPlain("a number that is compared as an object")
        self.declare(name, value, self.source(begin), f"    {self.source(first)}\n")

    def truth(self, value: Any) -> Any:
        """Return the call whose result is a condition, which the compiler lets have no other type."""
        return replace(value, source=f"codeEvalAll.codeEvalTruth({value.source})") if isinstance(value, Call) else value

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`, which compares real numbers otherwise than objects."""
        kind = class_of(value)
        if isinstance(call, Call) and kind in REALS:
            call = replace(call, source=f"codeEvalAll.codeEval{kind}({call.source})")
        self.check(call, value)

    def expectation(self, value: Any) -> Any:
        """Return what is expected of a call that returns data, as its program writes it."""
        return typed(value, None)

    def note_shape(self, first: int, begin: int, end: int) -> None:
        """Keep a comparison for the check of its types, unless it has variables, which the program may lack."""
        if not self.has_variables(first):
            super().note_shape(first, begin, end)

    def refusal(self) -> None:
        """Take a condition that must not hold, and what it throws."""
        self.expect("(")
        if self.take("!", "("):
            self.comparison()
            self.expect(")")
        else:
            call = self.side()
            self.expect("!=")
            value = self.side()
            if isinstance(value, Call):
                call, value = value, call
            self.check_equal(call, value, "")
        self.expect(")")
        has_braces = self.take("{")
        self.expect("throw")
        self.name()
        self.skip_brackets()
        if has_braces:
            self.take(";")
            self.expect("}")

    def statement(self) -> None:
        """Take a statement of `main`."""
        if self.next_is("val") or self.next_is("var"):
            self.declaration()
        elif self.take("if"):
            self.refusal()
        elif self.take("check", "(") or self.take("require", "(") or self.take("assert", "("):
            self.comparison()
            self.expect(")")
            if self.next_is("{"):
                self.skip_brackets()
        else:
            raise NotPlain("a statement of another kind")
        while self.take(";"):
            continue


@or_none
def kotlin_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    if "$" in tests or '"' * 3 in tests:
        raise NotPlain("a text with expressions, or without escapes")
    reader = KotlinReader(IMPORT.sub("", tests))
    reader.expect("fun", "main", "(")
    reader.take("args", ":", "Array", "<", "String", ">")
    reader.expect(")")
    if reader.take("=", "check", "("):
        reader.comparison()
        reader.expect(")")
    else:
        reader.expect("{")
        while not reader.take("}"):
            reader.statement()
    types = f"    if (false) codeEvalAll.codeEvalAdd({reader.shape})" if reader.shape else ""
    parts = {"mark": RESULTS_MARK, "imports": "\n".join(IMPORT.findall(tests)), "types": types}
    return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements)})
