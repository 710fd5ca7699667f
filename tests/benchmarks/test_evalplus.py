"""EvalPlus's files: inputs, an oracle, tolerances, and the rules of problems for which equality is wrong."""

import json

import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.evalplus_inputs import restored_inputs
from code_tasks.benchmarks.readers import InputError
from sandboxes import EvalConfig, Evaluator

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_cache")]

HALF = {
    "task_id": "HumanEval/1000",
    "prompt": 'def half(a):\n    """Return the half of each number. RULE NAME INPUTS."""\n',
    "contract": "",
    "entry_point": "half",
    "canonical_solution": "    return [x / 2 for x in a]\n",
    "base_input": [[[1, 2]]],
    "plus_input": [[[]], [[10, 20, 30]]],
    "atol": 0,
}
COMMON = {
    **HALF,
    "task_id": "Mbpp/2",
    "prompt": '"""\nFind the shared items of two tuples.\n"""\n',
    "entry_point": "similar_elements",
    "canonical_solution": "def similar_elements(a, b):\n    return tuple(set(a) & set(b))\n",
    "base_input": [[[3, 4], [4, 3]]],
    "plus_input": [],
}
FIND_ZERO = {
    **HALF,
    "task_id": "HumanEval/32",
    "entry_point": "find_zero",
    "prompt": "def find_zero(xs):\n",
    "canonical_solution": "    return 1.0\n",
    "base_input": [[[-1, 0, 1]]],
    "plus_input": [],
    "atol": 1e-4,
}


@pytest.fixture
def passed(tmp_path):
    """Return a function that runs completions of a record, and returns whether each passed."""

    def run(name, record, completions, **options):
        path = tmp_path / "records.jsonl"
        path.write_text(json.dumps(record))
        config = EvalConfig.from_options(options)
        tasks = load_benchmark(name, path).tasks({record["task_id"]: completions}, config)
        with Evaluator(config) as evaluator:
            return [result.passed for result in evaluator.run(tasks)]

    return run


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_changed_arguments(passed, grading):
    """A candidate that changes its arguments does not change the problem that its result is judged by."""
    candidates = ["    return -1.0\n", "    xs[:] = [0]\n    return 5.0\n", "    xs.clear()\n    return 5.0\n"]
    assert passed("humanevalplus", FIND_ZERO, candidates, grading=grading) == [True, False, False]


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_floats(passed, grading):
    """A result has the type of the canonical solution's, and floats may differ a little where `atol` is 0."""
    right = ["    return [x / 2 for x in a]", "    return [x * 0.5 + 1e-8 for x in a]"]
    wrong = [
        "    return [x / 2 + 1e-5 for x in a]",
        "    return tuple(x / 2 for x in a)",
        "    return [x / 2 for x in a][:2]",
        "    return [0.5, 1.0]",
        "    return None",
    ]
    assert passed("humanevalplus", HALF, right + wrong, grading=grading) == [True] * 2 + [False] * 5


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_sets(passed, grading):
    """Inputs of MBPP+ are tuples again, and a problem whose results have no order compares sets."""
    head = "def similar_elements(a, b):\n    assert type(a) is tuple\n    "
    completions = [f"{head}return [4, 3, 3]", f"{head}return (3,)", "def similar_elements(a, b):\n    return list(a)"]
    assert passed("mbppplus", COMMON, completions, grading=grading) == [True, False, True]


def test_roots(passed):
    """Any root of a polynomial is right, within `atol`."""
    assert passed("humanevalplus", FIND_ZERO, ["    return -1", "    return 1.00001", "    return 2"]) == [
        True,
        True,
        False,
    ]


def test_a_candidate_does_not_change_the_expected_result(passed):
    """The canonical solution gets arguments of its own."""
    assert passed("humanevalplus", HALF, ["    a.clear()\n    return []"]) == [False]


BURN = """    from time import process_time
    end = process_time() + {}
    while process_time() < end:
        pass
    return [x / 2 for x in a]
"""


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_each_input_has_a_limit(passed, grading):
    """An input may take a second of CPU time. An endless loop ends there, and not after the limit of all inputs."""
    endless = "    while True:\n        pass\n"
    assert passed("humanevalplus", HALF, [BURN.format(0.3), BURN.format(1.2), endless], grading=grading) == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_a_slow_canonical_solution(passed, grading):
    """An input may take 4 times as long as the canonical solution takes on it."""
    record = {**HALF, "canonical_solution": BURN.format(0.4), "plus_input": []}
    assert passed("humanevalplus", record, [BURN.format(1.2), BURN.format(2)], grading=grading) == [True, False]


def test_complex_and_nested_inputs():
    """Texts become complex numbers, and lists tuples and sets, where the problem is about these."""
    assert restored_inputs("Mbpp/252", [["(1+2j)"]]) == [[1 + 2j]]
    assert restored_inputs("Mbpp/115", [[[[1], []]]]) == [[[{1}, {}]]]
    assert restored_inputs("Mbpp/580", [[[1, [2]]]]) == [[(1, (2,))]]
    assert restored_inputs("Mbpp/722", [[{"a": [1, 2]}, 3]]) == [[{"a": (1, 2)}, 3]]
    assert restored_inputs("Mbpp/3", [[[1]]]) == [[[1]]]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({**HALF, "base_input": [], "plus_input": []}, "every sample would pass"),
        ({**HALF, "base_input": [1]}, "'base_input' is not a list of lists of arguments, but"),
        ({**HALF, "atol": "0"}, "'atol' is not a number, but '0'"),
        ({**COMMON, "base_input": [[3, 4]]}, "an input of Mbpp/722 has another form"),
    ],
)
def test_invalid_records(passed, record, message):
    """A record that can't be right is an error."""
    record = {**record, "task_id": "Mbpp/722"} if record["task_id"] == "Mbpp/2" else record
    with pytest.raises(InputError, match=message):
        passed("mbppplus", record, [""])
