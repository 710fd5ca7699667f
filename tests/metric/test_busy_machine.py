"""The effect of a busy machine on results: clocks that stand still, their bound, and the fields that say so."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from code_tasks.scoring.results_format import checked_result
from sandboxes import Outcome, Program, Verdict, result_dict
from sandboxes.contract import Limits
from sandboxes.guest.supervisor.cpu_time import MAX_EXTENSION, CpuAccounting
from sandboxes.reuse.repeats import StarvedRetries
from support.metric_and_command import load_metric

pytestmark = pytest.mark.slow

# Enough for the machine to hand out CPUs late: the time-out's own message, and a guest that is scheduled itself.
SLACK_SECONDS = 5.0
COMPUTES = "import time\nwhile time.process_time() < {}: pass"


@pytest.fixture
def load():
    """Keep this process's CPUs busy, with four programs for each."""
    spin = [sys.executable, "-c", "while True: pass"]
    programs = [subprocess.Popen(spin) for _ in range(4 * len(os.sched_getaffinity(0)))]
    yield
    for program in programs:
        program.kill()
        program.wait()


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_bound_and_waiting_time(load, grading):
    """Under load a time-out has its bound, a result says how long it waited, and an honest program passes."""
    candidates = ["while True: pass", COMPUTES.format(0.3) + "\ndone = True"]
    _, results = load_metric().compute(
        predictions=[candidates], references=["assert done"], k=1, timeout=1.0, grading=grading, num_workers=2
    )
    (_, spins), (_, computes) = results[0]
    assert (spins["outcome"], computes["outcome"]) == ("timed_out", "passed")
    assert spins["wall_seconds"] < 1.0 * MAX_EXTENSION + SLACK_SECONDS
    for result in (spins, computes):
        assert 0 < result["waited_seconds"] <= result["wall_seconds"]


def test_bound_is_small():
    """A time-out takes five times its seconds at most, as docs/performance.md says."""
    assert MAX_EXTENSION == 5


def test_short_programs_did_not_wait():
    """A program that ends at once has no waiting time, and its result has the key."""
    _, results = load_metric().compute(predictions=[["x = 1"]], references=["assert x == 1"], k=1)
    assert results[0][0][1]["waited_seconds"] == 0.0


def test_times_of_an_accounting():
    """An accounting without a sample has no waiting time. Time before the program does not count."""
    accounting = CpuAccounting(0)
    accounting.waited_seconds_before = 2.0
    assert accounting.waited_seconds == 0.0
    accounting.waited = {"1/task/1": 3.0, "1/task/2": 0.5}
    assert accounting.waited_seconds == 1.5


@pytest.mark.parametrize(
    ("cpu_seconds", "waited_seconds", "was_starved"),
    [(0.9, 0.5, True), (0.9, 8.0, True), (1.1, 0.5, False), (1.8, 8.0, True), (1.95, 8.0, False)],
)
def test_programs_at_the_bound_run_again(cpu_seconds, waited_seconds, was_starved):
    """A program that waited to the bound is starved until it has nearly all of its CPU time, others until half."""
    runner = SimpleNamespace(was_starved=lambda seconds: True)
    retries = StarvedRetries(runner, True, "raise")
    verdict = Verdict(Outcome.TIMED_OUT, wall_seconds=10.0, cpu_seconds=cpu_seconds, waited_seconds=waited_seconds)
    assert retries.was_starved(Program("", "", Limits(wall_seconds=2.0)), verdict) is was_starved


def test_results_of_earlier_versions():
    """A reader takes results without the key for results that did not wait, and refuses an invalid number."""
    result = result_dict(0, 0, Verdict(Outcome.PASSED, waited_seconds=1.5))
    assert checked_result("f:1", result)["waited_seconds"] == 1.5
    older = {name: value for name, value in result.items() if name != "waited_seconds"}
    assert checked_result("f:1", older)["waited_seconds"] == 0
    with pytest.raises(ValueError, match="f:1: waited_seconds is not a number"):
        checked_result("f:1", {**older, "waited_seconds": "1"})
