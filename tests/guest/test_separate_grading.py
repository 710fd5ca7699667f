"""A candidate in one process and its tests in another: honest programs pass, hostile ones do not."""

import json
import os
from typing import Any

import pytest

from sandboxes.guest.runners.in_process import compile_program, new_module, program_report
from sandboxes.guest.runners.policy import PLAIN
from support.separate_pair import in_child, judge_separately, report_to
from support.separate_programs import HONEST, HOSTILE, SeparateProgram

pytestmark = pytest.mark.slow


def each(programs: list[SeparateProgram]) -> Any:
    """Return a mark that runs a test with each program."""
    return pytest.mark.parametrize("program", programs, ids=[program.fact for program in programs])


def judged(candidate: str, tests: str) -> dict[str, Any] | None:
    """Run a candidate and its tests here. Return the report; None if they pass."""
    module = new_module()
    program = compile_program(candidate.encode(), tests, None, PLAIN, module)
    if type(program) is dict:
        return program
    try:
        for code in program:
            exec(code, module.__dict__)
    except BaseException as error:
        return program_report(error, tests)
    return None


def judge_together(candidate: str, tests: str) -> dict[str, Any] | None:
    """Return the report of one process that runs both."""
    read_end, write_end = os.pipe()
    pid = in_child(lambda: report_to(write_end, judged(candidate, tests)), (write_end,), 10)
    os.close(write_end)
    with open(read_end, "rb") as said:
        report = said.read()
    os.waitpid(pid, 0)
    return json.loads(report) if report else {"outcome": "no report"}


@each(HONEST)
def test_honest_program_passes(program):
    """A right candidate passes where its tests run in another process."""
    assert judge_separately(program.candidate, program.tests) is None


@each(HONEST)
def test_honest_program_is_right_in_one_process_too(program):
    """The honest programs are right: what they show is how Python behaves."""
    assert judge_together(program.candidate, program.tests) is None


@each(HOSTILE)
def test_hostile_program_does_not_pass(program):
    """A candidate that lies about its values, or to the protocol, does not pass."""
    report = judge_separately(program.candidate, program.tests, seconds=5)
    assert report is not None
    assert report["outcome"] != "no report"
