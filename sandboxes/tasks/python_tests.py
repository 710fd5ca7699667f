"""Python tests: detection of their framework, the harness that runs them, and the results of their single tests."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections import Counter
from collections.abc import Sequence

from sandboxes.contract import Outcome, TestResult, Verdict, changed_verdict, compared
from sandboxes.imports import parse_tests
from sandboxes.tasks.assert_all import with_all_asserts_run
from sandboxes.tasks.assert_statements import AssertStatement, find_assert_statements, is_test
from sandboxes.tasks.function_harness import needs_no_pytest, test_function_names, with_function_harness
from sandboxes.tasks.pytest_harness import with_pytest_harness
from sandboxes.tasks.unittest_harness import test_case_classes, with_unittest_harness

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
DOCTEST_RUNNERS = ("testmod", "testfile", "run_docstring_examples", "DocTestRunner")
# The harness of tests that are examples in docstrings and nothing else. doctest itself raises nothing if an example
# fails, or if the candidate has no example.
DOCTEST = """
def run_doctests_of_code_eval(text, names):
    import doctest

    attempted, failed, run = [], [], doctest.DocTestRunner.run

    def counted(*arguments, **options):
        counts = run(*arguments, **options)
        attempted.append(counts.attempted)
        failed.append(counts.failed)
        return counts

    doctest.DocTestRunner.run = counted
    exec(compile(text, "tests.py", "exec"), names)
    doctest.DocTestRunner.run = run
    if sum(failed):
        raise AssertionError("of %d examples in docstrings %d failed" % (sum(attempted), sum(failed)))
    if not sum(attempted):
        raise AssertionError("there is no example in a docstring")


run_doctests_of_code_eval(SOURCE, globals())
"""


@functools.lru_cache(maxsize=1024)
def detect_framework(tests: str) -> str:
    """Return the framework of tests: "unittest", "pytest", "functions", "doctest", or "asserts" for all other code.

    "functions" are those that pytest would call, in tests that use nothing of pytest. A block under
    `if __name__ == "__main__"` does not count. It never runs, because candidate and tests are imported.
    """
    try:
        tree = parse_tests(tests)
    except ValueError:
        return "asserts"
    body = [node for node in tree.body if not is_main_block(node)]
    cases = test_case_classes(tree)
    if names := pytest_names(body, cases) or assigned_tests(body):
        called = called_names(body)
        if not any(name.partition(".")[0] in names for name in called) and (not cases or imports_pytest(body)):
            return "functions" if needs_no_pytest(tree, names) else "pytest"
    if cases:
        return "unittest"
    return "doctest" if has_only_doctests(body) else "asserts"


def has_only_doctests(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements run doctest, and check nothing else."""
    runs = [any(name.split(".")[-1] in DOCTEST_RUNNERS for name in called_names([node])) for node in body]
    return any(runs) and not any(is_test(node) for node, run in zip(body, runs, strict=True) if not run)


def is_main_block(node: ast.stmt) -> bool:
    """Return whether a statement is an `if` on `__name__`."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def pytest_names(body: Sequence[ast.stmt], cases: Sequence[ast.ClassDef]) -> set[str]:
    """Return the names of the functions and classes that pytest collects, without TestCase classes."""
    functions = (node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    classes = (node for node in body if isinstance(node, ast.ClassDef) and node not in cases)
    names = {node.name for node in functions if node.name.startswith("test")}
    return names | {node.name for node in classes if node.name.startswith("Test") and has_test_methods(node)}


def assigned_tests(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names of lambdas that pytest collects, if a module does nothing but define and import."""
    lambdas = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)]
    if not all(isinstance(node, DEFINITIONS) or node in lambdas for node in body):
        return set()
    targets = [target for node in lambdas for target in node.targets if isinstance(target, ast.Name)]
    return {target.id for target in targets if target.id.startswith("test")}


def has_test_methods(node: ast.ClassDef) -> bool:
    """Return whether a class defines methods that are tests."""
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(method.name.startswith("test") for method in methods)


def called_names(body: Sequence[ast.stmt]) -> set[str]:
    """Return the source text of what statements of a module call, also in functions of the module that they call."""
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    others = [node for node in body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    called: set[str] = set()
    pending: list[ast.AST] = list(others)
    while pending:
        new = {ast.unparse(call.func) for call in ast.walk(pending.pop()) if isinstance(call, ast.Call)} - called
        called |= new
        pending += [node for node in functions if node.name in new]
    return called


def imports_pytest(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements of a module import pytest."""
    imported = {alias.name for node in body if isinstance(node, ast.Import) for alias in node.names}
    return "pytest" in imported | {node.module for node in body if isinstance(node, ast.ImportFrom)}


@functools.lru_cache(maxsize=1024)
def needed_module(tests: str) -> str:
    """Return "pytest" if tests can't run without it, otherwise "". An import in a `try` can do without it."""
    if detect_framework(tests) == "pytest":
        return "pytest"
    try:
        pending: list[ast.AST] = [parse_tests(tests)]
    except ValueError:
        return ""
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom) and imports_pytest([node]):
            return "pytest"
        if not isinstance(node, ast.Try | ast.expr):
            pending += ast.iter_child_nodes(node)
    return ""


def with_harness(tests: str, runs_all: bool) -> str:
    """Return tests with the harness of their framework.

    Args:
        tests: the reference.
        runs_all: whether every assert is run, also after one that failed.
    """
    framework = detect_framework(tests)
    if framework == "unittest":
        return with_unittest_harness(tests)
    if framework == "pytest":
        return with_pytest_harness(tests)
    if framework == "functions":
        return with_function_harness(tests)
    if framework == "doctest":
        return DOCTEST.replace("SOURCE", ascii(tests))
    return with_all_asserts_run(tests) if runs_all and find_assert_statements(tests) else tests


def needs_shared(tests: str) -> bool:
    """Return whether the framework of tests works only in the candidate's interpreter."""
    return detect_framework(tests) == "pytest"


@functools.lru_cache(maxsize=1024)
def all_passed_results(tests: str) -> tuple[TestResult, ...]:
    """Return the results of a passed program's asserts. The same tests give the same object."""
    return tuple(TestResult(statement.name, Outcome.PASSED) for statement in find_assert_statements(tests))


def attach_test_results(verdict: Verdict, tests: str, runs_all: bool) -> Verdict:
    """Return a verdict with the results of its asserts: all of them, or those up to the one that failed.

    Test functions all run, and one without a result has failed, or timed out with its program.

    Args:
        verdict: of a program.
        tests: the reference.
        runs_all: as for `with_harness`.
    """
    statements = find_assert_statements(tests)
    framework = detect_framework(tests)
    if framework == "functions":
        # EvalPlus's files tell a time-out of single tests from a failure.
        outcome = Outcome.TIMED_OUT if verdict.outcome is Outcome.TIMED_OUT else Outcome.FAILED
        return add_missing_tests(verdict, test_function_names(parse_tests(tests)), outcome)
    if framework != "asserts":
        return verdict
    if runs_all and statements:
        return add_missing_tests(verdict, [statement.name for statement in statements])
    # Plain asserts report no results, so these results come from the candidate.
    if verdict.tests:
        verdict = changed_verdict(verdict, tests=())
    if not statements:
        return verdict
    if verdict.passed:
        return changed_verdict(verdict, tests=all_passed_results(tests))
    if verdict.outcome is not Outcome.FAILED:
        return verdict
    verdict = dataclasses.replace(verdict, detail=verdict.detail + compared(verdict))
    failed = index_at_lines(statements, verdict.test_lines)
    if failed is None:
        return verdict
    passed = [TestResult(statement.name, Outcome.PASSED) for statement in statements[:failed]]
    last = TestResult(statements[failed].name, Outcome.FAILED, verdict.detail)
    return changed_verdict(verdict, tests=(*passed, last))


def add_missing_tests(verdict: Verdict, names: Sequence[str], outcome: Outcome = Outcome.FAILED) -> Verdict:
    """Return a verdict with a result for each test that has none, because the program ended before it.

    Args:
        verdict: of a program whose tests go on after failures.
        names: of all its tests.
        outcome: of the tests that have no result.
    """
    if verdict.outcome in (Outcome.PASSED, Outcome.COMPILE_ERROR):
        return verdict
    missing = Counter(names) - Counter(test.name for test in verdict.tests)
    message = f"has no result: {verdict.detail}"
    more = (TestResult(name, outcome, message) for name in missing.elements())
    return dataclasses.replace(verdict, tests=(*verdict.tests, *more))


def index_at_lines(statements: Sequence[AssertStatement], lines: Sequence[int]) -> int | None:
    """Return the index of the first assert statement that one of the lines is in, or None if there is none."""
    indices = (
        number
        for number, statement in enumerate(statements)
        if any(statement.first_line <= line <= statement.last_line for line in lines)
    )
    return next(indices, None)
