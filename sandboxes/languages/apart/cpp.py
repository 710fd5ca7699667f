"""Tests in C++ that compare results of calls with data: a `main` of assertions, as in HumanEval-X and MultiPL-E."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sandboxes.languages.apart.c_numbers import single
from sandboxes.languages.apart.cpp_containers import TABLES, typed
from sandboxes.languages.apart.plain_data import MAX_INT, Call, Character, is_number, table
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain
from sandboxes.languages.calls.cpp_results import PICKED_BY

LINE = re.compile(
    r"^[ \t]*(?:#[ \t]*undef[ \t]+NDEBUG|#[ \t]*include[ \t]*<[\w/.]+>|using[ \t]+namespace[ \t]+std;)[ \t]*$",
    re.MULTILINE,
)
ISSAME = re.compile(r"\bbool\s+issame\s*\(.*?(?=\bint\s+main\b)", re.DOTALL)
LISTS = ("vector", "list", "deque")
CASTS = {
    **dict.fromkeys(("float", "double"), float),
    **dict.fromkeys(("int", "long", "short", "size_t"), int),
    **{"char": str, "string": str, "bool": bool},
}

# A text ends at "\0" where it is compared, and a byte that is no character of its own can't be sent.
OTHER_ESCAPES = re.compile(r"\\(?:x[89a-fA-F]|[0-7])")

# HumanEval-X's own comparisons of results, without white space.
EACH = "{if(a.size()!=b.size())returnfalse;for(inti=0;i<a.size();i++){"
SAME = {
    f"boolissame({kind}a,{kind}b){EACH}if({differs})returnfalse;}}returntrue;}}": tolerance
    for kind, differs, tolerance in (
        ("vector<int>", "a[i]!=b[i]", 0.0),
        ("vector<string>", "a[i]!=b[i]", 0.0),
        # A difference of 1e-4 is small enough.
        ("vector<float>", "abs(a[i]-b[i])>1e-4", math.nextafter(1e-4, 1)),
    )
} | {
    f"boolissame(vector<vector<int>>a,vector<vector<int>>b){EACH}if(a[i].size()!=b[i].size())returnfalse;"
    "for(intj=0;j<a[i].size();j++)if(a[i][j]!=b[i][j])returnfalse;}returntrue;}": 0.0
}
"""The tolerance of each."""

RANK = "code_eval_results::Rank<1>()"
COMPARED = """\
namespace code_eval_results {
// The common type of both sides may have no signs: then so many bits are equal. The value is one that is expected.
template <class Result, class Value, class Common = typename std::common_type<Result, Value>::type,
          When<std::is_unsigned<Common>::value> = 0>
typename std::make_signed<Common>::type compared(const Result &value, Value, Rank<1>) {
    return (typename std::make_signed<Common>::type)(Common)value;
}
template <class Result, class Value> Result compared(const Result &value, Value, Rank<0>) { return value; }
}"""
USED = "code_eval_results::finish();"
"""The statement by which tests write the results."""

PROGRAM = f"""\
%(head)s
%(compared)s
int main() {{
code_eval_results::begin();
%(statements)s
%(types)s
#ifdef _GLIBCXX_IOSTREAM
std::cout.flush();
#endif
{USED}
}}
"""


UNSIGNED = re.compile(r"\d[lL]*[uU]")
"""Matches a number without a sign."""


class CppReader(Reader):
    """Reads tests in C++."""

    record = "code_eval_results::write(%s);\n"
    foreign = frozenset(("abs", "fabs", "issame", "not"))
    constructors = frozenset((*LISTS, *TABLES, *CASTS, "make_tuple", "make_pair"))
    casts = CASTS
    tolerance = 0.0
    """That of the tests' own comparison."""

    has_tables = False
    """Whether there are tables, whose elements are pairs."""

    def operand(self) -> Any:
        """Take data, or a call. A number with an `f` is the float that is nearest to it."""
        token = self.peek()
        source = self.code[token.start : token.end]
        value = super().operand()
        if token.kind == "text" and any(map(OTHER_ESCAPES.search, self.texts_before())):
            raise NotPlain("a text whose bytes are others")
        if token.kind == "number" and isinstance(value, float):
            if source[-1] in "lL":
                raise NotPlain("a number that no double holds")
            return single(Fraction(Decimal(source[:-1]))) if source[-1] in "fF" else value
        return value

    def texts_before(self) -> Iterator[str]:
        """Yield the sources of the texts that have been taken last."""
        step = -1
        while self.peek(step).kind == "text":
            yield self.code[self.peek(step).start : self.peek(step).end]
            step -= 1

    def converted(self, kind: str) -> Any:
        """Take data that is converted to a type. A float is the nearest one."""
        value = super().converted(kind)
        return single(Fraction(value)) if kind == "float" else value

    def product(self) -> Any:
        """Take data, or a product of numbers, which are no floats."""
        return self.exact(super().product)

    def data(self) -> Any:
        """Take data, or arithmetic of numbers, which are no floats."""
        return self.exact(super().data)

    def exact(self, take: Callable[[], Any]) -> Any:
        """Take data whose arithmetic has no rounding of floats.

        Args:
            take: takes it.
        """
        first = self.at
        value = take()
        tokens = self.tokens[first : self.at]
        has_floats = any(token.kind == "number" and self.code[token.end - 1] in "fF" for token in tokens)
        if isinstance(value, float) and has_floats and any(token.text in ("+", "*", "-") for token in tokens[1:]):
            raise NotPlain("arithmetic of floats")
        return value

    def char(self, text: str) -> Any:
        """Return the value of a literal of one character, which is one byte."""
        if not text.isascii():
            raise NotPlain("a character whose number has another size elsewhere")
        return super().char(text)

    def own_operand(self) -> Any:
        """Take a list in braces, a container, or a call."""
        if self.take("{"):
            return self.items("}")
        self.take("std", "::")
        name = self.peek().text
        if name in LISTS or name in TABLES or name == "string":
            self.at += 1
            first = self.at
            self.skip_type_arguments()
            words = [token.text for token in self.tokens[first : self.at] if token.kind == "name"]
            return typed(self.container(name), words)
        if name in ("make_tuple", "make_pair"):
            self.at += 1
            self.expect("(")
            return self.items(")")
        if self.peek(-1).text == "::":
            raise NotPlain("a name of the library's")
        return self.call()

    def container(self, name: str) -> Any:
        """Take what a container is made of."""
        self.has_tables |= name in TABLES
        end = ")" if self.take("(") else "}"
        if end == "}":
            self.expect("{")
        found = self.items(end)
        if name == "string":
            if len(found) != 1 or not isinstance(found[0], str):
                raise NotPlain("a text made of something else")
            return found[0]
        if end == ")" and found:
            if len(found) != 1 or not isinstance(found[0], list):
                raise NotPlain("a container made of something else")
            [found] = found
        if name not in TABLES:
            return found
        made = table(found)
        if len(made) < len(found) or any(isinstance(key, float) for key in made):
            raise NotPlain("keys that are equal, or are no whole numbers")
        return made

    def needs_all(self, opening: int, count: int) -> bool:
        """Return whether a list may be an element of a table."""
        return self.has_tables and count == 2 and self.tokens[opening - 1].text == "{"

    def truth(self, value: Any) -> Any:
        """Return a call whose result is a boolean."""
        return replace(value, source=f"({value.source}) ? true : false") if isinstance(value, Call) else value

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`. A negative number may equal one that has no sign.

        A character is equal to its number, whichever of the two is returned.
        """
        if type(value) is int and value > MAX_INT and UNSIGNED.search(neutral):
            raise NotPlain("a number that a negative one is equal to")
        if isinstance(call, Call):
            call = replace(call, source=f"{PICKED_BY}({neutral})({call.source})")
        if isinstance(call, Call) and type(value) is int and value < 0:
            call = replace(call, source=f"code_eval_results::compared({call.source}, {neutral}, {RANK})")
        number = ord(value) if isinstance(value, Character) else value
        self.check(call, number)
        self.allow_character(number, first=0)

    def check(self, left: Any, right: Any, tolerance: float = 0) -> None:
        """Note that a call returns a value. A long double only has to be near."""
        if tolerance and isinstance(left, Call) and is_number(right):
            left = replace(left, source=f"(double)({left.source})")
        super().check(left, right, tolerance)

    def note_shape(self, first: int, begin: int, end: int) -> None:
        """Keep a comparison for the check of its types, but not with a lambda: it can't stand there before C++20."""
        tokens = [token.text if token.kind == "symbol" else "" for token in self.tokens[first : self.at]]
        if not any(after == "[" and before in ("(", ",", "{", "=") for before, after in pairwise(tokens)):
            super().note_shape(first, begin, end)

    def same(self) -> None:
        """Take a comparison by the tests' own function, whose name has been taken."""
        first = self.at - 1
        self.expect("(")
        left = self.operand()
        self.expect(",")
        middle = self.at
        right = self.data()
        self.expect(")")
        if not isinstance(left, Call):
            raise NotPlain("no call is compared")
        self.check(left, right, self.tolerance)
        self.note_shape(first, middle, self.at - 1)

    def statement(self) -> None:
        """Take a statement of `main`."""
        first = self.at
        if self.take("assert", "("):
            if self.take("issame"):
                self.same()
            elif not self.difference("abs", "("):
                self.comparison()
            self.expect(")", ";")
        elif self.take("return"):
            if self.operand() != 0:
                raise NotPlain("a status")
            self.expect(";")
        elif self.take("auto"):
            self.keep_statement(first)
        else:
            self.take("const")
            self.take("std", "::")
            if self.name() not in (*LISTS, *TABLES, *CASTS):
                raise NotPlain("a statement of another kind")
            self.keep_statement(first)


@or_none
def cpp_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    code = LINE.sub("", tests)
    same = ISSAME.search(code)
    tolerance = SAME.get(re.sub(r"\s+", "", same[0])) if same else 0.0
    if tolerance is None:
        raise NotPlain("a comparison of another kind")
    reader = CppReader(ISSAME.sub("", code, count=1))
    reader.tolerance = tolerance
    reader.expect("int", "main", "(", ")", "{")
    while not reader.take("}"):
        reader.statement()
    head = "\n".join([*LINE.findall(tests), same[0] if same else ""])
    types = f"static_assert(sizeof({reader.shape}) > 0);" if reader.shape else ""
    statements = "".join(reader.statements)
    compared = COMPARED if "code_eval_results::compared" in statements else ""
    parts = {"head": head, "compared": compared, "types": types, "statements": statements}
    return reader.result(PROGRAM % parts)
