"""Tests in Scala that compare results of calls with data: an object with a `main` of assertions, as in MultiPL-E."""

from __future__ import annotations

import re
from typing import Any

from sandboxes.languages.apart.plain_data import Call, is_number, table
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.compilers.jvm_driver import RESULTS_MARK

IMPORT = re.compile(r"^import[ \t]+scala\.[\w.]+[ \t]*;?[ \t]*$", re.MULTILINE)
LISTS = ("List", "Seq", "Vector")
CONVERSIONS = {"toDouble": float, "toFloat": float, "toInt": int, "toLong": int}
LIBRARY = frozenset("Array BigInt Left Map Math Nil None Option Right Set Some assert math new val var".split()) | {
    *LISTS
}

# The names are those of the library, whatever the candidate calls its own.
PROGRAM = """\
%(imports)s
object %(name)s {
%(own_imports)s
    def main(args: _root_.scala.Array[_root_.java.lang.String]): _root_.scala.Unit = {
        val codeEvalAll = new CodeEvalResults
%(statements)s
        codeEvalAll.codeEvalFinish()
    }
}

%(mark)s
class CodeEvalResults {
    private val text = new _root_.java.lang.StringBuilder
    // The candidate may set another one.
    private val out = _root_.java.lang.System.out

    def codeEvalAdd(value: _root_.scala.Any): _root_.scala.Unit = {
        text.append(if (text.length == 0) "\\n[" else ",")
        write(value)
    }

    def codeEvalFinish(): _root_.scala.Unit = {
        _root_.scala.Console.flush()
        out.println(text.append("]"))
    }

    private def write(value: _root_.scala.Any): _root_.scala.Unit = value match {
        case null | _root_.scala.None => text.append("null")
        case some: _root_.scala.Some[_] => write(some.get)
        case _: _root_.java.lang.CharSequence | _: _root_.java.lang.Character => quote(value)
        case _: _root_.java.lang.Number | _: _root_.java.lang.Boolean => text.append(value)
        case all: _root_.scala.collection.Map[_, _] =>
            val each = all.iterator
            var between = "{"
            if (all.isEmpty) text.append(between)
            while (each.hasNext) {
                val pair = each.next
                text.append(between)
                quote(pair._1)
                text.append(":")
                write(pair._2)
                between = ","
            }
            text.append("}")
        case all: _root_.scala.collection.Seq[_] => writeAll(all.iterator)
        case parts: _root_.scala.Product if value.getClass.getName.startsWith("scala.Tuple") =>
            writeAll(parts.productIterator)
        case _ =>
            // An object that is equal to no data.
            text.append("{")
            quote(value.getClass.getName)
            text.append(":null}")
    }

    private def writeAll(each: _root_.scala.collection.Iterator[_]): _root_.scala.Unit = {
        text.append("[")
        while (each.hasNext) {
            write(each.next)
            if (each.hasNext) text.append(",")
        }
        text.append("]")
    }

    private def quote(value: _root_.scala.Any): _root_.scala.Unit = {
        val said = _root_.java.lang.String.valueOf(value)
        var place = 0
        text.append('"')
        while (place < said.length) {
            val each = said.charAt(place)
            if (each == '"' || each == '\\\\') text.append('\\\\')
            if (each < ' ' || _root_.java.lang.Character.isSurrogate(each))
                text.append(_root_.java.lang.String.format("\\\\u%%04x", _root_.java.lang.Integer.valueOf(each.toInt)))
            else text.append(each)
            place += 1
        }
        text.append('"')
    }
}
"""


class ScalaReader(Reader):
    """Reads tests in Scala."""

    record = "        codeEvalAll.codeEvalAdd(%s)\n"
    foreign = LIBRARY
    constructors = frozenset(("Map", "Some", *LISTS))
    equality = "equals"
    has_tuples = True

    def char(self, text: str) -> Any:
        """Refuse a character, which is equal to no text.

        Raises:
            NotPlain: always.
        """
        raise NotPlain("a character")

    def operand(self) -> Any:
        """Take data, or a call of the candidate's function."""
        value = super().operand()
        while is_number(value) and self.peek(1).text in CONVERSIONS and self.take("."):
            # A number that is no integer would become another one.
            if CONVERSIONS[self.name()] is int and isinstance(value, float):
                raise NotPlain("a number that is cut off")
        return value

    def own_operand(self) -> Any:
        """Take a list, a table, a value that may be missing, or a call."""
        if self.take("Nil"):
            return []
        if self.take("None"):
            return None
        if self.take("Some", "("):
            return self.parenthesised()
        if self.peek().text in LISTS:
            self.at += 1
            self.element_types()
            return self.items(")")
        if self.take("Map"):
            self.element_types()
            return table(self.pairs())
        return self.call()

    def element_types(self) -> None:
        """Take the types of elements, if they are given, and the bracket before the elements."""
        if self.next_is("["):
            self.skip_brackets()
        self.expect("(")

    def pairs(self) -> list[list[Any]]:
        """Take keys and values, up to a bracket."""
        found = []
        while not self.take(")"):
            key = self.data()
            self.expect("->")
            found.append([key, self.data()])
            if not self.next_is(")"):
                self.expect(",")
        return found

    def call(self) -> Call:
        """Take a call of a function, which may be an object's."""
        first = self.at
        if self.name() in self.foreign:
            raise NotPlain("no call of the candidate's")
        if self.take("."):
            self.name()
        return self.called(first)

    def statement(self) -> None:
        """Take an assertion."""
        self.expect("assert", "(")
        self.comparison()
        if self.take(","):
            self.data()
        self.expect(")")
        while self.take(";"):
            continue


@or_none
def scala_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = ScalaReader(IMPORT.sub("", tests))
    if '"' * 3 in tests:
        raise NotPlain("a text without escapes")
    reader.expect("object")
    name = reader.name()
    reader.expect("{")
    own_imports = []
    while reader.next_is("import"):
        first = reader.at
        reader.expect("import")
        reader.name()
        while reader.take("."):
            reader.name()
        own_imports.append(reader.source(first))
    reader.expect("def", "main", "(", "args", ":", "Array", "[", "String", "]", ")")
    reader.take(":", "Unit")
    reader.expect("=")
    if reader.take("{"):
        while not reader.take("}"):
            reader.statement()
    else:
        reader.statement()
    reader.expect("}")
    imports = "\n".join(IMPORT.findall(tests))
    parts = {"mark": RESULTS_MARK, "imports": imports, "name": name}
    parts["own_imports"] = "\n".join(f"    {each}" for each in own_imports)
    return reader.result(PROGRAM % {**parts, "statements": "".join(reader.statements)})
