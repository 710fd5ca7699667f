"""Python cells of a session: state, values, errors, output, limits."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from sandboxes import Outcome
from sandboxes.sessions.results import PROCESS_ENDED
from support.observers import wait_until
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

HANGS = "while True:\n    pass"
IGNORES_INTERRUPTS = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + HANGS


def test_a_cell_finds_the_variables_of_earlier_cells(session):
    """Cells share one namespace."""
    session.run_cell("first = 20")
    session.run_cell("def double(x):\n    return 2 * x")
    assert session.run_cell("double(first) + 2").value == "42"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", "2"),
        ("'a'", "'a'"),
        ("None", None),
        ("x = 5", None),
        ("x = 5\nx;", "5"),
        ("", None),
        ("# nothing", None),
        ("[print('hi')]", "[None]"),
        ("if True:\n    3", None),
    ],
)
def test_the_value_is_that_of_the_last_expression(session, code, value):
    """A cell's value is the repr of its last statement, if that is an expression that is not None."""
    result = session.run_cell(code)
    assert (result.value, result.succeeded) == (value, True)


def test_the_last_value_has_the_name_of_an_underscore(session):
    """The name `_` is the last value, as in Python's own prompt."""
    session.run_cell("6 * 7")
    assert session.run_cell("_ + 1").value == "43"


def test_output_comes_back_by_stream(session):
    """The result has all that a cell prints, also past Python and in its children."""
    result = session.run_cell(
        "import os, sys, subprocess\nprint('one')\nprint('two', file=sys.stderr)\nos.write(1, b'three\\n')\n"
        "subprocess.run(['echo', 'four'])\nprint('no line', end='')"
    )
    assert (result.stdout, result.stderr) == ("one\nthree\nfour\nno line", "two\n")


def test_a_traceback_shows_the_lines_of_all_cells_that_led_to_it(session):
    """A traceback has the frames of cells with their source, and none of ours."""
    first = session.run_cell("def divide(x):\n    return 1 / x")
    error = session.run_cell("divide(0)").error
    assert (error.name, error.message) == ("ZeroDivisionError", "division by zero")
    assert f'File "<cell {first.number}>", line 2, in divide' in error.traceback
    assert "return 1 / x" in error.traceback and "divide(0)" in error.traceback
    assert "guest" not in error.traceback and "eval" not in error.traceback


def test_a_traceback_shows_modules_of_the_session(session):
    """A file that the session wrote and imports is its own code too."""
    session.write_file("helper_of_cells.py", "def fail():\n    raise ValueError('from a file')\n")
    error = session.run_cell("import helper_of_cells\nhelper_of_cells.fail()").error
    assert "raise ValueError('from a file')" in error.traceback


def test_a_syntax_error_is_reported_and_nothing_runs(session):
    """A cell that can't be compiled changes nothing."""
    session.run_cell("marker = 1")
    error = session.run_cell("marker = 2\nx +").error
    assert (error.name, session.run_cell("marker").value) == ("SyntaxError", "1")
    assert "x +" in error.traceback


def test_statements_before_an_error_have_run(session):
    """An exception ends a cell, and what it did stays."""
    session.run_cell("done = []\ndone.append(1)\n1 / 0\ndone.append(2)")
    assert session.run_cell("done").value == "[1]"


@pytest.mark.parametrize("status", ["3", "'a text'", ""])
def test_sys_exit_ends_the_cell_alone(session, status):
    """A cell that exits is reported with its status, and the state stays."""
    session.run_cell("kept = 'yes'")
    result = session.run_cell(f"import sys\nsys.exit({status})")
    assert (result.error.name, result.error.message, result.state_lost) == ("SystemExit", status.strip("'"), False)
    assert session.run_cell("kept").value == "'yes'"


def test_a_cell_may_await(session):
    """Code that awaits runs in the session's event loop, also as the last expression."""
    result = session.run_cell("import asyncio\nawait asyncio.sleep(0)\nawait asyncio.sleep(0, 'slept')")
    assert (result.value, result.error) == ("'slept'", None)
    assert session.run_cell("import asyncio\nasyncio.run(asyncio.sleep(0, 5))").value == "5"


def test_future_statements_hold_for_later_cells(session):
    """`from __future__ import annotations` is obeyed by the cells after it."""
    session.run_cell("from __future__ import annotations")
    assert session.run_cell("def f(x: not_defined): pass\nf.__annotations__").value == "{'x': 'not_defined'}"


def test_a_cell_reads_an_empty_input(session):
    """`input` raises EOFError instead of waiting."""
    assert session.run_cell("input()").error.name == "EOFError"


def test_functions_of_cells_can_be_inspected_and_pickled(session):
    """Libraries find the source of a cell's functions, and its classes by name."""
    session.run_cell("class Point:\n    pass\ndef named():\n    return 1")
    assert session.run_cell("import inspect\ninspect.getsource(named)").value == repr("def named():\n    return 1\n")
    assert session.run_cell("import pickle\ntype(pickle.loads(pickle.dumps(Point()))) is Point").value == "True"


def test_surrogates_are_no_error(session):
    """A cell that Python can't encode is the cell's own error, and a value may be any text."""
    assert session.run_cell("'\ud800'").error.name == "UnicodeEncodeError"
    assert session.run_cell("class A:\n    def __repr__(self):\n        return chr(0xd800) + 'x'\nA()").value == "?x"


def test_a_forked_child_of_a_cell_answers_nothing(session):
    """A child that comes back from a cell ends there, and the cell has one result."""
    result = session.run_cell("import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\npid != 0")
    assert (result.value, result.state_lost) == ("True", False)


def test_a_cell_that_takes_too_long_is_interrupted_and_keeps_the_state(own_session):
    """The time limit is an interrupt, after which the variables are there."""
    own_session.run_cell("kept = 1")
    result = own_session.run_cell(HANGS, seconds=0.5)
    assert (result.limit, result.error.name, result.state_lost) == (Outcome.TIMED_OUT, "KeyboardInterrupt", False)
    assert not result.succeeded
    assert own_session.run_cell("kept").value == "1"


def test_a_cell_that_ignores_the_interrupt_loses_the_state_and_no_file(own_session):
    """A cell that does not react is ended with its process; the result says so, and files stay."""
    own_session.write_file("kept.txt", "here")
    own_session.run_cell("lost = 1")
    result = own_session.run_cell(IGNORES_INTERRUPTS, seconds=0.5)
    assert (result.limit, result.error.name, result.state_lost) == (Outcome.TIMED_OUT, PROCESS_ENDED, True)
    after = own_session.run_cell("lost")
    assert (after.error.name, after.state_lost) == ("NameError", False)
    assert own_session.read_file("kept.txt") == b"here"


def test_interrupt_ends_the_running_cell_alone(own_session):
    """`interrupt` is Ctrl-C: the cell raises KeyboardInterrupt, and the waiting cell runs."""
    own_session.run_cell("kept = 2")
    with ThreadPoolExecutor() as threads:
        hanging = threads.submit(own_session.run_cell, HANGS)
        assert wait_until(lambda: own_session._calls.connection._calls, WALL_SECONDS)
        waiting = threads.submit(own_session.run_cell, "kept")
        # An interrupt that comes before the cell has begun is delivered when it begins.
        own_session.run_command("true")
        own_session.interrupt()
        interrupted = hanging.result(WALL_SECONDS)
        assert [interrupted.error.name, interrupted.limit] == ["KeyboardInterrupt", None]
        assert waiting.result(WALL_SECONDS).value == "2"


def test_an_interrupt_without_a_cell_does_nothing(own_session):
    """Between cells there is nothing to interrupt."""
    own_session.interrupt()
    own_session.run_cell("x = 1")
    own_session.interrupt()
    assert own_session.run_cell("x").value == "1"


def test_a_cell_that_uses_too_much_memory_gets_a_memory_error(own_session):
    """The Python process alone is held to the limit by a MemoryError, and keeps its state."""
    own_session.run_cell("kept = 3")
    result = own_session.run_cell("block = bytearray(1 << 30)")
    assert (result.error.name, result.state_lost) == ("MemoryError", False)
    assert own_session.run_cell("kept").value == "3"


def test_children_that_use_too_much_memory_together_end_the_python_process(own_session):
    """The limit holds for all processes together. Beyond it they end, and files stay."""
    own_session.write_file("kept.txt", "here")
    own_session.run_cell("lost = 1")
    result = own_session.run_cell(
        "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        block = b'x' * (300 << 20)\n"
        "        time.sleep(60)\ntime.sleep(60)"
    )
    assert (result.limit, result.state_lost) == (Outcome.OUT_OF_MEMORY, True)
    assert own_session.read_file("kept.txt") == b"here"


def test_output_beyond_the_limit_is_dropped_and_told(own_session):
    """A result has the beginning of a long output, and says that the rest is missing."""
    result = own_session.run_cell("print('x' * (20 << 20))\n'done'")
    assert (len(result.stdout), result.stdout_is_cut, result.value) == (10 << 20, True, "'done'")
    assert not own_session.run_cell("print('short')").stdout_is_cut


def test_a_long_value_is_cut(own_session):
    """A value of any size comes back, cut to a bounded size."""
    value = own_session.run_cell("'x' * (5 << 20)").value
    assert len(value) == 1 << 20 and value.endswith("...")


def test_a_dead_process_is_told_once(own_session):
    """The cell in which the Python process ends says so, and the next one begins anew."""
    own_session.run_cell("lost = 1")
    result = own_session.run_cell("import os\nos._exit(7)")
    assert (result.error.name, result.detail, result.state_lost) == (PROCESS_ENDED, "ended with status 7", True)
    assert own_session.run_cell("'lost' in globals()").value == "False"


def test_a_process_that_died_between_two_cells_is_told_by_the_next(own_session):
    """A thread that ends the process after its cell does not pass unnoticed."""
    own_session.run_cell("import os, threading\nthreading.Timer(0.2, os._exit, (1,)).start()")
    own_session.run_command(["sleep", "2"])
    result = own_session.run_cell("'os' in globals()")
    assert (result.value, result.state_lost) == ("False", True)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "1", True])
def test_invalid_seconds_are_refused(session, seconds):
    """A time limit must be a number above 0."""
    with pytest.raises((TypeError, ValueError), match="seconds"):
        session.run_cell("1", seconds)


def test_code_that_is_no_text_is_refused(session):
    """A cell must be text."""
    with pytest.raises(TypeError, match="code must be text, not b'1'"):
        session.run_cell(b"1")
