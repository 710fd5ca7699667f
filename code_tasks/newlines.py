"""Code whose newlines come as a backslash and an n, as it was before.

Two ways of writing it are common: the whole text escaped as in JSON, so that its quotes have backslashes too, and
nothing but its white space replaced.
"""

from __future__ import annotations

import json
import re

WHITE_SPACE = {"\\n": "\n", "\\t": "\t", "\\r": "\r"}
ESCAPED = re.compile(r"\\[ntr]")
# A literal of one line has no newline of its own: what stands there is the program's own escape.
ONE_LINE = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
TEXT_BLOCK = r'"""(?:\\.|[^\\])*?"""'
COMMENT = r"(?:(?!\\n|\n).)*"
# In each the last group is what is left as it is.
PYTHON = re.compile(rf"#{COMMENT}|{TEXT_BLOCK}|'''(?:\\.|[^\\])*?'''|({ONE_LINE})|\\[ntr]", re.DOTALL)
JAVA_OR_GO = re.compile(rf"//{COMMENT}|/\*.*?\*/|{TEXT_BLOCK}|`[^`]*`|({ONE_LINE})|\\[ntr]", re.DOTALL)


def with_newlines(code: str, language: str) -> str:
    """A text with real newlines; one that has some is returned as it is.

    Args:
        code: source text.
        language: "python", "java" or "go".
    """
    if "\n" in code or "\\n" not in code:
        return code
    # Without either, nothing was escaped but white space, or nothing needed it.
    if '"' in code or "\\\\" in code:
        try:
            # Not `unicode_escape`, which reads the bytes of other letters as Latin-1.
            return str(json.loads(f'"{code}"', strict=False))
        except ValueError:
            pass
    pattern = PYTHON if language == "python" else JAVA_OR_GO
    return pattern.sub(lambda found: found[0] if found[1] else white_space(found[0]), code)


def white_space(text: str) -> str:
    """A text with its escaped white space as it was."""
    return ESCAPED.sub(lambda found: WHITE_SPACE[found[0]], text)
