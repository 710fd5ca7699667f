"""The names that code in Python defines, uses and leaves to others."""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from collections.abc import Iterator

from sandboxes.imports import parse_candidate

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
STAR = "*"
SOLUTION = "Solution"
"""The class whose methods count as the program's functions, as on LeetCode."""


def defined_names(tree: ast.Module) -> set[str]:
    """Return the names that a module binds at its top level, and the methods of SOLUTION. "*" stands for any name."""
    names: set[str] = set()
    for node in module_level(tree.body):
        if isinstance(node, DEFINITIONS):
            names.add(node.name)
            if isinstance(node, ast.ClassDef) and node.name == SOLUTION:
                names.update(each.name for each in node.body if isinstance(each, FUNCTIONS))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
    return names


def made_names(tree: ast.Module) -> set[str]:
    """Return the names that a module defines itself, with a body: no stubs, no imports of unknown modules.

    `f = timed(f)` alone defines no `f`.
    """
    names = defined_names(tree)
    stubs = {node.name for node in tree.body if isinstance(node, FUNCTIONS) and is_stub(node)}
    made = {node.name for node in tree.body if isinstance(node, DEFINITIONS)} - stubs
    for node in module_level(tree.body):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] not in sys.stdlib_module_names:
            names -= {alias.asname or alias.name for alias in node.names} - made
        elif isinstance(node, ast.Assign):
            names -= (stored_names(node) & loaded_names(node.value)) - made
    return names - (stubs - made)


def is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function has no body yet: a docstring, `...`, `pass`, or a NotImplementedError."""
    for each in node.body:
        is_constant = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if not (is_constant or isinstance(each, ast.Pass | ast.Raise)):
            return False
        if isinstance(each, ast.Raise) and "NotImplementedError" not in loaded_names(each):
            return False
    return True


def module_level(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of a module's statements, without what is inside of functions, classes and lambdas."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*DEFINITIONS, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def loaded_names(tree: ast.AST) -> set[str]:
    """Return the names that code reads anywhere."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def stored_names(tree: ast.AST) -> set[str]:
    """Return the names that code assigns anywhere."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def bound_names(tree: ast.AST) -> set[str]:
    """Return the names that code binds anywhere, parameters included."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, DEFINITIONS):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return (names - global_names(tree)) | (defined_names(tree) if isinstance(tree, ast.Module) else set())


def global_names(tree: ast.AST) -> set[str]:
    """Return the names that functions declare to be the module's."""
    return {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}


@functools.lru_cache(maxsize=64)
def names_under_test(tests: str) -> frozenset[str]:
    """Return the names that tests use, and neither they nor Python define; none if the tests don't parse."""
    try:
        tree = parse_candidate(tests)
    except ValueError:
        return frozenset()
    return frozenset(loaded_names(tree) - bound_names(tree) - set(dir(builtins)))
