"""The tokens of tests in compiled languages, with the values of their literals, and how they are taken."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\])*"|`[^`]*`)
    |(?P<char>'(?:\\.[^']*|[^'\\])')
    |(?P<number>\d[\w]*(?:\.(?![.\w])|\.\d\w*)?(?:(?<=[eE])[-+]\d+)?|\.\d\w*)
    |(?P<name>[^\W\d]\w*)
    |(?P<symbol>::|->|=>|:=|==|!=|<=|>=|&&|\|\||\S)""",
    re.VERBOSE | re.DOTALL,
)
BRACKETS = {"(": ")", "[": "]", "{": "}"}
NUMBER = re.compile(
    r"(?P<hex>0[xX][\da-fA-F_]+)|(?P<whole>[\d_]+)(?P<part>\.[\d_]*)?(?P<power>[eE][-+]?\d+)?|(?P<small>\.\d+)"
)
SUFFIX = re.compile(r"(?:[fFdDlLuU]{1,3}|_?[iu](?:8|16|32|64|128|size)|_?f(?:32|64))?")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
# Octal escapes, and longer ones with x, are not understood.
ESCAPE = re.compile(
    r"\\(u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}(?![\da-fA-F])|[0-7]{2,3}|.)", re.DOTALL
)


class NotPlain(Exception):
    """Tests do more than compare results of calls with data."""


@dataclass(frozen=True)
class Token:
    """A part of a text: its kind, one of TOKEN's groups, the value of a literal or its text, and where it stands."""

    kind: str
    text: Any
    start: int
    end: int


def scan(code: str) -> Iterator[Token]:
    """Yield the tokens of a text.

    Raises:
        NotPlain: if it has a literal that is not understood.
    """
    for found in TOKEN.finditer(code):
        kind, text = str(found.lastgroup), found[0]
        value: Any = text
        if kind == "number":
            value = read_number(text)
        elif kind in ("text", "char"):
            value = text[1:-1] if text[0] == "`" else ESCAPE.sub(unescape, text[1:-1])
        if kind == "char" and len(value) != 1:
            raise NotPlain(text)
        if kind != "blank":
            yield Token(kind, value, *found.span())


def read_number(text: str) -> int | float:
    """Return the value of a number."""
    found = NUMBER.match(text)
    if not found or not SUFFIX.fullmatch(text[found.end() :]):
        raise NotPlain(text)
    digits = found[0].replace("_", "")
    if found["hex"]:
        return int(digits, 16)
    suffix = text[found.end() :].lstrip("_")
    is_float = found["part"] is not None or found["power"] or found["small"] or suffix[:1] in ("f", "F", "d", "D")
    if not is_float and len(digits) > 1 and digits[0] == "0":
        raise NotPlain(text)
    return float(digits) if is_float else int(digits)


def unescape(found: re.Match[str]) -> str:
    """Return the character of an escape sequence."""
    said = found[1]
    if said[0] in "uUx" and len(said) > 1:
        number = int(said[1:].strip("{}"), 16)
        if number > sys.maxunicode:
            raise NotPlain(said)
        return chr(number)
    if said in "\"'\\":
        return said
    if said not in ESCAPES:
        raise NotPlain(said)
    return ESCAPES[said]


def neutral_number(text: str) -> str:
    """Return the number 0 of the type that a number has."""
    found = NUMBER.match(text)
    assert found
    form = "0" if found["hex"] or not (found["part"] or found["power"] or found["small"]) else "0.0"
    return form + text[found.end() :]


class TokenReader:
    """Takes the tokens of a text, one after the other."""

    scanned = staticmethod(scan)
    """Yields the tokens of a text. Languages with other tokens have their own."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        self.code, self.at = code, 0
        self.tokens = [*self.scanned(code)]
        self.end = Token("end", "", len(code), len(code))

    def peek(self, step: int = 0) -> Token:
        """Return a token that has not been taken; the end after the last."""
        place = self.at + step
        return self.tokens[place] if 0 <= place < len(self.tokens) else self.end

    def next_is(self, *texts: str) -> bool:
        """Return whether these tokens, which are no literals, come next."""
        coming = [self.peek(step) for step in range(len(texts))]
        return all(
            token.kind in ("name", "symbol") and token.text == text for token, text in zip(coming, texts, strict=True)
        )

    def take(self, *texts: str) -> bool:
        """Take tokens if they come next. Return whether they do."""
        if not self.next_is(*texts):
            return False
        self.at += len(texts)
        return True

    def expect(self, *texts: str) -> None:
        """Take tokens that have to come next."""
        if not self.take(*texts):
            raise NotPlain(f"{self.peek().text!r} where {' '.join(texts)!r} should be")

    def name(self) -> str:
        """Take a name."""
        token = self.peek()
        if token.kind != "name":
            raise NotPlain(f"{token.text!r} is no name")
        self.at += 1
        return str(token.text)

    def source(self, first: int) -> str:
        """Return the text from a token to the last one that was taken."""
        return self.code[self.tokens[first].start : self.peek(-1).end]

    def skip_brackets(self) -> None:
        """Take a bracket, and all up to the one that closes it."""
        opened: list[str] = []
        while True:
            token = self.peek()
            if token is self.end:
                raise NotPlain("a bracket that is not closed")
            self.at += 1
            if token.kind == "symbol" and token.text in BRACKETS:
                opened.append(BRACKETS[token.text])
            elif token.kind == "symbol" and opened and token.text == opened[-1]:
                opened.pop()
            if not opened:
                return

    def skip_type_arguments(self) -> None:
        """Take what stands between angle brackets, if they come next."""
        if not self.take("<"):
            return
        depth = 1
        while depth:
            token = self.peek()
            if token.kind not in ("name", "symbol", "number"):
                raise NotPlain("type arguments without an end")
            depth += (token.text == "<") - (token.text == ">")
            self.at += 1
