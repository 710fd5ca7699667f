"""Tests in Kotlin that compare results of calls with data: a `main` of conditions, or of variables and conditions."""

from __future__ import annotations

import re
from typing import Any

from sandboxes.languages.apart.plain_data import Call, Character, table
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain

IMPORT = re.compile(r"^import[ \t]+kotlin\.[\w.*]+[ \t]*;?[ \t]*$", re.MULTILINE)
LISTS = ("listOf", "mutableListOf", "arrayListOf", "emptyList")
MAPS = ("mapOf", "mutableMapOf", "hashMapOf", "linkedMapOf", "emptyMap")
PARTS = ("Pair", "Triple")
OTHERS = "Math arrayOf assert check if intArrayOf kotlin maxOf minOf require run setOf throw try when while".split()
LIBRARY = frozenset((*OTHERS, *LISTS, *MAPS, *PARTS))
WORD = re.compile(r"\w+")

PROGRAM = """\
%(imports)s
fun main() {
    val codeEvalAll = CodeEvalResults()
%(statements)s
%(types)s
    codeEvalAll.finish()
}

class CodeEvalResults {
    private val text = java.lang.StringBuilder()

    fun add(value: Any?) {
        text.append(if (text.length == 0) "\\n[" else ",")
        write(value)
    }

    fun finish() {
        System.out.println(text.append("]"))
    }

    private fun write(value: Any?) {
        when (value) {
            null -> text.append("null")
            is CharSequence, is Char -> quote(value)
            is Number, is Boolean -> text.append(value)
            is Map<*, *> -> {
                text.append("{")
                var between = ""
                for ((key, each) in value) {
                    text.append(between)
                    quote(key)
                    text.append(":")
                    write(each)
                    between = ","
                }
                text.append("}")
            }
            is List<*> -> writeAll(value)
            is Pair<*, *> -> writeAll(value.toList())
            is Triple<*, *, *> -> writeAll(value.toList())
            else -> {
                // An object that is equal to no data.
                text.append("{")
                quote(value.javaClass.name)
                text.append(":null}")
            }
        }
    }

    private fun writeAll(all: List<*>) {
        text.append("[")
        var between = ""
        for (each in all) {
            text.append(between)
            write(each)
            between = ","
        }
        text.append("]")
    }

    private fun quote(value: Any?) {
        text.append('"')
        for (each in value.toString()) {
            if (each == '"' || each == '\\\\') text.append('\\\\')
            if (each < ' ' || each.isSurrogate()) text.append(String.format("\\\\u%%04x", each.toInt()))
            else text.append(each)
        }
        text.append('"')
    }
}
"""


class KotlinReader(Reader):
    """Reads tests in Kotlin."""

    record = "    codeEvalAll.add(%s)\n"
    foreign = LIBRARY
    constructors = frozenset((*LISTS, *MAPS, *PARTS))

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        # Variables, by name: their data, or a call that is the variable.
        self.variables: dict[str, Any] = {}
        # Declarations of data that no call has needed yet. What is only compared stays out of the program.
        self.unused: dict[str, str] = {}

    def own_operand(self) -> Any:
        """Take a list, a table, a pair, a variable, or a call."""
        name = self.peek().text
        if self.take("null"):
            return None
        if name in self.variables and self.peek(1).text not in ("(", "."):
            self.at += 1
            return self.variables[name]
        if name in LISTS or name in MAPS or name in PARTS:
            self.at += 1
            self.skip_type_arguments()
            self.expect("(")
            found = self.elements()
            return table(found) if name in MAPS else found
        return self.call()

    def elements(self) -> list[Any]:
        """Take elements, or keys and values, up to a bracket."""
        found = []
        while not self.take(")"):
            value = self.data()
            found.append([value, self.data()] if self.take("to") else value)
            if not self.next_is(")"):
                self.expect(",")
        return found

    def call(self) -> Call:
        """Take a call of a function, which may be an object's, or a method of `Solution()`."""
        first = self.at
        if self.name() in self.foreign:
            raise NotPlain("no call of the candidate's")
        if self.take("(", ")", ".") or self.take("."):
            self.name()
        return self.called(first)

    def declaration(self) -> None:
        """Take a variable that has data, or the result of a call."""
        first = self.at
        self.at += 1
        name = self.name()
        while not self.take("="):
            if self.peek().kind not in ("name", "symbol") or self.next_is("by"):
                raise NotPlain("a variable without a value")
            self.at += 1
        begin = self.at
        value = self.operand()
        source = f"    {self.source(first)}\n"
        if isinstance(value, Call):
            self.use(self.source(begin))
            self.statements.append(source)
            self.variables[name] = Call(name)
        else:
            self.variables[name] = value
            self.unused[name] = source

    def use(self, source: str) -> None:
        """Keep the declarations of data that a call needs."""
        for name in WORD.findall(source):
            if declared := self.unused.pop(name, ""):
                self.statements.append(declared)

    def check(self, left: Any, right: Any, tolerance: float = 0) -> None:
        """Note that a call returns a value. One of the two is the call."""
        for side in (left, right):
            if isinstance(side, Call):
                self.use(side.source)
        super().check(left, right, tolerance)

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`. A character is equal to no number, and to no text."""
        if isinstance(value, Character):
            raise NotPlain("a character")
        self.check(call, value)

    def comparison(self) -> None:
        """Take a condition that has to hold."""
        first = self.at
        try:
            left = self.operand()
            if self.take(".", "equals", "("):
                self.check_equal(left, self.parenthesised(), "")
                return
        except NotPlain:
            pass
        self.at = first
        super().comparison()

    def note_shape(self, first: int, begin: int, end: int) -> None:
        """Keep a comparison for the check of its types, unless it has variables, which the program may lack."""
        words = {token.text for token in self.tokens[first : self.at] if token.kind == "name"}
        if not words & self.variables.keys():
            super().note_shape(first, begin, end)

    def refusal(self) -> None:
        """Take a condition that must not hold, and what it throws."""
        self.expect("(")
        if self.take("!", "("):
            self.comparison()
            self.expect(")")
        else:
            left = self.side()
            self.expect("!=")
            right = self.side()
            self.check_equal(*((right, left) if isinstance(right, Call) else (left, right)), "")
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
    types = f"    if (false) println({reader.shape})" if reader.shape else ""
    parts = {"imports": "\n".join(IMPORT.findall(tests)), "types": types}
    return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements)})
