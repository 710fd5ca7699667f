"""Which asserts of tests in Python are tests of their own, and what they are called."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from sandboxes.imports import parsed

MOST_NAME_CHARS = 120
CHECK = "check"
BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)


@dataclass(frozen=True)
class Assertion:
    """An assert that is a test of its own, or a loop or another block with asserts in it, which is one."""

    name: str
    """Its condition, or the block."""

    first_line: int
    last_line: int


@functools.lru_cache(maxsize=1024)
def assertions_of(tests: str) -> tuple[Assertion, ...]:
    """What is a test of its own, of what stands at the top and in `check(candidate)`, in this order."""
    try:
        tree = parsed(tests)
    except ValueError:
        return ()
    return tuple(
        Assertion(name_of(node), node.lineno, node.end_lineno or node.lineno)
        for body in bodies_of(tree)
        for node in body
        if is_test(node)
    )


def is_test(node: ast.stmt) -> bool:
    """Whether a statement is an assert, or a block in which there are some that run where it stands."""
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, BLOCKS) or (isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)):
        return False
    pending: list[ast.AST] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Assert):
            return True
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            pending += ast.iter_child_nodes(each)
    return False


def is_lazy(node: ast.stmt) -> bool:
    """Returns whether a call of a function runs none of its statements, because it makes a coroutine or a generator."""
    if isinstance(node, ast.AsyncFunctionDef):
        return True
    pending: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else []
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending += ast.iter_child_nodes(each)
    return False


def name_of(node: ast.stmt) -> str:
    """A test's name."""
    return shortened_name(ast.unparse(node.test if isinstance(node, ast.Assert) else node))


def bodies_of(tree: ast.Module) -> list[list[ast.stmt]]:
    """The statements among which asserts are tests of their own."""
    checks = [node.body for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == CHECK]
    return [*checks, tree.body]


def shortened_name(text: str) -> str:
    """A condition as the name of a test."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_NAME_CHARS else line[: MOST_NAME_CHARS - 3] + "..."
