"""Tests in Java that compare results of calls with data: a `main` of comparisons, as in HumanEval-X and MultiPL-E."""

from __future__ import annotations

import re
from dataclasses import replace
from types import NoneType
from typing import Any

from sandboxes.languages.apart.c_numbers import single
from sandboxes.languages.apart.java_classes import ONLY, classes_of
from sandboxes.languages.apart.plain_data import Call, Character, Marked, table
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.calls.java import OPTIONAL_VALUE, WRITER

IMPORT = re.compile(r"^[ \t]*import[ \t]+java\.[\w.*]+;[ \t]*$", re.MULTILINE)
CASTS = {"boolean": bool, "char": str, "double": float, "float": float, "int": int, "long": int, "String": str}
TYPES = ("Solution", "List", "Map", "Double", "Integer", "Long", *CASTS)
"""Types of variables."""

COPIES = ("ArrayList", "LinkedList", "HashMap", "LinkedHashMap")
LIBRARY = frozenset("Arrays Collections Double Integer List Long Map Math Objects Optional Set String System".split())
PARTS = ("get", "isEmpty", "isPresent")
"""Methods of a value that may be missing."""

# An Optional is equal to no other object. The text of a float may have more digits than the shortest one. That of the
# same double has all of its digits.
OPTIONAL_AND_FLOAT = """\
        if (value instanceof java.util.Optional) {
            write(out.append("{\\"Optional\\":"), ((java.util.Optional<?>) value).orElse(null));
            out.append("}");
            return;
        }
        if (value instanceof Float) value = ((Float) value).doubleValue();
"""
PROGRAM = (
    """\
%(imports)s
public class %(name)s {
%(methods)s
    public static void main(String[] args) throws Throwable {
        CodeEvalResults codeEvalAll = new CodeEvalResults();
%(statements)s
%(types)s
        codeEvalAll.finish();
    }
}

class CodeEvalResults {
    private final StringBuilder text = new StringBuilder();

    void add(Object value) {
        write(text.append(text.length() == 0 ? "\\n[" : ","), value);
    }

    void finish() {
        System.out.println(text.append("]"));
    }
"""
    + ONLY
    + WRITER.replace(OPTIONAL_VALUE, OPTIONAL_AND_FLOAT).replace("%", "%%")
    + "}\n"
)


class JavaReader(Reader):
    """Reads tests in Java."""

    record = "codeEvalAll.add(%s);\n"
    foreign = LIBRARY
    constructors = frozenset(("asList", "of", "empty", *COPIES))
    casts = CASTS
    equality = "equals"
    single = staticmethod(single)

    def own_operand(self) -> Any:
        """Take a list, a table, a value that may be missing, or a call of the candidate's method."""
        for opening in (("Arrays", ".", "asList", "("), ("List", ".", "of", "(")):
            if self.take(*opening):
                return self.items(")")
        if self.take("Map", ".", "of", "("):
            found = self.items(")")
            return table([found[place : place + 2] for place in range(0, len(found), 2)])
        if self.take("Optional", ".", "of", "("):
            found = self.items(")")
            if len(found) != 1:
                raise NotPlain("an optional value made of something else")
            return Marked(Optional=found[0])
        if self.take("Optional", ".", "empty", "(", ")"):
            return Marked(Optional=None)
        if self.take("new"):
            return self.made()
        return self.call()

    def call(self) -> Call:
        """Take a call of a method, and of those of a value that may be missing."""
        first = self.at
        if self.name() in self.foreign:
            raise NotPlain("no call of the candidate's")
        if self.take("."):
            self.name()
        call = self.called(first)
        while self.peek().text == "." and self.peek(1).text in PARTS:
            self.at += 2
            self.expect("(", ")")
        return replace(call, source=self.source(first))

    def made(self) -> Any:
        """Take what follows `new`."""
        kind = self.name()
        if self.next_is("["):
            while self.take("["):
                self.expect("]")
            found = self.braces()
            return found if CASTS.get(kind) in (None, str) else as_numbers(found)
        if kind not in COPIES:
            raise NotPlain(kind)
        self.skip_type_arguments()
        self.expect("(")
        found = self.items(")")
        if not found:
            return {} if kind.endswith("Map") else []
        if len(found) != 1 or not isinstance(found[0], list | dict):
            raise NotPlain("a container made of something else")
        return found[0]

    def comparison(self) -> None:
        """Take a condition that has to hold."""
        if self.difference("Math", ".", "abs", "("):
            return
        for opening in (("Objects", ".", "equals", "("), ("Arrays", ".", "equals", "(")):
            if self.take(*opening):
                first = self.at
                left, middle = self.operand(), self.at
                self.expect(",")
                self.check_object(left, self.operand(), first, middle)
                self.expect(")")
                return
        super().comparison()

    def check_object(self, left: Any, right: Any, first: int, middle: int) -> None:
        """Note that a call and data are equal as objects, whose classes are the same."""
        is_reversed = isinstance(right, Call)
        call, value = (right, left) if is_reversed else (left, right)
        if isinstance(call, Call) and not isinstance(value, Call):
            data = self.tokens[first:middle] if is_reversed else self.tokens[middle : self.at]
            classes = classes_of(value, [(token.kind, self.code[token.start : token.end]) for token in data])
            call = replace(call, source=f"CodeEvalResults.only({call.source}, {', '.join(classes)})")
        self.check(call, value)

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`, which asks of objects whether they are the same."""
        if isinstance(value, str | list | dict | NoneType) and not isinstance(value, Character):
            raise NotPlain("objects that are compared with ==")
        if isinstance(value, float) and isinstance(call, Call):
            # A float is equal to the double of the same value.
            call = replace(call, source=f"(double) ({call.source})")
        super().check_equal(call, value, neutral)
        self.allow_character(value)

    def statement(self) -> None:
        """Take a statement of `main`."""
        first = self.at
        if self.take("List", "<", "Boolean", ">", "correct", "=", "Arrays", ".", "asList", "("):
            while not self.take(")"):
                self.comparison()
                if not self.next_is(")"):
                    self.expect(",")
            self.expect(";", "if", "(", "correct", ".", "contains", "(", "false", ")", ")", "{", "throw", "new")
            self.expect("AssertionError", "(", ")", ";", "}")
        elif self.take("assert"):
            self.comparison()
            self.expect(";")
        else:
            if self.name() not in TYPES and not self.next_is(".", "put", "("):
                raise NotPlain("a statement of another kind")
            self.keep_statement(first)


def as_numbers(value: Any) -> Any:
    """Return data of an array of numbers, where a character is its number."""
    if isinstance(value, list):
        return [as_numbers(each) for each in value]
    return ord(value) if isinstance(value, Character) else value


@or_none
def java_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = JavaReader(IMPORT.sub("", tests))
    reader.take("public")
    reader.expect("class")
    name = reader.name()
    reader.expect("{")
    methods = reader.method() if reader.next_is("static") else ""
    reader.expect("public", "static", "void", "main", "(", "String", "[", "]", "args", ")")
    if reader.take("throws"):
        reader.name()
    reader.expect("{")
    while not reader.take("}"):
        reader.statement()
    reader.expect("}")
    types = f"if (false) {{ boolean codeEvalTypes = {reader.shape}; }}" if reader.shape else ""
    parts = {"name": name, "methods": methods, "imports": "\n".join(IMPORT.findall(tests))}
    parts |= {"types": types, "statements": "".join(reader.statements)}
    return reader.result(PROGRAM % parts)
