"""Timers of CPU time that tests set: they hold for a candidate in another process, too."""

import pytest

from sandboxes import Limits, Outcome, Program
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

TESTS = """
from signal import ITIMER_PROF, SIGPROF, setitimer, signal

def end(number, frame):
    raise TimeoutError("too slow")

signal(SIGPROF, end)
"""
TIMED = TESTS + "setitimer(ITIMER_PROF, 0.3)\nassert f(1) == 1\n"
BURN = """
from time import process_time

def f(n):
    end = process_time() + {}
    while process_time() < end:
        pass
    return n
"""
ENDLESS = "def f(n):\n    while True:\n        {}\n"


@pytest.fixture(scope="module", params=["shared", "separate"])
def verdicts(request, counting_pool):
    """Return a function that runs candidates of some tests, one after the other, and returns their verdicts."""

    def run(tests, *candidates):
        limits = Limits(wall_seconds=WALL_SECONDS)
        return counting_pool.run_all([Program(each, tests, limits, request.param) for each in candidates], 1)

    return run


def test_an_endless_loop_ends(verdicts):
    """The timer ends a loop, also one that catches the exception for a while."""
    catching = "def f(n):\n    for _ in range(3):\n        try:\n            while True:\n                pass\n"
    catching += "        except Exception:\n            pass\n    return n\n"
    [loop] = verdicts(TIMED, ENDLESS.format("pass"))
    assert (loop.outcome, loop.exception_type) == (Outcome.FAILED, "TimeoutError")
    assert loop.cpu_seconds < WALL_SECONDS / 4
    [caught] = verdicts(TIMED.replace("0.3)", "0.3, 0.1)"), catching)
    assert caught.cpu_seconds < WALL_SECONDS / 4


def test_a_call_in_time(verdicts):
    """A call that takes less is not disturbed, and neither is one after the timer was turned off."""
    assert [each.passed for each in verdicts(TIMED, BURN.format(0.1), BURN.format(0.6))] == [True, False]
    off = TESTS + "setitimer(ITIMER_PROF, 0.3)\nassert f(1) == 1\nsetitimer(ITIMER_PROF, 0)\nassert g(1) == 1\n"
    slow_later = BURN.format(0) + BURN.format(0.6).replace("def f", "def g")
    assert [each.passed for each in verdicts(off, slow_later)] == [True]


def test_each_call_has_a_timer(verdicts):
    """Tests that set the timer anew before each call give each of them its whole time."""
    calls = TESTS + "for n in range(5):\n    setitimer(ITIMER_PROF, 0.3)\n    assert f(n) == n\n"
    assert [each.passed for each in verdicts(calls, BURN.format(0.15))] == [True]


def test_the_next_tests_have_no_timer(verdicts):
    """Neither tests nor candidates after them find a timer."""
    assert [each.passed for each in verdicts(TIMED, BURN.format(0))] == [True]
    assert [each.passed for each in verdicts("assert f(1) == 1", BURN.format(0.6))] == [True]


SEPARATE = Limits(wall_seconds=WALL_SECONDS)


@pytest.fixture
def run_apart(counting_pool):
    """Return a function that runs a candidate apart from its tests, and returns the verdict."""
    return lambda tests, candidate: counting_pool.run_all([Program(candidate, tests, SEPARATE, "separate")], 1)[0]


def test_a_loop_within_a_function_in_c_ends(run_apart):
    """A call that lets no signal in ends with its process."""
    verdict = run_apart(TIMED, "def f(n):\n    return sum(range(10**13))\n")
    detail = "a call used more CPU time than the tests allow"
    assert (verdict.outcome, verdict.detail) == (Outcome.TIMED_OUT, detail)
    assert verdict.cpu_seconds < WALL_SECONDS / 4


def test_a_call_that_waits_ends(run_apart):
    """A call that sleeps may take ten times its CPU seconds."""
    verdict = run_apart(TIMED, f"import time\n\ndef f(n):\n    time.sleep({WALL_SECONDS})\n    return n\n")
    assert (verdict.exception_type, verdict.exception_message) == (
        "TimeoutError",
        "the call took more than 3 s of waiting",
    )
    assert run_apart(TIMED, "import time\n\ndef f(n):\n    time.sleep(1)\n    return n\n").passed


def test_no_limit_is_left(run_apart):
    """A call after the timer was turned off may take more CPU time than the timer allowed."""
    tests = TIMED + "setitimer(ITIMER_PROF, 0)\nassert g(1) == 1\n"
    assert run_apart(tests, BURN.format(0) + BURN.format(3).replace("def f", "def g")).passed


def test_an_alarm_of_the_candidate(run_apart):
    """A candidate that has a handler for its own alarms keeps it."""
    candidate = """
import signal, time
rung = []
signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))

def f(n):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(0.2)
    return len(rung)
"""
    assert run_apart(TIMED, candidate).passed
