"""The text of tests alone decides whether they run apart from their candidate."""

import pytest

from sandboxes import EvalConfig, Evaluator, Limits, Outcome, Program, ProgramBatch, Task, TaskOptions, Verdict
from sandboxes.grading import GRADINGS, detect_grading, reason_for_shared
from support.separate_programs import HONEST

SEPARATE = [
    "def check(candidate):\n    assert candidate([1, 2]) == 3\ncheck(add)",
    "assert abs(f(2.5) - 1.25) < 1e-6",
    "import math\nassert math.isclose(f(1), math.pi)",
    "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(f(1), 2)",
    "import numpy as np\nassert np.allclose(f(1), [1, 2])",
    "import sys\nassert f() < sys.maxsize",
    "from collections import Counter\nassert f('a') == Counter('a')",
    "class Node:\n    pass\nassert f(Node()) is None",
    "class MyError(ValueError):\n    pass\nassert f(MyError)",
    "inputs, results = [[1]], [1]\nfor inp, exp in zip(inputs, results):\n    assert f(*inp) == exp",
    "import pytest\nwith pytest.raises(ValueError): f()",
    "try:\n    f()\nexcept ValueError as e:\n    assert str(e) == 'x'",
    "assert Solution().two_sum([2, 7], 9) == [0, 1]",
    "import asyncio\nassert asyncio.run(f()) == 1",
    "filter_open = 1\nassert f(filter_open)",
    "class P:\n    pass\np, d = P(), {}\np.x = d['x'] = 1\nassert f(p, d) == 1",
]
SHARED = [
    "assert (",
    "from unittest.mock import patch\nwith patch('candidate.g'): f()",
    "from unittest import mock",
    "import unittest.mock",
    "def test(monkeypatch): monkeypatch.setattr('x', 1)",
    "import inspect\nassert inspect.signature(f)",
    "import gc\ngc.collect()",
    "globals()['f'] = 1",
    "assert f.__dict__ == {}",
    "assert f.__code__.co_argcount == 2",
    "import sys\nassert sys.stdout",
    "import sys\nsys.modules['x'] = 1",
    "import sys\nsys._getframe()",
    "import sys\nsys.setrecursionlimit(10)",
    "from contextlib import redirect_stdout\nimport io",
    "import contextlib\nwith contextlib.redirect_stdout(None): f()",
    "def test(capsys): f()",
    "open('x', 'w').write('1')\nassert f('x') == 1",
    "import os\nos.remove('x')",
    "from pathlib import Path",
    "import tempfile",
    "import shutil",
    "import random\nrandom.seed(1)\nassert f() == 3",
    "import numpy as np\nnp.random.seed(0)",
    "from random import seed",
    "import decimal\ndecimal.getcontext().prec = 5",
    "class Impl(Shape):\n    def area(self): return 1\nassert Impl().describe()",
    "import builtins\nbuiltins.input = lambda: '1'",
    "with self.assertLogs(): f()",
    "exec('f()')",
    "import matplotlib.pyplot as plt",
    "import pandas as pd",
    "import time\ntime.time = lambda: 5\nassert f() == 5",
    "import calendar\ncalendar.mdays[2] = 29\nassert f() == 29",
    "import math as m\ndel m.pi",
]


@pytest.mark.parametrize("tests", SEPARATE)
def test_tests_of_values_run_apart(tests):
    """Tests that call the candidate and check the results are graded "separate"."""
    assert detect_grading(tests) == "separate"


@pytest.mark.parametrize("tests", SHARED)
def test_tests_that_reach_into_the_candidate_are_shared(tests):
    """Tests that patch, inspect, capture or share files with the candidate, or can't be parsed, are graded "shared"."""
    assert detect_grading(tests) == "shared"


REASONS = {
    "exec('f()')": "the tests use exec",
    "import os\nos.remove('x')": "the tests import os",
    "from unittest.mock import patch": "the tests import unittest.mock",
    "from random import seed": "the tests import random.seed",
    "class Impl(Shape):\n    pass\nassert Impl()": "the tests derive a class from Shape",
    "import sys\nassert sys.stdout": "the tests use sys.stdout",
    "assert f.__dict__ == {}": "the tests use the attribute __dict__",
    "import time\ntime.time = lambda: 5\nassert f()": "the tests change a module",
    "def test(capsys): f()": "the tests use capsys",
    "assert (": "the tests can't be parsed",
    "assert f(1) == 2": "",
    "from signal import SIGALRM, setitimer\nassert f(1) == 2": "",
}


@pytest.mark.parametrize(("tests", "reason"), REASONS.items())
def test_reasons(tests, reason):
    """The reason names what needs the candidate's interpreter; a timer of the tests' own does not."""
    assert reason_for_shared(tests) == reason


def test_reasons_of_results():
    """A result has the reason for which "auto" chose "shared", also in other languages, and no other result has one."""
    references = [
        "exec('')\nassert f(1) == 2",
        "assert f(1) == 2",
        "    assert f(1) == 2",
        [{"input": "", "output": ""}],
    ]
    tasks = [Task(reference, ["def f(x):\n    return x + 1\n"]) for reference in references]
    batch = ProgramBatch.assemble(tasks, TaskOptions(), Limits(), "auto")
    assert batch.reasons == ["the tests use exec", "", "the tests continue the candidate's last block", ""]
    assert ProgramBatch.assemble(tasks[:1], TaskOptions(), Limits(), "shared").reasons == [""]
    other = ProgramBatch.assemble([Task("assert(f(1) == 2);", [""], language="cpp")], TaskOptions(), Limits(), "auto")
    assert other.reasons == ["the tests are in cpp"]
    verdict = batch.finalize(0, Verdict(Outcome.PASSED))
    assert verdict.grading_reason == "the tests use exec"


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_reasons_of_languages_whose_tests_run_apart(grading):
    """A result in such a language has a reason for "shared" only if the sandbox could not keep the two apart."""
    task = Task('die "no sum" unless add(2, 3) == 5;', ["sub add { $_[0] + $_[1] }"], language="perl")
    batch = ProgramBatch.assemble([task], TaskOptions.checked(), Limits(), "auto")
    result = batch.finalize(0, Verdict(Outcome.PASSED, grading=grading))
    assert bool(result.grading_reason) == (grading == "shared")


def test_what_is_judged_right_apart_is_chosen_for_it():
    """Nearly all honest programs of the separate grading's tests are graded "separate"."""
    chosen = [detect_grading(program.tests) for program in HONEST]
    assert chosen.count("separate") > 0.95 * len(HONEST)


def test_deeply_nested_tests_are_shared():
    """Text that exceeds the parser's depth is graded "shared", and raises no error."""
    assert detect_grading("x = " + "(" * 100_000) == "shared"
    assert detect_grading("\0") == "shared"


LEAVE_SOMETHING = {
    "a setting": "import calendar\nassert calendar.firstweekday() == 0\ncalendar.setfirstweekday(6)\nassert f(2) == 2",
    "a registered class": "from collections.abc import Sized\nassert not issubclass(int, Sized)\n"
    "Sized.register(int)\nassert f(2) == 2",
    "a changed class": "from json import JSONEncoder\nassert JSONEncoder.default.__name__ == 'default'\n"
    "JSONEncoder.default = lambda self, value: list(value)\nassert f(2) == 2",
}


@pytest.mark.parametrize("tests", LEAVE_SOMETHING.values(), ids=LEAVE_SOMETHING)
def test_tests_leave_nothing_for_the_next_candidate(tests):
    """Tests that change a library under "separate" find it unchanged for each candidate, right or wrong."""
    config = EvalConfig.from_options({"grading": "separate", "num_workers": 1, "dedupe": False})
    right = [f"def f(x): return x + {number} * 0" for number in range(3)]
    with Evaluator(config) as evaluator:
        results = evaluator.run([Task(tests, [*right, "def f(x): return 0", right[0]])])
    assert [result.passed for result in results] == [True, True, True, False, True]


@pytest.mark.parametrize(
    ("tests", "repeatable"),
    [
        ("assert f() == 1", True),
        ("import os\nassert f() == 1", False),
        ("assert Bag().size == 1", True),
        ("Bag.size = 1\nassert f() == 1", False),
    ],
)
@pytest.mark.parametrize("grading", GRADINGS)
def test_programs_say_whether_tests_are_repeatable(tests, repeatable, grading):
    """An assembled program says whether its tests can run again in their process, as one that is made by hand does."""
    [program] = ProgramBatch.assemble([Task(tests, ["x = 1"])], TaskOptions(), Limits(), grading).programs
    by_hand = Program(program.candidate, tests, grading=program.grading)
    apart = program.grading == "separate"
    assert (program.tests_are_repeatable or False, by_hand.tests_are_repeatable or False) == (apart and repeatable,) * 2
