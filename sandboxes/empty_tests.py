"""Tests that test nothing: whatever a candidate is, it would pass them. They are an error before anything runs."""

from __future__ import annotations

import ast
import functools
import re

from sandboxes.imports import parsed
from sandboxes.python_tests import kind_of

EMPTY = "there is no test in them: whatever a candidate is, it would pass"
MEANT = '; where candidates hold their own tests, "assert True" says so'
C_COMMENTS = re.compile(r"(?:\s++|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)
BASH_COMMENTS = re.compile(r"(?:\s++|#[^\n]*+)*+")
CANDIDATE_MODULES = ("candidate", "__main__")
"""Modules that tests can import a candidate's names from, which fails if they are missing."""


@functools.lru_cache(maxsize=1024)
def check_not_empty(tests: str, language: str = "") -> None:
    """Raises ValueError if no statement of tests can fail.

    Args:
        tests: code.
        language: of the code; empty if it is unknown: then only blank tests are told.
    """
    if not tests.strip() or (language and is_empty(tests, language)):
        raise ValueError(EMPTY + (MEANT if language == "python" else ""))


def is_empty(tests: str, language: str) -> bool:
    """Returns whether tests hold nothing but comments, or in Python nothing that can fail.

    Classes for unittest and functions for pytest are no such tests: what runs them raises if none of them ran.
    """
    if language != "python":
        return (BASH_COMMENTS if language == "bash" else C_COMMENTS).fullmatch(tests) is not None
    try:
        return kind_of(tests) == "asserts" and all(map(is_inert, parsed(tests).body))
    except ValueError:
        # They are a compile error of each program.
        return False


def is_inert(node: ast.stmt) -> bool:
    """Returns whether a statement can't fail: what it only defines, or writes down, is never run."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        return not node.decorator_list and all(map(is_literal, defaults))
    if isinstance(node, ast.ClassDef):
        return not node.decorator_list and not node.keywords and all(map(is_inert, node.body))
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = node.module if isinstance(node, ast.ImportFrom) else ""
        names = [module or "", *(alias.name for alias in node.names)]
        return not any(name.partition(".")[0] in CANDIDATE_MODULES for name in names)
    if isinstance(node, ast.If) and is_main_guard(node.test):
        return all(map(is_inert, node.orelse))
    if isinstance(node, ast.Assign):
        return is_literal(node.value) and all(isinstance(target, ast.Name) for target in node.targets)
    if isinstance(node, ast.AnnAssign):
        return node.value is None or is_literal(node.value)
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and is_literal(node.value))


def is_main_guard(test: ast.expr) -> bool:
    """Returns whether a condition is `__name__ == "__main__"`, which is false where tests run."""
    return ast.unparse(test) in ("__name__ == '__main__'", "'__main__' == __name__")


def is_literal(node: ast.expr) -> bool:
    """Returns whether an expression is plain data: a list of asserts as texts, such as data sets have, is no test."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True
