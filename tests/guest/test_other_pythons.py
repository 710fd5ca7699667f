"""The guest works with each Python from 3.8 to 3.14, as images have them."""

from contextlib import closing

import pytest

from sandboxes import Limits, Outcome, Pool, Program
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program
from support.other_pythons import VERSIONS, other_python
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow
LIMITS = Limits(wall_seconds=WALL_SECONDS, memory_bytes=1 << 30)
SHORT = Limits(wall_seconds=0.5)
ADD = "def add(a, b):\n    return a + b\n"
TESTS = "assert add(2, 3) == 5"
WRONG = "def add(a, b):\n    return a * b\n"
# (candidate, tests, limits, outcome) by name.
PROGRAMS = {
    "right": (ADD, TESTS, LIMITS, Outcome.PASSED),
    "wrong": (WRONG, TESTS, LIMITS, Outcome.FAILED),
    "an exception": ("def add(a, b):\n    return {}[a]\n", TESTS, LIMITS, Outcome.FAILED),
    "no valid Python": ("def add(a, b:\n", TESTS, LIMITS, Outcome.COMPILE_ERROR),
    "endless": ("def add(a, b):\n    while True:\n        pass\n", TESTS, SHORT, Outcome.TIMED_OUT),
    "too much memory": ("def add(a, b):\n    return bytearray(1 << 40)\n", TESTS, LIMITS, Outcome.OUT_OF_MEMORY),
    "a crash": ("import os\ndef add(a, b):\n    os.kill(os.getpid(), 11)\n", TESTS, LIMITS, Outcome.CRASHED),
    "leaves early": ("import os\ndef add(a, b):\n    os._exit(0)\n", TESTS, LIMITS, Outcome.EXITED),
    "equal to everything": (
        "class Same:\n    def __eq__(self, other):\n        return True\ndef add(a, b):\n    return Same()\n",
        "assert 5 == add(2, 3) and type(add(2, 3)) is int",
        LIMITS,
        Outcome.FAILED,
    ),
    "processes": (
        "import multiprocessing\ndef double(x):\n    return 2 * x\n"
        "def add(a, b):\n    with multiprocessing.Pool(2) as workers:\n"
        "        return sum(workers.map(double, [a, b])) / 2\n",
        TESTS,
        LIMITS,
        Outcome.PASSED,
    ),
    "modules": (
        "import collections, dataclasses, decimal, functools, itertools, json, random, re, typing\n" + ADD,
        TESTS,
        LIMITS,
        Outcome.PASSED,
    ),
}
DOUBLE = "print(int(input()) * 2)"


@pytest.fixture(scope="module", params=VERSIONS)
def pool(request):
    """Return a pool whose guests have a Python of a version."""
    sandbox = other_python(request.param)
    if sandbox is None:
        pytest.skip(f"no Python {request.param} is in PATH, or in pyenv's folder")
    with closing(Pool(sandbox)) as pool:
        yield pool


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_outcome(pool, name, grading):
    """Each program has its outcome, with all layers, and nothing of ours in its error output."""
    candidate, tests, limits, outcome = PROGRAMS[name]
    [verdict] = pool.run_all([Program(candidate, tests, limits, grading)], 1)
    assert (verdict.outcome, verdict.attempts) == (outcome, 1), verdict
    assert "Warning" not in verdict.stderr


@pytest.mark.parametrize(("output", "outcome"), [("6\n", Outcome.PASSED), ("7\n", Outcome.FAILED)])
def test_case(pool, output, outcome):
    """A script is run on an input, and its output is compared."""
    plan = StepPlan((), (TestRun(Command(None, LIMITS), stdin="3\n", expected=output),))
    [verdict] = pool.run_all([step_program({"candidate.py": DOUBLE}, plan, LIMITS)], 1)
    assert verdict.outcome is outcome, verdict


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_lines_that_are_not_flushed(pool, grading):
    """What a candidate printed before it was ended is kept, with the extension and without it."""
    candidate = "print('first')\nwhile True:\n    pass\n"
    [verdict] = pool.run_all([Program(candidate, "assert f", SHORT, grading)], 1)
    assert (verdict.outcome, verdict.stdout) == (Outcome.TIMED_OUT, "first\n")
