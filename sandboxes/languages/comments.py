"""Comments of languages: what is nothing but comments, and texts with C's comments and literals blanked."""

from __future__ import annotations

import re

# An unclosed comment goes on to the end of the text.
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
LITERAL = r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\\n])*\''
LITERAL_OR_COMMENT = re.compile(f"({LITERAL})|{COMMENT}", re.DOTALL)

# Texts that hold nothing but white space and comments.
C_COMMENTS = re.compile(r"(?:\s++|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)
ADA_COMMENTS = re.compile(r"(?:\s++|--[^\n]*+)*+")
D_COMMENTS = re.compile(r"(?:\s++|//[^\n]*+|/\*.*?\*/|/\+.*?\+/)*+", re.DOTALL)
FORTRAN_COMMENTS = re.compile(r"(?:\s++|![^\n]*+)*+")
HASH_COMMENTS = re.compile(r"(?:\s++|#[^\n]*+)*+")
LUA_COMMENTS = re.compile(r"(?:\s++|--\[(=*)\[.*?\]\1\]|--[^\n]*+)*+", re.DOTALL)
HASKELL_COMMENTS = re.compile(r"(?:\s++|--[^\n]*+|\{-.*?-\})*+", re.DOTALL)
OCTAVE_COMMENTS = re.compile(
    r"(?:\s++|[%#]\{[ \t]*+\n.*?(?:\n[ \t]*+[%#]\}[ \t]*+(?=\n|\Z)|\Z)|[%#][^\n]*+)*+", re.DOTALL
)
ML_COMMENTS = re.compile(r"(?:\s++|\(\*.*?\*\))*+", re.DOTALL)
PHP_COMMENTS = re.compile(r"(?:\s++|<\?php\b|#[^\n]*+|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)
SQL_COMMENTS = re.compile(r"(?:[\s;]++|--[^\n]*+|/\*.*?(?:\*/|\Z))*+", re.DOTALL)
LISP_COMMENTS = re.compile(r"(?:\s++|#lang[^\n]*+|;[^\n]*+|#\|.*?\|#)*+", re.DOTALL)
NOT_NEWLINE = re.compile(r"[^\n]")


def without_comments(code: str) -> str:
    """Return a text whose comments are blanks. Everything else stands where it was."""
    return LITERAL_OR_COMMENT.sub(lambda part: part[1] or NOT_NEWLINE.sub(" ", part[0]), code)


def without_literals(code: str) -> str:
    """Return a text whose comments and literals are blanks. Everything else stands where it was."""
    return LITERAL_OR_COMMENT.sub(lambda part: NOT_NEWLINE.sub(" ", part[0]), code)
