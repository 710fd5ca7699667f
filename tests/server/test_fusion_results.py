"""The end of a process is told in SandboxFusion's fields, so that verl gives it the number that it deserves."""

import pytest

from code_tasks.server.protocols.fusion_results import command_result, run_code_response
from sandboxes import Outcome, ProcessResult
from support.verl_status import COMPILE_ERROR, RUNTIME_ERROR, TIMED_OUT, verl_status

RIGHT = ProcessResult(exit_status=0, stdout=b"6\n")
ENDS = [
    (ProcessResult(exit_status=0, stdout=b"6\n\n"), True),
    (ProcessResult(exit_status=0, stdout=b"7\n"), False),
    (ProcessResult(exit_status=3, stdout=b"6\n"), RUNTIME_ERROR),
    (ProcessResult(signal="SIGSEGV", stdout=b"6\n"), RUNTIME_ERROR),
    (ProcessResult(limit=Outcome.TIMED_OUT, stdout=b"6\n"), TIMED_OUT),
    (ProcessResult(limit=Outcome.OUT_OF_MEMORY, stdout=b"6\n"), RUNTIME_ERROR),
    (ProcessResult(limit=Outcome.OUTPUT_LIMIT, stdout=b"6\n"), RUNTIME_ERROR),
]


def answer_for(compiler, run):
    """Return the answer for the ends of a compiler and a program, as parsed JSON."""
    return run_code_response(compiler, run, {}).model_dump(mode="json")


@pytest.mark.parametrize(("run", "expected"), ENDS)
def test_verl_s_number_for_a_run(run, expected):
    """A run that did not end well is never compared, whatever it has written."""
    assert verl_status(answer_for(None, run), "6") is expected


@pytest.mark.parametrize(
    "compiler",
    [ProcessResult(exit_status=1), ProcessResult(signal="SIGABRT"), *(end for end, _ in ENDS if end.limit)],
)
def test_verl_s_number_for_a_compiler(compiler):
    """A compiler that did not end well is verl's compile error."""
    assert verl_status(answer_for(compiler, None), "6") == COMPILE_ERROR


def test_a_compiler_that_ended_well():
    """After a compiler that ended well, the run counts."""
    assert verl_status(answer_for(ProcessResult(exit_status=0), RIGHT), "6") is True


def test_output_that_is_cut_is_no_success():
    """A program that ended well has no output to compare if the answer lacks the end of it."""
    answer = answer_for(None, ProcessResult(exit_status=0, stdout=b"6", stdout_is_cut=True))
    assert verl_status(answer, "6") == RUNTIME_ERROR
    assert answer["message"] == "the program exceeded its output limit"


def test_a_cut_stderr_is_told():
    """A program whose stderr is cut may still succeed, and the message tells it."""
    answer = answer_for(None, ProcessResult(exit_status=0, stdout=b"6", stderr_is_cut=True))
    assert (verl_status(answer, "6"), answer["message"]) == (
        True,
        "the answer lacks the end of what the program wrote to stderr",
    )


@pytest.mark.parametrize(
    ("limit", "told"),
    [(Outcome.OUT_OF_MEMORY, "memory"), (Outcome.OUTPUT_LIMIT, "output"), (Outcome.TIMED_OUT, "time")],
)
def test_limits_are_told(limit, told):
    """The limit stands in a field of ours and in the message."""
    answer = answer_for(None, ProcessResult(limit=limit))
    assert (answer["run_result"]["limit"], answer["message"]) == (limit.value, f"the program exceeded its {told} limit")


def test_signals_are_negative_statuses():
    """A signal is a negative status, as in Python's subprocess."""
    assert command_result(ProcessResult(signal="SIGSEGV")).return_code == -11
    assert command_result(ProcessResult(signal="SIGUNKNOWN")).return_code == -9


def test_output_that_is_not_utf_8():
    """Bytes that are not UTF-8 are replaced, and don't break the answer."""
    assert answer_for(None, ProcessResult(exit_status=0, stdout=b"\xff1"))["run_result"]["stdout"] == "\ufffd1"


def test_files_are_base64():
    """Fetched files come in base64."""
    assert run_code_response(None, RIGHT, {"a/b": b"\0\1"}).files == {"a/b": "AAE="}
