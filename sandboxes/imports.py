"""Which modules a program imports, and which packages bring them."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping

# For texts that are no Python, such as a completion that was cut off.
IMPORT_LINE = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^#\n;]+))", re.MULTILINE)
# Programs may be hostile: of a longer one the lines are looked at, and of a longer name the beginning.
MOST_PARSED_CHARS = 1 << 18
MOST_PARTS = 8
# The parser keeps each beginning of a dotted name, which of one with 100,000 parts is more memory than there is.
LONG_NAME = re.compile(r"\b(?:\w++[\s\\]*+\.[\s\\]*+){100}")
# Functions that import what their first argument names.
IMPORTERS = ("__import__", "import_module", "importorskip")


def imported_modules(source: str) -> frozenset[str]:
    """The names of the modules that a program imports anywhere, also in functions, and of the packages they are in.

    Args:
        source: of the program. Where it can't be parsed, or it or a name in it is very long, its lines are looked at,
            one by one.

    Returns:
        Dotted names: "google", "google.cloud" and "google.cloud.storage" for `from google.cloud import storage`, since
        what is imported from a package may be a module.
    """
    too_long = len(source) > MOST_PARSED_CHARS or LONG_NAME.search(source)
    try:
        named = names_in_lines(source) if too_long else names_in_tree(parsed(source))
    except ValueError:
        named = names_in_lines(source)
    parts = [name.split(".", MOST_PARTS)[:MOST_PARTS] for name in named]
    return frozenset(".".join(each[:end]) for each in parts for end in range(1, len(each) + 1))


def parsed(source: str) -> ast.Module:
    """A program's tree, without the warnings that its text may cause.

    Raises:
        ValueError: if it is no Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            raise ValueError(str(error)) from error


def names_in_tree(tree: ast.AST) -> Iterator[str]:
    """The names that a program imports, as it writes them; none of those relative to itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            function, argument = node.func, node.args[0]
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in IMPORTERS and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def names_in_lines(source: str) -> Iterator[str]:
    """The names in all lines that look like imports."""
    for match in IMPORT_LINE.finditer(source):
        if match[1]:
            yield match[1]
        else:
            yield from (each.split()[0] for each in match[2].split(",") if each.strip())


def packages_for(sources: Iterable[str], mapping: Mapping[str, str | None]) -> tuple[str, ...]:
    """The packages that programs need for what they import.

    Args:
        sources: of the programs.
        mapping: {import name: PyPI requirement, or None if the module comes with Python}. Names may be dotted.

    Returns:
        The requirements, sorted, without those of modules that no program imports. Imports that are not in the mapping
        need none.
    """
    if all(package is None for package in mapping.values()):
        return ()
    modules = frozenset[str]().union(*map(imported_modules, sources))
    return tuple(sorted({package for name, package in mapping.items() if package is not None and name in modules}))
