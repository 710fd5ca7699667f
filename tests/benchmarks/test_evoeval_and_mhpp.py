"""EvoEval in HumanEval's shape, MHPP with tests, and one error for files that have no tests."""

import pytest

from code_tasks.benchmarks.readers import InputError
from support.judged_records import judged, loaded_records, solutions_of

EVOEVAL = {
    "task_id": "EvoEval/0",
    "prompt": "def add(a, b):\n",
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
}
MHPP = {
    "id": 7,
    "question": "Add two numbers.",
    "prompt": "Write a Python function: def add(a, b)",
    "function_name": "add",
    "parameters": "(a, b)",
    "difficulty_types": "Codesense",
}
ADD = "def add(a, b):\n    return a + b\n"


def test_evoeval():
    """A completion follows its prompt, and `check` is called with the entry point."""
    assert solutions_of("evoeval", EVOEVAL) == {"EvoEval/0": "    return a + b\n"}
    assert judged("evoeval", EVOEVAL, ["    return a + b\n", "    return a - b\n"]) == [True, False]


EVOEVAL_TEST = """
import sys
import numpy as np

sys.set_int_max_str_digits(0)

def is_equal(x, y):
    return type(x) == type(y) and bool(np.allclose(x, y, atol=1e-6)), ""

def check(candidate):
    inputs = [eval(f"[{i}]") for i in ['1, 2', '0.5, 0.25']]
    outputs = [3, 0.75]
    for i, (inp, exp) in enumerate(zip(inputs, outputs)):
        exact_match, _ = is_equal(candidate(*inp), exp)
        assert exact_match
"""
"""Tests in the form of EvoEval's datasets: with a comparison of their own, which tells types apart."""


def test_tests_of_evoeval_bring_their_comparison():
    """A float is no int, as in EvoEval's grader, and floats may differ by 1e-6."""
    answers = ["    return a + b\n", "    return float(a + b)\n", "    return a + b if a >= 1 else a + b + 1e-7\n"]
    assert judged("evoeval", {**EVOEVAL, "test": EVOEVAL_TEST}, answers) == [True, False, True]


def test_tests_that_import_a_package_need_it():
    """A sandbox without numpy is no candidate's failure: the problem names what its tests import."""
    [problem] = loaded_records("evoeval", {**EVOEVAL, "test": EVOEVAL_TEST}).problems.values()
    assert problem.modules == ("numpy",)


@pytest.mark.parametrize("test", ["assert add(1, 2) == 3", "def check(candidate):\n    assert candidate(1, 2) == 3\n"])
def test_mhpp(test):
    """Records with tests are judged, and completions are whole programs."""
    assert judged("mhpp", {**MHPP, "test": test}, [ADD, ADD.replace("+", "-")]) == [True, False]


@pytest.mark.parametrize(
    ("name", "record", "message"),
    [
        ("mhpp", MHPP, "MHPP's published records have no tests"),
        ("evoeval", {**EVOEVAL, "inputs": ["1, 2"]}, "EvoEval's own file has 'inputs' and no 'test'"),
    ],
)
def test_files_without_tests(name, record, message):
    """Files whose records all lack tests are one error, with what to do, and not one for each record."""
    record = {key: value for key, value in record.items() if key != "test"}
    with pytest.raises(InputError) as raised:
        loaded_records(name, record, record, record)
    assert message in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
