"""The harness of test functions that nothing calls, and that use nothing of pytest: they run without it.

pytest would collect such functions. Every backend and both gradings can call them as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from sandboxes.imports import parse_source
from sandboxes.tasks.assert_statements import is_lazy, short_name
from sandboxes.tasks.pytest_harness import BINDS_ANY_NAME, bound_names
from sandboxes.tasks.unittest_harness import names_something, without_runs

# Names by which tests talk to pytest without an import of it: marks, hooks, plugins, and functions for setup.
FEATURES = re.compile(r"pytest|skip|xfail|__test__|^setup|^teardown|^collect_ignore", re.IGNORECASE)
# pytest looks for tests under these names, whatever binds them.
TEST_NAME = re.compile(r"test|Test")
# What these expressions give is no test.
DATA = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
# Comes after the tests. Names have no underscores in front and there is nothing but plain statements, because the
# policy of the restricted sandbox applies here too.
HARNESS = """

def run_functions_of_code_eval(functions, record):
    try:
        from time import monotonic
    except ImportError:
        monotonic = int
    failed, first = [], None
    for name, function in functions:
        began, outcome, message = monotonic(), "passed", ""
        try:
            function()
        except Exception as error:
            first = error if first is None else first
            failed.append(name)
            # The class name from the repr, because the restricted policy forbids `__class__` and `__name__`.
            outcome, message = "failed", (repr(error).split("(")[0] + ": " + str(error))[:300]
        record.append([name, outcome, message, float(monotonic() - began)])
    if failed:
        raise AssertionError("of %d tests these failed: %s" % (len(record), ", ".join(failed))) from first


code_eval_tests = []
run_functions_of_code_eval([FUNCTIONS], code_eval_tests)
"""


def needs_no_pytest(tree: ast.Module, names: Collection[str]) -> bool:
    """Return whether tests use nothing that only pytest has: fixtures, marks, classes, asynchronous tests.

    Nor may it find more tests than the functions of the module.

    Args:
        tree: the tests.
        names: the functions and classes that pytest collects.
    """
    collected = [node for node in tree.body if getattr(node, "name", "") in names]
    modules = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    texts = [alias.name for node in modules for alias in node.names]
    texts += [node.module or "" for node in modules if isinstance(node, ast.ImportFrom)]
    texts += [getattr(node, "name", "") for node in tree.body]
    return (
        all(isinstance(node, ast.FunctionDef) and not is_lazy(node) and not has_fixtures(node) for node in collected)
        and not any(FEATURES.search(text) for text in texts)
        and not names_something(tree, FEATURES)
        and not any(isinstance(node, ast.Name) and node.id in BINDS_ANY_NAME for node in ast.walk(tree))
        and not has_other_tests(tree)
    )


def has_other_tests(tree: ast.Module) -> bool:
    """Return whether pytest may find tests that are not functions at the top of the module, or that replace these."""
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    rest = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    data = [node for node in rest if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, DATA)]
    names = bound_names([node for node in rest if node not in data]) | (bound_names(data) & functions)
    deleted = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    return any(TEST_NAME.match(name) for name in names | deleted)


def has_fixtures(function: ast.FunctionDef) -> bool:
    """Return whether a function has parameters that a caller has to fill."""
    given = function.args
    required = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return required > 0 or None in given.kw_defaults


def test_function_names(tree: ast.Module) -> list[str]:
    """Return the names of a module's test functions, each once, in their order."""
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return list(dict.fromkeys(node.name for node in functions if node.name.startswith("test")))


def with_function_harness(tests: str) -> str:
    """Return a program that calls the test functions of a text, and raises unless all returned."""
    tree = parse_source(tests)
    functions = ", ".join(f"({name!r}, {name})" for name in test_function_names(tree))
    return without_runs(with_messages(tests, tree), tree) + HARNESS.replace("FUNCTIONS", functions)


def with_messages(tests: str, tree: ast.Module) -> str:
    """Return tests whose asserts without a message have their condition as one. All lines stay where they were."""
    lines = tests.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert) and node.msg is None]
    # From the last one to the first, so that no column moves before it is used.
    for node in sorted(asserts, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0), reverse=True):
        row = (node.end_lineno or node.lineno) - 1
        # Columns count bytes.
        line, column = lines[row].encode("utf-8", "surrogatepass"), node.end_col_offset or 0
        message = f", {ascii(short_name(ast.unparse(node.test)))}".encode()
        lines[row] = (line[:column] + message + line[column:]).decode("utf-8", "surrogatepass")
    return "\n".join(lines)
