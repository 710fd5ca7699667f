"""Constant expressions of C: their values, and the types that decide how they are compared. Used by `c`."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from fractions import Fraction

from sandboxes.languages.apart.plain_tokens import NotPlain, TokenReader

INTEGERS = {"int": (32, True), "unsigned": (32, False), "long": (64, True), "unsigned long": (64, False)}
"""Bits and sign of the types of integers. `long long` is as `long`: both are equal to the same numbers."""

KINDS = (*INTEGERS, "float", "double")
"""Types of constants: that of an operation is the later one of its operands' types."""

ZEROS = {"int": "0", "unsigned": "0U", "long": "0LL", "unsigned long": "0ULL", "float": "0.0F", "double": "0.0"}
"""A constant of each type that holds nothing of the tests'."""

MAX_FLOAT, MIN_FLOAT = 2.0**127, 2.0**-120
"""Floats that are so large or so small are not read."""

LIMITS: dict[str, tuple[str, int]] = {
    "EXIT_SUCCESS": ("int", 0),
    "EXIT_FAILURE": ("int", 1),
    "CHAR_BIT": ("int", 8),
    "INT_MAX": ("int", 2**31 - 1),
    "INT_MIN": ("int", -(2**31)),
    "UINT_MAX": ("unsigned", 2**32 - 1),
    "LLONG_MAX": ("long", 2**63 - 1),
    "LLONG_MIN": ("long", -(2**63)),
    "ULLONG_MAX": ("unsigned long", 2**64 - 1),
    **{f"INT{bits}_MAX": ("int" if bits < 64 else "long", 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"INT{bits}_MIN": ("int" if bits < 64 else "long", -(2 ** (bits - 1))) for bits in (8, 16, 32, 64)},
}
"""Macros of the C library."""

# The range of what a cast makes, and its type in an expression.
SMALL = {"char": (0, 127), "short": (-(2**15), 2**15 - 1)}
SMALL |= {f"int{bits}_t": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16)}
SMALL |= {f"uint{bits}_t": (0, 2**bits - 1) for bits in (8, 16)}
CASTS = {
    **dict.fromkeys(("int32_t", "int", "signed"), "int"),
    **dict.fromkeys(("uint32_t", "unsigned", "unsigned int"), "unsigned"),
    **dict.fromkeys(("int64_t", "long", "long int", "long long", "long long int", "ssize_t", "ptrdiff_t"), "long"),
    **dict.fromkeys(("uint64_t", "size_t", "unsigned long", "unsigned long long"), "unsigned long"),
    "float": "float",
    "double": "double",
}
LITERAL = re.compile(
    r"(?P<whole>0[xX][\da-fA-F]+|0|[1-9]\d*)(?P<suffix>[uU]?(?:l|L|ll|LL)?|(?:l|L|ll|LL)[uU])"
    r"|(?P<real>\d+[eE][-+]?\d+|(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?)(?P<single>[fF]?)"
)


@dataclass(frozen=True)
class Number:
    """A number with its type in C."""

    kind: str
    """One of KINDS."""

    value: float

    @property
    def is_whole(self) -> bool:
        """Whether the type is one of integers."""
        return self.kind in INTEGERS


def number(kind: str, value: float) -> Number:
    """Return a value of a type, as C converts it.

    Raises:
        NotPlain: if the conversion is not the same everywhere.
    """
    if kind not in INTEGERS:
        return Number(kind, single(value) if kind == "float" else double(value))
    if isinstance(value, float) and not math.isfinite(value):
        raise NotPlain("no number")
    bits, is_signed = INTEGERS[kind]
    whole = int(value)
    if is_signed and not -(2 ** (bits - 1)) <= whole < 2 ** (bits - 1) or whole < 0 and isinstance(value, float):
        raise NotPlain("a number that is too large for its type")
    return Number(kind, whole if is_signed else whole % 2**bits)


def double(value: float) -> float:
    """Return a finite number."""
    if not math.isfinite(value):
        raise NotPlain("no number")
    return float(value)


def single(value: float | Fraction) -> float:
    """Return the float that is nearest to a number, which is not always that of the nearest double."""
    size = abs(float(value))
    if size > MAX_FLOAT or value and size < MIN_FLOAT:
        raise NotPlain("a number that is too large or too small for its type")
    bits = bits_of(size)
    near = [float_of(max(0, bits + step)) for step in (-1, 0, 1)]
    # Between two that are as near, the even one.
    nearest = min(near, key=lambda each: (abs(Fraction(each) - abs(Fraction(value))), bits_of(each) % 2))
    return float(math.copysign(nearest, value))


def shortest_single(value: float) -> float:
    """Return the number of the shortest literal of the float that is nearest to a number, or the number itself."""
    try:
        nearest = single(value)
        shortest = (float(f"{nearest:.{digits}g}") for digits in range(1, 10))
        return next(each for each in shortest if single(each) == nearest)
    except NotPlain:
        return value


def bits_of(value: float) -> int:
    """Return the bits of a float, as an integer."""
    return int(struct.unpack("i", struct.pack("f", value))[0])


def literal(text: str) -> Number:
    """Return the value of a literal number."""
    found = LITERAL.fullmatch(text)
    if not found:
        raise NotPlain(text)
    if found["real"]:
        if not found["single"]:
            return number("double", float(found["real"]))
        return Number("float", single(Fraction(found["real"])))
    value = int(found["whole"], 0)
    suffix = found["suffix"].lower()
    kinds = [kind for kind in INTEGERS if ("long" in kind or "l" not in suffix)]
    if "u" in suffix:
        kinds = [kind for kind in kinds if "unsigned" in kind]
    elif found["whole"][:2] not in ("0x", "0X"):
        kinds = [kind for kind in kinds if "unsigned" not in kind]
    for kind in kinds:
        bits, is_signed = INTEGERS[kind]
        if value < 2 ** (bits - is_signed):
            return Number(kind, value)
    raise NotPlain(text)


def float_of(bits: int) -> float:
    """Return the float that has these bits."""
    return float(struct.unpack("f", struct.pack("i", bits))[0])


def calculated(sign: str, left: Number, right: Number) -> Number:
    """Return the result of an operation, in C's arithmetic."""
    kind = max(left.kind, right.kind, key=KINDS.index)
    one, other = number(kind, left.value).value, number(kind, right.value).value
    if sign in "/%" and not other or sign == "%" and kind not in INTEGERS:
        raise NotPlain("a division")
    if sign == "+":
        return number(kind, one + other)
    if sign == "-":
        return number(kind, one - other)
    if sign == "*":
        return number(kind, one * other)
    if kind not in INTEGERS:
        return number(kind, one / other)
    quotient = abs(int(one)) // abs(int(other)) * (1 if (one < 0) == (other < 0) else -1)
    return number(kind, quotient if sign == "/" else one - quotient * other)


def values_by_type(value: Number) -> list[object]:
    """Return what a whole number is equal to in other types than its own, with these as the writer notes them."""
    whole = int(value.value)
    shorter = [["uint32", whole % 2**32]] if value.kind in ("int", "unsigned") else []
    return [*shorter, ["uint64", whole % 2**64], whole % 2**128, ["float", single(whole)], ["double", double(whole)]]


def needs_note(value: Number) -> bool:
    """Return whether a number is equal to other numbers in some types."""
    return value.is_whole and (value.value < 0 or single(value.value) != value.value)


class NumberReader(TokenReader):
    """Takes constant expressions."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        self.constants: dict[str, Number] = {}
        # The names of constants that are data.
        self.used: set[str] = set()

    def text_of(self, step: int = 0) -> str:
        """Return the source of a token that has not been taken."""
        token = self.peek(step)
        return self.code[token.start : token.end]

    def constant(self) -> Number:
        """Take a sum, a difference, or one of its parts."""
        value = self.product()
        while self.next_is("+") or self.next_is("-"):
            sign = self.text_of()
            self.at += 1
            value = calculated(sign, value, self.product())
        return value

    def product(self) -> Number:
        """Take a product, a quotient, or one of its parts."""
        value = self.factor()
        while self.next_is("*") or self.next_is("/") or self.next_is("%"):
            sign = self.text_of()
            self.at += 1
            value = calculated(sign, value, self.factor())
        return value

    def factor(self) -> Number:
        """Take a number, with its sign or cast."""
        token, text = self.peek(), self.text_of()
        if self.take("-"):
            value = self.factor()
            return calculated("-", Number(value.kind, 0), value) if value.value else value
        if self.take("+"):
            return self.factor()
        if self.take("("):
            kind = self.type_name()
            if kind:
                return self.cast(kind)
            value = self.constant()
            self.expect(")")
            return value
        self.at += 1
        if token.kind == "number":
            # A letter behind an exponent is a token of its own.
            is_single = text[-1].isdigit() and self.text_of() in ("f", "F") and self.peek().start == token.end
            self.at += is_single
            return literal(text + "f" * is_single)
        if token.kind == "char" and token.text.isascii() and "\\x" not in text:
            return Number("int", ord(token.text))
        if token.kind != "name":
            raise NotPlain("no number")
        if text in self.constants:
            self.used.add(text)
            return self.constants[text]
        if text in ("true", "false"):
            return Number("int", int(text == "true"))
        if text in LIMITS:
            return Number(*LIMITS[text])
        raise NotPlain("no number")

    def type_name(self) -> str:
        """Take the name of a type of numbers and the bracket after it, and return it; "" if no such name comes next."""
        place = 0
        while self.peek(place).kind == "name":
            place += 1
        name = " ".join(self.text_of(step) for step in range(place))
        if not (name in CASTS or name in SMALL) or self.text_of(place) != ")":
            return ""
        self.at += place + 1
        return name

    def cast(self, name: str) -> Number:
        """Take what is converted to a type whose name has been taken."""
        value = self.factor()
        if name in CASTS:
            return number(CASTS[name], value.value)
        converted = int(number("int", value.value).value)
        low, high = SMALL[name]
        if not low <= converted <= high:
            raise NotPlain("a number that is too large for its type")
        return Number("int", converted)
