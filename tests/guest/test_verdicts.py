"""The guest decides on a program's outcome by the end of its process and its report."""

import json
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.guest.common.frames import BROKEN, START
from sandboxes.guest.common.frames import STARTED as FIRST_BYTE
from sandboxes.guest.supervisor.verdicts import REPORTED_OUTCOMES, verdict_for

LIMITS = {"output_bytes": 1000, "wall_seconds": 2.0, "cpu_seconds": 4.0}
STARTED = START.pack(FIRST_BYTE, 1.0)
PASSED = b"P"


def decided(reason=None, status=0, report=PASSED, total=0, cpu_seconds=0.1, setup=STARTED):
    """Return the verdict for a child with this end; by default one that passed."""
    return verdict_for(reason, status, cpu_seconds, setup, report, LIMITS, total)


def exited(code):
    """Return the status of a process that exited with a code, as wait gives it."""
    return code << 8


def test_reported_pass_with_status_zero_passes():
    """A child passed if it reports a pass and ends as such a child does."""
    assert decided() == {"outcome": "passed"}


@pytest.mark.parametrize("outcome", REPORTED_OUTCOMES)
def test_reported_outcome_is_believed(outcome):
    """The reply is the child's own report, with its texts."""
    said = {"outcome": outcome, "detail": "d", "exception_type": "t", "exception_message": "m", "traceback": "b"}
    assert decided(report=b"O" + json.dumps(said).encode()) == said


def test_output_limit_comes_before_what_is_reported():
    """A child with more output than allowed is OUTPUT_LIMIT, even if it reports a pass."""
    assert decided(total=1001) == {"outcome": "output_limit", "detail": "wrote more than 1000 bytes"}
    assert decided(reason="output_limit", status=signal.SIGKILL, report=b"", total=5000)["outcome"] == "output_limit"


def test_output_up_to_the_limit_is_allowed():
    """A child may write exactly as much output as allowed."""
    assert decided(total=1000)["outcome"] == "passed"


def test_timed_out_comes_before_what_is_reported():
    """A child that was ended for its time is TIMED_OUT, whatever it reported."""
    wanted = {"outcome": "timed_out", "detail": "ran for more than 2 s"}
    assert decided(reason="timed_out", status=signal.SIGKILL) == wanted
    assert decided(reason="timed_out", status=signal.SIGKILL, report=b"") == wanted


def test_cpu_signal_is_timed_out():
    """A child that the kernel ended for its CPU time is TIMED_OUT."""
    wanted = {"outcome": "timed_out", "detail": "used more than 4 s of CPU time"}
    assert decided(status=signal.SIGXCPU, report=b"", cpu_seconds=3.9) == wanted


def test_cpu_signal_before_the_limit_is_timed_out():
    """A child whose tests have limited the CPU time of a call is TIMED_OUT."""
    wanted = {"outcome": "timed_out", "detail": "a call used more CPU time than the tests allow"}
    assert decided(status=signal.SIGXCPU, report=b"", cpu_seconds=1.0) == wanted


def test_kill_by_the_kernel_for_cpu_time_is_timed_out():
    """A child that ignores SIGXCPU and gets SIGKILL is TIMED_OUT if its CPU time was used, otherwise CRASHED."""
    assert decided(status=signal.SIGKILL, report=b"", cpu_seconds=5.0)["outcome"] == "timed_out"
    assert decided(status=signal.SIGKILL, report=b"", cpu_seconds=3.0)["outcome"] == "crashed"
    assert decided(status=signal.SIGSEGV, report=b"", cpu_seconds=5.0)["outcome"] == "crashed"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM])
def test_signal_is_a_crash_by_name(number):
    """A child that a signal ended is CRASHED, even if it reported a pass. The signal is named."""
    for report in (b"", PASSED):
        reply = decided(status=number, report=report)
        assert reply["outcome"] == "crashed"
        assert number.name in reply["detail"]


def test_core_dump_does_not_hide_the_signal():
    """The flag for a core dump is ignored when the signal is named."""
    assert "SIGSEGV" in decided(status=signal.SIGSEGV | 0x80, report=b"")["detail"]


@pytest.mark.skipif(not hasattr(signal, "SIGRTMIN"), reason="no real-time signals here")
def test_real_time_signal_has_a_name():
    """Signals without a name of their own are named as in the system's manual."""
    assert "SIGRTMIN+3" in decided(status=signal.SIGRTMIN + 3, report=b"")["detail"]


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_leaving_without_a_report_is_exited(code):
    """A child that exits without a report is EXITED, whatever its status, which is named."""
    reply = decided(status=exited(code), report=b"")
    assert reply["outcome"] == "exited"
    assert f"status {code}" in reply["detail"]


def test_pass_with_another_status_is_exited():
    """A child that reports a pass and ends with another status is EXITED."""
    assert decided(status=exited(1))["outcome"] == "exited"


def test_broken_is_told_as_such():
    """A child that could not be set up is broken, and its program gets no outcome."""
    assert decided(setup=BROKEN + b"OSError: \xff") == {"broken": "OSError: \ufffd"}


def test_child_that_never_began_is_broken():
    """A child that ended without a byte is broken."""
    reply = decided(status=exited(1), setup=b"", report=b"")
    assert list(reply) == ["broken"]


def test_report_can_not_say_that_the_sandbox_broke():
    """A report from the program's pipe can't claim that the sandbox broke. Set-up has a pipe of its own."""
    assert decided(report=BROKEN + b"OSError")["outcome"] == "exited"


FORGED = [
    b"",
    b"not JSON",
    b"\xff\xfe",
    b"null",
    b"5",
    b'"passed"',
    b"[]",
    b'["outcome"]',
    b"{}",
    b'{"outcome": null}',
    b'{"outcome": ["passed"]}',
    b'{"outcome": {"passed": 1}}',
    b'{"outcome": "splendid"}',
    b'{"outcome": "PASSED"}',
    b'{"outcome": "timed_out"}',
    b'{"outcome": "passed"',
    b'{"outcome": "passed"}{"outcome": "passed"}',
    b"[" * 60_000,
    b'{"outcome": ' * 5000,
    b'{"outcome": ' + b"1" * 10_000 + b"}",
]


@pytest.mark.parametrize("report", FORGED, ids=lambda report: repr(report[:30]))
def test_malformed_report_is_exited(report):
    """A malformed report is EXITED, never an error and never a pass."""
    for each in (report, b"O" + report, b"P" + report) if report else (b"",):
        assert decided(report=each)["outcome"] == "exited"


def test_pass_with_an_output():
    """A pass may be followed by the output variable's value, in its own form."""
    assert decided(report=b"P[5,[]]") == {"outcome": "passed", "output": "[5,[]]", "record": ""}


def test_pass_with_a_record():
    """An output may be followed by a line with the record of single tests: name, outcome, message, seconds."""
    record = '[["case 1",1,"no",0.1]]'
    assert decided(report=b"P\n" + record.encode()) == {"outcome": "passed", "output": "", "record": record}
    assert decided(report=b"P[5,[]]\n" + record.encode())["record"] == record


@pytest.mark.parametrize("report", [b"P\n5", b"P[5,[]]\n{}", b"P\n[5,[]]", b'P\n[["a",2,"",0.1]]', b"P\n\xff"])
def test_pass_with_a_record_that_is_none(report):
    """A pass with an invalid record is not a pass."""
    assert decided(report=report)["outcome"] == "exited"


@pytest.mark.parametrize(
    "more", [b"[5]", b"[5,5]", b'{"a":1}', b"[5,[]] ]", "[5,[\u00e9]]".encode(), b"[" + b" " * 20_000 + b"5,[]]"]
)
def test_pass_with_another_text_is_exited(more):
    """A pass that is followed by any other text is EXITED."""
    assert decided(report=b"P" + more)["outcome"] == "exited"


def test_failure_with_an_output():
    """A failure may have an output variable too."""
    said = {"outcome": "failed", "output": "[5,[]]"}
    assert decided(report=b"O" + json.dumps(said).encode()) == said


def test_report_has_no_other_fields():
    """A report can't contain other fields, such as a broken sandbox or the caller's own measures."""
    said = {"outcome": "failed", "broken": "x", "id": 7, "wall_seconds": 0, "stdout": "x", "waiting": True}
    assert decided(report=b"O" + json.dumps(said).encode()) == {"outcome": "failed"}


def test_reported_texts_are_texts():
    """The reply has a text wherever one belongs, whatever the report holds there."""
    said = {"outcome": "failed", "detail": 5, "traceback": ["x"], "exception_type": None, "exception_message": {}}
    reply = decided(report=b"O" + json.dumps(said).encode())
    assert all(isinstance(value, str) for value in reply.values())


@given(report=st.binary(), status=st.integers(0, 0xFFFF), reason=st.sampled_from([None, "timed_out"]))
def test_any_report_is_decided(report, status, reason):
    """Any bytes and any status get an outcome, and only a child that ended well can pass."""
    reply = decided(reason, status, report)
    assert reply.get("outcome") != "passed" or (status == 0 and reason is None)
    assert "broken" not in reply
