"""Tests that can judge no candidate, because they are broken. They never count as a wrong answer.

Most are found before anything runs. Others show in a run without a candidate: if its failure has a cause that no
candidate can mend, the tests are at fault. No candidate has a part in that run, so none can blame the tests.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import sys
from collections.abc import Iterator, Sequence

from sandboxes.contract import Outcome, Program, Verdict
from sandboxes.imports import parse_tests
from sandboxes.languages.registry import is_python
from sandboxes.separable_tests import is_same_for_all
from sandboxes.tasks.continued_block import continued_block
from sandboxes.tasks.empty_tests import check_not_empty
from sandboxes.tasks.pytest_harness import CANDIDATES
from sandboxes.tasks.python_tests import detect_framework

IN_TESTS = "(tests.py, line "
"""The place in the message of a SyntaxError, if it is in the tests."""

CHANGES_IMPORTS = re.compile(r"\bsys\.(?:modules|path)")
LACKS_PLUGIN = re.compile(r"fixture '[^']+' not found|(?:Failed: )?async def functions are not natively supported")
"""The beginning of pytest's message on a test that needs a plugin."""

NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'$")
BEGINNING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign)


def check_tests(tests: str, language: str, parses_here: bool) -> None:
    """Raise ValueError if tests can judge no candidate.

    Args:
        tests: code.
        language: of it.
        parses_here: whether Python's own tests are for this process's version of Python.
    """
    if is_python(language) and continued_block(tests):
        return
    check_not_empty(tests, language)
    if language != "python" or not parses_here:
        return
    try:
        parse_tests(tests)
    except ValueError as error:
        raise ValueError(f"the tests can't be parsed: {syntax_problem(error)}") from None


def syntax_problem(error: ValueError) -> str:
    """Return what is wrong with a text that `parse_tests` has refused, with its line."""
    cause = error.__cause__
    return f"line {cause.lineno}: {cause.msg}" if isinstance(cause, SyntaxError) else str(error)


@functools.lru_cache(maxsize=1024)
def modules_of_tests(tests: str) -> tuple[str, ...]:
    """Return the top names of modules, but for the standard library's, that tests import before they do anything.

    An import that stands in a block may do without its module. pytest is left out, which guests know of.
    """
    try:
        body = parse_tests(tests).body
    except ValueError:
        return ()
    if CHANGES_IMPORTS.search(tests):
        return ()
    names = {name: None for node in beginning(body) for name in imported_tops(node)}
    return tuple(name for name in names if name not in sys.stdlib_module_names and name != "pytest")


def beginning(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module up to the first that does something."""
    for node in body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not isinstance(node, BEGINNING):
            return
        yield node


def imported_tops(node: ast.stmt) -> list[str]:
    """Return the top names of the modules that a statement imports, without the candidate's own."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    return [top for name in names if (top := name.partition(".")[0]) not in CANDIDATES]


def fails_by_itself(program: Program, verdict: Verdict) -> bool:
    """Return whether a failed program's verdict has a cause that lies in its tests, if the verdict can be trusted.

    That of a candidate can't. That of the same program without a candidate can.
    """
    tests = program.reference
    if tests is None or program.language != "python":
        return False
    if verdict.outcome is Outcome.COMPILE_ERROR:
        return IN_TESTS in verdict.exception_message
    if verdict.outcome is not Outcome.FAILED:
        return False
    if detect_framework(tests) == "pytest":
        return any(lacks_something(test.message) for test in verdict.tests)
    lacks_module = verdict.exception_type in ("ImportError", "ModuleNotFoundError")
    return bool(verdict.test_lines) and is_own_failure(tests, verdict.test_lines[0], lacks_module)


def lacks_something(message: str) -> bool:
    """Return whether pytest's message on a test says that a plugin or a module is missing."""
    module = NO_MODULE.search(message)
    return bool(LACKS_PLUGIN.match(message) or (module and module[1].partition(".")[0] not in CANDIDATES))


@functools.lru_cache(maxsize=1024)
def is_own_failure(tests: str, line: int, lacks_module: bool) -> bool:
    """Return whether an exception at a line of tests is their own fault, whatever the candidate is.

    Args:
        tests: source.
        line: at the top of the tests.
        lacks_module: whether the exception says that an import failed.
    """
    try:
        body = parse_tests(tests).body
    except ValueError:
        return False
    for number, node in enumerate(body):
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            if lacks_module and imported_tops(node):
                return not CHANGES_IMPORTS.search(tests)
            before = body[: number + 1]
            # Most failures are of a line that calls the candidate, and the rest of the check takes a millisecond.
            return names_read(node) <= names_bound(before) and is_same_for_all(before)
    return False


def names_read(node: ast.stmt) -> set[str]:
    """Return the names that a statement reads, without those of builtins."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    return names - {*dir(builtins)}


def names_bound(body: Sequence[ast.stmt]) -> set[str]:
    """Return names that statements bind at the top of a module. Not all of them: those of blocks are left out."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names
