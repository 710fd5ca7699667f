"""The progress bars of `code-eval solve`."""

import contextlib
import io
import re
import time

import pytest

from code_tasks.solvers.attempts import Attempt
from code_tasks.solvers.interface import RetryableSystemError
from code_tasks.solvers.progress import SolverBar
from code_tasks.solvers.run import Retry

CORRECT = Attempt("a", 0, correct=True)
BROKEN = Attempt("a", 2, error_class="RetryableSystemError", is_system_error=True)
INCORRECT = Attempt("a", 3, error_class="KeyError")


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        """Return True."""
        return True


@pytest.fixture
def last_line(monkeypatch):
    """Provide a function that returns the last state of a bar, by a text in it, after four attempts."""
    monkeypatch.setattr("code_tasks.solvers.progress.BAR_DELAY_SECONDS", 0)
    screen = Terminal()
    with contextlib.redirect_stderr(screen), SolverBar(4, done=[CORRECT]) as bar:
        for attempt in (CORRECT, BROKEN, INCORRECT):
            bar.count(attempt)
            time.sleep(0.2)
    lines = re.split(r"[\r\n]", screen.getvalue())
    return lambda text: [line for line in lines if text in line][-1]


def test_progress(last_line):
    """On a terminal a bar counts right, broken and wrong attempts, earlier ones too, and estimates its end."""
    last = last_line("attempt/s")
    assert "4/4" in last and "corr=2, errs=1, fail=1" in last
    assert re.search(r" ends \w{3} \d\d \d\d:\d\d", last)


@pytest.mark.parametrize(("status", "share", "count"), [("corr", 50, 2), ("errs", 25, 1), ("fail", 25, 1)])
def test_a_bar_for_each_status(last_line, status, share, count):
    """Each status has a bar with its share of all attempts, earlier ones included."""
    last = last_line(f"  {status} ")
    assert f"  {status}  {share}%|" in last and f" {count}/4" in last


def told(screen, *retries):
    """Return what the bars print of retries."""
    with contextlib.redirect_stderr(screen), SolverBar(1) as bar:
        for retry in retries:
            bar.tell(retry)
    return screen.getvalue()


def test_a_wait_is_told_at_once():
    """The first wait for a reason is told without a terminal too, in one printable line, and the same reason once."""
    retry = Retry(RetryableSystemError("can't reach\x1b[2J it"), 3, 16, 8.04)
    same = Retry(RetryableSystemError("can't reach\x1b[2J it"), 4, 16, 16.0)
    assert told(io.StringIO(), retry, same) == "can't reach\ufffd[2J it, retrying 3 of 16 in 8 s\n"


@pytest.mark.parametrize(("seconds", "text"), [(0.512, "0.51 s"), (9.94, "9.9 s"), (60.4, "60 s"), (600.0, "600 s")])
def test_seconds_of_a_wait(seconds, text):
    """A short wait is told with two digits, a long one in whole seconds."""
    assert told(io.StringIO(), Retry(TimeoutError("x"), 1, 2, seconds)) == f"x, retrying 1 of 2 in {text}\n"


def test_each_reason_is_told():
    """Waits for different reasons are told of, also for an error without a text."""
    retries = (Retry(error, 1, 2, 0.5) for error in (TimeoutError(), RetryableSystemError("down")))
    assert told(io.StringIO(), *retries).splitlines() == [
        "TimeoutError, retrying 1 of 2 in 0.5 s",
        "down, retrying 1 of 2 in 0.5 s",
    ]


def test_the_bar_says_that_it_waits():
    """On a terminal the bar says what attempts wait for, until the next attempt is done."""
    screen = Terminal()
    with contextlib.redirect_stderr(screen), SolverBar(2, done=[CORRECT]) as bar:
        assert bar._bar.desc == "waiting for the first result"
        for reason in ("down", "down again", "x" * 1000):
            bar.tell(Retry(RetryableSystemError(reason), 1, 2, 0.5))
            assert bar._bar.desc == f"waiting: {reason}" or len(bar._bar.desc) < 80
        bar.count(CORRECT)
        assert bar._bar.desc == ""


def test_no_progress():
    """Without a terminal there is no bar."""
    screen = io.StringIO()
    with contextlib.redirect_stderr(screen), SolverBar(1) as bar:
        bar.count(Attempt("a", 0))
    assert screen.getvalue() == ""
