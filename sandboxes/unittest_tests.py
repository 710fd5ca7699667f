"""Tests that are unittest classes: what runs them, and records what became of each."""

from __future__ import annotations

import ast
import re

from sandboxes.imports import parsed

# Tests that patch or import what they test by the name that it has in a script.
USES_MAIN = re.compile(r"__main__\.|(?:from|import) __main__\b")
AS_MAIN = 'import sys; sys.modules["__main__"] = sys.modules["candidate"]\n'
# Written after the tests. All of it in one function with a name that no program has; names without underscores and
# plain statements, since the policy of the restricted sandbox holds here too.
HARNESS = """

def run_unittests_of_code_eval(cases, may_skip, record):
    import unittest

    try:
        from time import monotonic
    except ImportError:
        monotonic = int

    class Recorder(unittest.TextTestResult):
        def startTest(self, test):
            self.began = monotonic()
            self.failed = None
            super().startTest(test)

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
            outcome, message = "passed", ""
            if self.failed is not None:
                # The name of its class, which a policy lets nobody read.
                name = str(self.failed[0])[8:-2].split(".")[-1]
                outcome, message = "failed", (name + ": " + str(self.failed[1]))[:300]
            record.append([test.id().split(".", 1)[-1], outcome, message, float(monotonic() - self.began)])
            super().stopTest(test)

    suite = unittest.TestSuite()
    for case in cases:
        if isinstance(case, type) and issubclass(case, unittest.TestCase):
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    total = suite.countTestCases()
    result = unittest.TextTestRunner(resultclass=Recorder).run(suite)
    names = [test.id() for test, text in result.failures + result.errors]
    if names or not result.wasSuccessful():
        raise AssertionError("of %d tests these failed: %s" % (total, ", ".join(names) or "unexpected successes"))
    if result.skipped and not may_skip:
        raise AssertionError("the candidate skipped %d of %d tests" % (len(result.skipped), total))
    if total <= len(result.skipped):
        raise AssertionError("none of %d tests ran" % total)


code_eval_tests = []
run_unittests_of_code_eval([CLASSES], MAY_SKIP, code_eval_tests)
"""


def harnessed(test_code: str) -> str:
    """Tests that run the unittest classes of a text, and raise unless all passed.

    Args:
        test_code: classes; what runs them by itself is left out.

    Raises:
        ValueError: if it is no Python, or has no class with a test.
    """
    try:
        tree = parsed(test_code)
    except ValueError as error:
        raise ValueError(f"test_code is no Python: {error}") from error
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if not any(may_have_tests(each) for each in classes):
        raise ValueError(
            "test_code has no unittest class with a method test...; a record with tests of another kind needs a "
            "snippet_merge_fn and an output_parse_fn of its own"
        )
    names = ", ".join(each.name for each in classes)
    # Where tests never skip, a test that was skipped is one that the candidate raised SkipTest in.
    may_skip = str("skip" in test_code.lower())
    begin = AS_MAIN if USES_MAIN.search(test_code) and "__future__" not in test_code else ""
    return begin + without_main(test_code, tree) + HARNESS.replace("MAY_SKIP", may_skip).replace("CLASSES", names)


def may_have_tests(node: ast.ClassDef) -> bool:
    """Whether a class has a test, or may inherit one."""
    own = [each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    bases = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    # One that is no TestCase has none that are run.
    return any(base not in ("TestCase", "IsolatedAsyncioTestCase", "object") for base in bases) or (
        bool(bases) and any(name.startswith("test") or name == "runTest" for name in own)
    )


def without_main(test_code: str, tree: ast.Module) -> str:
    """The text without unguarded calls of `unittest.main`, its lines where they were."""
    lines = test_code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    from_unittest = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "unittest"]
    names = {"unittest.main", *(each.asname or each.name for node in from_unittest for each in node.names)}
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.col_offset == 0:
            if ast.unparse(node.value.func) in names:
                last = node.end_lineno or node.lineno
                lines[node.lineno - 1 : last] = ["pass"] + [""] * (last - node.lineno)
    return "\n".join(lines)
