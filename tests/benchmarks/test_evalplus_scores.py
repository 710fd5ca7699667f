"""EvalPlus's base and plus inputs are two single tests, from which its two scores are counted."""

import json

import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.scoring.summary import Tally, as_text
from sandboxes import EvalConfig, Evaluator, Outcome, Verdict, result_dict

ONE = {
    "task_id": "HumanEval/1001",
    "prompt": "def one(a):\n",
    "entry_point": "one",
    "canonical_solution": "    return a + 1\n",
    "base_input": [[1], [2]],
    "plus_input": [[-5], [0]],
    "atol": 0,
}
pytestmark = pytest.mark.usefixtures("own_cache")
CONDITIONS = {"True": (1, 1), "a > 0": (1, 0), "a <= 0": (0, 1), "a is None": (0, 0), "a != 0": (1, 0)}


@pytest.fixture
def loaded(tmp_path):
    """Load the benchmark with one problem."""
    (tmp_path / "records.jsonl").write_text(json.dumps(ONE))
    return load_benchmark("humanevalplus", tmp_path / "records.jsonl")


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_single_tests(loaded, grading):
    """The plus inputs are tried also if a base input failed, and a message names the input."""
    config = EvalConfig.from_options({"grading": grading})
    completions = [f"    return a + 1 if {condition} else None\n" for condition in CONDITIONS]
    with Evaluator(config) as evaluator:
        results = evaluator.run(loaded.tasks({"HumanEval/1001": completions}, config))
    found = [{test.name: int(test.outcome is Outcome.PASSED) for test in result.tests} for result in results]
    assert found == [{"test_base": base, "test_plus": plus} for base, plus in CONDITIONS.values()]
    assert [result.passed for result in results] == [all(each.values()) for each in found]
    assert "plus input 2: it should be 1, but is None" in results[-1].tests[1].message


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_an_endless_plus_input(loaded, grading):
    """A sample whose plus input never ends has passed the base inputs."""
    config = EvalConfig.from_options({"grading": grading})
    with Evaluator(config) as evaluator:
        endless = "    while a < 0:\n        pass\n    return a + 1\n"
        [result] = evaluator.run(loaded.tasks({"HumanEval/1001": [endless]}, config))
    assert [test.outcome for test in result.tests] == [Outcome.PASSED, Outcome.FAILED]


def test_scores(loaded):
    """A sample counts for "plus" if it passes both. One without results of its tests passed neither, or both."""
    problem = loaded.problems["HumanEval/1001"]
    tests = [{"name": "test_base", "outcome": "passed"}, {"name": "test_plus", "outcome": "failed"}]
    verdicts = [Verdict(Outcome.PASSED), Verdict(Outcome.TIMED_OUT, "slow"), Verdict(Outcome.FAILED, "no")]
    tally = Tally()
    for number, verdict in enumerate(verdicts):
        result = result_dict("x", number, verdict)
        tally.add("x", {**result, "tests": tests} if verdict.outcome is Outcome.FAILED else result, problem.scores)
    lines = [line.split() for line in as_text(tally, None, 1.0).splitlines() if "pass@1" in line]
    assert lines == [["pass@1", "33.3", "%"], ["base", "pass@1", "66.7", "%"], ["plus", "pass@1", "33.3", "%"]]
