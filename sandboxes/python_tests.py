"""Tests in Python: which kind they are, what is run for each kind, and what their verdicts say of single tests."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sandboxes.contract import Outcome, TestResult, Verdict
from sandboxes.imports import parsed
from sandboxes.unittest_tests import harnessed

MOST_NAME_CHARS = 120
CHECK = "check"
BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)
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

# Written before tests each of whose asserts is to be run, whatever became of those before it.
EACH = """
class code_eval_each:
    record = []

    def __init__(self, name):
        self.name, self.began = name, __import__("time").monotonic()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and not issubclass(kind, Exception):
            return False
        message = "" if kind is None else (kind.__name__ + ": " + (str(error) or self.name))[:300]
        seconds = __import__("time").monotonic() - self.began
        self.record.append([self.name, "passed" if kind is None else "failed", message, seconds])
        return True


code_eval_tests = code_eval_each.record

"""
EACH_END = """

for code_eval_test in code_eval_tests:
    if code_eval_test[1] != "passed":
        raise AssertionError(code_eval_test[2].partition(": ")[2])
"""


@dataclass(frozen=True)
class Assertion:
    """An assert that is a test of its own, or a loop or another block with asserts in it, which is one."""

    name: str
    """Its condition, or the block."""

    first_line: int
    last_line: int


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


def name_of(node: ast.stmt) -> str:
    """A test's name."""
    return shortened_name(ast.unparse(node.test if isinstance(node, ast.Assert) else node))


@functools.lru_cache(maxsize=1024)
def all_passed(tests: str) -> tuple[TestResult, ...]:
    """The results of asserts none of which failed."""
    return tuple(TestResult(each.name, Outcome.PASSED) for each in assertions_of(tests))


def bodies_of(tree: ast.Module) -> list[list[ast.stmt]]:
    """The statements among which asserts are tests of their own."""
    checks = [node.body for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == CHECK]
    return [*checks, tree.body]


def shortened_name(text: str) -> str:
    """A condition as the name of a test."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_NAME_CHARS else line[: MOST_NAME_CHARS - 3] + "..."


@functools.lru_cache(maxsize=256)
def each_assertion(tests: str) -> str:
    """Tests that go on after an assert that fails, and raise the first failure at their end."""
    tree = parsed(tests)
    first = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    for body in bodies_of(tree):
        body[:] = [guarded(node) if is_test(node) else node for node in body]
    rest = ast.Module([node for node in tree.body if node not in first], [])
    head = "".join(ast.unparse(node) + "\n" for node in first)
    return head + EACH + ast.unparse(ast.fix_missing_locations(rest)) + EACH_END


def guarded(node: ast.stmt) -> ast.stmt:
    """A test in a block of its own, with the values of both sides of comparisons in its messages."""
    block = ast.parse(f"with code_eval_each({name_of(node)!r}):\n    pass").body[0]
    assert isinstance(block, ast.With)  # noqa: S101 (for the type checker)
    block.body = [node]
    with_values(block)
    return block


def with_values(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> None:
    """Has the asserts in a block say in their messages what stood on both sides."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(node, field, [])
        for each in block:
            with_values(each)
        if field in ("body", "orelse", "finalbody"):
            block[:] = [new for each in block for new in (compared(each) if isinstance(each, ast.Assert) else [each])]


def compared(node: ast.Assert) -> list[ast.stmt]:
    """An assert that says what stood on both sides, as statements."""
    test = node.test
    if not isinstance(test, ast.Compare) or len(test.ops) > 1:
        return [node]
    both = ast.unparse(ast.Compare(ast.Name("left"), test.ops, [ast.Name("right")]))
    operator = both[len("left") : -len("right")]
    lines = ["code_eval_left = LEFT", "code_eval_right = RIGHT"]
    condition = shortened_name(ast.unparse(test)) if node.msg is None else ""
    values = f"'%s, where it is %.80r{operator}%.80r' % (MESSAGE, code_eval_left, code_eval_right)"
    lines.append(f"assert code_eval_left{operator}code_eval_right, {values}")
    parts = {"LEFT": test.left, "RIGHT": test.comparators[0], "MESSAGE": node.msg or ast.Constant(condition)}
    tree = Filled(parts).visit(ast.parse("\n".join(lines)))
    return list(ast.fix_missing_locations(tree).body)


class Filled(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, parts: dict[str, ast.expr]):
        """Takes the expressions by name."""
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression of that name, if there is one."""
        return self.parts.get(node.id, node)


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
