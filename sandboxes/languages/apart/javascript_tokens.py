"""The tokens of tests in JavaScript and TypeScript. Used by `apart.javascript`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\$]|\$(?!\{))*`)
    |(?P<number>\.?\d[\w.]*)
    |(?P<name>[^\W\d][\w$]*|\$[\w$]*)
    |(?P<symbol>=>|\.\.\.|\?\.(?!\d)|===?|!==?|[<>]=|[-+*/%&|^!~=<>?:;,.(){}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
REGEX = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
KEYWORDS = frozenset(
    """
    any as async await break case catch const continue debugger declare default delete do else enum false finally for
    function if in infer instanceof interface is keyof let never new null number of readonly return string switch throw
    true try type typeof undefined unknown var void while boolean bigint object
    """.split()
)
"""Keywords, and the types of TypeScript that are named like variables."""


class NeedsCandidate(Exception):
    """Tests can't run apart. The argument is the reason."""


@dataclass(frozen=True)
class Token:
    """A part of a text that is no white space and no comment."""

    kind: str
    """Of TOKEN's groups, or "regex"."""

    text: str
    follows_line: bool
    """Whether a line ends before it."""


END = Token("end", "", True)


def scan(code: str) -> Iterator[Token]:
    """Yield the tokens of a text.

    Raises:
        NeedsCandidate: if it is not understood.
    """
    place, last, follows_line = 0, END, True
    while place < len(code):
        is_operand = last.kind in ("text", "number", "regex") or last.text in (")", "]", "}")
        is_operand |= last.kind == "name" and last.text not in KEYWORDS
        found = None if is_operand else REGEX.match(code, place)
        kind = "regex"
        if found is None:
            found = TOKEN.match(code, place)
            if found is None:
                raise NeedsCandidate(f"the tests have {code[place : place + 10]!r}, which is not understood")
            kind = str(found.lastgroup)
        place = found.end()
        if kind == "blank":
            follows_line |= "\n" in found[0]
            continue
        last, follows_line = Token(kind, found[0], follows_line), False
        yield last
