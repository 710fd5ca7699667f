"""Tests in Rust that compare results of calls with data: one test or a `main` of assertions."""

from __future__ import annotations

from typing import Any

from sandboxes.languages.apart.c_numbers import shortest_single
from sandboxes.languages.apart.plain_data import Call
from sandboxes.languages.apart.plain_tests import PlainTests, Reader, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain

CASTS = {**dict.fromkeys("i8 i16 i32 i64 u8 u16 u32 u64 usize isize".split(), int), "f32": float, "f64": float}
COPIES = ("to_string", "to_owned", "into", "to_vec", "clone")
USED = "super::code_eval_results::say_all();"
"""The statement by which tests write the results, by a module beside theirs."""

PROGRAM = f"""\
fn main() {{
%(statements)s
%(types)s
    {USED}
}}
"""


class RustReader(Reader):
    """Reads tests in Rust."""

    constructors = frozenset(("from", "new", "Some", *COPIES))
    casts = CASTS
    has_tuples = True
    record = "    super::code_eval_results::add(&%s);\n"

    def operand(self) -> Any:
        """Take an operand, and what only copies it, or names its type."""
        while self.take("&"):
            self.take("mut")
        value = super().operand()
        while not isinstance(value, Call):
            if self.peek().text == "." and self.peek(1).text in COPIES:
                self.at += 2
                self.expect("(", ")")
            elif self.take("as"):
                self.check_kind(value, self.name())
            else:
                break
        return value

    def own_operand(self) -> Any:
        """Take a list, a text, a value that may be missing, or a call."""
        if self.take("vec", "!", "[") or self.take("["):
            return self.items("]")
        if self.take("String", "::", "from", "("):
            return self.parenthesised()
        if self.take("Some", "("):
            if self.next_is("Some") or self.next_is("None") or self.next_is("("):
                raise NotPlain("a value that may be missing in another")
            return self.parenthesised()
        if self.take("String", "::", "new", "(", ")"):
            return ""
        if self.take("None"):
            return None
        if self.take("Vec", "::"):
            if self.next_is("<"):
                self.skip_type_arguments()
                self.expect("::")
            self.expect("new", "(", ")")
            return []
        return self.call()

    def statement(self) -> None:
        """Take a statement of a test."""
        first = self.at
        if self.take("assert_eq", "!", "("):
            begin = self.at
            left, middle = self.side(), self.at
            self.expect(",")
            right, end = self.side(), self.at
            self.check(left, right)
            self.take(",")
            self.expect(")")
            self.note_shape(first, *((begin, middle) if isinstance(right, Call) else (middle + 1, end)))
            self.expect(";")
        elif self.take("assert", "!", "("):
            if not self.near():
                self.comparison()
            self.expect(")", ";")
        else:
            self.expect("let")
            self.keep_statement(first)

    def needs_all(self, opening: int, count: int) -> bool:
        """Return whether a list is an array, whose type has its length."""
        return bool(self.tokens[opening - 1].text != "!")

    def check_equal(self, call: Any, value: Any, neutral: str) -> None:
        """Note that a call and a value are equal by `==`. No character is a number."""
        self.check(call, value)

    def check(self, left: Any, right: Any, tolerance: float = 0) -> None:
        """Note that a call returns a value. Its numbers may be those of the shortest literals of f32."""
        super().check(left, right, tolerance)
        value = self.expected[-1][0]
        other = as_singles(value)
        if other != value and not tolerance:
            self.others[len(self.expected) - 1] = other

    def near(self) -> bool:
        """Take a condition such as `(CALL - NUMBER).abs() < NUMBER`, if it is one. Return whether it was."""
        first = self.at
        try:
            self.expect("(")
            call = self.operand()
            self.expect("-")
            value = self.product()
            self.expect(")", ".", "abs", "(", ")", "<")
            self.check_near(call, 1, value)
        except NotPlain:
            self.at = first
            return False
        return True


def as_singles(value: Any) -> Any:
    """Return data whose numbers are those that the shortest literals of the nearest numbers of 32 bits have."""
    if isinstance(value, list):
        return [as_singles(each) for each in value]
    return shortest_single(value) if isinstance(value, float) else value


@or_none
def rust_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = RustReader(tests)
    name, end = "", ["}"]
    if reader.take("#", "[", "cfg", "(", "test", ")", "]"):
        reader.expect("mod", "tests", "{", "use", "super", "::", "*", ";", "#", "[", "test", "]", "fn")
        name, end = reader.name(), ["}", "}"]
    else:
        reader.expect("fn", "main")
    reader.expect("(", ")", "{")
    while not reader.take(*end):
        reader.statement()
    statements = "".join(reader.statements)
    shape = reader.shape if reader.shape.startswith("assert") else f"let _ = {reader.shape}"
    # Variables may have been moved into calls.
    types = f"    if false {{ {shape}; }}" if reader.shape and "let " not in statements else ""
    return reader.result(PROGRAM % {"statements": statements, "types": types}, name)
