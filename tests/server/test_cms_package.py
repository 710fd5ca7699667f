"""Requests of open-r1's package for the IOI are read as its script reads them, and answered in its words."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.protocols.cms import compared, failure, parse_request
from code_tasks.server.protocols.piston_models import ExecuteRequest
from sandboxes import Outcome, ProcessResult

BATCH = {"task_type": "Batch", "code": "sum", "time_limit": 1.5, "memory_limit": 1 << 28}


def job(config=BATCH, **files):
    """Return the request of a submission."""
    named = {
        "graders/sum.cpp": "int sum(int a, int b) { return a + b; }",
        "graders/sum.h": "int sum(int, int);",
        "graders/grader.cpp": "int main() {}",
        "graders/grader_config.json": json.dumps(config),
        "input.txt": "1 2\n",
        "correct_output.txt": "3\n",
        **files,
    }
    listed = [{"name": name, "content": content} for name, content in named.items() if content is not None]
    return ExecuteRequest(language="cms_ioi", version="*", files=listed, run_timeout=4500)


def test_a_request_of_open_r1():
    """The submission is compiled with its grader, without the problem's data in its folder."""
    submission = parse_request(job())
    assert submission.sources == ("graders/sum.cpp", "graders/grader.cpp")
    assert sorted(submission.files) == ["graders/grader.cpp", "graders/sum.cpp", "graders/sum.h"]
    assert (submission.input, submission.expected, submission.seconds) == (b"1 2\n", b"3\n", 1.5)
    assert (submission.memory_bytes, submission.checker_files) == (1 << 28, {})


def test_a_checker_of_the_problem():
    """A checker has files of its own."""
    submission = parse_request(job(**{"checker/checker.cpp": "int main() {}", "checker/testlib.h": ""}))
    assert sorted(submission.checker_files) == ["checker/checker.cpp", "checker/testlib.h"]


@pytest.mark.parametrize("expected", [None, "", "\n"])
def test_a_request_without_an_expected_output(expected):
    """Without an expected output, the submission's own is the answer."""
    assert parse_request(job(**{"correct_output.txt": expected})).expected is None


@pytest.mark.parametrize(
    "config",
    [
        {**BATCH, "task_type": "Communication"},
        {**BATCH, "task_type": "OutputOnly"},
        {**BATCH, "time_limit": "1"},
        {**BATCH, "memory_limit": -1},
        [],
        {},
    ],
)
def test_problems_that_are_refused(config):
    """A problem of another kind, or with invalid limits, gets an error and no score."""
    with pytest.raises(InvalidRequest):
        parse_request(job(config))


def test_files_outside_of_the_folder():
    """A name that leaves the folder is refused."""
    with pytest.raises(InvalidRequest):
        parse_request(job(**{"../x": ""}))


@pytest.mark.parametrize(
    ("output", "score"),
    [(b"1  2\n3", "1"), (b" 1 2\n3\n", "0"), (b"1 2 \n3\n", "1"), (b"1 2\n\n3\n", "0"), (b"12\n3\n", "0"), (b"", "0")],
)
def test_outputs_are_compared_as_by_diff(output, score):
    """White space may be of another length, and the end of the last line may be missing."""
    assert compared(b"1 2\n3\n", output).stdout == f"{score}\n"


def each_line(text):
    """Return the lines of a text as `diff -b` compares them, one by one."""
    lines = [re.sub(rb"[ \t\r\f\v]+", b" ", line).rstrip() for line in text.split(b"\n")]
    return lines if lines[-1] else lines[:-1]


@given(*[st.lists(st.sampled_from([b"1", b"2", b" ", b"\t", b"\r", b"\n"]), max_size=9).map(b"".join)] * 2)
def test_a_comparison_without_lines_is_that_of_lines(expected, output):
    """Texts are compared as a whole, with the result that a comparison of each line has."""
    expected = b"1" + expected
    passes = each_line(expected.rstrip(b"\n")) == each_line(output)
    assert compared(expected, output).stdout == f"{int(passes)}\n"


def test_a_limit_that_is_no_float():
    """A huge whole number as a limit is refused."""
    with pytest.raises(InvalidRequest, match="time_limit"):
        parse_request(job({**BATCH, "time_limit": 10**400}))


@pytest.mark.parametrize(
    ("result", "word"),
    [
        (ProcessResult(limit=Outcome.TIMED_OUT), "Time limit exceeded"),
        (ProcessResult(limit=Outcome.OUT_OF_MEMORY), "Memory limit exceeded"),
        (ProcessResult(limit=Outcome.OUTPUT_LIMIT), "Runtime error"),
        (ProcessResult(exit_status=0, stdout_is_cut=True), "Runtime error"),
        (ProcessResult(exit_status=1), "Runtime error"),
        (ProcessResult(signal="SIGSEGV"), "Runtime error"),
    ],
)
def test_submissions_that_did_not_end_well(result, word):
    """The client reads the reason out of the second line."""
    stage = failure(result, parse_request(job()))
    assert stage.stdout == "0\n"
    assert stage.stderr.startswith(word)


def test_a_submission_that_ended_well():
    """A submission that ended well has no failure."""
    assert failure(ProcessResult(exit_status=0), parse_request(job())) is None
