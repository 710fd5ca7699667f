"""Tests in Python: which kind they are, what is run for each kind, and what their verdicts say of single tests."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Sequence

from sandboxes.assertions import Assertion, assertions_of
from sandboxes.contract import Outcome, TestResult, Verdict
from sandboxes.each_assertion import each_assertion
from sandboxes.imports import parsed
from sandboxes.unittest_tests import harnessed

TEST_LINE = re.compile(r'^  File "tests\.py", line (\d+)', re.MULTILINE)
RUNS_ITSELF = re.compile(r"TextTestRunner|pytest\.main|defaultTestLoader")

# The first line of pytest's file.
NAMES = (
    "globals().update({name: value for name, value in vars(__import__('sys').modules['candidate']).items() "
    "if not name.startswith('__')})\n"
)

# Written as the tests: what they are stands in a file of their own, which sees the candidate's names.
PYTEST = """
def run_pytest_of_code_eval(text, record):
    import os

    try:
        import pytest
    except ImportError:
        raise ImportError("these tests are for pytest, which is not installed where they run")

    class Recorder:
        def pytest_runtest_logreport(self, report):
            if report.when == "call" or report.outcome != "passed":
                self.note(report.nodeid.partition("::")[2], report)

        def pytest_collectreport(self, report):
            if report.failed:
                self.note("collection of the tests", report)

        def note(self, name, report):
            crash = getattr(report.longrepr, "reprcrash", None)
            # Of a long text the end says what was raised.
            message = crash.message[:300] if crash else str(report.longrepr or "")[-300:]
            seconds = float(getattr(report, "duration", 0.0))
            if report.skipped:
                return
            message = " ".join(message.split()) if report.failed else ""
            record.append([name, report.outcome, message, seconds])

    with open("test_candidate.py", "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".", "test_candidate.py"]
    status = pytest.main(options, plugins=[Recorder()])
    failed = [each[0] for each in record if each[1] != "passed"]
    if failed:
        raise AssertionError("of %d tests these failed: %s" % (len(record), ", ".join(failed)))
    if status != 0 or not record:
        raise AssertionError("pytest ended with status %d, after %d tests" % (status, len(record)))


code_eval_tests = []
run_pytest_of_code_eval(SOURCE, code_eval_tests)
"""


@functools.lru_cache(maxsize=1024)
def kind_of(tests: str) -> str:
    """The kind of tests: "unittest", "pytest", or "asserts": all other code, and what runs its tests itself."""
    try:
        tree = parsed(tests)
    except ValueError:
        return "asserts"
    if RUNS_ITSELF.search(tests):
        return "asserts"
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if any(base.endswith("TestCase") for node in classes for base in map(ast.unparse, node.bases)):
        return "unittest"
    called = {
        ast.unparse(node.func)
        for statement in tree.body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
    }
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    of_classes = [
        node.name
        for node in classes
        if node.name.startswith("Test")
        and any(isinstance(each, ast.FunctionDef) and each.name.startswith("test") for each in node.body)
    ]
    names = {*functions, *of_classes}
    return "pytest" if names and not any(name.partition(".")[0] in names for name in called) else "asserts"


def runnable(tests: str, runs_all: bool) -> str:
    """The tests that are run for a reference.

    Args:
        tests: the reference.
        runs_all: whether every assert is to be run, whatever became of those before it.
    """
    kind = kind_of(tests)
    if kind == "unittest":
        return harnessed(tests)
    if kind == "pytest":
        return PYTEST.replace("SOURCE", ascii(NAMES + tests))
    return each_assertion(tests) if runs_all and assertions_of(tests) else tests


def needs_shared(tests: str) -> bool:
    """Whether tests are of a kind that has to run in the candidate's interpreter."""
    return kind_of(tests) == "pytest"


@functools.lru_cache(maxsize=1024)
def all_passed(tests: str) -> tuple[TestResult, ...]:
    """The results of asserts none of which failed."""
    return tuple(TestResult(each.name, Outcome.PASSED) for each in assertions_of(tests))


def with_tests(verdict: Verdict, tests: str, runs_all: bool) -> Verdict:
    """A verdict with the results of its asserts, as far as they can be told: all, or those up to the one that failed.

    Args:
        verdict: of a program.
        tests: the reference.
        runs_all: as for `runnable`.
    """
    assertions = assertions_of(tests)
    if kind_of(tests) != "asserts":
        return verdict
    if runs_all and assertions:
        return with_those_not_run(verdict, [each.name for each in assertions])
    # Tests that keep no record have none: what is there is the candidate's.
    if verdict.tests:
        verdict = dataclasses.replace(verdict, tests=())
    if not assertions:
        return verdict
    if verdict.passed:
        return dataclasses.replace(verdict, tests=all_passed(tests))
    if verdict.outcome is not Outcome.FAILED:
        return verdict
    lines = [int(line) for line in TEST_LINE.findall(verdict.traceback)]
    failed = index_of(assertions, lines)
    if failed is None:
        return verdict
    passed = [TestResult(each.name, Outcome.PASSED) for each in assertions[:failed]]
    values = f", where it is {verdict.values}" if verdict.values else ""
    last = TestResult(assertions[failed].name, Outcome.FAILED, verdict.detail + values)
    return dataclasses.replace(verdict, tests=(*passed, last))


def with_those_not_run(verdict: Verdict, names: Sequence[str]) -> Verdict:
    """A verdict of tests that go on after failures, with those that have no result because the program ended.

    Args:
        verdict: of a program.
        names: of all its tests.
    """
    if verdict.outcome in (Outcome.PASSED, Outcome.COMPILE_ERROR):
        return verdict
    missing = Counter(names) - Counter(each.name for each in verdict.tests)
    message = f"has no result: {verdict.detail}"
    more = (TestResult(name, Outcome.FAILED, message) for name in missing.elements())
    return dataclasses.replace(verdict, tests=(*verdict.tests, *more))


def index_of(assertions: Sequence[Assertion], lines: Sequence[int]) -> int | None:
    """Which of the asserts stands at one of these lines; None if none does."""
    at_lines = (
        number
        for number, each in enumerate(assertions)
        if any(each.first_line <= line <= each.last_line for line in lines)
    )
    return next(at_lines, None)
