"""Rows of SandboxFusion's CommonOJDataset are read as it reads them, and refused where nothing could be judged."""

import json

import pytest

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.protocols.common_oj import cases_of, eval_result, prompt_of, row_of, seconds_of
from code_tasks.server.protocols.fusion_extraction import CodeBlock
from code_tasks.server.protocols.fusion_models import SubmitRequest, TestConfig
from sandboxes import Outcome, TestResult, Verdict

CASE = {"input": {"stdin": "1"}, "output": {"stdout": "2"}}


def submission(**extra):
    """Return the request of a submission."""
    return SubmitRequest(dataset="d", id=7, completion="x", config=TestConfig(language="python", extra=extra))


def test_cases_may_be_json():
    """The cases of a row may be a text of JSON."""
    assert cases_of({"test": json.dumps([CASE])}) == cases_of({"test": [CASE]}) == [CASE]


@pytest.mark.parametrize(
    "test",
    [
        [],
        "[]",
        "nonsense",
        None,
        {"input": {}},
        [{}],
        [{**CASE, "input": {}}],
        [{**CASE, "input": {"stdin": 1}}],
        [{**CASE, "output": {"stdout": "2", "out.txt": "3"}}],
    ],
)
def test_cases_that_can_t_be_judged(test):
    """A row without cases passes nothing, and a case with files is refused."""
    with pytest.raises(InvalidRequest):
        cases_of({"test": test})


def test_cases_that_are_nested_too_deeply():
    """A text of JSON that the parser gives up on is an error of the request, and not of the server."""
    with pytest.raises(InvalidRequest, match="not JSON"):
        cases_of({"test": "[" * 200_000})


def test_several_rows_for_one_submission():
    """A submission needs one row."""
    with pytest.raises(InvalidRequest):
        row_of(TestConfig(provided_data=[{"test": [CASE]}]))


def test_default_seconds():
    """Programs that are compiled have 10 seconds, and others 20."""
    assert seconds_of(TestConfig(language="cpp")) == (10, 10)
    assert seconds_of(TestConfig(language="python")) == (10, 20)
    assert seconds_of(TestConfig(language="java", compile_timeout=3, run_timeout=4)) == (3, 4)


def test_prompts():
    """A prompt is the content with the wanted language; labels may be JSON."""
    prompt = prompt_of({"id": "a", "content": "Add.", "labels": '{"k": 1}'}, "java")
    assert prompt.prompt.startswith("Add.\n\nWrite a complete program in Java")
    assert (prompt.id, prompt.labels) == ("a", {"k": 1})


def test_a_result_with_a_failure():
    """The tests until the first failure are told, with the output of that one."""
    tests = (TestResult("case 1", Outcome.PASSED), TestResult("case 2", Outcome.FAILED, "expected '2'"))
    verdict = Verdict(Outcome.FAILED, "case 2: expected '2'", stdout="3\n", tests=tests)
    result = eval_result(submission(), CodeBlock(30, "x"), [CASE, CASE, CASE], verdict, "python")
    assert (result.id, result.accepted, result.extracted_code, result.extracted_type) == (7, False, "x", "fenced")
    assert [test.passed for test in result.tests] == [True, False]
    assert result.tests[1].exec_info.run_result.stdout == "3\n"
    assert [test.exec_info.status for test in result.tests] == ["Success", "Success"]


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        (Outcome.TIMED_OUT, "TimeLimitExceeded", None),
        (Outcome.CRASHED, "Finished", 1),
        (Outcome.OUT_OF_MEMORY, "Finished", 1),
    ],
)
def test_the_end_of_a_test(outcome, status, code):
    """A program that did not end well has failed, with SandboxFusion's status for it."""
    verdict = Verdict(outcome, tests=(TestResult("case 1", outcome),))
    info = eval_result(submission(), None, [CASE], verdict, "python").tests[0].exec_info
    assert (info.status, info.run_result.status, info.run_result.return_code) == ("Failed", status, code)


def test_a_program_that_can_t_be_built():
    """A compiler's error is the compiler's end, and there is no run."""
    verdict = Verdict(Outcome.COMPILE_ERROR, "error", stderr="candidate.cpp:1: error")
    result = eval_result(submission(), None, [CASE], verdict, "cpp")
    info = result.tests[0].exec_info
    assert (info.compile_result.return_code, info.compile_result.stderr, info.run_result) == (
        1,
        "candidate.cpp:1: error",
        None,
    )
    assert result.extracted_type == "empty"


def test_long_cases_are_cut():
    """Answers repeat the beginning and the end of a long case that passed, unless the request wants all of it."""
    case = {"input": {"stdin": "a" * 5000}, "output": {"stdout": "2"}}
    verdict = Verdict(Outcome.PASSED, tests=(TestResult("case 1", Outcome.PASSED),))
    cut, whole = (
        eval_result(submission(return_full_case=full), None, [case], verdict, "python").tests[0].test_info["input"]
        for full in (False, True)
    )
    assert (len(cut["stdin"]), len(whole["stdin"])) == (1003, 5000)
