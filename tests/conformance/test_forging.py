"""A candidate that shares an interpreter with its tests can't forge a pass in any sandbox."""

import pytest

from sandboxes import Limits, Outcome, Program
from support.conformance_programs import HONEST, HOSTILE, PRELUDE
from support.observers import passes
from support.selection import chosen_parameters

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=3.0)


@pytest.fixture(scope="module")
def verdicts(request, pool):
    """Return the verdicts of the hostile programs, each with that of a right one after it."""
    asked = {each.get("fact") for each in chosen_parameters(request)}
    hostile = [each for each in HOSTILE if each.fact in asked]
    right = Program("def add(a, b): return a + b", "assert add(2, 3) == 5", Limits(wall_seconds=20.0))
    pairs = [(Program(PRELUDE + each.candidate, each.tests, LIMITS), right) for each in hostile]
    found = pool.run_all([program for pair in pairs for program in pair], 2)
    return dict(zip([each.fact for each in hostile], zip(found[::2], found[1::2], strict=True), strict=True))


@pytest.mark.parametrize("fact", [each.fact for each in HOSTILE])
def test_hostile_program_does_not_pass(verdicts, fact):
    """A wrong candidate does not pass, whatever it does to the interpreter that judges it."""
    assert not verdicts[fact][0].passed


@pytest.mark.parametrize("fact", [each.fact for each in HOSTILE])
def test_next_program_passes(verdicts, fact):
    """A right candidate passes after a hostile one, at the first attempt and with nothing on its streams."""
    verdict = verdicts[fact][1]
    passes(verdict)
    assert (verdict.attempts, verdict.stdout, verdict.stderr) == (1, "", "")


@pytest.mark.parametrize("program", HONEST, ids=[each.fact for each in HONEST])
def test_honest_program_passes(pool, program):
    """A right candidate that does one of these things for its own purposes passes."""
    [verdict] = pool.run_all([Program(program.candidate, program.tests, Limits(wall_seconds=20.0))], 1)
    passes(verdict)


def test_callbacks_of_monitoring_are_refused(pool, run):
    """A candidate that registers a monitoring callback gets an error that says it is not possible."""
    # A container's Python is another one.
    if tuple(map(int, pool.preflight().python.split(".")[:2])) < (3, 12):
        pytest.skip("sys.monitoring is newer")
    verdict = run("import sys\nsys.monitoring.register_callback(3, 1, lambda *a: None)")
    assert (verdict.outcome, verdict.exception_type) == (Outcome.FAILED, "RuntimeError")
    assert "sys.monitoring is not possible in this sandbox" in verdict.detail


def test_lines_of_frames_can_be_read_and_not_set(run):
    """A frame's line can be read, but not set."""
    verdict = run("import sys\nf = sys._getframe()\nassert f.f_lineno == 3\nf.f_trace = print\nf.f_lineno = 1")
    assert verdict.exception_type == "AttributeError"


def test_failed_stays_failed_where_it_can_not_be_described(run):
    """A wrong candidate that destroys everything that could describe its failure is FAILED, not EXITED."""
    candidate = """
import sys
def add(a, b):
    frame = sys._getframe()
    while frame:
        for name in ("error_report", "program_report", "json"):
            if name in frame.f_globals:
                frame.f_globals[name] = None
        frame = frame.f_back
    import json
    json.dumps = None
"""
    assert run(candidate, "assert add(2, 3) == 5").outcome in (Outcome.FAILED, Outcome.EXITED)


def test_streams_are_silent(run):
    """A program that writes nothing has empty output, without Python's warnings about the guest's own code."""
    verdict = run("x = 1", "assert x == 1")
    assert (verdict.stdout, verdict.stderr) == ("", "")
