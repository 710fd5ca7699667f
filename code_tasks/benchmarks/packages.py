"""The modules that a record of a benchmark imports, so that a sandbox without them is no candidate's failure."""

from __future__ import annotations

import ast
import sys

from sandboxes.imports import parse_source


def needed_modules(*sources: str) -> tuple[str, ...]:
    """Return the names of the modules that texts of a record import at any place, sorted and without dots.

    An import in a `try` can do without its module, and a text that is not Python imports nothing.
    """
    names: set[str] = set()
    for source in sources:
        try:
            pending: list[ast.AST] = [parse_source(source)]
        except ValueError:
            continue
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.add(node.module.partition(".")[0])
            if not isinstance(node, ast.Try | ast.expr):
                pending += ast.iter_child_nodes(node)
    return tuple(sorted(names))


def needed_packages(*sources: str) -> tuple[str, ...]:
    """Return those of the modules that texts import which Python does not bring along, sorted and without dots."""
    return tuple(name for name in needed_modules(*sources) if name not in sys.stdlib_module_names)
