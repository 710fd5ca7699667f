"""Test functions that need nothing of pytest run without it. Tests that need it are not run where it is missing."""

import os

import pytest

from sandboxes import EvalConfig, Evaluator, SandboxUnavailable, Task, close_pools
from sandboxes.backends import local_process
from sandboxes.tasks.python_tests import detect_framework, needed_module, with_harness
from support.metric_and_command import RIGHT, WRONG

pytestmark = pytest.mark.slow

FUNCTIONS = """
def expected(): return 5

def test_three(times=1):
    assert add(2, 3) == expected()

def test_zero():
    assert (add(0,
        0) == 0)
"""
NAMES = ("test_three", "test_zero")
PYTEST = "import pytest\n\ndef test_add():\n    assert add(2, 3) == 5\n"
# Each fails, whatever test runners take for success.
HOSTILE = {
    "skips": "import unittest\ndef add(a, b): raise unittest.SkipTest('no')",
    "stops unittest": "import unittest.case\ndef add(a, b): raise unittest.case._ShouldStop",
    "exits": "import sys\ndef add(a, b): sys.exit(0)",
    "exits at once": "import os\ndef add(a, b): os._exit(0)",
    "interrupts": "def add(a, b): raise KeyboardInterrupt",
    "ends an iteration": "def add(a, b): raise StopIteration",
    "ends a generator": "def add(a, b): raise GeneratorExit",
    "renames Exception": "Exception = ()\ndef add(a, b): raise ValueError",
    "renames AssertionError": "AssertionError = StopIteration\ndef add(a, b): return 7",
    "makes AssertionError a function": "AssertionError = len\ndef add(a, b): return 7",
    "has tests of its own": "def test_three(): pass\ndef test_zero(): pass\ndef add(a, b): return 7",
    "runs the harness itself": "def run_functions_of_code_eval(*_): pass\ndef add(a, b): return 7",
    "equals everything": "class A:\n    __eq__ = None\ndef add(a, b): return A()",
}


@pytest.mark.parametrize(
    ("tests", "framework"),
    [
        (FUNCTIONS, "functions"),
        ("from math import pi\n\n@staticmethod\ndef test_a():\n    assert add(2, 3) == 5", "functions"),
        ("def test_a(*args, **kwargs):\n    assert add(2, 3) == 5", "functions"),
        ("def test_a():\n    assert add(2, 3) == 5\nif __name__ == '__main__':\n    test_a()", "functions"),
        ("import pytest\ndef test_a():\n    assert add(2, 3) == 5", "pytest"),
        ("from pytest import raises\ndef test_a():\n    assert add(2, 3) == 5", "pytest"),
        ("def test_a():\n    import pytest\n    assert add(2, 3) == 5", "pytest"),
        ("def test_a(tmp_path):\n    assert add(2, 3) == 5", "pytest"),
        ("def test_a(*, tmp_path):\n    assert add(2, 3) == 5", "pytest"),
        ("async def test_a():\n    assert add(2, 3) == 5", "pytest"),
        ("def test_a():\n    yield add(2, 3) == 5", "pytest"),
        ("class TestA:\n    def test_a(self): assert add(2, 3) == 5", "pytest"),
        ("def setup_module(): pass\ndef test_a():\n    assert add(2, 3) == 5", "pytest"),
        ("def setUpModule(): pass\ndef test_a():\n    assert add(2, 3) == 5", "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5\ntest_a.__test__ = False", "pytest"),
        ("from unittest import SkipTest\ndef test_a():\n    raise SkipTest", "pytest"),
        ("test_cases = [(2, 3)]\ndef test_a():\n    assert add(2, 3) == 5", "functions"),
        ("def test_a():\n    assert add(2, 3) == 5\ntest_b = lambda: add(2, 3)", "pytest"),
        ("def check():\n    assert add(2, 3) == 5\ntest_b = lambda: check()", "pytest"),
        ("def check():\n    assert test_b() == 5\ntest_b = lambda: add(2, 3)\ncheck()", "asserts"),
        ("def test_a():\n    assert add(2, 3) == 5\ntest_b = make(2, 3)", "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5\nif True:\n    def test_b(): pass", "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5\nfor test_b in [test_a]: pass", "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5\nclass TestB(Base): pass", "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5\nglobals()['test_b'] = check", "pytest"),
        ("from more import test_b\ndef test_a():\n    assert add(2, 3) == 5", "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5\ntest_a = None", "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5\ndel test_a", "pytest"),
        ("pytestmark = []\ndef test_a():\n    assert add(2, 3) == 5", "pytest"),
    ],
)
def test_detection(tests, framework):
    """Tests use pytest if they name something of it, or have what only pytest calls."""
    assert detect_framework(tests) == framework


@pytest.mark.parametrize(
    ("tests", "module"),
    [
        (FUNCTIONS, ""),
        (PYTEST, "pytest"),
        ("import pytest\nwith pytest.raises(ValueError):\n    add('', 1)", "pytest"),
        ("def check(f):\n    import pytest\n    assert f(2, 3) == pytest.approx(5)\ncheck(add)", "pytest"),
        ("try:\n    import pytest\nexcept ImportError:\n    pytest = None\nassert add(2, 3) == 5", ""),
        ("assert add(2, 3) == 5", ""),
        ("def (", ""),
    ],
)
def test_need(tests, module):
    """Tests need pytest if its harness runs them, or if they import it themselves."""
    assert needed_module(tests) == module


def test_functions_pass_everywhere(run):
    """A right candidate passes test functions in every backend, and each function has its own result."""
    verdict = run(RIGHT, with_harness(FUNCTIONS, False))
    assert verdict.passed, verdict.detail
    assert {test.name: test.outcome.value for test in verdict.tests} == dict.fromkeys(NAMES, "passed")


def test_functions_fail_everywhere(run):
    """A wrong candidate fails in every backend. The failed function has its condition, and the others still run."""
    verdict = run(WRONG, with_harness(FUNCTIONS, False))
    assert verdict.detail == "AssertionError: of 2 tests these failed: test_three"
    assert [test.message for test in verdict.tests] == ["AssertionError: add(2, 3) == expected()", ""]


@pytest.mark.parametrize(
    "more",
    [
        "test_b = lambda: check()",
        "test_b = check",
        "if True:\n    def test_b(): check()",
        "class Base:\n    def test_b(self): check()\nclass TestB(Base): pass",
        "class TestB:\n    class TestC:\n        def test_b(self): check()",
        "globals()['test_b'] = check",
    ],
)
def test_all_that_pytest_finds_is_run(more):
    """Tests that are not functions at the top of the module are run beside those that are."""
    tests = f"def check():\n    assert add(2, 3) == 5\ndef test_a():\n    assert add(0, 0) == 0\n{more}\n"
    own = "def test_b(): pass\n"
    results = results_of([RIGHT, "def add(a, b): return 0", own + RIGHT, own + "def add(a, b): return 0"], tests)
    assert [result.passed for result in results] == [True, False] * 2


@pytest.fixture
def without_pytest(tmp_path, monkeypatch):
    """Let guests that start from now on have all packages of this interpreter but pytest."""
    for folder in local_process.site_folders():
        for name in os.listdir(folder):
            if "pytest" not in name and not os.path.lexists(tmp_path / name):
                (tmp_path / name).symlink_to(os.path.join(folder, name))
    monkeypatch.setattr(local_process, "site_folders", lambda: [str(tmp_path)])
    close_pools()
    yield
    close_pools()


def results_of(candidates, tests, **options):
    """Return the results of candidates, in workers of their own."""
    with Evaluator(EvalConfig.from_options(options), keep_warm=False) as evaluator:
        return evaluator.run([Task(tests, candidates)])


@pytest.mark.parametrize("sandbox", ["subprocess", "restricted"])
@pytest.mark.parametrize("tests", [PYTEST, "import pytest\nassert add(2, 3) == pytest.approx(5)"])
def test_missing_pytest_is_the_sandbox_s_failure(without_pytest, sandbox, tests):
    """Tests that need pytest end a run where it is missing, with what to install."""
    with pytest.raises(SandboxUnavailable, match="for pytest, which .* can't import: pip install pytest"):
        results_of([RIGHT], tests, sandbox=sandbox)


def test_missing_pytest_is_excluded(without_pytest):
    """With "exclude", candidates that could not be tested count neither as right nor as wrong, whatever they do."""
    forger = "raise ImportError('these tests are for pytest')"
    results = results_of([RIGHT, WRONG, forger], PYTEST, on_sandbox_error="exclude")
    assert [type(result) for result in results] == [SandboxUnavailable] * 3


def test_other_tests_run_without_pytest(without_pytest):
    """Where pytest is missing, tests that do not need it run, beside those that do."""
    tasks = [Task(PYTEST, [RIGHT]), Task(FUNCTIONS, [RIGHT, WRONG]), Task("assert add(2, 3) == 5", [RIGHT])]
    config = EvalConfig.from_options({"on_sandbox_error": "exclude"})
    with Evaluator(config, keep_warm=False) as evaluator:
        excluded, *others = evaluator.run(tasks)
    assert isinstance(excluded, SandboxUnavailable)
    assert [result.passed for result in others] == [True, False, True]


def test_a_candidate_can_not_exclude_itself():
    """Where pytest is installed, a candidate that hides it or claims that it is missing is wrong."""
    claims = "raise ImportError('these tests are for pytest, which is missing')\n"
    hides = "import sys\nsys.modules['pytest'] = None\n" + RIGHT
    results = results_of([claims, hides, RIGHT], PYTEST, on_sandbox_error="exclude", timeout=60.0)
    assert [result.passed for result in results] == [False, False, True]


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("candidate", HOSTILE.values(), ids=HOSTILE)
def test_forged_functions(candidate, grading):
    """No candidate passes test functions by what it raises, or by the names that it defines."""
    [result] = results_of([candidate], FUNCTIONS, grading=grading, timeout=20.0)
    assert not result.passed


def test_functions_graded_separately():
    """Test functions can be graded "separate", and "auto" chooses that."""
    results = [results_of([RIGHT], FUNCTIONS, grading=grading)[0] for grading in ("separate", "auto")]
    assert [(result.passed, result.grading) for result in results] == [(True, "separate")] * 2
