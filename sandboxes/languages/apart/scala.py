"""Tests in Scala that compare results of calls with data: an object with a `main` of assertions, as in MultiPL-E."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sandboxes.languages.apart.c_numbers import single
from sandboxes.languages.apart.plain_data import MAX_INT, Call, Marked, is_number
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain, Token
from sandboxes.languages.apart.scala_results import PROGRAM
from sandboxes.languages.compilers.jvm_driver import RESULTS_MARK

IMPORT = re.compile(r"^import[ \t]+scala\.[\w.]+[ \t]*;?[ \t]*$", re.MULTILINE)
LISTS = ("List", "Seq", "Vector")
CONVERSIONS = {"toDouble": float, "toFloat": float, "toInt": int, "toLong": int}
BY_CONVERSION = {"toDouble": "Double", "toFloat": "Float", "toInt": "Integer", "toLong": "Long"}
BY_SUFFIX = {"l": "Long", "f": "Float", "d": "Double"}
MAX_WHOLE = 9 * 10**18
"""The first real number that a program writes as one, though it is whole."""

LIBRARY = frozenset("Array BigInt Left Map Math Nil None Option Right Set Some assert math new val var".split()) | {
    *LISTS
}


class ScalaReader(Reader):
    """Reads tests in Scala."""

    record = "        codeEvalAll.codeEvalAdd(%s)\n"
    foreign = LIBRARY
    constructors = frozenset(("Map", "Some", *LISTS))
    equality = "equals"
    tolerance = "exact"
    has_tuples = True

    def char(self, text: str) -> Any:
        """Refuse a character, which is equal to no text.

        Raises:
            NotPlain: always.
        """
        raise NotPlain("a character")

    def operand(self) -> Any:
        """Take data, or a call of the candidate's function."""
        token = self.peek()
        value = super().operand()
        if token.kind == "number" and is_single(self.code[token.start : token.end]):
            value = single(token.text)
        while is_number(value) and self.peek(1).text in CONVERSIONS and self.take("."):
            conversion = self.name()
            # A number that is no integer, or a long one, would become another one.
            is_cut = conversion == "toInt" and abs(value) > MAX_INT
            if is_cut or CONVERSIONS[conversion] is int and isinstance(value, float):
                raise NotPlain("a number that is cut off")
            value = single(value) if conversion == "toFloat" else value
        return value

    def tuple_of(self, parts: list[Any]) -> Any:
        """Return the data of a tuple."""
        return Marked(Tuple=parts)

    def own_operand(self) -> Any:
        """Take a list, a table, a value that may be missing, or a call."""
        if self.take("Nil"):
            return []
        if self.take("None"):
            return Marked({"None": None})
        if self.take("Some", "("):
            return Marked(Some=self.parenthesised())
        if self.peek().text in LISTS:
            self.at += 1
            self.element_types()
            return self.items(")")
        if self.take("Map"):
            self.element_types()
            return self.pairs()
        return self.call()

    def element_types(self) -> None:
        """Take the types of elements, if they are given, and the bracket before the elements."""
        if self.next_is("["):
            self.skip_brackets()
        self.expect("(")

    def pairs(self) -> dict[str, Any]:
        """Take keys and values, up to a bracket."""
        found = {}
        while not self.take(")"):
            key = key_text(self.data())
            self.expect("->")
            found[key] = self.data()
            if not self.next_is(")"):
                self.expect(",")
        return found

    def call(self) -> Call:
        """Take a call of a function, which may be an object's."""
        first = self.at
        name = self.name()
        if name in self.foreign:
            raise NotPlain("no call of the candidate's")
        # A method of a result may compare it with what is expected.
        if name[0].isupper() and self.take("."):
            self.name()
        return self.called(first)

    def truth(self, value: Any) -> Any:
        """Return the call whose result is a condition, which the compiler lets have no other type."""
        return replace(value, source=f"codeEvalAll.codeEvalTruth({value.source})") if isinstance(value, Call) else value

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`."""
        self.check(call, value)

    def check_object(self, left: Any, right: Any, first: int, middle: int) -> None:
        """Note that a call and data are equal as objects. Two numbers have the same class."""
        is_reversed = isinstance(right, Call)
        call, value = (right, left) if is_reversed else (left, right)
        if isinstance(call, Call) and is_number(value):
            kind = self.class_of(self.tokens[first:middle] if is_reversed else self.tokens[middle : self.at])
            call = replace(call, source=f"codeEvalAll.codeEvalObject({call.source})")
            self.check(call, Marked({kind: value}))
            if not is_reversed:
                self.others[len(self.expected) - 1] = Marked(ScalaNumber=whole(value))
            return
        self.check(call, value)

    def class_of(self, tokens: list[Token]) -> str:
        """Return the class of a number, as its last conversion or its suffix says.

        Args:
            tokens: of the number.

        Raises:
            NotPlain: if there are several, or it is a zero with a sign.
        """
        numbers = [token for token in tokens if token.kind == "number"]
        if len(numbers) != 1:
            raise NotPlain("arithmetic of objects")
        names = [token.text for token in tokens if token.text in CONVERSIONS]
        text = self.code[numbers[0].start : numbers[0].end].lower()
        is_real = isinstance(numbers[0].text, float)
        if any(token.text == "-" for token in tokens) and not numbers[0].text:
            raise NotPlain("a zero with a sign")
        suffix = "" if text.startswith("0x") and text[-1] != "l" else text[-1]
        return BY_CONVERSION[names[-1]] if names else BY_SUFFIX.get(suffix, "Double" if is_real else "Integer")

    def expectation(self, value: Any) -> Any:
        """Return what is expected of a call that returns data, as its program writes it."""
        return whole(value)

    def statement(self) -> None:
        """Take an assertion."""
        self.expect("assert", "(")
        self.comparison()
        if self.take(","):
            self.data()
        self.expect(")")
        while self.take(";"):
            continue


def is_single(text: str) -> bool:
    """Return whether a number is a Float."""
    return text[-1] in "fF" and text[:2].lower() != "0x"


def whole(value: Any) -> Any:
    """Return data without real numbers that are whole."""
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {key: whole(each) for key, each in value.items()}
    is_whole = isinstance(value, float) and abs(value) < MAX_WHOLE and value.is_integer()
    return int(value) if is_whole else value


def key_text(key: Any) -> str:
    """Return the text of a key of a Map, as a program writes it.

    Raises:
        NotPlain: if it is none that every program writes alike.
    """
    key = whole(key)
    if not isinstance(key, str | int):
        raise NotPlain("a key of another class")
    return f'"{key}"' if isinstance(key, str) else str(key).lower()


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
