"""Inputs and outputs in the shapes that data sets have, and what the metric says of candidates on them."""

import json

import pytest
from scoring import load_metric

from sandboxes import Outcome, TestResult, Verdict
from sandboxes import cases as cases_module
from sandboxes.cases import Case, Cases, cases_of, checked_by

DOUBLE = "print(2 * int(input()))"
SHAPES = {
    "a list of dicts": [{"input": "1\n", "output": "2"}],
    "APPS and TACO": {"inputs": ["1\n"], "outputs": ["2"]},
    "CodeContests": {"input": ["1\n"], "output": ["2"]},
    "LiveCodeBench": [{"input": "1\n", "output": "2", "testtype": "stdin"}],
    "lines": {"inputs": [["1"]], "outputs": ["2"]},
    "no function": {"inputs": ["1\n"], "outputs": ["2"], "fn_name": None},
}
CALLS = {
    "APPS": {"inputs": [[1, 2]], "outputs": [3], "fn_name": "add"},
    "a list of one": {"inputs": [[1, 2]], "outputs": [[3]], "fn_name": "add"},
    "LiveCodeBench": [{"input": "1\n2", "output": "3", "testtype": "functional", "fn_name": "add"}],
}
FAULTS = {
    "lengths": ({"inputs": ["1"], "outputs": []}, "there are 1 inputs, but 0 outputs"),
    "no outputs": ({"inputs": ["1"]}, "has no 'output'"),
    "no cases": ([], "there are no cases"),
    "no texts": ([{"input": 1, "output": "2"}], "the input of a case must be a text"),
    "no lists": ({"inputs": "1", "outputs": "2"}, "inputs must be a list"),
    "two functions": (
        [{"input": "1", "output": "1", "fn_name": name} for name in "fg"],
        "must call one function, not 'f', 'g'",
    ),
    "no function": ([{"input": "1", "output": "1", "testtype": "functional"}], 'need "fn_name"'),
    "a number": (3, "tests must be a string, or a list of dicts"),
}
PASSED = TestResult("case 1", Outcome.PASSED, stdout="4")


@pytest.fixture(scope="module")
def metric():
    """The metric."""
    return load_metric()


@pytest.mark.parametrize("reference", SHAPES.values(), ids=SHAPES)
def test_shapes_of_inputs_and_outputs(reference):
    """Each shape is the same cases, as it is and as JSON."""
    expected = Cases((Case("1\n", "2"),))
    assert cases_of(reference) == expected
    assert cases_of(json.dumps(reference)) == expected


@pytest.mark.parametrize("reference", CALLS.values(), ids=CALLS)
def test_shapes_of_calls(reference):
    """Cases that name a function are calls of it, which right candidates pass."""
    cases = cases_of(reference)
    assert (cases.function, cases.cases[0].input) == ("add", [1, 2])
    exec(cases_module.tests_of_calls(cases), {"add": lambda a, b: a + b})


@pytest.mark.parametrize("reference", CALLS.values(), ids=CALLS)
def test_a_wrong_result_of_a_call(reference):
    """A call with another result fails, with both in its message."""
    with pytest.raises(AssertionError, match=r"add should return .*3.*, but returned 2"):
        exec(cases_module.tests_of_calls(cases_of(reference)), {"add": lambda a, b: a * b})


def test_calls_of_a_method():
    """A function may be a method of `Solution`, and a tuple is as good as a list."""
    cases = cases_of({"inputs": [[[1, 2]]], "outputs": [[1, 2]], "fn_name": "same"})
    solution = type("Solution", (), {"same": lambda self, values: tuple(values)})
    exec(cases_module.tests_of_calls(cases), {"Solution": solution})


@pytest.mark.parametrize("code", ["assert f() == 1", "", "[1, 2]", '{"a": 1}', "{'inputs': 1}", "[f(x) for x in y]"])
def test_code_is_no_cases(code):
    """A text that is not JSON of cases is code."""
    assert cases_of(code) is None


@pytest.mark.parametrize(("reference", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_named(reference, message):
    """What can't be cases is refused, with what is wrong."""
    with pytest.raises((ValueError, TypeError), match=message):
        cases_of(reference)


def test_a_checker_of_the_caller_s_decides():
    """A verdict passes or fails by what the caller's checker says of the outputs."""
    cases = Cases((Case("1", "2"),))
    verdict = Verdict(Outcome.PASSED, tests=(PASSED,))
    assert checked_by(lambda given, wanted, found: found == "4", cases, verdict).passed
    refused = checked_by(lambda given, wanted, found: False, cases, verdict)
    assert (refused.outcome, refused.detail) == (Outcome.FAILED, "case 1: the checker refuses '4'")


def test_the_metric_runs_cases(metric):
    """Candidates are scored by what they write, and results have each case."""
    references = [SHAPES["a list of dicts"], json.dumps(SHAPES["APPS and TACO"])]
    candidates = [[DOUBLE, "print(3)"], ["x ="]]
    pass_at_k, results = metric.compute(predictions=candidates, references=references, k=1)
    assert pass_at_k == {"pass@1": 0.25}
    right, wrong = (result for _, result in results[0])
    assert [test["outcome"] for test in right["tests"]] == ["passed"]
    assert wrong["result"] == "failed: case 1: expected '2', but it wrote '3'"
    assert results[1][0][1]["outcome"] == "compile_error"


def test_the_metric_runs_languages(metric):
    """A call may have tasks in several languages."""
    tests = "[ $(double 2) = 4 ] || exit 1"
    candidates = [["double() { echo $((2 * $1)); }", "double() { echo 2; }"], ["def double(n): return 2 * n"]]
    references = [tests, "assert double(2) == 4"]
    _, results = metric.compute(
        predictions=candidates, references=references, k=1, languages=["bash", "python"], timeout=20.0
    )
    assert [[result["passed"] for _, result in results[task]] for task in results] == [[True, False], [True]]


def test_the_metric_takes_checkers(metric):
    """The checker decides which outputs are right: by name, or a function."""
    options = {"predictions": [["print(0.3)"]], "references": [[{"input": "", "output": "0.30001"}]], "k": 1}
    assert metric.compute(**options)[0] == {"pass@1": 0.0}
    assert metric.compute(**options, checker="floats", tolerance=0.001)[0] == {"pass@1": 1.0}
    assert metric.compute(**options, checker=lambda given, wanted, found: "3" in found)[0] == {"pass@1": 1.0}


def test_an_unknown_checker_is_refused(metric):
    """A checker that is not there is named, with those that are."""
    with pytest.raises(ValueError, match="checker must be one of tokens, exact, floats, lines-unordered"):
        metric.compute(predictions=[["x"]], references=[["y"]], checker="fuzzy")


def test_partial_credit(metric):
    """Each sample has its share of right cases, and pass@k is as without."""
    cases = [{"input": str(number), "output": str(2 * number)} for number in (1, 2, 3, 4)]
    candidates = [["print(2)", DOUBLE, "print(0)"]]
    pass_at_k, results = metric.compute(predictions=candidates, references=[cases], k=1, partial_credit=True)
    assert pass_at_k == {"pass@1": pytest.approx(1 / 3)}
    assert [result["partial_credit"] for _, result in results[0]] == [0.25, 1.0, 0.0]


def test_faults_of_references_name_the_task(metric):
    """A task whose tests are none is named by its number."""
    with pytest.raises(ValueError, match=r"references\[1\]: there are 1 inputs, but 0 outputs"):
        metric.compute(predictions=[["x"], ["x"]], references=["assert x", {"inputs": ["1"], "outputs": []}])


def test_languages_of_each_task(metric):
    """There must be as many languages as tasks."""
    with pytest.raises(ValueError, match="there are 1 languages, but 2 tasks"):
        metric.compute(predictions=[["x"], ["x"]], references=["", ""], languages=["bash"])
