"""The harness of unittest classes: it runs the tests, and records the result of each."""

from __future__ import annotations

import ast
import re

from sandboxes.imports import parse_source
from sandboxes.tasks.assert_statements import is_lazy

# Tests that patch or import the candidate under the name `__main__`, which it would have as a script.
USES_MAIN = re.compile(r"__main__\.|(?:from|import) __main__\b")
AS_MAIN = 'import sys; sys.modules["__main__"] = sys.modules["candidate"]\n'
SKIPS = re.compile(r"skip", re.IGNORECASE)
# Comes after the tests. The harness is one function, with a name that no program has. It has names without underscores
# and plain statements, because the policy of the restricted sandbox applies to it too.
# unittest reports a test that raises `_ShouldStop` as passed, so the harness removes that exception. The restricted
# policy lets nobody name it, and nobody remove it. A test must have ended well, or have been skipped by the tests' own
# text. The traceback shows who raised SkipTest.
HARNESS = """

def run_unittests_of_code_eval(cases, may_skip, record):
    import unittest

    try:
        from time import monotonic
    except ImportError:
        monotonic = int
    # A candidate may define these.
    try:
        from builtins import isinstance as is_a, issubclass as is_subclass, type as kind
    except ImportError:
        is_a, is_subclass, kind = isinstance, issubclass, type
    try:
        from traceback import format_exc
    except ImportError:
        format_exc = str
    try:
        setattr(unittest.case, "_ShouldStop", ())
    except Exception:
        pass

    passed, excused, skipped = [], [], []

    def is_own_skip():
        paths = [line.split('"')[1] for line in format_exc().splitlines() if line.startswith('  File "')]
        paths = [path for path in paths if "unittest" not in path]
        return may_skip and (not paths or paths[-1] == "tests.py")

    class Recorder(unittest.TextTestResult):
        failed, began = None, 0.0

        def startTest(self, test):
            self.began = monotonic()
            self.failed = None
            super().startTest(test)

        def addSuccess(self, test):
            passed.append(test.id())
            super().addSuccess(test)

        def addExpectedFailure(self, test, error):
            excused.append(test.id())
            super().addExpectedFailure(test, error)

        def addSkip(self, test, reason):
            # A subtest counts for its test.
            name = getattr(test, "test_case", test).id()
            if is_own_skip():
                excused.append(name)
            else:
                skipped.append(name)
                self.failed = self.failed or (unittest.SkipTest, "raised by the candidate")
            super().addSkip(test, reason)

        def addError(self, test, error):
            self.failed = self.failed or error
            super().addError(test, error)

        def addFailure(self, test, error):
            self.failed = self.failed or error
            super().addFailure(test, error)

        def addSubTest(self, test, subtest, error):
            self.failed = self.failed or error
            super().addSubTest(test, subtest, error)

        def stopTest(self, test):
            name = test.id()
            outcome, message = "passed", ""
            if self.failed is not None:
                # The class name from the class's repr, because the restricted policy forbids `__name__`.
                exception = str(self.failed[0])[8:-2].split(".")[-1]
                outcome, message = "failed", (exception + ": " + str(self.failed[1]))[:300]
            elif name not in passed and name not in excused:
                outcome, message = "failed", "did not come to its end"
            record.append([name.split(".", 1)[-1], outcome, message, float(monotonic() - self.began)])
            super().stopTest(test)

    suite = unittest.TestSuite()
    for case in cases:
        if is_a(case, kind) and is_subclass(case, unittest.TestCase):
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    ids = [test.id() for test in suite]
    total = len(ids)
    try:
        result = unittest.TextTestRunner(resultclass=Recorder).run(suite)
    except BaseException:
        # An interrupt that the candidate raises ends the run. A test without a result has failed.
        done = [test[0] for test in record]
        for name in [name.split(".", 1)[-1] for name in ids]:
            if name not in done:
                record.append([name, "failed", "has no result", 0.0])
        raise
    names = [test.id() for test, text in result.failures + result.errors]
    if names or not result.wasSuccessful():
        raise AssertionError("of %d tests these failed: %s" % (total, ", ".join(names) or "unexpected successes"))
    if skipped:
        raise AssertionError("the candidate skipped %d of %d tests" % (len(skipped), total))
    # Names of skipped groups of tests: "setUpClass (module.Class)", "setUpModule (module)".
    groups = [name.split("(")[1][:-1] + "." for name in excused if "(" in name]
    seen = passed + excused
    absent = [name for name in ids if name not in seen and not any([name.startswith(group) for group in groups])]
    if absent:
        raise AssertionError("of %d tests these did not come to their end: %s" % (total, ", ".join(absent)))
    if not passed:
        raise AssertionError("none of %d tests ran" % total)


code_eval_tests = []
run_unittests_of_code_eval([CLASSES], MAY_SKIP, code_eval_tests)
"""


class NoUnittestClass(ValueError):
    """A text of tests has no class whose tests unittest would run."""


def with_unittest_harness(test_code: str) -> str:
    """Return tests that run the unittest classes of a text, and raise unless all passed.

    Args:
        test_code: classes. Statements that run them or exit are removed.

    Raises:
        NoUnittestClass: if the text has no class with a test.
        ValueError: if the text is not Python, or has a test that unittest would not run.
    """
    try:
        tree = parse_source(test_code)
    except ValueError as error:
        raise ValueError(f"test_code is not valid Python: {error}") from error
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if not any(may_have_tests(node) for node in classes):
        raise NoUnittestClass(
            "test_code has no unittest class with a method test...; a record with tests of another kind needs a "
            "snippet_merge_fn and an output_parse_fn of its own"
        )
    plain = test_case_names(tree)
    for node in classes:
        check_that_tests_run(node, plain)
    names = ", ".join(dict.fromkeys(node.name for node in classes))
    begin = AS_MAIN if USES_MAIN.search(test_code) and "__future__" not in test_code else ""
    harness = HARNESS.replace("MAY_SKIP", str(names_something(tree, SKIPS))).replace("CLASSES", names)
    return begin + without_runs(test_code, tree) + harness


def names_something(tree: ast.Module, pattern: re.Pattern[str]) -> bool:
    """Return whether a name or an attribute in tests matches a pattern. Strings and comments don't count."""
    nodes = list(ast.walk(tree))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    names += [node.attr for node in nodes if isinstance(node, ast.Attribute)]
    return any(pattern.search(name) for name in names)


def test_case_names(tree: ast.Module) -> set[str]:
    """Return the names that tests have for unittest.TestCase itself, whose tests are plain functions."""
    from_unittest = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "unittest"]
    aliases = [alias for node in from_unittest for alias in node.names if alias.name == "TestCase"]
    return {"unittest.TestCase", "TestCase", *(alias.asname or alias.name for alias in aliases)}


def test_case_classes(tree: ast.Module) -> list[ast.ClassDef]:
    """Return the top-level classes of tests that derive from a TestCase, also through another class of the tests."""
    base_names = test_case_names(tree)
    classes: list[ast.ClassDef] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            if any(base.endswith("TestCase") or base in base_names for base in bases):
                classes.append(node)
                base_names.add(node.name)
    return classes


def check_that_tests_run(node: ast.ClassDef, plain: set[str]) -> None:
    """Raise ValueError for a test of a TestCase that is a coroutine or a generator, which unittest calls and drops.

    Args:
        node: the class.
        plain: the names of unittest.TestCase itself.
    """
    if not node.bases or not {ast.unparse(base) for base in node.bases} <= plain:
        return
    for method in node.body:
        name = getattr(method, "name", "")
        if is_lazy(method) and name.startswith("test"):
            raise ValueError(
                f"{node.name}.{name} is a coroutine or a generator, whose statements never run in a TestCase: "
                "derive its class from unittest.IsolatedAsyncioTestCase"
            )


def may_have_tests(node: ast.ClassDef) -> bool:
    """Return whether a class has a test, or may inherit one."""
    own = [part.name for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    bases = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    # unittest runs no tests of a class without bases, because it is not a TestCase.
    return any(base not in ("TestCase", "IsolatedAsyncioTestCase", "object") for base in bases) or (
        bool(bases) and any(name.startswith("test") or name == "runTest" for name in own)
    )


def without_runs(test_code: str, tree: ast.Module) -> str:
    """Return tests without the top-level statements that run them or exit. All other lines stay where they were."""
    lines = test_code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    froms = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in ("unittest", "pytest")]
    mains = {alias.asname or alias.name for node in froms for alias in node.names if alias.name == "main"}
    runs = {"unittest.main", "pytest.main", "sys.exit", "exit", "quit", "SystemExit", *mains}
    for node in tree.body:
        if isinstance(node, ast.Expr | ast.Raise) and node.col_offset == 0:
            called = [ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)]
            if runs.intersection(called) or any(name.endswith("TextTestRunner") for name in called):
                last = node.end_lineno or node.lineno
                lines[node.lineno - 1 : last] = ["pass"] + [""] * (last - node.lineno)
    return "\n".join(lines)
