"""The verdicts of every sandbox: each outcome is distinct, and comes with its evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Outcome, Verdict

ADD = "def add(a, b):\n    return a + b\n"
WRONG_ADD = "def add(a, b):\n    return a * b\n"
TESTS = "assert add(2, 3) == 5"

ENDINGS = {
    "exception": ("{}['x']", Outcome.FAILED),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", Outcome.FAILED),
    "BaseException": ("class Own(BaseException): pass\nraise Own", Outcome.FAILED),
    "endless recursion": ("def f():\n    f()\nf()", Outcome.FAILED),
    "SIGINT to itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGINT)", Outcome.FAILED),
    "SyntaxError": ("def add(a, b:\n    return a + b", Outcome.COMPILE_ERROR),
    "NUL byte": ("x = 1\0", Outcome.COMPILE_ERROR),
    "lone surrogate": ("x = '\ud800'", Outcome.COMPILE_ERROR),
    "markdown": ("```python\nx = 1\n```", Outcome.COMPILE_ERROR),
    "SyntaxError raised when run": ("compile('1 +', 'own', 'exec')", Outcome.FAILED),
    "one big allocation": ("x = bytearray(1 << 40)", Outcome.OUT_OF_MEMORY),
    "many small allocations": ("x = []\nwhile True:\n    x.append([0] * 10)", Outcome.OUT_OF_MEMORY),
    "a chain of allocations": ("x = None\nwhile True:\n    x = [x]", Outcome.OUT_OF_MEMORY),
    "raise MemoryError": ("raise MemoryError", Outcome.OUT_OF_MEMORY),
    "null pointer": ("import ctypes\nctypes.string_at(0)", Outcome.CRASHED),
    "SIGSEGV": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", Outcome.CRASHED),
    "SIGKILL to itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", Outcome.CRASHED),
    "abort": ("import os\nos.abort()", Outcome.CRASHED),
    "real-time signal": ("import os, signal\nos.kill(os.getpid(), signal.SIGRTMIN + 3)", Outcome.CRASHED),
    "sys.exit(0)": ("import sys\nsys.exit(0)", Outcome.EXITED),
    "sys.exit('text')": ("import sys\nsys.exit('text')", Outcome.EXITED),
    "raise SystemExit": ("raise SystemExit", Outcome.EXITED),
    "quit()": ("quit()", Outcome.EXITED),
    "os._exit(0)": ("import os\nos._exit(0)", Outcome.EXITED),
    "os._exit(1)": ("import os\nos._exit(1)", Outcome.EXITED),
    "exec of another program": ("import os\nos.execvp('true', ['true'])", Outcome.EXITED),
}
HANGS = {
    "endless loop": "while True:\n    pass",
    "sleep": "import time\ntime.sleep(1000)",
    "deaf to signals": "import signal\nfor n in (1, 2, 15):\n    signal.signal(n, signal.SIG_IGN)\n"
    "while True:\n    pass",
    "stopped by itself": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "reads from itself": "import os\nr, w = os.pipe()\nos.read(r, 1)",
    "catches everything": "while True:\n    try:\n        while True:\n            pass\n"
    "    except BaseException:\n        pass",
}


def test_right_candidate_passes(run):
    """A right candidate has the verdict PASSED, and no error."""
    verdict = run(ADD, TESTS)
    assert verdict.outcome is Outcome.PASSED
    assert verdict.passed
    assert (verdict.detail, verdict.exception_type, verdict.exception_message, verdict.traceback) == ("", "", "", "")


def test_empty_program_passes(run):
    """A program without any text passes."""
    assert run("", "").outcome is Outcome.PASSED


def test_failed_assertion_names_its_condition(run):
    """The `detail` of a failed assertion is its condition."""
    verdict = run(WRONG_ADD, TESTS)
    assert (verdict.outcome, verdict.detail) == (Outcome.FAILED, "AssertionError: add(2, 3) == 5")
    assert not verdict.passed


def test_failed_assertion_of_the_candidate_names_its_condition(run):
    """The `detail` is the condition also if the assertion is in the candidate."""
    assert run("x = 1\nassert x == 2").detail == "AssertionError: x == 2"


def test_message_of_an_assertion_is_told(run):
    """The verdict of a failed assertion contains the assertion's message."""
    verdict = run(WRONG_ADD, "assert add(2, 3) == 5, 'two and three'")
    assert (verdict.exception_type, verdict.exception_message) == ("AssertionError", "two and three")
    assert verdict.detail == "AssertionError: two and three"


def test_failed_assertion_on_several_lines_names_all_of_its_condition(run):
    """The `detail` has the whole condition in one line, without the comment behind it."""
    detail = run(WRONG_ADD, "assert add(\n    2, 3\n) == 5  # five").detail
    assert detail == "AssertionError: add( 2, 3 ) == 5"


def test_exception_has_type_and_message(run):
    """The verdict has the type and message of the exception that ended the program."""
    verdict = run("class Own(Exception): pass\ndef f():\n    raise Own('first\\nsecond')", "f()")
    assert (verdict.exception_type, verdict.exception_message) == ("Own", "first second")
    assert verdict.detail == "Own: first second"


def test_traceback_shows_the_programs_lines(run):
    """A traceback shows the frames of candidate and tests with their lines."""
    verdict = run("def f():\n    raise ValueError(1)", "x = 1\nf()")
    assert 'File "tests.py", line 2' in verdict.traceback
    assert 'File "candidate.py", line 2, in f\n    raise ValueError(1)' in verdict.traceback


@pytest.mark.parametrize("candidate", ["1 / 0", "def f(:", "import json\njson.loads('{')", "raise SystemExit"])
def test_traceback_shows_only_the_programs_frames(run, candidate):
    """No frame in a traceback belongs to the sandbox or to a library."""
    lines = [line.strip() for line in run(candidate).traceback.splitlines() if line.startswith('  File "')]
    assert all(line.startswith(('File "candidate.py"', 'File "tests.py"')) for line in lines), lines


def test_chained_exceptions_show_only_the_programs_frames(run):
    """A chained exception shows no path of the guest's own code."""
    verdict = run("try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise KeyError('x')")
    assert "ZeroDivisionError" in verdict.traceback
    assert "sandboxes" not in verdict.traceback


def test_syntax_error_shows_where(run):
    """The verdict of a candidate that is not Python has the line and its text."""
    verdict = run("x = 1\ndef add(a, b:\n    return a + b")
    assert verdict.exception_type == "SyntaxError"
    assert 'File "candidate.py", line 2' in verdict.traceback


def test_syntax_error_in_tests_is_a_compile_error(run):
    """Tests that are not Python are a COMPILE_ERROR that names them, and the candidate does not run."""
    verdict = run("print('ran')", "assert (")
    assert (verdict.outcome, verdict.stdout) == (Outcome.COMPILE_ERROR, "")
    assert "tests.py" in verdict.traceback


@pytest.mark.parametrize(("candidate", "outcome"), ENDINGS.values(), ids=ENDINGS)
def test_outcome_is_told_truly(run, candidate, outcome):
    """Each way to end has its own outcome, which `detail` names too."""
    verdict = run(candidate, memory_bytes=256 << 20)
    assert verdict.outcome is outcome
    assert verdict.detail


@pytest.mark.parametrize("candidate", HANGS.values(), ids=HANGS)
def test_hanging_program_times_out(run, candidate):
    """A program that does not end is TIMED_OUT, whatever it does."""
    verdict = run(candidate, wall_seconds=0.3)
    assert (verdict.outcome, verdict.detail) == (Outcome.TIMED_OUT, "ran for more than 0.3 s")


@pytest.mark.slow
@pytest.mark.parametrize("prelude", ["", "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"])
def test_cpu_limit_times_out(run, prelude):
    """A program that exceeds its CPU seconds is TIMED_OUT, long before its wall seconds are over."""
    verdict = run(prelude + "while True:\n    pass", cpu_seconds=1.0, wall_seconds=30.0)
    assert verdict.outcome is Outcome.TIMED_OUT
    assert verdict.wall_seconds < 25


@pytest.mark.parametrize("call", ["os._exit(0)", "sys.exit(0)", "exit(0)", "os.kill(os.getpid(), 9)"])
def test_leaving_from_a_tested_function_does_not_pass(run, call):
    """A function under test that leaves the process does not pass."""
    assert run(f"import os, sys\ndef add(a, b):\n    {call}", TESTS).outcome in (Outcome.EXITED, Outcome.CRASHED)


def test_exit_is_told_with_its_status(run):
    """The verdict of a program that exits has the exit status."""
    assert "status 7" in run("import os\nos._exit(7)").detail


def test_signal_is_told_by_name(run):
    """The verdict of a crash names its signal."""
    assert "SIGABRT" in run("import os\nos.abort()").detail


def test_caught_exit_goes_on(run):
    """A program that catches its own SystemExit passes."""
    assert run("try:\n    raise SystemExit\nexcept SystemExit:\n    pass").passed


@pytest.mark.parametrize("fds", ["1", "2", "1, 2"])
def test_endless_output_is_an_output_limit(run, fds):
    """A program that writes without end is ended with OUTPUT_LIMIT, whichever stream it writes to."""
    candidate = f"import os\nwhile True:\n    for fd in ({fds},):\n        os.write(fd, b'x' * 4096)"
    assert run(candidate, output_bytes=1 << 20).outcome is Outcome.OUTPUT_LIMIT


def test_output_limit_is_for_both_streams_together(run):
    """Streams that are together above the limit are OUTPUT_LIMIT, even if each is below it and the program passes."""
    candidate = "import sys\nsys.stdout.write('x' * 60_000)\nsys.stderr.write('x' * 60_000)"
    assert run(candidate, output_bytes=100_000).outcome is Outcome.OUTPUT_LIMIT
    assert run(candidate, output_bytes=120_000).outcome is Outcome.PASSED


def test_output_is_captured(run):
    """A verdict has the program's output, with the two streams apart."""
    verdict = run("import sys\nprint('out')\nprint('err', file=sys.stderr)\nraise ValueError")
    assert (verdict.stdout, verdict.stderr) == ("out\n", "err\n")


def test_output_of_a_killed_program_is_captured(run):
    """A verdict has the output that a program wrote before its time was over."""
    assert run("print('out', flush=True)\nwhile True:\n    pass", wall_seconds=0.3).stdout == "out\n"


def test_output_is_capped(run):
    """A verdict keeps the first `kept_bytes` of a stream, and notes that the stream is cut."""
    stdout = run("print('a' * 50 + 'b' * 5000)", kept_bytes=100).stdout
    assert stdout.startswith("a" * 50 + "b" * 50)
    assert "cut" in stdout
    assert len(stdout) < 200


def test_output_of_just_the_kept_size_is_not_cut(run):
    """Output of exactly `kept_bytes` is kept unchanged."""
    assert run("import sys\nsys.stdout.write('a' * 100)", kept_bytes=100).stdout == "a" * 100


def test_output_of_any_bytes_is_decoded(run):
    """Bytes that are not UTF-8 are replaced."""
    assert run("import os\nos.write(1, b'\\xff ok \\xc3\\xa9\\0')").stdout == "\ufffd ok é\0"


def test_much_output_may_be_kept(run):
    """A verdict can carry a large output if `kept_bytes` is large."""
    assert run("import os\nos.write(1, b'\\xff' * 300_000)", kept_bytes=300_000).passed


def test_measures_are_of_this_program(run):
    """Wall seconds, CPU seconds and memory of a verdict are close to the program's real use."""
    candidate = "import time\ntime.sleep(0.3)\nwhile time.process_time() < 0.3:\n    pass\nx = b'x' * (100 << 20)"
    verdict = run(candidate)
    assert 0.5 <= verdict.wall_seconds < 20
    assert 0.25 <= verdict.cpu_seconds < 5
    assert 100 << 20 <= verdict.peak_memory_bytes < 400 << 20


def test_measures_are_not_of_an_earlier_program(run):
    """A small program after a big one has small measures."""
    run("x = b'x' * (200 << 20)")
    verdict = run("x = 1")
    assert verdict.peak_memory_bytes < 100 << 20
    assert verdict.cpu_seconds < 0.5


def test_verdict_names_the_layers(run):
    """A verdict names the layers of isolation that were on."""
    assert "rlimits" in run("x = 1").isolation


HUGE_ERRORS = {
    "message": "raise ValueError('x' * 10_000_000)",
    "wide message": "raise ValueError('\U0001f600' * 10_000)",
    "many lines": "raise ValueError('x\\n' * 1_000_000)",
    "wide line": "raise ValueError('" + "\U0001f600" * 10_000 + "')",
    "chain": "def f(n):\n    try:\n        raise KeyError('y' * 50)\n    except KeyError:\n        if n:\n"
    "            f(n - 1)\n        raise ValueError('x' * 500)\nf(300)",
    "class name": "raise type('X' * 1_000_000, (Exception,), {})",
}


@pytest.mark.parametrize("candidate", HUGE_ERRORS.values(), ids=HUGE_ERRORS)
def test_huge_errors_are_capped(run, candidate):
    """A very long exception is a FAILED verdict with a few thousand characters of it."""
    verdict = run(candidate, wall_seconds=5.0)
    assert verdict.outcome is Outcome.FAILED
    texts = (verdict.detail, verdict.exception_type, verdict.exception_message, verdict.traceback)
    assert max(map(len, texts)) <= 10_000


LYING_ERRORS = {
    "__str__ raises": "class Own(Exception):\n    def __str__(self):\n        raise ValueError",
    "__str__ leaves": "class Own(Exception):\n    def __str__(self):\n        raise SystemExit",
    "__str__ is no text": "class Own(Exception):\n    def __str__(self):\n        return 5",
    "lying class": "class Own(Exception):\n    __class__ = SystemExit",
    "raising class": "class Own(Exception):\n    __class__ = property(lambda self: 1 / 0)",
    "lying traceback": "class Own(Exception):\n    __traceback__ = 5",
    "raising cause": "class Own(Exception):\n    __cause__ = property(lambda self: 1 / 0)",
    "lying metaclass": "class Meta(type):\n    __name__ = property(lambda cls: 1 / 0)\n"
    "class Own(Exception, metaclass=Meta):\n    pass",
    "odd text": "class Text(str):\n    def __str__(self):\n        return self\n    def split(self):\n        1 / 0\n"
    "class Own(Exception):\n    def __str__(self):\n        return Text('x')",
}


@pytest.mark.parametrize("candidate", LYING_ERRORS.values(), ids=LYING_ERRORS)
def test_lying_exceptions_are_told(run, candidate):
    """An exception that lies, raises or prints nonsense is a FAILED verdict that names its class."""
    verdict = run(candidate + "\nraise Own('x')")
    assert (verdict.outcome, verdict.exception_type) == (Outcome.FAILED, "Own")


@given(candidate=st.text(st.characters(exclude_categories=())), tests=st.text(st.characters(exclude_categories=())))
def test_any_text_has_a_verdict(run, candidate, tests):
    """Any two texts, taken as candidate and tests, get a verdict."""
    assert isinstance(run(candidate, tests), Verdict)


@pytest.mark.slow
def test_large_candidate_is_run_whole(run):
    """A candidate larger than any pipe runs to its last line."""
    assert run("x = 0\n" + "x += 1\n" * 200_000, "assert x == 200_000").passed
