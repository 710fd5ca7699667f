"""Restores source code whose newlines were stored as a backslash and an n.

Datasets escape code in two ways. Either the whole text is escaped as in JSON, and its quotes have backslashes too, or
only its white space is replaced.
"""

from __future__ import annotations

import json
import re

WHITE_SPACE = {"\\n": "\n", "\\t": "\t", "\\r": "\r"}
ESCAPED = re.compile(r"\\[ntr]")
# A string literal of one line can't contain a newline, so an escape in it belongs to the program.
ONE_LINE = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
TEXT_BLOCK = r'"""(?:\\.|[^\\])*?"""'
COMMENT = r"(?:(?!\\n|\n).)*"
# The group matches the parts of a text that are left as they are.
PYTHON = re.compile(rf"#{COMMENT}|{TEXT_BLOCK}|'''(?:\\.|[^\\])*?'''|({ONE_LINE})|\\[ntr]", re.DOTALL)
JAVA_OR_GO = re.compile(rf"//{COMMENT}|/\*.*?\*/|{TEXT_BLOCK}|`[^`]*`|({ONE_LINE})|\\[ntr]", re.DOTALL)


def with_newlines(code: str, language: str) -> str:
    """Return code with real newlines. Code that has some already is returned as it is.

    Args:
        code: source text.
        language: "python", "java" or "go".
    """
    if "\n" in code or "\\n" not in code:
        return code
    # Without quotes and backslashes, both ways of escaping give the same text.
    if '"' in code or "\\\\" in code:
        try:
            # Not `unicode_escape`, which reads the bytes of non-ASCII letters as Latin-1.
            return str(json.loads(f'"{code}"', strict=False))
        except ValueError:
            pass
    pattern = PYTHON if language == "python" else JAVA_OR_GO
    return pattern.sub(lambda part: part[0] if part[1] else unescape_white_space(part[0]), code)


def unescape_white_space(text: str) -> str:
    """Return a text with real white space in place of its escapes."""
    return ESCAPED.sub(lambda escape: WHITE_SPACE[escape[0]], text)
