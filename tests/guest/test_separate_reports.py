"""Reports of programs whose candidate and tests run apart, and of tests that need one interpreter."""

import contextlib
import socket

import pytest

from support.separate_pair import judge_separately

ADVICE = 'grading="shared"'


def test_failed_assertion_is_told_as_in_one_process():
    """The detail of a failed assertion is its condition, and the traceback shows the tests."""
    report = judge_separately("def add(a, b): return 0", "assert add(2, 3) == 5")
    assert report["outcome"] == "failed"
    assert report["detail"] == "AssertionError: add(2, 3) == 5"
    assert 'File "tests.py", line 1' in report["traceback"]


def test_exception_of_the_candidate_shows_frames_of_both():
    """A traceback leads from the tests' line to the candidate's line."""
    report = judge_separately("def f(x):\n    return 1 / x\n", "def check(g):\n    g(0)\ncheck(f)")
    assert report["exception_type"] == "ZeroDivisionError"
    assert report["exception_message"] == "division by zero"
    places = [
        report["traceback"].index(place) for place in ('"tests.py", line 3', '"tests.py", line 2', "return 1 / x")
    ]
    assert places == sorted(places)
    assert report["traceback"].endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(
    ("candidate", "outcome", "kind"),
    [
        ("def f(:", "compile_error", "SyntaxError"),
        ("import sys\nsys.exit(0)", "exited", "SystemExit"),
        ("raise MemoryError", "out_of_memory", "MemoryError"),
        ("1 / 0", "failed", "ZeroDivisionError"),
    ],
)
def test_failure_of_the_candidate_itself_is_its_report(candidate, outcome, kind):
    """A candidate that ends before its tests is reported in the same way as in one process."""
    report = judge_separately(candidate, "pass")
    assert (report["outcome"], report["exception_type"]) == (outcome, kind)


def test_tests_that_do_not_compile_are_a_compile_error():
    """A SyntaxError in the tests is a COMPILE_ERROR."""
    report = judge_separately("x = 1", "assert (")
    assert (report["outcome"], report["exception_type"]) == ("compile_error", "SyntaxError")


@pytest.mark.parametrize("swallow", ["Exception", "BaseException"])
def test_candidate_that_ends_is_gone_whatever_tests_swallow(swallow):
    """Once the candidate's process has ended, no test passes."""
    tests = f"try: f()\nexcept {swallow}: pass"
    assert judge_separately("import os\ndef f(): os._exit(0)", tests)["outcome"] == "gone"


@pytest.mark.parametrize(
    ("candidate", "tests"),
    [
        ("class C:\n    def __eq__(self, o): return o == 5\ndef f(): return C()", "assert f() == 5"),
        ("class C:\n    def __lt__(self, o): return True\ndef f(): return C()", "assert f() < 5"),
        ("def f(x): return x", "import threading\nf(threading.Lock())"),
        ("def f(x): return x", "import sys\nf(sys._getframe())"),
        ("def f(): return helper()", "def helper(): return 1\nassert f() == 1"),
        ("def f(o): return o._x", "class C: _x = 1\nassert f(C()) == 1"),
    ],
)
def test_what_cannot_cross_names_the_other_grading(candidate, tests):
    """Tests that need one interpreter fail, and say which grading they need."""
    report = judge_separately(candidate, tests)
    assert report["outcome"] == "failed"
    assert ADVICE in report["detail"]


def test_our_own_error_does_not_pass_for_the_candidates():
    """A test that expects an exception does not pass because a value can't cross."""
    tests = "import threading\ntry: f(threading.Lock())\nexcept TypeError: pass\nelse: assert False"
    report = judge_separately("def f(x): return x", tests)
    assert report["outcome"] == "failed"
    assert ADVICE in report["detail"]


def test_texts_of_a_report_are_capped():
    """A candidate's message of a million characters is cut."""
    report = judge_separately("def f(): raise ValueError('x' * 10 ** 6)", "f()")
    assert sum(map(len, report.values())) < 20_000


def test_candidate_does_not_reach_sockets_of_the_test_run():
    """A candidate that shuts down all its sockets leaves those of the process that started it."""
    near, far = socket.socketpair()
    with contextlib.closing(near), contextlib.closing(far):
        candidate = (
            "import socket\nfor fd in range(3, 200):\n"
            "    try: socket.socket(fileno=fd).shutdown(2)\n    except OSError: pass"
        )
        assert judge_separately(candidate, "assert add(2, 3) == 5") is not None
        near.sendall(b"still open")
        assert far.recv(99) == b"still open"
