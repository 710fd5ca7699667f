"""Identical programs are run once if they look deterministic, and results name the shared ones."""

import pytest

from sandboxes import Limits, Outcome, Program, open_sandbox
from sandboxes.languages.programs import build_program
from sandboxes.languages.steps import SCRIPT_FILE, StepPlan, step_program
from sandboxes.reuse.determinism import is_deterministic, looks_deterministic
from sandboxes.reuse.runner import ReusingRunner

LIMITS = Limits(wall_seconds=20.0)
PLAIN = Program("def add(a, b):\n    return a + b", "assert add(2, 3) == 5", LIMITS)
WRONG = Program("def add(a, b):\n    return a * b", PLAIN.tests, LIMITS)
# Each of its runs may pass or fail at random.
RANDOM = Program("import random\nx = random.random()", "print(x)", LIMITS)

DETERMINISTIC = [
    "",
    "import math, collections.abc, numpy as np\nfrom typing import *\nprint(np.array([1]).sum())",
    "def f(x):\n    '''import random; import time'''\n    return x  # id(x), time.time()",
    "import sys\nsys.setrecursionlimit(5000)\nfor line in sys.stdin:\n    print(line)",
    "def open a door",
    "x = 'unfinished",
    "a\0b",
    "class A:\n    def now_or_never(self):\n        return self.time",
]
OTHERS = [
    "import random",
    "from random import choice",
    "def f():\n    import time\n    return time",
    "import os.path",
    "import datetime",
    "import threading",
    "import asyncio",
    "import multiprocessing.pool",
    "import uuid, secrets",
    "from . import x",
    "import unknown_package",
    "__import__('random')",
    "import importlib",
    "exec('import random')",
    "eval(input())",
    "print(id(3))",
    "print(hash('x'))",
    "print(object.__repr__(3))",
    "print(open('/dev/urandom', 'rb').read(1))",
    "import numpy\nnumpy.random.rand()",
    "import numpy as np\nnp.empty(3)",
    "import sys\nsys.modules['random']",
    "from sys import modules",
    "import statistics\nstatistics.random.random()",
    "().__class__.__base__.__subclasses__()",
    "globals()['x']",
    "import collections\ncollections._sys._getframe()",
    "\uff52\uff41\uff4e\uff44\uff4f\uff4d.random()",
    "x = " + "-" * 100_000 + "1",
    "x = 1\n" * 100_000,
]


@pytest.mark.parametrize("source", DETERMINISTIC, ids=ascii)
def test_looks_deterministic(source):
    """A program without a clock, randomness and the like looks deterministic. Invalid Python fails each time."""
    assert looks_deterministic(source)


@pytest.mark.parametrize("source", OTHERS, ids=lambda source: ascii(source)[:50])
def test_looks_otherwise(source):
    """A program that imports or names a varying source, or can't be examined, does not look deterministic."""
    assert not looks_deterministic(source)


def test_tests_decide_too():
    """Nondeterministic tests make the program nondeterministic. The tests as the user gave them decide."""
    assert is_deterministic(PLAIN)
    assert not is_deterministic(Program("x = 1", "import random", LIMITS))
    assert is_deterministic(Program("x = 1", "import time; check()", LIMITS, reference="assert x"))
    assert not is_deterministic(Program("x = 1", "", LIMITS, reference="import random"))


def test_scripts():
    """The source decides for a script that is run on inputs."""
    plan = StepPlan((), ())
    assert is_deterministic(step_program({SCRIPT_FILE: "print(input())"}, plan, LIMITS))
    assert not is_deterministic(step_program({SCRIPT_FILE: "import random"}, plan, LIMITS))


def test_other_languages():
    """A program in another language never counts as deterministic."""
    assert not is_deterministic(build_program("bash", "f() { :; }", "f", LIMITS))


def test_run_once(share):
    """Identical programs are run once, wherever they stand, and all get the verdict."""
    verdicts, ran = share([PLAIN, WRONG, PLAIN, PLAIN, WRONG])
    assert ran == [PLAIN, WRONG]
    assert [verdict.passed for verdict in verdicts] == [True, False, True, True, False]
    assert [verdict.duplicate_of for verdict in verdicts] == [None, None, 0, 0, 1]
    assert verdicts[0].wall_seconds == verdicts[2].wall_seconds > 0


def test_what_makes_a_difference(share):
    """Programs with different tests, limits or grading are different."""
    others = [
        Program(PLAIN.candidate, PLAIN.tests + "\n", LIMITS),
        Program(PLAIN.candidate, PLAIN.tests, Limits(wall_seconds=21.0)),
        Program(PLAIN.candidate, PLAIN.tests, LIMITS, "separate"),
    ]
    assert len(share([PLAIN, *others, *others, PLAIN])[1]) == 4


def test_random_programs_run_each(share):
    """Each program that uses randomness is run, and has its own output."""
    verdicts, ran = share([RANDOM] * 3 + [PLAIN] * 2)
    assert ran == [RANDOM] * 3 + [PLAIN]
    assert len({verdict.stdout for verdict in verdicts[:3]}) == 3
    assert [verdict.duplicate_of for verdict in verdicts] == [None, None, None, None, 3]


def test_turned_off(share):
    """dedupe=False runs every program."""
    verdicts, ran = share([PLAIN] * 3, dedupe=False)
    assert ran == [PLAIN] * 3
    assert {verdict.duplicate_of for verdict in verdicts} == {None}


def test_forced(share):
    """dedupe=True runs identical programs once, whatever they do."""
    verdicts, ran = share([RANDOM] * 3, dedupe=True)
    assert ran == [RANDOM]
    assert len({verdict.stdout for verdict in verdicts}) == 1


def test_same_programs_of_another_language(share):
    """Programs of another language that differ in completion tokens run once with dedupe=True, otherwise each."""
    same = [build_program("bash", "add() { echo $(($1 + $2)); }", '[ "$(add 2 3)" = 5 ]', LIMITS) for _ in range(2)]
    assert same[0] != same[1]
    assert len(share(same)[1]) == 2
    verdicts, ran = share(same, dedupe=True)
    assert (len(ran), [verdict.passed for verdict in verdicts]) == (1, [True, True])


@pytest.mark.parametrize(
    ("name", "options", "shared"),
    [
        ("subprocess", {}, True),
        ("restricted", {}, True),
        ("subprocess", {"network": True}, False),
        ("restricted", {"additional_globals": {"now": "time:time"}}, False),
        ("docker", {}, False),
    ],
    ids=str,
)
def test_by_default(name, options, shared):
    """Identical programs are shared by default if each starts in the same state, without network or own code."""

    class Recorder:
        sandbox, ran = open_sandbox(name, **options), []

        def run(self, programs, *others):
            self.ran += programs
            raise InterruptedError

    with pytest.raises(InterruptedError):
        ReusingRunner(Recorder()).run_all([PLAIN, PLAIN], 1)
    assert len(Recorder.ran) == (1 if shared else 2)


def test_each_is_told(share):
    """Each program is reported once, after it was finished for its own index."""
    reported, programs = [], [PLAIN, WRONG, PLAIN]

    def finish(index, verdict):
        return index, verdict.outcome

    results, _ = share(programs, lambda index, result: reported.append((index, result)), finish)
    assert results == [(0, Outcome.PASSED), (1, Outcome.FAILED), (2, Outcome.PASSED)]
    assert sorted(reported) == list(enumerate(results))


def test_no_programs(share):
    """An empty list of programs gives an empty list of verdicts."""
    assert share([]) == ([], [])


def test_results_say_which():
    """The metric's results name the candidate that was run for another one, even of another task."""
    import evaluate

    from support.space_server import ROOT

    metric = evaluate.load(str(ROOT / "code_eval.py"))
    candidates = [["x = 1", "x = 2", "x = 1"], ["x = 2"]]
    pass_at_k, results = metric.compute(predictions=candidates, references=["assert x == 1"] * 2, k=1, timeout=20.0)
    assert pass_at_k == {"pass@1": pytest.approx(1 / 3)}
    found = [result["duplicate_of"] for task in results.values() for _, result in task]
    assert found == [None, None, [0, 0], [0, 1]]
    assert {result["cached"] for task in results.values() for _, result in task} == {False}
