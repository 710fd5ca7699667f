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
TEMPLATE = re.compile(r"[`}](?:\\.|[^`\\$]|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
"""A part of a template: up to an expression, or to the end."""

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

    start: int = 0
    """Its place in the text."""

    @property
    def end(self) -> int:
        """The place after it."""
        return self.start + len(self.text)


END = Token("end", "", True)


def scan(code: str, with_templates: bool = False) -> Iterator[Token]:
    """Yield the tokens of a text.

    Args:
        code: the text.
        with_templates: whether templates may have expressions. Each stands in brackets, between texts: `1${x}2` is
            "`1${", "(", "x", ")", "}2`".

    Raises:
        NeedsCandidate: if it is not understood.
    """
    place, last, follows_line = 0, END, True
    # The braces that are open within each expression of a template.
    open_braces: list[int] = []
    while place < len(code):
        is_operand = last.kind in ("text", "number", "regex") or last.text in (")", "]", "}")
        is_operand |= last.kind == "name" and last.text not in KEYWORDS
        found = None if is_operand else REGEX.match(code, place)
        kind = "regex"
        if with_templates and (code[place] == "`" or code[place] == "}" and open_braces and not open_braces[-1]):
            found = TEMPLATE.match(code, place)
            kind = "text"
            if code[place] == "}" and found is not None:
                open_braces.pop()
                yield Token("symbol", ")", follows_line, place)
        if found is None:
            found = TOKEN.match(code, place)
            if found is None:
                raise NeedsCandidate(f"the tests have {code[place : place + 10]!r}, which is not understood")
            kind = str(found.lastgroup)
        place = found.end()
        if kind == "blank":
            follows_line |= "\n" in found[0]
            continue
        last, follows_line = Token(kind, found[0], follows_line, found.start()), False
        yield last
        if kind == "text" and with_templates and last.text.endswith("${"):
            open_braces.append(0)
            last = Token("symbol", "(", False, place)
            yield last
        elif open_braces and last.text in ("{", "}"):
            open_braces[-1] += 1 if last.text == "{" else -1
