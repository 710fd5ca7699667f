"""Input/output cases in the shapes that datasets have, and the metric's results on them."""

import json

import pytest

from sandboxes import Outcome, TestResult, Verdict
from sandboxes.tasks import call_harness
from sandboxes.tasks.io_cases import IOCase, IOCases, apply_checker, parse_cases
from support.metric_and_command import load_metric

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
    """Return the metric as evaluate loads it."""
    return load_metric()


@pytest.mark.parametrize("reference", SHAPES.values(), ids=SHAPES)
def test_shapes_of_inputs_and_outputs(reference):
    """Each shape gives the same cases, as data and as JSON."""
    expected = IOCases((IOCase("1\n", "2"),), checker="lines" if "testtype" in str(reference) else "tokens")
    assert parse_cases(reference) == expected
    assert parse_cases(json.dumps(reference)) == expected


@pytest.mark.parametrize(
    ("program", "right"),
    [
        ("print(1)\nprint(2, 3)", True),
        ("print('1 \\n 2 3 \\n\\n')", True),
        ("print(1.0)\nprint(2, '3.00')", True),
        ("print(1, 2, 3)", False),
        ("print(1)\nprint()\nprint(2, 3)", False),
        ("print(1)\nprint(2)\nprint(3)", False),
        ("print(1)\nprint(2, 3.0000001)", False),
        ("print('1\\n2  3')", True),
        ("print('1\\r\\n2 3')", True),
    ],
)
def test_livecodebench_compares_line_by_line(metric, program, right):
    """Outputs in LiveCodeBench's shape are compared as its own grader does, unless a checker is chosen."""
    options = {"predictions": [[program]], "k": 1, "timeout": 20.0}
    case = {"input": "", "output": "1\n2 3\n", "testtype": "stdin"}
    assert metric.compute(references=[[case]], **options)[0] == {"pass@1": float(right)}
    tokens = metric.compute(references=[[case]], **options, checker="tokens")[0]
    assert tokens == metric.compute(references=[[{"input": "", "output": "1\n2 3\n"}]], **options)[0]


@pytest.mark.parametrize("reference", CALLS.values(), ids=CALLS)
def test_shapes_of_calls(reference):
    """Cases that name a function call it, and right candidates pass."""
    cases = parse_cases(reference)
    assert (cases.function, cases.cases[0].input) == ("add", [1, 2])
    exec(call_harness.call_harness(cases), {"add": lambda a, b: a + b})


@pytest.mark.parametrize("reference", CALLS.values(), ids=CALLS)
def test_a_wrong_result_of_a_call(reference):
    """A call with a wrong result fails, and its message has both results."""
    with pytest.raises(AssertionError, match=r"add should return .*3.*, but returned 2"):
        exec(call_harness.call_harness(parse_cases(reference)), {"add": lambda a, b: a * b})


def test_calls_of_a_method():
    """A function may be a method of `Solution`, and a tuple is as good as a list."""
    cases = parse_cases({"inputs": [[[1, 2]]], "outputs": [[1, 2]], "fn_name": "same"})
    solution = type("Solution", (), {"same": lambda self, values: tuple(values)})
    exec(call_harness.call_harness(cases), {"Solution": solution})


ADDS = {"inputs": [[1, 2], [2, 2], [0, 1], [0, 0]], "outputs": [3, 4, 1, 0], "fn_name": "add"}
PASSES, FAILS = "passed", "failed"


def scored(metric, candidate, reference, **options):
    """Return a candidate's result."""
    return metric.compute(predictions=[[candidate]], references=[reference], k=1, timeout=20.0, **options)[1][0][0][1]


@pytest.mark.parametrize("sandbox", ["subprocess", "restricted"])
@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_each_call_has_a_result(metric, grading, sandbox):
    """Each call is a test. The calls stop after the first failure, unless all are to be made."""
    options = {"grading": grading, "sandbox": sandbox}
    wrong = "def add(a, b):\n    return a * b"
    result = scored(metric, "def add(a, b):\n    return a + b", ADDS, **options)
    assert [each["name"] for each in result["tests"]] == ["case 1", "case 2", "case 3", "case 4"]
    assert result["passed"]
    first = scored(metric, wrong, ADDS, **options)
    assert first["tests"][0]["message"] == "AssertionError: add should return 3, but returned 2" == first["detail"]
    assert len(first["tests"]) == 1
    every = scored(metric, wrong, ADDS, **options, partial_credit=True)
    assert [each["outcome"] for each in every["tests"]] == [FAILS, PASSES, FAILS, PASSES]
    assert (every["partial_credit"], every["detail"]) == (0.5, first["detail"])


def test_calls_that_raise(metric):
    """A call that raises has failed, and the calls after it are made if all are to be made."""
    result = scored(metric, "def add(a, b):\n    return (a + b) * a // a", ADDS, partial_credit=True)
    assert [each["outcome"] for each in result["tests"]] == [PASSES, PASSES, FAILS, FAILS]
    assert result["tests"][2]["message"].startswith("ZeroDivisionError")
    assert result["exception_type"] == "ZeroDivisionError"


@pytest.mark.parametrize("end", ["import os; os._exit(0)", "import sys; sys.exit(0)", "import os; os.abort()"])
def test_calls_after_the_candidate_s_end(metric, end):
    """With separate grading, calls before a candidate's exit keep their results, and the others have failed."""
    candidate = f"def add(a, b):\n    if a == 0:\n        {end}\n    return a + b"
    result = scored(metric, candidate, ADDS, grading="separate", partial_credit=True)
    assert not result["passed"]
    assert [each["outcome"] for each in result["tests"]] == [PASSES, PASSES, FAILS, FAILS]


def test_results_of_calls_can_not_be_forged(metric):
    """A candidate under separate grading can't reach the log of its calls."""
    candidate = "code_eval_tests = [['case 1', 'passed', '', 0.1]] * 4\ndef add(a, b):\n    global code_eval_tests\n"
    candidate += "    code_eval_tests = [['case 1', 'passed', '', 0.1]] * 4\n    return 7"
    result = scored(metric, candidate, ADDS, grading="separate", partial_credit=True)
    assert [each["outcome"] for each in result["tests"]] == [FAILS] * 4
    assert result["partial_credit"] == 0


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_many_calls(metric, grading):
    """Each of a thousand calls has a result, even if most of them failed."""
    many = {"inputs": [[number, 1] for number in range(1000)], "outputs": list(range(1, 1001)), "fn_name": "add"}
    result = scored(metric, "def add(a, b):\n    return 3", many, grading=grading, partial_credit=True)
    assert len(result["tests"]) == 1000
    assert result["partial_credit"] == 0.001


@pytest.mark.parametrize("code", ["assert f() == 1", "", "[1, 2]", '{"a": 1}', "{'inputs': 1}", "[f(x) for x in y]"])
def test_code_is_no_cases(code):
    """A text that is not JSON of cases is code."""
    assert parse_cases(code) is None


@pytest.mark.parametrize(("reference", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_named(reference, message):
    """Invalid cases are refused with the reason."""
    with pytest.raises((ValueError, TypeError), match=message):
        parse_cases(reference)


def test_a_checker_of_the_caller_s_decides():
    """The caller's checker decides on the outputs, and so on the verdict."""
    cases = IOCases((IOCase("1", "2"),))
    verdict = Verdict(Outcome.PASSED, tests=(PASSED,))
    assert apply_checker(lambda given, wanted, found: found == "4", cases, verdict).passed
    refused = apply_checker(lambda given, wanted, found: False, cases, verdict)
    assert (refused.outcome, refused.detail) == (Outcome.FAILED, "case 1: the checker refuses '4'")


def test_the_metric_runs_cases(metric):
    """The metric scores candidates by their output, and results have each case."""
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
    """A checker, given by name or as a function, decides which outputs are right."""
    options = {"predictions": [["print(0.3)"]], "references": [[{"input": "", "output": "0.30001"}]], "k": 1}
    assert metric.compute(**options)[0] == {"pass@1": 0.0}
    assert metric.compute(**options, checker="floats", tolerance=0.001)[0] == {"pass@1": 1.0}
    assert metric.compute(**options, checker=lambda given, wanted, found: "3" in found)[0] == {"pass@1": 1.0}


def test_an_unknown_checker_is_refused(metric):
    """An unknown checker is an error that lists the known ones."""
    with pytest.raises(ValueError, match="checker must be one of tokens, exact, floats, lines-unordered"):
        metric.compute(predictions=[["x"]], references=[["y"]], checker="fuzzy")


def test_partial_credit(metric):
    """Each sample has its share of right cases, and pass@k is unchanged."""
    cases = [{"input": str(number), "output": str(2 * number)} for number in (1, 2, 3, 4)]
    candidates = [["print(2)", DOUBLE, "print(0)"]]
    pass_at_k, results = metric.compute(predictions=candidates, references=[cases], k=1, partial_credit=True)
    assert pass_at_k == {"pass@1": pytest.approx(1 / 3)}
    assert [result["partial_credit"] for _, result in results[0]] == [0.25, 1.0, 0.0]


def test_faults_of_references_name_the_task(metric):
    """A task without valid tests is named by its number."""
    with pytest.raises(ValueError, match=r"references\[1\]: there are 1 inputs, but 0 outputs"):
        metric.compute(predictions=[["x"], ["x"]], references=["assert x", {"inputs": ["1"], "outputs": []}])


def test_languages_of_each_task(metric):
    """There must be as many languages as tasks."""
    with pytest.raises(ValueError, match="there are 1 languages, but 2 tasks"):
        metric.compute(predictions=[["x"], ["x"]], references=["assert True", "assert True"], languages=["bash"])


def test_a_reference_may_name_its_checker():
    """Inputs and outputs may come with a checker and with the statuses of scripts, as benchmarks have them."""
    cases = parse_cases({"inputs": ["1"], "outputs": ["1"], "checker": "floats", "any_status": True})
    assert (cases.checker, cases.any_status) == ("floats", True)
    with pytest.raises(ValueError, match="checker must be one of tokens, .*, not 'near'"):
        parse_cases({"inputs": ["1"], "outputs": ["1"], "checker": "near"})
    with pytest.raises(TypeError, match="any_status must be True or False, not 1"):
        parse_cases({"inputs": ["1"], "outputs": ["1"], "any_status": 1})
