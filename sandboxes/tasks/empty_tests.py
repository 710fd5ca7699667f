"""Detection of tests that every candidate would pass. They are an error before anything runs."""

from __future__ import annotations

import ast
import functools

from sandboxes.imports import parse_tests
from sandboxes.languages.registry import LANGUAGES, is_python
from sandboxes.tasks.python_tests import detect_framework

EMPTY = "there is no test in them: every candidate would pass"
ASSERT_TRUE_HINT = '; if candidates hold their own tests, say so with "assert True"'
CANDIDATE_MODULES = ("candidate", "__main__")
"""Modules that tests can import a candidate's names from. Such an import fails if the names are missing."""


@functools.lru_cache(maxsize=1024)
def check_not_empty(tests: str, language: str = "") -> None:
    """Raise ValueError if no statement of tests can fail.

    Args:
        tests: code.
        language: of the code. "" if it is unknown: only blank tests are then an error.
    """
    if not tests.strip() or (language and is_empty(tests, language)):
        raise ValueError(EMPTY + (ASSERT_TRUE_HINT if language and is_python(language) else ""))


def is_empty(tests: str, language: str) -> bool:
    """Return whether tests hold nothing but comments, or in Python nothing that can fail.

    Tests for unittest and pytest are never empty in this sense: their harness raises if no test ran.
    """
    if not is_python(language):
        return LANGUAGES[language].comments.fullmatch(tests) is not None
    try:
        return detect_framework(tests) == "asserts" and all(map(is_inert, parse_tests(tests).body))
    except ValueError:
        # Tests that do not parse are a compile error of each program.
        return False


def is_inert(node: ast.stmt) -> bool:
    """Return whether a statement can't fail: it is plain data, or a definition whose body is never run."""
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
    """Return whether a condition is `__name__ == "__main__"`, which is false when tests run."""
    return ast.unparse(test) in ("__name__ == '__main__'", "'__main__' == __name__")


def is_literal(node: ast.expr) -> bool:
    """Return whether an expression is plain data. Datasets have lists of asserts as texts, which test nothing."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True
