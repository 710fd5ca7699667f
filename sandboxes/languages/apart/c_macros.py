"""Lines of C's preprocessor in tests: headers, and names for numbers. Used by `c`."""

from __future__ import annotations

import re

from sandboxes.languages.apart.c_numbers import CASTS, LIMITS, SMALL, Number, NumberReader
from sandboxes.languages.apart.c_places import FOREIGN, HARMLESS, KEYWORDS, PRINTERS
from sandboxes.languages.apart.plain_tokens import NotPlain

LINE = re.compile(r"^[ \t]*#[ \t]*(?:undef[ \t]+NDEBUG|include[ \t]*<[\w/.]+>)[ \t]*$", re.MULTILINE)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([-+\w.() \t]+?)[ \t]*$", re.MULTILINE)
# Trigraphs, and lines that go on.
OTHER_FORMS = re.compile(r"\?\?|\\\r?\n")
COMMENT_OR_LITERAL = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)

RESERVED = (
    KEYWORDS
    | PRINTERS
    | FOREIGN
    | HARMLESS
    | {*LIMITS, *SMALL, *" ".join(CASTS).split()}
    | {"NDEBUG", "NULL", "true", "false", "stdout", "stderr", "void", "static", "const"}
)
"""Names that are read as C and its library have them."""


def without_comments(code: str) -> str:
    """Return a text with a blank in place of each comment, as the preprocessor has it."""
    if OTHER_FORMS.search(code):
        raise NotPlain("a text in another form")
    return COMMENT_OR_LITERAL.sub(lambda found: " " if found[0][0] == "/" else found[0], code)


def read_defines(code: str) -> dict[str, Number]:
    """Return the numbers that a text without comments has names for.

    Raises:
        NotPlain: if a name is for something else, or has another meaning before its line.
    """
    found = dict[str, Number]()
    for line in DEFINE.finditer(code):
        name = line[1]
        if name in RESERVED or re.search(rf"\b{name}\b", code[: line.start()]):
            raise NotPlain("a macro of another kind")
        found[name] = operand(line[2])
    return found


def operand(text: str) -> Number:
    """Return the value of a number or of a text in brackets, with its sign.

    A name stands for its text: operators beside it would take other texts apart.
    """
    reader = NumberReader(text)
    is_signed = reader.take("-") or reader.take("+")
    if reader.next_is("("):
        reader.skip_brackets()
    elif reader.peek().kind == "symbol":
        raise NotPlain("a macro of another kind")
    else:
        reader.factor()
    if reader.peek() is not reader.end:
        raise NotPlain("a macro of another kind")
    reader.at = 0
    value = reader.factor() if is_signed else reader.constant()
    if reader.peek() is not reader.end:
        raise NotPlain("a macro of another kind")
    return value
