"""The text of tests alone decides whether they run apart from their candidate."""

import hypothesis
import pytest
from hypothesis import strategies as st

from sandboxes import EvalConfig, Evaluator, Limits, Outcome, Program, ProgramBatch, Task, TaskOptions, Verdict
from sandboxes.grading import detect_grading
from sandboxes.separable_tests import reason_for_shared
from support.published_records import read
from support.separate_programs import HONEST

SEPARATE = [
    "def check(candidate):\n    assert candidate([1, 2]) == 3\ncheck(add)",
    "from candidate import add\nassert add(1, 2) == 3",
    "assert abs(f(2.5) - 1.25) < 1e-6",
    "assert f(1) == [1] and not f(2) or f(3) is None and isinstance(f(4), (int, str))",
    "assert type(f(1)) == list and sorted(set(f(2))) == [1]",
    "assert f(1).shape == (1,) and f(2)[0]['a'].upper() == 'A' and len(f(3)) == 1",
    "import math\nassert math.isclose(f(1), math.pi)",
    "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(f(1), 2)",
    "import unittest\nclass T(unittest.TestCase):\n    def setUp(self): self.bank = Bank(1)\n"
    "    def test(self):\n        with self.assertRaises(NoMoney): self.bank.take(2)",
    "import numpy as np\nassert np.allclose(f(1), [1, 2])",
    "import sys\nassert f() < sys.maxsize",
    "from collections import Counter\nassert f('a') == Counter('a')",
    "inputs, results = [[1]], [1]\nfor inp, exp in zip(inputs, results):\n    assert f(*inp) == exp",
    "import pytest\nwith pytest.raises(ValueError): f()\nassert f(1) == pytest.approx(1.5)",
    "try:\n    f()\n    assert False\nexcept ValueError as e:\n    assert str(e) == 'x'",
    "assert Solution().two_sum([2, 7], 9) == [0, 1]",
    "stack = Stack()\nstack.push(1)\nassert stack.pop() == 1 and stack.top is None",
    "filter_open = 1\nassert f(filter_open)",
    "import random\nfor _ in range(9):\n    x = [random.randint(1, 9)]\n    assert f(x) == sorted(x)",
    "def poly(xs, x): return sum(c * x**i for i, c in enumerate(xs))\nassert abs(poly([1, 2], f([1, 2]))) < 1e-4",
    "def test():\n    assert math.isclose(f(1), 2)\nimport math\ntest()",
    "results = []\nfor x in range(3):\n    results.append(f(x))\nassert results == [0, 1, 4]",
]
TEXTS = [program.tests for program in HONEST]
SHARED = {
    "assert (": "can't be parsed",
    "assert f(" + "-" * 5000 + "1) == 1": "are nested too deeply",
    "assert sum([1, 2]) == 3": "name nothing of the candidate but builtins",
    "def check(candidate):\n    assert candidate(1, 2) == 2\ncheck(max)": "give check a function or another object",
    "from unittest.mock import patch\nwith patch('candidate.g'): f()": "use unittest.mock.patch",
    "import os\nos.remove('x')": "import os",
    "from .solution import f": "import .solution",
    "from numpy import *\nassert f(1) == 1": "import all of numpy",
    "from random import seed": "use random.seed",
    "import numpy as np\nnp.random.seed(0)": "use numpy.random.seed",
    "import sys\nassert sys.stdout": "use sys.stdout",
    "globals()['f'] = 1": "use globals",
    "exec('f()')": "use exec",
    "open('x', 'w').write('1')\nassert f('x') == 1": "use open",
    "assert f.__dict__ == {}": "use the attribute __dict__",
    "class Impl(Shape):\n    pass\nassert Impl()": "define the class Impl",
    "import time\ntime.time = lambda: 5\nassert f() == 5": "assign to an attribute",
    "import calendar\nassert f() == 29": "import calendar",
    "import math as m\ndel m.pi": "delete a part of an object",
    "import string\nstring.__all__.append('f')\nf()": "use string.__all__.append",
    "def put(x, y): x.append(y)\nr = []\nput(r, f())\nassert 1 in r": "look for a value in a result",
    "def run():\n    global r\n    r = f()\nrun()\nassert 1 in r": "use global",
    "f()[0] = 1": "assign to a part of a result",
    "async def test(): await f()": "use async",
    "with Db() as db: assert db.get('a') == 1": "use with",
    "with self.assertLogs(): f()": "use with",
    "@dec\ndef test(): f()": "use a decorator",
    "assert f([1]) is x": "compare identities",
    "x = [1]\nassert f(x) is x": "compare identities",
    "assert Money(5) == 5": "compare an object of the candidate's class",
    "m = V(1)\nn = m * 3\nassert n.x == 3": "use an operator on an object of the candidate's class",
    "assert sum([V(1), V(2)]).x == 3": "give sum an object of the candidate's class",
    "assert (f(1) * 3).x == 3": "use a part of what an operator made of a result",
    "assert 1 in f(1)": "look for a value in a result",
    "assert f(lambda x: x) == 1": "give the candidate a function or another object",
    "assert f(zip([1], [2])) == {1: 2}": "give the candidate an iterator",
    "assert ', '.join(f(1)) == 'a'": "give join a result",
    "import json\nassert json.dumps(f(1)) == '1'": "give json.dumps a result",
    "assert isinstance(f(1), Shape)": "look for instances of other classes than builtins",
    "try:\n    f()\nexcept AssertionError:\n    pass": "expect the exception AssertionError",
    "assert getattr(f, '__doc__')": "give getattr a name that is no public one",
    "limit = 20\nassert clip(50) == 20": "assign limit, which they do not read",
    "return f()": "use return",
    "E = ValueError\ntry:\n    f()\nexcept E:\n    pass": "expect an exception whose class has no name of its own",
    "assert id(f()) == 1": "use id",
}


@pytest.mark.parametrize("tests", SEPARATE)
def test_tests_of_values_run_apart(tests):
    """Tests that call the candidate and check the results are graded "separate"."""
    assert detect_grading(tests) == "separate"


@pytest.mark.parametrize(("tests", "reason"), SHARED.items())
def test_other_forms_are_shared(tests, reason):
    """Tests with a form that is not on the list are graded "shared", and the reason names the form."""
    assert reason_for_shared(tests) == f"the tests {reason}"


@hypothesis.given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
def test_any_text_has_an_answer(text, random):
    """Any Python, with lines left out, is on the list or not, and raises no error."""
    lines = [line for line in text.splitlines() if random.random() < 0.97]
    assert isinstance(reason_for_shared("\n".join(lines)), str)


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
    assert [task.reason for task in batch.tasks] == [
        "the tests use exec",
        "",
        "the tests continue the candidate's last block",
        "",
    ]
    shared = ProgramBatch.assemble(tasks[:1], TaskOptions(), Limits(), "shared")
    assert shared.tasks[0].reason == ""
    other = ProgramBatch.assemble([Task("assert(f(1) == 2);", [""], language="cpp")], TaskOptions(), Limits(), "auto")
    assert other.tasks[0].reason == "the tests are in cpp"
    verdict = batch.finalize(0, Verdict(Outcome.PASSED))
    assert verdict.grading_reason == "the tests use exec"


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_reasons_of_languages_whose_tests_run_apart(grading):
    """A result in such a language has a reason for "shared" only if the sandbox could not keep the two apart."""
    task = Task('die "no sum" unless add(2, 3) == 5;', ["sub add { $_[0] + $_[1] }"], language="perl")
    batch = ProgramBatch.assemble([task], TaskOptions.checked(), Limits(), "auto")
    result = batch.finalize(0, Verdict(Outcome.PASSED, grading=grading))
    assert bool(result.grading_reason) == (grading == "shared")


def test_calls_of_benchmarks_run_apart():
    """Nearly all tests of HumanEval and MBPP are calls of a function, and graded "separate"."""
    problems = [f"{each['test']}\ncheck({each['entry_point']})" for each in read("HumanEval.jsonl.gz")]
    problems += ["\n".join([each["test_setup_code"], *each["test_list"]]) for each in read("benchmarks/mbpp.jsonl")]
    assert sum(detect_grading(tests) == "separate" for tests in problems) >= 0.98 * len(problems)


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
    """Tests that change a library find it unchanged for each candidate, right or wrong."""
    config = EvalConfig.from_options({"num_workers": 1, "dedupe": False})
    right = [f"def f(x): return x + {number} * 0" for number in range(3)]
    with Evaluator(config) as evaluator:
        results = evaluator.run([Task(tests, [*right, "def f(x): return 0", right[0]])])
    assert [result.passed for result in results] == [True, True, True, False, True]


@pytest.mark.parametrize(
    ("tests", "is_listed"),
    [
        ("assert f() == 1", True),
        ("import os\nassert f() == 1", False),
        ("assert Bag().size == 1", True),
        ("Bag.size = 1\nassert f() == 1", False),
    ],
)
@pytest.mark.parametrize("grading", ["auto", "shared"])
def test_programs_say_whether_tests_are_repeatable(tests, is_listed, grading):
    """An assembled program says whether its tests can run again in their process, as one that is made by hand does."""
    [program] = ProgramBatch.assemble([Task(tests, ["x = 1"])], TaskOptions(), Limits(), grading).programs
    by_hand = Program(program.candidate, tests, grading=program.grading)
    is_apart = is_listed and grading == "auto"
    assert (program.tests_are_repeatable or False, by_hand.tests_are_repeatable or False) == (is_apart, is_apart)


@pytest.mark.parametrize("reference", ["exec('')\nassert f(1) == 2", "    assert f(1) == 2", {"fn_name": "sum"}])
def test_separate_refuses_other_tests(reference):
    """Tests that can't run apart from a candidate are an error that names the task, the reason and the way out."""
    if isinstance(reference, dict):
        reference = {**reference, "inputs": [[[1]]], "outputs": [1]}
    with pytest.raises(ValueError, match=r"^references\[0\]: the tests .*choose grading='auto' or grading='shared'"):
        ProgramBatch.assemble([Task(reference, [""])], TaskOptions(), Limits(), "separate")
