"""What tests in C compare with data: calls, variables and their parts. Used by `c`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sandboxes.languages.apart.c_numbers import NumberReader
from sandboxes.languages.apart.plain_data import Place
from sandboxes.languages.apart.plain_tokens import NotPlain, Token

KEYWORDS = frozenset(
    "assert if else for while do switch case default goto break continue return exit abort typedef static_assert "
    "_Static_assert asm __asm__ register auto extern main setjmp longjmp _exit _Exit quick_exit raise".split()
)
"""Words of statements that are not read, or that have a form of their own."""

PRINTERS = frozenset("printf puts fprintf putchar fputs perror fflush".split())
COMPARISONS = frozenset("== != <= >= < > && || ? !".split())
# Functions of the library that compare what they are given.
FOREIGN = frozenset(
    "strcmp strncmp strcasecmp strncasecmp strcoll memcmp bcmp wcscmp wcsncmp strstr strchr strrchr strspn strcspn "
    "strpbrk memchr fabs fabsf fabsl abs labs llabs isnan isinf isfinite isnormal isless isgreater islessequal "
    "isgreaterequal fmin fmax fdim sizeof offsetof".split()
)
CHANGES = frozenset((("+", "+"), ("-", "-"), ("-", "->"), ("<", "<="), (">", ">=")))
"""Symbols that are one operator of C's if nothing is between them."""

HARMLESS = frozenset("sizeof strlen malloc calloc realloc strdup free".split())
"""Functions of the library that compare no results."""


class PlaceReader(NumberReader):
    """Takes calls, variables and their parts."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        # Variables that hold results.
        self.results: set[str] = set()

    def place(self) -> Place:
        """Take a call, or a variable or a part of one."""
        first = self.at
        self.unary()
        tokens = self.tokens[first : self.at]
        calls = tuple(one.text for one, other in pairwise(tokens) if is_call(one, other))
        if FOREIGN & {*calls[:1]} or (KEYWORDS | PRINTERS) & names_in(tokens):
            raise NotPlain("no call of the candidate's")
        has_data = bool(calls) and any(token.kind in ("number", "text", "char") for token in tokens)
        return Place(self.source(first), names_in(tokens), calls, has_data)

    def unary(self) -> None:
        """Take a place, with what stands before it."""
        if self.take("*"):
            self.unary()
            return
        if self.next_is("("):
            after_cast = self.cast_end()
            self.at = after_cast or self.at + 1
            self.unary()
            if after_cast:
                return
            self.expect(")")
        else:
            self.name()
        while True:
            first = self.at
            if self.next_is("("):
                self.skip_brackets()
                self.check_arguments(self.tokens[first : self.at])
            elif self.next_is("["):
                self.skip_data()
            elif self.take(".") or self.take("->"):
                self.name()
            else:
                return

    def cast_end(self) -> int:
        """Return the token after a cast; 0 if none comes next."""
        step = 1
        while self.peek(step).kind == "name" or step > 1 and self.peek(step).text == "*":
            step += 1
        follows = self.peek(step + 1)
        is_cast = step > 1 and self.peek(step).text == ")" and (follows.kind == "name" or follows.text in ("(", "*"))
        return self.at + step + 1 if is_cast else 0

    def check_arguments(self, tokens: Sequence[Token]) -> None:
        """Check that the arguments of a call compare no result of another."""
        if has_statements(tokens):
            raise NotPlain("statements in an expression")
        if (calls_in(tokens) - HARMLESS or names_in(tokens) & self.results) and symbols_in(tokens) & COMPARISONS:
            raise NotPlain("a comparison in an argument")

    def skip_data(self) -> None:
        """Take brackets that hold no call and no comparison."""
        first = self.at
        self.skip_brackets()
        check_data(self.tokens[first : self.at])


def is_call(name: Token, bracket: Token) -> bool:
    """Return whether two tokens begin a call."""
    return name.kind == "name" and bracket.kind == "symbol" and bracket.text == "("


def calls_in(tokens: Sequence[Token]) -> set[str]:
    """Return the names of functions that are called."""
    return {name.text for name, bracket in pairwise(tokens) if is_call(name, bracket)}


def names_in(tokens: Sequence[Token]) -> frozenset[str]:
    """Return all names."""
    return frozenset(token.text for token in tokens if token.kind == "name")


def symbols_in(tokens: Sequence[Token]) -> set[str]:
    """Return all symbols."""
    return {token.text for token in tokens if token.kind == "symbol"}


def has_statements(tokens: Sequence[Token]) -> bool:
    """Return whether an expression holds statements, as GCC allows."""
    symbols = [token.text if token.kind == "symbol" else "" for token in tokens]
    return ("(", "{") in pairwise(symbols)


def has_changes(tokens: Sequence[Token]) -> bool:
    """Return whether an expression assigns, counts up or counts down. Names of a structure's parts are no targets."""
    for at, token in enumerate(tokens):
        if token.kind != "symbol":
            continue
        if token.text in ("=", "=>", ":=") and not is_designator(tokens[:at]):
            return True
        after = tokens[at + 1] if at + 1 < len(tokens) else token
        is_joined = after.kind == "symbol" and after.start == token.end
        if is_joined and (token.text, after.text) in CHANGES:
            return True
    return False


def is_designator(before: Sequence[Token]) -> bool:
    """Return whether tokens end with the name or the place of an element in a list."""
    texts = [token.text if token.kind != "text" else "" for token in before[-4:]]
    is_name = len(texts) > 2 and texts[-2] == "." and texts[-3] in ("{", ",")
    return is_name or len(texts) > 3 and texts[-1] == "]" and texts[-3] == "[" and texts[-4] in ("{", ",")


def check_data(tokens: Sequence[Token]) -> None:
    """Check that data compares nothing, calls nothing and changes nothing.

    Raises:
        NotPlain: if it does.
    """
    is_data = not symbols_in(tokens) & COMPARISONS and not names_in(tokens) & (KEYWORDS | PRINTERS)
    if not is_data or calls_in(tokens) - {"sizeof"} or has_statements(tokens) or has_changes(tokens):
        raise NotPlain("more than data")
