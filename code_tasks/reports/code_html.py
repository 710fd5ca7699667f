"""Code as HTML: lines with numbers and syntax colours. The report, the comparison and the Space can show it.

Pygments escapes the code. The template `code.html` prints the lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any

from code_tasks.reports.failing_lines import NumberedCode, numbered_candidate
from code_tasks.reports.html_parts import macros, visible
from sandboxes.languages.registry import VARIANTS

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_CODE_CHARS = 10_000


@dataclass(frozen=True)
class CodePart:
    """Lines of code that follow each other."""

    lines: list[Markup]
    first_line: int
    left_out: int = 0
    """Number of characters that are left out after these lines."""


def code_html(title: str, code: NumberedCode, language: str) -> Markup:
    """Return code under a heading, with line numbers, syntax colours and a mark at the line that failed.

    Args:
        title: the heading.
        code: the middle of a long one is left out.
        language: a key of `sandboxes.languages.registry.LABELS`, or "json". Code of another one has no colours.

    Raises:
        ImportError: if Jinja2 or Pygments is not installed.
    """
    html: Markup = macros("code.html").code(title, list(code_parts(code, language)), code.failing_line)
    return html


def program_html(result: Mapping[str, Any], answer: str, language: str) -> Markup | str:
    """Return the program that was taken out of an answer, under how it was read; "" if the answer ran as it stands.

    Args:
        result: as `sandboxes.result_dict` gives it.
        answer: shown below the program. "": it stands elsewhere.
        language: of the program, as for `code_html`.
    """
    if "reading" not in result:
        return ""
    program = numbered_candidate(result["program"], result["traceback"], 1)
    html = code_html(f"Program: {result['reading']}", program, language)
    return html + code_html("Answer", NumberedCode(answer), "") if answer else html


def code_parts(code: NumberedCode, language: str) -> Iterator[CodePart]:
    """Yield the whole code, or its beginning and its end."""
    text = code.text.rstrip("\n")
    if len(text) <= MAX_CODE_CHARS:
        yield CodePart(highlighted_lines(text, language), code.first_line)
        return
    half = MAX_CODE_CHARS // 2
    yield CodePart(highlighted_lines(text[:half], language), code.first_line, len(text) - 2 * half)
    yield CodePart(highlighted_lines(text[-half:], language), code.first_line + text[:-half].count("\n"))


def highlighted_lines(text: str, language: str) -> list[Markup]:
    """Return the lines of code as HTML, without their line ends."""
    from markupsafe import Markup
    from pygments.formatters import HtmlFormatter

    html = StringIO()
    # Characters that move text must be gone before Pygments, and lines must stay those that a traceback counts.
    shown = "\n".join(str(visible(line.removesuffix("\r"))).replace("\n", "␤") for line in text.split("\n"))
    # Pygments ends a last line that has no end, and would take an empty one for that end.
    HtmlFormatter(nowrap=True).format(styled_tokens(lexer_for(language).get_tokens(f"{shown}\n")), html)
    # Markup: Pygments has escaped the code.
    return [Markup(line) for line in html.getvalue().removesuffix("\n").split("\n")]


@cache
def lexer_for(language: str) -> Any:
    """Return the lexer of a language; that of plain text for an unknown one."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        # PHP's lexer takes a function without an opening tag for text. Other lexers ignore the option.
        return get_lexer_by_name(VARIANTS.get(language, language), stripnl=False, startinline=True)
    except ClassNotFound:
        return get_lexer_by_name("text", stripnl=False)


def styled_tokens(tokens: Iterator[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Yield tokens with the few types that the page has colours for. Each other type would only make it larger."""
    from pygments.token import Comment, Keyword, Name, Number, String, Text

    styled = (Comment, Keyword, String, Number, Name.Function, Name.Class, Name.Builtin)
    for kind, text in tokens:
        yield next((each for each in styled if kind in each), Text), text
