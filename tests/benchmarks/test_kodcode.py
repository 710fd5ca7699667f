"""KodCode: the tests import the candidate as `solution`, and run apart from it where they allow that."""

import pytest

from code_tasks.benchmarks.kodcode import without_solution_imports
from code_tasks.benchmarks.readers import InputError
from support.judged_records import judged, loaded_records, results_of

pytestmark = pytest.mark.slow

RECORD = {
    "question_id": "Algorithm_1_I",
    "question": "Add and double.",
    "solution": "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return 2 * a\n",
    "test": "from solution import add, double\n\n\ndef test_add():\n    assert add(1, 2) == double(1) + 1\n",
    "test_info": [{"function_name": "add", "parameter_list": "(a, b)"}],
}
WRONG = RECORD["solution"].replace("a + b", "a - b")
TEST = "\n\n\ndef test_add():\n    {}\n"


def with_test(begin, statement):
    """Return the record with other tests."""
    return {**RECORD, "test": begin + TEST.format(statement)}


@pytest.mark.parametrize("grading", ["shared", "auto"])
@pytest.mark.parametrize(
    ("begin", "statement"),
    [
        ("from solution import add, double", "assert add(1, 2) == 3"),
        ("from solution import (\n    add as plus,\n    double,\n)  # names", "assert plus(1, 2) == 3"),
        ("from solution import *", "assert add(1, 2) == 3"),
        ("import solution", "assert solution.add(1, 2) == 3"),
        ("import math, solution as own", "assert own.add(1, 2) == math.floor(3.5)"),
        ("import math; from solution import add; import re", "assert add(1, 2) == math.floor(3.5)"),
        ("", "from solution import add\n    assert add(1, 2) == 3"),
        ("", "assert add(1, 2) == 3"),
    ],
)
def test_imports_of_the_solution(begin, statement, grading):
    """Each form of the import finds the candidate, in both gradings."""
    assert judged("kodcode", with_test(begin, statement), [RECORD["solution"], WRONG], grading=grading) == [True, False]


@pytest.mark.parametrize(
    ("begin", "statement"),
    [
        ("import pytest\nfrom solution import add", "with pytest.raises(TypeError):\n        add(1, 'a')"),
        (
            "import pytest\nfrom solution import add\n\n\n@pytest.fixture\ndef one():\n    return 1",
            "pass\n\n\ndef test_one(one):\n    assert add(one, 2) == 3",
        ),
        (
            "from unittest.mock import patch\nimport solution",
            "with patch('solution.double', lambda a: 7):\n        assert solution.double(1) == 7",
        ),
        ("import solution", "assert hasattr(solution, 'add')"),
    ],
)
def test_tests_that_need_the_interpreter(begin, statement):
    """Tests for pytest, and those that patch the module, are graded "shared" under "auto"."""
    record = with_test(begin, statement)
    right, wrong = results_of("kodcode", record, [RECORD["solution"], "def subtract(a, b):\n    return a - b\n"])
    assert (right.passed, wrong.passed, right.grading) == (True, False, "shared")


def test_a_missing_name():
    """A candidate that lacks an imported name fails, also if no test uses it."""
    assert judged("kodcode", RECORD, [RECORD["solution"].partition("\n\n\n")[0]]) == [False]
    record = with_test("from solution import add, double", "assert add(1, 2) == 3")
    assert judged("kodcode", record, [RECORD["solution"].partition("\n\n\n")[0]]) == [False]


def test_a_candidate_that_brings_tests():
    """Tests of the candidate's own do not take the place of the record's."""
    forged = WRONG + "\n\ndef test_add():\n    pass\n\n\n__test__ = False\n"
    assert judged("kodcode", RECORD, [forged], grading="auto") == [False]
    assert judged("kodcode", RECORD, [forged], grading="shared") == [False]


def test_a_generator_of_a_library_under_the_name_of_a_test():
    """Some versions of pytest ignore a library's generator, and others refuse its file. Here it is no test."""
    begin = "import pytest\nfrom heapq import merge as test_merge\nfrom solution import add"
    record = with_test(begin, "assert add(1, 2) == len(list(test_merge([1], [2]))) + 1")
    assert judged("kodcode", record, [RECORD["solution"], WRONG]) == [True, False]


@pytest.mark.parametrize(
    "test",
    [
        "def test_own():\n    yield add(1, 2) == 3",
        "from heapq import merge as test_own\n\n\ndef test_own():\n    yield add(1, 2) == 3",
        "from solution import generate as test_own",
    ],
)
def test_a_generator_of_the_tests_is_never_ignored(test):
    """A test that would not run does not let a candidate pass, also if the candidate made it a generator."""
    record = {
        **RECORD,
        "test": f"import pytest\nfrom solution import add\n{test}{TEST.format('assert add(1, 2) == 3')}",
    }
    solution = RECORD["solution"] + "\n\ndef generate():\n    yield 1\n"
    assert judged("kodcode", record, [solution]) == [False]


def test_numbers_of_lines():
    """An import over several lines leaves all other lines where they were."""
    text = without_solution_imports("from solution import (\n    add,\n    double,\n)\nx = 1\n")
    assert text == "add; double\n\n\n\nx = 1\n"
    assert without_solution_imports("from __future__ import annotations\nimport solution\nsolution\n").startswith(
        "from __future__ import annotations\nimport sys; sys.modules"
    )


def test_fields():
    """The set for fine-tuning has its tests in `test_code`; pytest may take 30 seconds."""
    record = {name: value for name, value in RECORD.items() if name != "test"} | {"test_code": RECORD["test"]}
    [problem] = loaded_records("kodcode", record).problems.values()
    assert (problem.entry_point, problem.limits["wall_seconds"], problem.modules) == ("add", 30.0, ())


def test_tests_that_are_no_python():
    """Tests that don't parse are an error with their place."""
    with pytest.raises(InputError, match=":1: 'test' is not Python"):
        loaded_records("kodcode", {**RECORD, "test": "def"})
