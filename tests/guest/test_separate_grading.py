"""A candidate in one process and its tests in another: honest programs pass, hostile ones do not."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from sandboxes import Limits, ProgramBatch, Task, TaskOptions
from support.separate_pair import judge_separately, judge_together
from support.separate_programs import HONEST, HOSTILE, SeparateProgram

pytestmark = pytest.mark.slow


def each(programs: list[SeparateProgram]) -> Any:
    """Return a mark that runs a test with each program."""
    return pytest.mark.parametrize("program", programs, ids=[program.fact for program in programs])


class Judge:
    """Calls functions in a process which has loaded no tests, so that it forks quickly."""

    def __init__(self) -> None:
        """Start the process."""
        self.process = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))

    def __call__(self, function: Any, *arguments: Any) -> Any:
        """Call a function. If the process has ended, the test that notices fails, and the next has another process."""
        try:
            return self.process.submit(function, *arguments).result()
        except BrokenProcessPool:
            self.process.shutdown()
            self.process = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
            raise


@pytest.fixture(scope="module")
def judge():
    """Return a `Judge` for all tests."""
    judge = Judge()
    yield judge
    judge.process.shutdown()


@each([program for program in HONEST if program.is_apart])
def test_honest_program_passes(judge, program):
    """A right candidate passes where its tests run in another process."""
    report = judge(judge_separately, program.candidate, program.tests)
    assert report is None or report["outcome"] == "passed", report


@each(HONEST)
def test_honest_program_is_right_in_one_process_too(judge, program):
    """The honest programs are right: what they show is how Python behaves."""
    assert judge(judge_together, program.candidate, program.tests) is None


@each([program for program in HOSTILE if program.is_apart])
def test_hostile_program_does_not_pass(judge, program):
    """A candidate that lies about its values, or to the protocol, does not pass."""
    report = judge(judge_separately, program.candidate, program.tests, 5.0)
    assert report is not None
    assert report["outcome"] not in ("passed", "no report")


@each([program for program in HOSTILE if not program.is_apart])
def test_other_tests_are_refused(program):
    """Tests that can't run apart from a candidate are an error before anything runs."""
    with pytest.raises(ValueError, match="choose grading='auto' or grading='shared'"):
        ProgramBatch.assemble([Task(program.tests, [program.candidate])], TaskOptions(), Limits(), "separate")
