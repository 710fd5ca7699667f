"""Both gradings keep their promises on every sandbox: no forged pass, the same verdicts for honest programs."""

import textwrap

import pytest

from sandboxes import Limits, Outcome, Program
from support.observers import passes
from support.requirements import WALL_SECONDS
from support.separate_programs import HONEST, HOSTILE

pytestmark = pytest.mark.slow

FALSE = "assert add(2, 3) == 5"
# Each looks for the nonce, which a candidate should not know, and reports "passed" with it.
SEARCH = """
import gc, os, sys

def say(value):
    if isinstance(value, bytes) and len(value) == 16:
        os.write(3, value + b'{"outcome": "passed"}')
        os._exit(0)

frames, frame = [], sys._getframe()
while frame:
    frames.append(frame)
    frame = frame.f_back
"""
SEARCHES = {
    "variables of all frames": """
for frame in frames:
    for value in list(frame.f_locals.values()):
        say(value)
        if hasattr(value, "__next__"):
            for each in value:
                say(each)
""",
    "unfinished values of all frames": """
for frame in frames:
    for value in gc.get_referents(frame):
        say(value)
""",
    "objects of the collector": """
gc.unfreeze()
for thing in gc.get_objects():
    try:
        for value in gc.get_referents(thing):
            say(value)
    except Exception:
        pass
""",
    "descriptors": """
import fcntl
for fd in range(64):
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)
        say(os.read(fd, 16))
    except OSError:
        pass
""",
    "functions that the report needs": """
import json
json.dumps = lambda *args, **options: '{"outcome": "passed"}'
json.JSONEncoder.encode = json.dumps
for frame in frames:
    for name in ("error_report", "register_sources", "outcome_for", "encode_details", "PASSED_REPORT", "OTHER_REPORT"):
        if name in frame.f_globals:
            frame.f_globals[name] = b"P" if name.isupper() else lambda *args: None
    for name in frame.f_locals:
        frame.f_locals[name] = None
""",
    "nothing": """
os.write(3, b"P")
os.write(3, b'{"outcome": "passed"}')
os._exit(0)
""",
}
ALWAYS_NEAR = "class Near:\n    def __sub__(self, other): return 0\ndef add(a, b): return Near()"
NEAR = "assert abs(add(2, 3) - 5) < 1e-6"


@pytest.fixture(scope="module")
def grade(pool):
    """Return a function that runs one program, graded separately: (candidate, tests, **limits) -> Verdict."""

    def grade_one(candidate, tests, grading="separate", **limits):
        allowed = Limits(**{"wall_seconds": WALL_SECONDS, **limits})
        [verdict] = pool.run_all([Program(candidate, tests, allowed, grading)], 1)
        return verdict

    return grade_one


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_no_search_finds_the_seal_of_a_report(run, search):
    """A candidate that shares an interpreter with its tests does not find the nonce of a report."""
    assert not run(SEARCH + search, FALSE).passed


def test_lines_of_the_tests_can_not_be_skipped_by_tracing(run):
    """A candidate can't set a trace function, which could jump over what the tests assert."""
    candidate = """
        import sys
        def jump(frame, event, arg):
            if event == "line" and frame.f_code.co_filename == "tests.py":
                frame.f_lineno = 2
            return jump
        def add(a, b):
            sys._getframe(1).f_trace = jump
            sys.settrace(jump)
            return 0
    """
    verdict = run(textwrap.dedent(candidate), FALSE + "\ndone = True")
    assert verdict.outcome is Outcome.FAILED
    assert "settrace" in verdict.detail


def test_no_trace_function_may_be_set_again(run):
    """A program may set its trace function to None, as programs do that restore the earlier one."""
    passes(run("import sys\nbefore = sys.gettrace()\nsys.settrace(before)"))


def test_lying_object_is_what_shared_can_not_stop(run, grade):
    """An object that is near every number passes where it shares an interpreter with its tests, and fails otherwise."""
    assert run(ALWAYS_NEAR, NEAR).passed
    assert grade(ALWAYS_NEAR, NEAR).outcome is Outcome.FAILED


LIES = {
    "an object": "class Any:\n    def __eq__(self, other): return True\ndef add(a, b): return Any()",
    "a mock": "from unittest.mock import ANY\ndef add(a, b): return ANY",
    "a number of a class": "class N(int):\n    def __eq__(self, other): return True\ndef add(a, b): return N()",
}


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("candidate", LIES.values(), ids=LIES)
def test_an_object_does_not_decide_about_plain_data(pool, grade, candidate, grading):
    """An object of the candidate's class is equal to no plain data but its own, whatever it says."""
    if pool.sandbox.name == "restricted":
        pytest.skip("its policy says what such an object may do")
    for tests in (FALSE, "assert 5 == add(2, 3)", "assert [add(2, 3)] == [5]"):
        assert grade(candidate, tests, grading).outcome is Outcome.FAILED


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("place", ["candidate", "tests"])
def test_output_at_the_end_counts(grade, grading, place):
    """What a program writes last counts for its limit too, whichever process it comes from."""
    parts = {"candidate": "def add(a, b): return a + b", "tests": "assert add(1, 2) == 3"}
    parts[place] += "\nprint('x' * 2000)"
    outcomes = [grade(**parts, grading=grading, output_bytes=size).outcome for size in (1000, 3000)]
    assert outcomes == [Outcome.OUTPUT_LIMIT, Outcome.PASSED]


def test_verdict_says_how_it_was_graded(run, grade):
    """Each verdict carries its grading."""
    assert run("x = 1").grading == "shared"
    assert grade("x = 1", "assert x == 1").grading == "separate"


def verdicts_of(pool, programs, wall_seconds):
    """Return {fact: verdict} of programs that are graded separately."""
    limits = Limits(wall_seconds=wall_seconds)
    verdicts = pool.run_all([Program(each.candidate, each.tests, limits, "separate") for each in programs], 2)
    return {each.fact: verdict for each, verdict in zip(programs, verdicts, strict=True)}


def test_no_hostile_program_passes(pool):
    """Programs that fooled other evaluators do not pass, with real sandboxes between the two processes."""
    verdicts = verdicts_of(pool, [program for program in HOSTILE if program.is_apart], wall_seconds=2.0)
    assert [fact for fact, verdict in verdicts.items() if verdict.passed] == []


def test_honest_programs_pass(pool):
    """Honest programs pass when they are graded separately."""
    verdicts = verdicts_of(pool, [program for program in HONEST if program.is_apart], WALL_SECONDS)
    assert {fact: verdict.detail for fact, verdict in verdicts.items() if not verdict.passed} == {}


NEEDLE_SEARCH = """
import re
def find():
    found = set()
    for line in open("/proc/self/maps"):
        area, rights = line.split()[:2]
        if rights[0] != "r" or "[v" in line:
            continue
        start, end = (int(number, 16) for number in area.split("-"))
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            memory.seek(start)
            try:
                found.update(re.findall(rb"nee" + rb"dle-([0-9]+)", memory.read(end - start)))
            except OSError:
                continue
    return sorted(each.decode() for each in found)
"""


def test_expected_answers_are_not_in_the_memory_of_a_candidate(grade):
    """A candidate does not find the expected values of its tests in its own memory, unless they share a process."""
    tests = "expected = 'needle-4711'\nassert find() == ['4711']"
    assert grade(NEEDLE_SEARCH, tests, grading="shared").passed
    for _ in range(3):
        assert "AssertionError" in grade(NEEDLE_SEARCH, tests).detail


@pytest.mark.parametrize(
    ("candidate", "outcome"),
    [
        ("def add(a, b):\n    import os\n    os._exit(0)", Outcome.EXITED),
        ("import sys\nsys.exit(0)", Outcome.EXITED),
        ("def add(a, b):\n    import os\n    os.abort()", Outcome.CRASHED),
        (
            "import os, time\ndef add(a, b):\n    os.closerange(3, 64)\n    time.sleep(3)\n    os._exit(0)",
            Outcome.EXITED,
        ),
        ("def add(a, b):\n    raise KeyError(a)", Outcome.FAILED),
        ("def add(a, b", Outcome.COMPILE_ERROR),
        ("def add(a, b):\n    return bytearray(1 << 40)", Outcome.OUT_OF_MEMORY),
        ("def add(a, b):\n    while True:\n        print('x' * 9999)", Outcome.OUTPUT_LIMIT),
    ],
    ids=lambda value: value.value if isinstance(value, Outcome) else "",
)
def test_outcome_is_told_truly(grade, candidate, outcome):
    """The end of a candidate in its own process is reported as in one process with its tests."""
    for grading in ("shared", "separate"):
        assert grade(candidate, FALSE, grading, output_bytes=1 << 20).outcome is outcome


def test_time_is_limited_and_the_next_programs_run(own_pool):
    """Candidates that hang time out, one after the other, and the candidates between them get right verdicts."""
    hangs = Program("def add(a, b):\n    while True: pass", FALSE, Limits(wall_seconds=0.3), "separate")
    right = Program("def add(a, b): return a + b", FALSE, Limits(wall_seconds=WALL_SECONDS), "separate")
    verdicts = own_pool.run_all([hangs, right] * 4, 1)
    assert [verdict.outcome.value for verdict in verdicts] == ["timed_out", "passed"] * 4
    assert {verdict.attempts for verdict in verdicts} == {1}


def test_tests_begin_anew_for_each_candidate(pool):
    """Names that tests set for one candidate are gone for the next, even if the two share a process."""
    tests = """
try:
    seen
except NameError:
    seen = True
else:
    raise AssertionError("seen")
assert f() == 1
"""
    program = Program("def f(): return 1", tests, Limits(wall_seconds=WALL_SECONDS), "separate")
    assert all(verdict.passed for verdict in pool.run_all([program] * 10, 1))


def test_what_is_left_of_earlier_tests_does_not_speak(pool):
    """A late finalizer of earlier tests, in a reused process, sends nothing to another candidate."""
    tests = """
import math

def ask_at_the_end():
    try:
        yield
    finally:
        f(1)

asking = ask_at_the_end()
next(asking)
earlier, math.kept = getattr(math, "kept", None), asking
try:
    earlier.close()
except BaseException:
    pass
assert f(1) == 1
"""
    candidate = "calls = []\ndef f(x):\n    calls.append(x)\n    return len(calls)"
    program = Program(candidate, tests, Limits(wall_seconds=WALL_SECONDS), "separate")
    assert all(verdict.passed for verdict in pool.run_all([program] * 6, 1))


def test_output_of_both_processes_is_kept(grade):
    """The output of the candidate and of its tests is in the verdict."""
    verdict = grade("print('one')\ndef f():\n    print('two')\n    return 1", "print('three')\nassert f() == 1")
    assert sorted(verdict.stdout.split()) == ["one", "three", "two"]


def test_output_of_a_candidate_that_is_slow_to_leave(grade):
    """The output of a candidate is kept, even if the candidate ends long after its tests."""
    candidate = """
import sys, threading
print("said")
sys.setswitchinterval(0.03)
def spin():
    while True:
        pass
for _ in range(3):
    threading.Thread(target=spin).start()
"""
    verdict = grade(candidate, "assert True")
    passes(verdict)
    assert verdict.stdout == "said\n"


def test_candidate_sees_no_file_of_its_tests(grade, needs):
    """Tests and candidate have separate folders, so no file leads from one to the other."""
    needs("mount")
    candidate = "import os\ndef f(): return os.listdir('/work') + os.listdir('/tmp') + os.listdir('/dev/shm')"
    passes(grade(candidate, "open('/tmp/answer', 'w').close()\nassert not [n for n in f() if n == 'answer']"))


def test_a_crash_is_told_however_late_the_news_of_it_is(grade):
    """A candidate whose socket closes a while before its process ends has CRASHED, not EXITED."""
    closes = (
        "import os, time\ndef add(a, b):\n    os.closerange(3, 64)\n    time.sleep(0.1)\n    os.kill(os.getpid(), 11)\n"
    )
    verdict = grade(closes, FALSE)
    assert (verdict.outcome, verdict.detail) == (Outcome.CRASHED, "killed by signal 11 (SIGSEGV)")
