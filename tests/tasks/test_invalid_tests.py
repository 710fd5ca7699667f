"""Tests that can judge no candidate are never a wrong answer, and no candidate can blame its tests."""

import pytest

from sandboxes import EvalConfig, Evaluator, Outcome, Task, result_dict
from sandboxes.errors import InvalidTests
from sandboxes.tasks.broken_tests import modules_of_tests

RIGHT, WRONG = "def f(x): return x", "def f(x): return None"

UNREADABLE = {
    "asserts": "assert f(1)===1",
    "for pytest": "import pytest\ndef test_f(tmp_path)\n    assert f(1) == 1",
    "for unittest": "import unittest\nclass T(unittest.TestCase):\n    def test_f(self: self.assertEqual(f(1), 1)",
}
LACKING = {
    "asserts": "import no_such_module\nassert f(1) == 1",
    "a part of a package": "from no_such_module.part import name\nassert f(1) == 1",
    "behind other imports": '"""Tests."""\nimport os, no_such_module as alias\nX = 1\nassert f(1) == 1',
    "functions": "import no_such_module\ndef test_f():\n    assert f(1) == 1",
    "for pytest": "import pytest, no_such_module\ndef test_f(tmp_path):\n    assert f(1) == 1",
    "for unittest": "import unittest, no_such_module\nclass T(unittest.TestCase):\n def test_f(self): assert f(1) == 1",
}
EMPTY = {"a comment": "# to be written", "nothing": "", "data": "CASES = [1, 2]"}
FAILING = {
    "an import of a missing name": "from math import no_such_name\nassert f(1) == 1",
    "a fixture of a plugin": "def test_f(no_such_fixture):\n    assert f(1) == 1\ndef test_g():\n    assert f(2) == 2",
    "a mark of a plugin": "import pytest\n\n@pytest.mark.asyncio\nasync def test_f():\n    assert f(1) == 1",
    "an assert that is wrong by itself": "assert 1 == 2\nassert f(1) == 1",
    "a function of the tests": "def two(x):\n    return x + 2\n\nassert two(1) == 4\nassert f(1) == 1",
}
VALID = {
    "a name that the candidate lacks": "assert g(1) == 1",
    "an import from the candidate": "from candidate import g\nassert g(1) == 1",
    "a function with a builtin's name": "assert sum(1, 2) == 3",
    "a file that the candidate should write": "assert open('made.txt').read() == 'made'",
    "an import that may fail": "try:\n    import no_such_module\nexcept ImportError:\n    pass\nassert f(1) == 2",
    "a module that tests make": "import sys\nsys.modules['made'] = sys\nimport made\nassert f(1) == 2",
    "a test of the candidate's failure": "try: found = f(1)\nexcept NameError: found = None\nassert found == 2",
    "a fixture of the tests": "import pytest\n@pytest.fixture\ndef one(): return 1\ndef test_f(one): assert f(one) > 1",
    "a name for a mark": "import pytest\n@pytest.mark.parametrize('x', [g(1)])\ndef test_f(x): assert x",
}
LIES = {
    "raises what a missing module raises": "raise ModuleNotFoundError(\"No module named 'no_such_module'\")",
    "raises it when it is called": "def f(x): raise ModuleNotFoundError(\"No module named 'no_such_module'\")",
    "raises a syntax error of the tests": "def f(x): raise SyntaxError('invalid syntax (tests.py, line 1)')",
    "prints what pytest prints": "def f(x): raise LookupError(\"fixture 'mocker' not found\")",
}


@pytest.fixture(scope="module")
def evaluator():
    """Return an evaluator that skips invalid tests."""
    return Evaluator(EvalConfig.from_options({"on_invalid_tests": "skip", "num_workers": 1}))


def run(evaluator, tests, *candidates):
    """Return the results of candidates."""
    return evaluator.run([Task(tests, candidates)])


GROUPS = {"can't be parsed": UNREADABLE, "import": LACKING, "no test": EMPTY, "without a candidate": FAILING}
INVALID = {f"{reason}: {name}": tests for reason, group in GROUPS.items() for name, tests in group.items()}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_tests_judge_nobody(evaluator, name):
    """A right candidate, a wrong one and none at all have the same result, which says what is wrong with the tests."""
    results = run(evaluator, INVALID[name], RIGHT, WRONG, "", "import os; os._exit(0)")
    # A candidate that leaves before its tests is judged by that alone.
    assert all(isinstance(result, InvalidTests) for result in results[:3]), results
    assert name.partition(":")[0] in str(results[0])


@pytest.mark.parametrize("name", VALID)
def test_valid_tests_judge_wrong_candidates(evaluator, name):
    """Tests that need something of the candidate, or that look broken, still fail a wrong one."""
    [result] = run(evaluator, VALID[name], WRONG)
    assert result.outcome is Outcome.FAILED


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("tests", ["assert f(1) == 1", "def test_f(tmp_path):\n    assert f(1) == 1"])
def test_no_candidate_can_blame_its_tests(evaluator, tests, lie):
    """A candidate that fails as invalid tests do has failed."""
    right, liar = run(evaluator, tests, RIGHT, LIES[lie])
    assert right.passed
    assert liar.outcome is Outcome.FAILED


def test_all_invalid_tests_are_named_before_anything_runs():
    """One error lists the tasks by the reasons."""
    evaluator = Evaluator(EvalConfig.from_options({"num_workers": 1}))
    tasks = [Task(tests, [RIGHT]) for tests in ("assert f(1) == 1", "", "assert f(1)===1", "# later")]
    with pytest.raises(ValueError) as caught:
        evaluator.run(tasks)
    assert str(caught.value) == (
        "references[1], references[3]: there is no test in them: every candidate would pass; if candidates hold their "
        'own tests, say so with "assert True"; references[2]: the tests can\'t be parsed: line 1: invalid syntax; '
        'on_invalid_tests="skip" leaves such tasks out of the score'
    )


def test_missing_modules_are_named_before_anything_runs():
    """The error names the task and the module."""
    evaluator = Evaluator(EvalConfig.from_options({"num_workers": 1}))
    with pytest.raises(ValueError, match=r"references\[1\]: the tests import no_such_module, which programs can't"):
        evaluator.run([Task("assert f(1) == 1", [RIGHT]), Task(LACKING["asserts"], [RIGHT])])


def test_results_have_a_state_of_their_own(evaluator):
    """A result says that the tests are invalid, and is neither right nor wrong."""
    [result] = run(evaluator, "", RIGHT)
    assert result_dict(0, 0, result) == {
        "task_id": 0,
        "passed": None,
        "completion_id": 0,
        "result": f"invalid tests: {result}",
        "outcome": "invalid_tests",
        "detail": str(result),
    }


def test_streams_skip_invalid_tests_too(evaluator):
    """Invalid tests are found in a stream as in a run."""
    tasks = [Task(FAILING["a fixture of a plugin"], [RIGHT]), Task("", [RIGHT]), Task("assert f(1) == 1", [RIGHT])]
    first, second, third = evaluator.stream(tasks)
    assert isinstance(first, InvalidTests)
    assert isinstance(second, InvalidTests)
    assert third.passed


def test_other_tests_are_no_duplicates(evaluator):
    """The same candidate has another reason with other invalid tests."""
    results = evaluator.run([Task("", [RIGHT]), Task("assert f(1)===1", [RIGHT])])
    assert len({str(result) for result in results}) == 2


def test_a_policy_may_refuse_what_tests_do():
    """Under a policy, tests that the policy refuses fail as before."""
    evaluator = Evaluator(EvalConfig.from_options({"sandbox": "restricted", "num_workers": 1}))
    [result] = run(evaluator, "import os\nassert f(1) == 1", RIGHT)
    assert not isinstance(result, InvalidTests)


def test_modules_that_are_imported_later_may_be_made_by_the_candidate():
    """Only the imports at the beginning are asked for."""
    assert modules_of_tests("import numpy\nmake_module()\nimport made") == ("numpy",)
