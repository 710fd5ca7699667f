"""What a program has printed is kept, whether it was flushed or not, however the program ends."""

import pytest

from sandboxes import Limits, Outcome, Program
from support.observers import passes
from support.raw_runs import run_of
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

# Each is a program's end, its outcome, and its outcome as a raw run.
ENDS = {
    "endless loop": ("while True: pass", Outcome.TIMED_OUT),
    "endless call of C": ("sum(range(10**12))", Outcome.TIMED_OUT),
    "sleep": ("time.sleep(1000)", Outcome.TIMED_OUT),
    "os._exit": ("os._exit(3)", Outcome.EXITED),
    "SIGKILL": ("os.kill(os.getpid(), 9)", Outcome.CRASHED),
    "abort": ("os.abort()", Outcome.CRASHED),
    "memory of several processes": (
        "for _ in range(3):\n    if os.fork() == 0:\n        full = b'x' * (100 << 20)\n        time.sleep(1000)\n"
        "time.sleep(1000)",
        Outcome.OUT_OF_MEMORY,
    ),
    "too much output": ("while True: os.write(2, b'x' * 65536)", Outcome.OUTPUT_LIMIT),
}
LIMITS = {"wall_seconds": 2.0, "memory_bytes": 256 << 20}
PRINTED = "import os, time\nprint('first')\nprint('last', end='')\n"
MEMORY = """
import ctypes, os
with open("/proc/self/maps") as maps:
    [start] = [int(line.split("-")[0], 16) for line in maps if "memfd:output" in line] or [0]
"""


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize(("end", "outcome"), ENDS.values(), ids=ENDS)
def test_unflushed_output_is_in_the_verdict(pool, grading, end, outcome):
    """What a candidate printed before it was ended is in the verdict, where its tests run with it and apart from it."""
    candidate = "def f():\n" + "".join(f"    {line}\n" for line in (PRINTED + end).splitlines())
    [verdict] = pool.run_all([Program(candidate, "assert f() == 1", Limits(**LIMITS), grading)], 1)
    assert (verdict.outcome, verdict.stdout) == (outcome, "first\nlast")


@pytest.mark.parametrize(("end", "outcome"), ENDS.values(), ids=ENDS)
def test_unflushed_output_of_raw_runs(counting_pool, end, outcome):
    """The result of a raw run has what its source printed before it was ended."""
    result = run_of(counting_pool, PRINTED + end, LIMITS)
    assert result.stdout == b"first\nlast"
    assert result.limit is (outcome if outcome not in (Outcome.EXITED, Outcome.CRASHED) else None)


def test_no_line_is_lost_among_many(counting_pool):
    """A program that is ended after many lines has all of them, each once and in their order."""
    lines = "for number in range(20_000): print(number, flush=number % 7 == 0)\n"
    result = run_of(counting_pool, lines + "while True: pass", LIMITS)
    assert result.stdout.split() == [b"%d" % number for number in range(20_000)]


def test_processes_do_not_mix_their_output(run):
    """What a program and its forks print without a flush is there once each."""
    words = "print('b' * 5000)\n    sys.stdout.flush()\n    os._exit(0)"
    verdict = run(f"import os, sys\nprint('a')\nif os.fork() == 0:\n    {words}\nos.wait()\nprint('c' * 5000)")
    passes(verdict)
    assert sorted(verdict.stdout.split()) == ["a", "b" * 5000, "c" * 5000]


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", ""])
@pytest.mark.parametrize("byte", [0, 1, 255])
def test_a_program_that_writes_there_itself(run, byte, end):
    """A program that fills the memory of its output gets its own verdict, and leaves the next program nothing."""
    verdict = run(MEMORY + f"if start:\n    ctypes.memset(start, {byte}, 8192)\n{end}")
    assert verdict.passed is (not end) and len(verdict.stdout.encode("utf-8", "replace")) <= 3 * 8192
    verdict = run(
        MEMORY + "content = ctypes.string_at(start, 8192) if start else b''", "assert not content.strip(b'\\0')"
    )
    passes(verdict)
    assert (verdict.stdout, verdict.attempts) == ("", 1)


def test_a_right_answer_that_is_not_flushed(run):
    """A program does not pass because of what it printed before it left, as in plain Python."""
    verdict = run("import os\nprint('P')\nos._exit(0)", "assert True", wall_seconds=WALL_SECONDS)
    assert (verdict.outcome, verdict.stdout) == (Outcome.EXITED, "P\n")
