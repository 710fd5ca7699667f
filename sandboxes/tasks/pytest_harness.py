"""The harness of tests for pytest: it runs them from a file of their own, and records the result of each."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from sandboxes.imports import parse_source
from sandboxes.tasks.unittest_harness import names_something, without_runs

SKIPS = re.compile(r"skip|xfail", re.IGNORECASE)
# Functions by which tests can use names that their text does not mention.
SEES_ALL_NAMES = frozenset(("eval", "exec", "globals", "vars", "locals", "dir"))
# Those by which tests can bind names that their text does not mention.
BINDS_ANY_NAME = frozenset(("exec", "globals", "vars", "locals"))

# Names under which tests can import the candidate.
CANDIDATES = ("candidate", "solution", "__main__")

# The first line of pytest's file. It imports only the candidate's names that the tests mention, so that the candidate
# brings no tests, hooks, marks or fixtures of its own.
NAMES = (
    "globals().update({name: value for name, value in vars(__import__('sys').modules['candidate']).items() "
    "if not name.startswith('__') and WANTED})\n"
)

# This text takes the place of the tests, and writes their text to a file. Each test of that file must have passed, or
# have been skipped by that file, and every collected test must have been done.
HARNESS = """
def run_pytest_of_code_eval(text, own, imported, may_skip, record):
    import os, unittest

    import pytest

    libraries = ("_pytest", "pluggy", "unittest")

    class Recorder:
        def __init__(self):
            self.collected, self.done, self.paths = [], [], {}

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makeitem(self, collector, name, obj):
            # A library's generator is no test. pytest ignores it before version 8.4, and later refuses the whole file.
            flags = getattr(getattr(obj, "__code__", None), "co_flags", 0)
            return [] if name in imported and flags & 0x20 else None

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, items):
            items[:] = [item for item in items if not own or item.nodeid.split("::")[1].split("[")[0] in own]
            self.collected += [item.nodeid for item in items]

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(self, item, call):
            raised = call.excinfo
            paths = [str(entry.path) for entry in raised.traceback] if raised else []
            self.paths[item.nodeid] = [path for path in paths if not any(name in path for name in libraries)]
            self.is_marked = raised is not None and not isinstance(raised.value, (pytest.xfail.Exception,))
            yield

        def pytest_runtest_logreport(self, report):
            if report.skipped and not self.is_own_skip(report):
                self.note(report.nodeid.partition("::")[2], report, "skipped by the candidate")
            elif report.when == "call" or report.failed:
                self.note(report.nodeid.partition("::")[2], report)
            if report.when == "teardown":
                self.done.append(report.nodeid)

        def is_own_skip(self, report):
            paths = self.paths[report.nodeid]
            if may_skip and hasattr(report, "wasxfail") and self.is_marked:
                return True
            return may_skip and (not paths or os.path.basename(paths[-1]) == "test_candidate.py")

        def pytest_collectreport(self, report):
            if report.failed:
                self.note("collection of the tests", report)

        def note(self, name, report, reason=""):
            if report.skipped and not reason:
                return
            crash = getattr(report.longrepr, "reprcrash", None)
            # The message on a missing fixture begins with it. The end of another long text names the exception.
            lookup = getattr(report.longrepr, "errorstring", "").split("\\n")[0]
            message = reason or (crash.message[:300] if crash else lookup or str(report.longrepr or "")[-300:])
            message = " ".join(message.split()) if report.failed or reason else ""
            outcome = "failed" if reason else report.outcome
            record.append([name, outcome, message, float(getattr(report, "duration", 0.0))])

    with open("test_candidate.py", "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
    # The candidate could set these variables to select tests.
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    # unittest reports a test that raises this exception as passed.
    unittest.case._ShouldStop = ()
    recorder = Recorder()
    options = ["-q", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull, "--rootdir", "."]
    # Otherwise pytest looks into the folders above, which programs without a root of their own may not open.
    options += ["--confcutdir", ".", "test_candidate.py"]
    status = pytest.main(options, plugins=[recorder])
    # A test that the candidate kept from running, as by KeyboardInterrupt, has failed.
    for name in recorder.collected:
        if name not in recorder.done and name.partition("::")[2] not in [test[0] for test in record]:
            reason = "has no result: pytest ended with status %d" % status
            record.append([name.partition("::")[2], "failed", reason, 0.0])
    failed = [test[0] for test in record if test[1] != "passed"]
    if failed:
        raise AssertionError("of %d tests these failed: %s" % (len(record), ", ".join(failed)))
    if status != 0 or not record or len(recorder.done) < len(recorder.collected):
        raise AssertionError("pytest ended with status %d, after %d tests" % (status, len(record)))


code_eval_tests = []
"""


def with_pytest_harness(tests: str) -> str:
    """Return a program that runs tests with pytest, from a file of their own, and raises unless all passed."""
    tree = parse_source(tests)
    nodes = list(ast.walk(tree))
    mentioned = {node.id for node in nodes if isinstance(node, ast.Name)}
    # A test that the tests make unseen must not meet a candidate's of the same name.
    others = "name[:4].lower() != 'test'" if mentioned & SEES_ALL_NAMES else "False"
    wanted = f"(name in {sorted(mentioned)!r} or {others})"
    lines = without_runs(tests, tree).split("\n")
    begin = ""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            begin += ast.unparse(node) + "; "
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = [""] * (last - node.lineno + 1)
    text = begin + NAMES.replace("WANTED", wanted) + "\n".join(lines)
    own = [] if mentioned & BINDS_ANY_NAME else sorted(bound_names(tree.body))
    imported, may_skip = sorted(imported_names(tree.body)), names_something(tree, SKIPS)
    return f"{HARNESS}run_pytest_of_code_eval({ascii(text)}, {own!r}, {imported!r}, {may_skip!r}, code_eval_tests)\n"


def imported_names(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that a module's statements import from a library and that nothing else binds."""
    imports = [node for node in body if isinstance(node, ast.ImportFrom) and node.module not in CANDIDATES]
    others = bound_names([node for node in body if node not in imports])
    return {alias.asname or alias.name for node in imports for alias in node.names} - others


def bound_names(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements of a module bind, without the names inside functions and classes."""
    names: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        pending += ast.iter_child_nodes(node)
    return names
