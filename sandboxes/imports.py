"""Modules that a program imports, and the packages that provide them."""

from __future__ import annotations

import ast
import functools
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, overload

# For texts that do not parse, such as a completion that was cut off.
IMPORT_LINE = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^#\n;]+))", re.MULTILINE)
# Programs may be hostile. A longer program is not parsed, but searched line by line.
MAX_PARSED_CHARS = 1 << 18
MAX_PARSE_ATTEMPTS = 10
# The rest of a dotted name with more parts is ignored.
MAX_NAME_PARTS = 8
# The parser keeps each beginning of a dotted name. A name with 100,000 parts would exceed the memory.
LONG_NAME = re.compile(r"\b(?:\w++[\s\\]*+\.[\s\\]*+){100}")
PACKAGES_OF_MODULES = {
    "Crypto": "pycryptodome",
    "Levenshtein": "python-Levenshtein",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "faker": "Faker",
    "flask_login": "flask-login",
    "flask_mail": "flask-mail",
    "flask_restful": "flask-restful",
    "flask_wtf": "flask-wtf",
    "mpl_toolkits": "matplotlib",
    "python_http_client": "python-http-client",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""PyPI's names of packages that are imported under another name, of those that BigCodeBench imports."""

# Functions that import what their first argument names.
IMPORTERS = ("__import__", "import_module", "importorskip")


def imported_modules(source: str) -> frozenset[str]:
    """Return the names of the modules that a program imports anywhere, and of the packages they are in.

    Args:
        source: of the program. If it can't be parsed, or is very long, or holds a very long name, it is searched line
            by line.

    Returns:
        Dotted names: "google", "google.cloud" and "google.cloud.storage" for `from google.cloud import storage`,
        because a name that is imported from a package may be a module.
    """
    try:
        named = names_in_tree(parse_candidate(source))
    except ValueError:
        named = names_in_lines(source)
    split_names = [name.split(".", MAX_NAME_PARTS)[:MAX_NAME_PARTS] for name in named]
    return frozenset(".".join(parts[:end]) for parts in split_names for end in range(1, len(parts) + 1))


def parse_source(source: str) -> ast.Module:
    """Parse a program, without the warnings that its text may cause.

    Raises:
        ValueError: if the program is not valid Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return parse_tree(source)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            raise ValueError(str(error)) from error


@overload
def parse_tree(source: str) -> ast.Module: ...


@overload
def parse_tree(source: str, mode: Literal["eval"]) -> ast.Expression: ...


def parse_tree(source: str, mode: str = "exec") -> Any:
    """Parse a text as `ast.parse` does, and raise what it raises, also where other threads parse at the same time.

    Python before 3.11.5 takes the depth of another thread's tree for that of its own, and refuses a valid text for it.
    """
    for _ in range(MAX_PARSE_ATTEMPTS - 1):
        try:
            return ast.parse(source, mode=mode)
        except SystemError:
            continue
    return ast.parse(source, mode=mode)


@functools.lru_cache(maxsize=4)
def parse_tests(tests: str) -> ast.Module:
    """Parse tests that several functions look at, one after the other. None of them may change the tree.

    Raises:
        ValueError: as `parse_source`.
    """
    return parse_source(tests)


def parse_candidate(source: str) -> ast.Module:
    """Parse a program that may be hostile.

    Raises:
        ValueError: if the program is not valid Python, or would need too much time or memory.
    """
    if len(source) > MAX_PARSED_CHARS or LONG_NAME.search(source):
        raise ValueError("the program is too long, or holds a very long name")
    return parse_source(source)


def is_python(text: str) -> bool:
    """Return whether a text can be parsed as Python, in reasonable time."""
    try:
        parse_candidate(text)
    except ValueError:
        return False
    return True


def names_in_tree(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a program imports, as its text has them. Relative imports yield nothing."""
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
    """Yield the names in all lines that look like imports."""
    for match in IMPORT_LINE.finditer(source):
        if match[1]:
            yield match[1]
        else:
            yield from (part.split()[0] for part in match[2].split(",") if part.strip())


def packages_for(sources: Iterable[str], mapping: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the packages that programs need for the modules that they import.

    Args:
        sources: of the programs.
        mapping: {import name: PyPI requirement, or None if the module comes with Python}. Names may be dotted.

    Returns:
        The sorted requirements of the modules that at least one program imports. A module that is not in the mapping
        needs no package.
    """
    if all(package is None for package in mapping.values()):
        return ()
    modules = frozenset[str]().union(*map(imported_modules, sources))
    return tuple(sorted({package for name, package in mapping.items() if package is not None and name in modules}))
