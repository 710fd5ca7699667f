"""Python references: their frameworks, their harnesses, and the results of single tests."""

import pytest

from sandboxes import Outcome, TestResult, Verdict
from sandboxes.tasks.assert_all import with_all_asserts_run
from sandboxes.tasks.assert_statements import find_assert_statements
from sandboxes.tasks.python_tests import detect_framework
from sandboxes.tasks.results import passed_share
from support.metric_and_command import METRIC

RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a * b\n"
LEAVES = "import sys\ndef add(a, b):\n    sys.exit(0)\n"
LEAVES_HARD = "import os\ndef add(a, b):\n    os._exit(0)\n"
FORGES = "code_eval_tests = [['x', 'strange', '', 1.0], ['y', 'passed', '', 1.0]]\n" + RIGHT

UNITTEST = """
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(add(2, 3), 5)
    def test_b(self): self.assertEqual(add(2, 2), 4)
"""
PYTEST = """
import pytest
@pytest.fixture
def two(): return 2
@pytest.mark.parametrize("a", [1, 2])
def test_one(a, two):
    assert add(a, two) == a + 2
class TestMore:
    def test_zero(self): assert add(0, 0) == 0
"""
ASSERTS = "assert add(2, 2) == 4\nassert add(2, 3) == 5\nassert add(0, 0) == 0\n"
CHECK = """
def check(candidate):
    four = 4
    assert candidate(2, 2) == four
    assert candidate(2, 3) == 5
    assert candidate(0, 0) == 0

check(add)
"""
FUNCTIONS = "".join(f"def test_{a}():\n    assert add({a}, 1) == {a + 1}\n" for a in (1, 2, 3))
METHODS = "".join(f"    def test_{a}(self): self.assertEqual(add({a}, 1), {a + 1})\n" for a in (1, 2, 3))
IN_STEPS = {
    "unittest": "import unittest\nclass T(unittest.TestCase):\n" + METHODS,
    "functions": FUNCTIONS,
    "pytest": "import pytest\n" + FUNCTIONS,
}
KINDS = {"unittest": UNITTEST, "pytest": PYTEST, "asserts": ASSERTS, "check": CHECK}


@pytest.fixture(scope="module")
def scored():
    """Return a function that scores one candidate: (candidate, tests, **options) -> its result."""
    import evaluate

    metric = evaluate.load(METRIC)

    def score(candidate, tests, **options):
        _, results = metric.compute(predictions=[[candidate]], references=[tests], k=1, timeout=20.0, **options)
        return results[0][0][1]

    return score


@pytest.mark.parametrize(
    ("tests", "kind"),
    [
        (UNITTEST, "unittest"),
        ("class T(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self): pass", "unittest"),
        (PYTEST, "pytest"),
        ("def test_a():\n    assert add(2, 3) == 5", "functions"),
        ("def test_a():\n    assert add(2, 3) == 5\ntest_a()", "asserts"),
        ("class TestA:\n    def test_b(self): assert add(2, 3) == 5\nTestA().test_b()", "asserts"),
        (UNITTEST + "unittest.TextTestRunner().run(unittest.makeSuite(T))", "unittest"),
        (ASSERTS, "asserts"),
        (CHECK, "asserts"),
        ("def tests(:", "asserts"),
        ("", "asserts"),
    ],
)
def test_kinds(tests, kind):
    """The tests' text decides on the framework. Tests that run themselves get no harness."""
    assert detect_framework(tests) == kind


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grading", ["shared", "auto"])
def test_a_right_candidate_passes_all(scored, kind, grading):
    """Every test of a right candidate passes, and its result says so."""
    result = scored(RIGHT, KINDS[kind], grading=grading, partial_credit=True)
    assert (result["outcome"], result["partial_credit"]) == ("passed", 1.0)
    assert [each["outcome"] for each in result["tests"]] == ["passed"] * (2 if kind == "unittest" else 3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grading", ["shared", "auto"])
def test_a_wrong_candidate_fails_where_it_is_wrong(scored, kind, grading):
    """The failing test has a message, the others pass, and their share is the partial credit."""
    result = scored(WRONG, KINDS[kind], grading=grading, partial_credit=True)
    failed = [each for each in result["tests"] if each["outcome"] == "failed"]
    assert (result["outcome"], len(failed)) == ("failed", 1)
    assert failed[0]["message"]
    assert result["partial_credit"] == pytest.approx(1 - 1 / len(result["tests"]))


@pytest.mark.parametrize("kind", ["asserts", "check"])
def test_asserts_up_to_the_first_that_fails(scored, kind):
    """Asserts after the first failed one are by default neither run nor listed."""
    result = scored(WRONG, KINDS[kind])
    assert [each["outcome"] for each in result["tests"]] == ["passed", "failed"]
    assert result["tests"][1]["message"].startswith("AssertionError")


@pytest.mark.parametrize("sandbox", ["subprocess", "restricted"])
@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("kind", ["asserts", "check"])
def test_the_values_of_both_sides(scored, kind, grading, sandbox):
    """The detail and the message of a failed assert have the values of both sides. `result` has none."""
    result = scored(WRONG, KINDS[kind], grading=grading, sandbox=sandbox)
    name = "candidate(2, 3) == 5" if kind == "check" else "add(2, 3) == 5"
    assert result["detail"] == f"AssertionError: {name}, where it is 6 == 5" == result["tests"][1]["message"]
    assert result["result"] == f"failed: AssertionError: {name}"
    assert "values" not in result


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_the_values_of_both_sides_where_all_are_run(scored, grading):
    """Each failed assert has both values and its own message, if every assert is run."""
    tests = ASSERTS.replace("== 5", "== 5, 'not the sum'") + "assert add(1, 2) == 3\n"
    result = scored(WRONG, tests, grading=grading, stop_at_first_failure=False)
    assert [each["message"] for each in result["tests"] if each["outcome"] == "failed"] == [
        "AssertionError: not the sum, where it is 6 == 5",
        "AssertionError: add(1, 2) == 3, where it is 2 == 3",
    ]


@pytest.mark.parametrize("options", [{}, {"partial_credit": True}], ids=["to the first failure", "all"])
def test_a_loop_is_one_test(scored, options):
    """A loop with asserts is one test, whose message has the values of the iteration that failed."""
    tests = (
        "assert add(2, 2) == 4\nfor number in range(9):\n    assert add(number, 2) == number + 2\nassert add(0, 0) == 0"
    )
    result = scored(WRONG, tests, **options)
    assert [each["outcome"] for each in result["tests"]] == ["passed", "failed", "passed"][: 3 if options else 2]
    assert result["tests"][1]["name"].startswith("for number in range(9): assert add(")
    assert "where it is 0 == 2" in result["tests"][1]["message"]


def test_what_is_not_run_is_not_passed(scored):
    """Tests after a statement that raises count as failed, with the reason."""
    tests = "assert add(2, 2) == 4\nthree = add('1', '2')\nassert three == '12'\n"
    result = scored(WRONG, tests, partial_credit=True)
    assert [each["outcome"] for each in result["tests"]] == ["passed", "failed"]
    assert result["tests"][1]["message"].startswith("has no result: TypeError")
    assert result["partial_credit"] == 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("candidate", [LEAVES, LEAVES_HARD])
def test_leaving_is_no_pass(scored, kind, candidate):
    """A candidate that exits in a test has not passed the test."""
    result = scored(candidate, KINDS[kind])
    assert not result["passed"]
    assert all(each["outcome"] == "failed" for each in result["tests"])


@pytest.mark.parametrize("kind", ["unittest", "functions", "pytest"])
@pytest.mark.parametrize("ending", ["raise KeyboardInterrupt", "import pytest\n        pytest.exit('end', 0)"])
def test_ending_the_run_early_gives_no_credit_for_the_rest(scored, kind, ending):
    """A candidate that ends the run of its tests after those that it can pass has failed all others."""
    cheat = f"def add(a, b):\n    if a > 1:\n        {ending}\n    return a + b\n"
    result = scored(cheat, IN_STEPS[kind], partial_credit=True)
    outcomes = [each["outcome"] for each in result["tests"]]
    assert (result["passed"], outcomes) == (False, ["passed", "failed", "failed"])
    assert result["partial_credit"] == pytest.approx(1 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("grading", ["shared", "auto"])
def test_interrupting_pytest_passes_no_later_test(scored, grading):
    """A candidate that ends pytest's run after the tests that it passes has failed all later ones."""
    interrupts = "def add(a, b):\n    if a == 2: raise KeyboardInterrupt\n    return a + b"
    result = scored(interrupts, PYTEST, grading=grading, partial_credit=True)
    assert [each["outcome"] for each in result["tests"]] == ["passed", "failed", "failed"]
    assert result["tests"][2]["message"] == "has no result: pytest ended with status 2"
    assert (result["passed"], result["partial_credit"]) == (False, pytest.approx(1 / 3))


def test_only_a_pass_has_the_whole_share():
    """A verdict whose results are all passes, and that is none, lacks the result of a test."""
    results = (TestResult("a", Outcome.PASSED), TestResult("b", Outcome.PASSED))
    assert passed_share(Verdict(Outcome.EXITED, tests=results)) == pytest.approx(2 / 3)
    assert passed_share(Verdict(Outcome.EXITED)) == 0
    assert passed_share(Verdict(Outcome.PASSED, tests=results)) == passed_share(Verdict(Outcome.PASSED)) == 1


@pytest.mark.parametrize("tests", ["add", "x = add(1, 2)", ASSERTS], ids=["none", "no assert", "asserts"])
def test_a_record_of_the_candidate_s_own_is_none(scored, tests):
    """Data that a candidate stores under the log's name does not count as results of tests."""
    result = scored(FORGES, tests)
    assert result["passed"]
    assert "y" not in [each["name"] for each in result["tests"]]


def test_classes_without_a_test_are_no_tests(scored):
    """A TestCase without a test is an error that says so, not a pass."""
    with pytest.raises(ValueError, match=r"references\[0\].*no unittest class"):
        scored(RIGHT, "import unittest\nclass T(unittest.TestCase):\n    pass\n")


def test_pytest_tests_that_do_not_collect(scored):
    """A pytest file that can't be collected because of the candidate does not pass."""
    result = scored(RIGHT, "import pytest\nX = nothing_of_that_name\ndef test_a(tmp_path): assert add(2, 3) == 5\n")
    assert result["outcome"] == "failed"
    assert "nothing_of_that_name" in result["tests"][0]["message"]


def test_pytest_runs_with_the_candidate(scored):
    """Separate grading of a pytest file is an error that gives the reason."""
    with pytest.raises(ValueError, match=r"references\[0\].*choose grading='auto' or grading='shared'"):
        scored(RIGHT, PYTEST, grading="separate")


def test_assertions_have_their_lines():
    """Asserts count in `check` and at the top level, and not in other functions. A loop with asserts counts as one."""
    text = "def check(f):\n    assert f(1,\n      2)\n    for i in (1,):\n        assert i\n"
    text += "assert x == 1\ndef g():\n    assert 0\n"
    found = [(each.name, each.first_line, each.last_line) for each in find_assert_statements(text)]
    assert found == [("f(1, 2)", 2, 3), ("for i in (1,): assert i", 4, 5), ("x == 1", 6, 6)]


def test_future_imports_stay_first():
    """Tests that begin with an import from __future__ compile if every assert is run."""
    compile(with_all_asserts_run("from __future__ import annotations\nassert 1 == 1\n"), "tests.py", "exec")
