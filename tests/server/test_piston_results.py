"""The end of a process is told in piston's fields."""

import pytest

from code_tasks.server.protocols.piston_results import accepts, semantic_version, stage_result
from sandboxes import Outcome, ProcessResult


@pytest.mark.parametrize(
    ("result", "code", "signal", "status"),
    [
        (ProcessResult(exit_status=0), 0, None, None),
        (ProcessResult(exit_status=3), 3, None, "RE"),
        (ProcessResult(signal="SIGSEGV"), None, "SIGSEGV", "SG"),
        (ProcessResult(limit=Outcome.TIMED_OUT), None, "SIGKILL", "TO"),
        (ProcessResult(limit=Outcome.OUT_OF_MEMORY), None, "SIGKILL", "SG"),
        (ProcessResult(limit=Outcome.OUTPUT_LIMIT, stdout_is_cut=True), None, "SIGKILL", "OL"),
        (ProcessResult(limit=Outcome.OUTPUT_LIMIT, stderr_is_cut=True), None, "SIGKILL", "EL"),
        (ProcessResult(exit_status=0, stdout_is_cut=True), None, "SIGKILL", "OL"),
    ],
)
def test_code_or_signal(result, code, signal, status):
    """A stage has either a code or a signal, and SIGKILL for each limit."""
    stage = stage_result(result)
    assert (stage.code, stage.signal, stage.status) == (code, signal, status)


def test_units():
    """Times are milliseconds, and sizes are bytes."""
    result = ProcessResult(exit_status=0, stdout=b"a", stderr=b"b", wall_seconds=0.5, cpu_seconds=0.25)
    stage = stage_result(result)
    assert (stage.wall_time, stage.cpu_time, stage.output) == (500, 250, "ab")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("g++ (Debian 12.2.0-14) 12.2.0", "12.2.0"),
        ("v18.19.1", "18.19.1"),
        ("3.11", "3.11.0"),
        ("openjdk 17.0.9 2023-10-17", "17.0.9"),
        ("none", "0.0.0"),
    ],
)
def test_versions(text, version):
    """A runtime's version has three numbers, whatever its compiler prints."""
    assert semantic_version(text) == version


@pytest.mark.parametrize(
    ("selector", "is_right"),
    [("*", True), ("3", True), ("3.x", True), ("3.11.2", True), ("3.10", False), ("4.*", False), (">=3", False)],
)
def test_selectors(selector, is_right):
    """A request names all versions, a version, or its first numbers."""
    assert accepts(selector, "3.11.2") is is_right
