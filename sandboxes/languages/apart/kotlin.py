"""Tests in Kotlin that compare results of calls with data: a `main` of conditions, or of variables and conditions."""

from __future__ import annotations

import re
from typing import Any

from sandboxes.languages.apart.plain_data import Call, table
from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.apart.plain_variables import VariablesReader
from sandboxes.languages.compilers.jvm_driver import RESULTS_MARK

IMPORT = re.compile(r"^import[ \t]+kotlin\.[\w.*]+[ \t]*;?[ \t]*$", re.MULTILINE)
LISTS = ("listOf", "mutableListOf", "arrayListOf", "emptyList")
MAPS = ("mapOf", "mutableMapOf", "hashMapOf", "linkedMapOf", "emptyMap")
PARTS = ("Pair", "Triple")
OTHERS = "Math arrayOf assert check if intArrayOf kotlin maxOf minOf require run setOf throw try when while".split()
LIBRARY = frozenset((*OTHERS, *LISTS, *MAPS, *PARTS))

# The names are those of the library, whatever the candidate calls its own, and no function is an extension.
PROGRAM = """\
%(imports)s
fun main() {
    val codeEvalAll = CodeEvalResults()
%(statements)s
%(types)s
    codeEvalAll.codeEvalFinish()
}

%(mark)s
class CodeEvalResults {
    private val text = java.lang.StringBuilder()
    // The candidate may set another one.
    private val out = java.lang.System.out

    fun codeEvalAdd(value: kotlin.Any?) {
        text.append(if (text.length == 0) "\\n[" else ",")
        write(value)
    }

    fun codeEvalFinish() {
        out.println(text.append("]"))
    }

    private fun write(value: kotlin.Any?) {
        when (value) {
            null -> text.append("null")
            is kotlin.CharSequence, is kotlin.Char -> quote(value)
            is kotlin.Number, is kotlin.Boolean -> text.append(value)
            is kotlin.collections.Map<*, *> -> {
                text.append("{")
                var between = ""
                for (pair in value.entries) {
                    text.append(between)
                    quote(pair.key)
                    text.append(":")
                    write(pair.value)
                    between = ","
                }
                text.append("}")
            }
            is kotlin.collections.List<*> -> writeAll(value)
            is kotlin.Pair<*, *> -> writeAll(java.util.Arrays.asList(value.first, value.second))
            is kotlin.Triple<*, *, *> -> writeAll(java.util.Arrays.asList(value.first, value.second, value.third))
            else -> {
                // An object that is equal to no data.
                text.append("{")
                quote((value as java.lang.Object).getClass().getName())
                text.append(":null}")
            }
        }
    }

    private fun writeAll(all: kotlin.collections.List<*>) {
        text.append("[")
        var between = ""
        for (each in all) {
            text.append(between)
            write(each)
            between = ","
        }
        text.append("]")
    }

    private fun quote(value: kotlin.Any?) {
        text.append('"')
        val said = java.lang.String.valueOf(value)
        var place = 0
        while (place < said.length) {
            val each = said[place]
            place += 1
            if (each == '"' || each == '\\\\') text.append('\\\\')
            val isShown = each >= ' ' && !java.lang.Character.isSurrogate(each)
            if (isShown) text.append(each)
            else text.append(java.lang.String.format("\\\\u%%04x", each.toInt()))
        }
        text.append('"')
    }
}
"""


class KotlinReader(VariablesReader):
    """Reads tests in Kotlin."""

    record = "    codeEvalAll.codeEvalAdd(%s)\n"
    foreign = LIBRARY
    constructors = frozenset((*LISTS, *MAPS, *PARTS))
    equality = "equals"

    def char(self, text: str) -> Any:
        """Refuse a character, which is equal to no text.

        Raises:
            NotPlain: always.
        """
        raise NotPlain("a character")

    def own_operand(self) -> Any:
        """Take a list, a table, a pair, a variable, or a call."""
        name = self.peek().text
        if self.take("null"):
            return None
        if self.is_variable():
            return self.variables[self.name()]
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
        self.declare(name, value, self.source(begin), f"    {self.source(first)}\n")

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
            left = self.side()
            self.expect("!=")
            right = self.side()
            self.check(left, right)
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
