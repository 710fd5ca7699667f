"""Conditions in tests in C, which compare results with data. Used by `c`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from sandboxes.languages.apart.c_numbers import ZEROS, Number, bits_of, float_of, needs_note, single, values_by_type
from sandboxes.languages.apart.c_places import HARMLESS, PlaceReader
from sandboxes.languages.apart.plain_data import Place
from sandboxes.languages.apart.plain_tokens import NotPlain

# C ends a text at "\\0", and reads longer escapes with x, and octal ones, as numbers of bytes.
TEXT = re.compile(r'"(?:[^\\"\x00-\x1f\ufffd\ud800-\udfff]|\\(?:[abfnrtv"\'\\]|x[0-7][\da-fA-F](?![\da-fA-F])))*"')


@dataclass(frozen=True)
class Texts:
    """A comparison of a text with a result, by `strcmp`, which is 0 if they are equal."""

    place: Place
    text: str


class ConditionReader(PlaceReader):
    """Takes conditions, and notes the results that decide about them."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        # The statements of the program that records results, and what these are compared with.
        self.statements: list[str] = []
        self.expected: list[list[Any]] = []
        self.variables: dict[str, Number | None] = {}
        # Constant variables, which may be tolerances.
        self.fixed: set[str] = set()
        # Variables that hold what a function may have compared.
        self.compared: set[str] = set()

    def condition(self, holds: bool) -> None:
        """Take a condition, and note the results that decide about it.

        Args:
            holds: whether it has to hold, or must not.
        """
        self.part(holds)
        while self.next_is("&&") or self.next_is("||"):
            if self.next_is("&&") != holds:
                raise NotPlain("one of several conditions")
            self.at += 1
            if holds and self.peek().kind == "text":
                # A message.
                self.at += 1
            else:
                self.part(holds)

    def part(self, holds: bool) -> None:
        """Take a condition without `&&` and `||`, as `condition` does."""
        first = self.at
        if self.take("("):
            before = len(self.statements), len(self.expected)
            try:
                self.condition(holds)
                self.expect(")")
                if self.is_at_end():
                    return
            except NotPlain:
                pass
            del self.statements[before[0] :], self.expected[before[1] :]
            self.at = first
        if self.take("!"):
            self.negated(holds)
        elif self.peek().text in ("fabs", "fabsf"):
            self.near(holds)
        else:
            self.comparison(holds)
        if not self.is_at_end():
            raise NotPlain("more than a comparison")

    def is_at_end(self) -> bool:
        """Return whether a condition ends here."""
        return any(map(self.next_is, (")", "&&", "||", ";")))

    def negated(self, holds: bool) -> None:
        """Take what follows an exclamation mark."""
        if self.take("("):
            self.condition(not holds)
            self.expect(")")
        elif self.take("!"):
            self.negated(not holds)
        else:
            self.truth(self.side(), not holds)

    def comparison(self, holds: bool) -> None:
        """Take a comparison with data by `==` or `!=`, or a result that is a condition."""
        left = self.side()
        if not (self.next_is("==") or self.next_is("!=")):
            self.truth(left, holds)
            return
        holds = holds == self.next_is("==")
        self.at += 1
        right = self.side()
        result, value = (left, right) if isinstance(left, Place | Texts) else (right, left)
        if not isinstance(result, Place | Texts) or isinstance(value, Place | Texts):
            raise NotPlain("no comparison of a result with data")
        if value is None and isinstance(result, Place):
            self.note_truth(result, not holds, " != NULL")
        elif value is not None and value.value == 0 and (isinstance(result, Texts) or not holds):
            self.truth(result, not holds)
        elif value is not None and isinstance(result, Place) and holds:
            self.note_equal(result, value)
        else:
            raise NotPlain("a result that is only different")

    def side(self) -> Number | Place | Texts | None:
        """Take a side of a comparison: a number, a result, or None for a null pointer."""
        first = self.at
        if self.take("NULL"):
            return None
        if self.take("strcmp", "("):
            return self.texts()
        try:
            value = self.constant()
            if self.is_at_end() or self.next_is("==") or self.next_is("!="):
                return value
        except NotPlain:
            pass
        self.at = first
        return self.place()

    def texts(self) -> Texts:
        """Take the arguments of `strcmp`, whose name has been taken."""
        is_first = self.peek().kind == "text"
        text = self.text() if is_first else ""
        if is_first:
            self.expect(",")
        place = self.place()
        if not is_first:
            self.expect(",")
            text = self.text()
        self.expect(")")
        return Texts(place, text)

    def text(self) -> str:
        """Take a text."""
        found = ""
        while self.peek().kind == "text":
            if not TEXT.fullmatch(self.text_of()):
                raise NotPlain("a text whose bytes are others")
            found += self.peek().text
            self.at += 1
        if self.peek(-1).kind != "text":
            raise NotPlain("no text")
        return found

    def near(self, holds: bool) -> None:
        """Take a condition such as `fabs(CALL - NUMBER) < NUMBER`."""
        function = self.name()
        self.expect("(")
        first = self.at
        try:
            place, sign = self.place(), self.text_of()
            self.at += 1
            value = self.product()
        except NotPlain:
            self.at = first
            value, sign = self.product(), self.text_of()
            self.expect("-")
            place = self.place()
        self.expect(")")
        if sign not in ("+", "-"):
            raise NotPlain("no difference")
        if sign == "+":
            value = Number(value.kind, -value.value)
        symbol = self.text_of()
        self.at += 1
        if symbol not in (("<", "<=") if holds else (">", ">=")):
            raise NotPlain("no tolerance")
        limit = limit_of(function, value, self.tolerance(), symbol in ("<=", ">"))
        self.note(place, f"code_eval_near({ZEROS[value.kind]}, {place.source});", [value.value, limit])

    def tolerance(self) -> float:
        """Take a number, or a constant variable."""
        value = self.variables.get(self.text_of()) if self.text_of() in self.fixed else None
        if value is None:
            return float(self.constant().value)
        self.at += 1
        return float(value.value)

    def truth(self, result: Number | Place | Texts | None, is_true: bool) -> None:
        """Note a result that is a condition by itself. A comparison of texts is one that is false if they are equal."""
        if isinstance(result, Place):
            self.note_truth(result, is_true)
        elif isinstance(result, Texts) and not is_true:
            self.note(result.place, f"code_eval_text({result.place.source});", [result.text, 0])
        else:
            raise NotPlain("no result that is a condition")

    def note_truth(self, place: Place, is_true: bool, comparison: str = "") -> None:
        """Note a result that is a condition."""
        self.note(place, f"code_eval_truth({place.source}{comparison});", [is_true, 0])

    def note_equal(self, place: Place, value: Number) -> None:
        """Note that a result is equal to a number by `==`."""
        macro, others = "code_eval_number", list[object]()
        if needs_note(value):
            macro, others = "code_eval_noted", values_by_type(value)
        self.note(place, f"{macro}({ZEROS[value.kind]}, {place.source});", [value.value, 0, *others])

    def note(self, place: Place, statement: str, expected: list[Any]) -> None:
        """Note a result, and what it is compared with.

        A condition on a function whose arguments are another's result may be that function's comparison, with what it
        expects. Numbers are conditions too.
        """
        if expected[0] in (0, 1) and self.may_compare(place):
            raise NotPlain("a condition on another function's result")
        self.statements.append(statement)
        self.expected.append(expected)

    def may_compare(self, place: Place) -> bool:
        """Return whether a function may have compared another's result with what is expected, which it was given."""
        if not place.calls:
            return bool(place.names & self.compared)
        is_nested = bool({*place.calls[1:]} - HARMLESS) and place.calls[0] not in HARMLESS
        has_data = place.has_data or bool(place.names & {*self.variables} - self.results)
        return is_nested or bool(place.names & self.results) and has_data


def limit_of(function: str, value: Number, tolerance: float, is_closed: bool) -> float:
    """Return the number that a difference from a value has to be less than, in exact arithmetic.

    Args:
        function: that makes the difference positive: "fabs", or "fabsf", which rounds it to a float.
        value: what is taken away.
        tolerance: what the difference is compared with.
        is_closed: whether it may be equal to the tolerance.

    Raises:
        NotPlain: if the types of results decide about it.
    """
    size = abs(value.value)
    if tolerance <= 0 or value.is_whole and (value.value < 0 or size > 2**23 or tolerance >= 1):
        raise NotPlain("a difference whose type decides")
    if function == "fabs":
        # A difference of floats may be rounded, but not if it is small beside them.
        if value.kind != "double" and size and tolerance >= size / 2:
            raise NotPlain("a difference that may be rounded")
        return math.nextafter(tolerance, math.inf) if is_closed else tolerance
    largest = single(tolerance)
    if largest > tolerance or largest == tolerance and not is_closed:
        largest = float_of(bits_of(largest) - 1)
    bits = bits_of(largest)
    middle = (largest + float_of(bits + 1)) / 2
    # A difference between two floats is rounded to the even one.
    return middle if bits % 2 else math.nextafter(middle, math.inf)
