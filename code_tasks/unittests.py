"""Tests that are unittest classes: joined with a candidate, run, and their output read."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from sandboxes.imports import parsed

MOST_NAMED_TESTS = 20
MOST_TRACE_CHARS = 16 << 10
# How unittest ends: these lines and nothing else on them.
LAST_LINES = re.compile(
    r"^Ran (\d{1,9}) tests? in [\d.]+s\n\n(OK|FAILED|NO TESTS RAN)(?: \(([^()\n]*)\))?$", re.MULTILINE
)
FAILED_TEST = re.compile(r"^(?:FAIL|ERROR): (\S+)[^\n]*\n(.*?)(?=^={70}$|^-{70}\nRan |\Z)", re.MULTILINE | re.DOTALL)
RAISED = "Traceback (most recent call last):\n"
# Tests that patch or import what they test by the name that it has in a script.
USES_MAIN = re.compile(r"__main__\.|(?:from|import) __main__\b")
AS_MAIN = 'import sys; sys.modules["__main__"] = sys.modules["candidate"]\n'
# Written after the tests. All of it in one function with a name that no program has; names without underscores and
# plain statements, since the policy of the restricted sandbox holds here too.
HARNESS = """

def run_unittests_of_code_eval(cases, may_skip):
    import unittest

    suite = unittest.TestSuite()
    for case in cases:
        if isinstance(case, type) and issubclass(case, unittest.TestCase):
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    total = suite.countTestCases()
    result = unittest.TextTestRunner().run(suite)
    names = [test.id() for test, text in result.failures + result.errors]
    if names or not result.wasSuccessful():
        raise AssertionError("of %d tests these failed: %s" % (total, ", ".join(names) or "unexpected successes"))
    if result.skipped and not may_skip:
        raise AssertionError("the candidate skipped %d of %d tests" % (len(result.skipped), total))
    if total <= len(result.skipped):
        raise AssertionError("none of %d tests ran" % total)


run_unittests_of_code_eval([CLASSES], MAY_SKIP)
"""


@dataclass(frozen=True)
class ExecutionResult:
    """What a run's output says."""

    success: bool
    output: str
    """For people."""


def unittest_merge_snippets(code: str, test_code: str) -> str:
    """A script of a candidate and its tests, which runs them if it is run as a script.

    Args:
        code: the candidate.
        test_code: unittest classes, with or without a call of `unittest.main`.
    """
    runs_itself = "unittest.main(" in test_code
    end = "" if runs_itself else '\n\nif __name__ == "__main__":\n    import unittest\n\n    unittest.main()\n'
    return f"{code}\n\n{test_code}{end}"


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


def parse_unittest_output(output: str, exit_status: int = 0) -> ExecutionResult:
    """What unittest's own last lines say, and which tests failed with what.

    Only the whole last line counts, not its letters elsewhere. It is still text: a program that prints these lines and
    ends with status 0 is believed.

    Args:
        output: of a script that calls `unittest.main`.
        exit_status: of the script; one that is not 0 is no success, whatever the output says.
    """
    endings = list(LAST_LINES.finditer(output))
    if not endings:
        return ExecutionResult(False, with_output("unittest did not come to its end", output))
    ran, word, more = endings[-1].groups()
    tests = "1 test" if ran == "1" else f"{ran} tests"
    skipped = re.search(r"skipped=(\d+)", more or "")
    if word != "OK":
        summary = "\n".join([f"ran {tests}: {word}{f' ({more})' if more else ''}", *failed_tests(output)])
    elif exit_status:
        summary = f"ran {tests}: OK, but the exit status is {exit_status}"
    elif int(ran) <= (int(skipped[1]) if skipped else 0):
        summary = f"ran {tests}: none that was not skipped"
    else:
        return ExecutionResult(True, f"ran {tests}: all passed" + (f" ({more})" if more else ""))
    return ExecutionResult(False, with_output(summary, output))


def failed_tests(output: str) -> list[str]:
    """A line for each test that failed, with its name and what it raised; the first of very many."""
    lines = []
    for match in FAILED_TEST.finditer(output):
        # Of exceptions that led to each other, the last.
        raised = match[2].rpartition(RAISED)[2].splitlines()
        lines.append(f"{match[1]}: {next((line for line in raised if line[:1].strip()), 'failed')}")
    if len(lines) > MOST_NAMED_TESTS:
        lines[MOST_NAMED_TESTS:] = [f"... and {len(lines) - MOST_NAMED_TESTS} more"]
    return lines


def with_output(summary: str, output: str) -> str:
    """A summary, and below it the output, of which the end is kept."""
    shown = output if len(output) <= MOST_TRACE_CHARS else "..." + output[-MOST_TRACE_CHARS:]
    return f"{summary}\n\n{shown}" if shown else summary
