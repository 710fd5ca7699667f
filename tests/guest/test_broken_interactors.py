"""Interactors that decide nothing: broken ones are errors, and a candidate that keeps one from deciding has failed."""

import pytest

from sandboxes import Outcome, Pool, SandboxUnavailable, open_sandbox
from support.interactive_programs import GUESS, HONEST, cpp, judged
from support.observers import passes

pytestmark = pytest.mark.slow

RIGHT = HONEST["python"]


@pytest.fixture(scope="module")
def pool():
    """Return one pool for tests that leave its workers whole."""
    pool = Pool(open_sandbox("subprocess"))
    yield pool
    pool.close()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "with a candidate that writes nothing: ZeroDivisionError: division by zero"),
        ("print(", "SyntaxError"),
        ("import sys\nsys.exit(3)", "it ended with status 3"),
        ("import sys\nsys.exit(250)", "it ended with status 250"),
        ("while True:\n    pass", "more than 1 s"),
        ("import time\ntime.sleep(1000)", "ran for more than 1 s"),
        ("x = bytearray(1 << 40)", "MemoryError"),
        ("import sys\nwhile True:\n    sys.stderr.write('x')", "wrote more than"),
        ("import os\nos.abort()", "killed by signal 6"),
        ("import os, sys\nos.kill(os.getpid(), 9)", "killed by signal 9"),
        ("import sys\nprint(int(sys.stdin.readline()))", "ValueError"),
    ],
)
@pytest.mark.parametrize("candidate", [RIGHT, ""], ids=["talks", "silent"])
def test_an_interactor_that_does_not_work(pool, source, message, candidate):
    """An interactor that decides about no candidate is an error, which names its reason. It fails no candidate."""
    error = judged(pool, {"source": source, "timeout": 1.0}, candidate, seconds=3.0)
    assert isinstance(error, SandboxUnavailable)
    assert message in str(error)
    assert "the interactor of program 0 does not work" in str(error)


@pytest.mark.languages("cpp")
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int main( {", "it can't be compiled: interactor.cpp:1"),
        ('#include "testlib_.h"\nint main() {}', "it can't be compiled"),
        ("int main() { return 3; }", "it ended with status 3"),
        ("int main() { *(volatile int *)0 = 0; }", "killed by signal 11"),
        ("int main() { for (;;); }", "more than 1 s"),
    ],
)
def test_a_compiled_interactor_that_does_not_work(pool, source, message):
    """An interactor in C++ that can't be built or decides nothing is an error too, and the next task runs."""
    error = judged(pool, cpp(source, timeout=1.0), RIGHT)
    assert isinstance(error, SandboxUnavailable)
    assert message in str(error)
    passes(judged(pool, GUESS, RIGHT))


@pytest.mark.parametrize(
    ("talk", "message"),
    [
        ("print('? one')", "ValueError"),
        ("print('raise')", "RuntimeError: 1"),
        ("print('exit')\nwhile True:\n    input()", "killed by signal 6"),
        ("print('hang')", "more than 1 s"),
        ("print('fill')", "MemoryError"),
    ],
)
def test_a_conversation_that_breaks_its_interactor(pool, talk, message):
    """A candidate that keeps a working interactor from deciding has failed, and nothing else happens."""
    source = """
import os, sys
line = input()
if line == "raise":
    raise RuntimeError(1)
if line == "exit":
    os.abort()
while line == "hang":
    pass
if line == "fill":
    x = bytearray(1 << 40)
int(line.split()[1])
"""
    verdict = judged(pool, {"source": source, "timeout": 1.0}, talk)
    assert verdict.outcome is Outcome.FAILED
    assert message in verdict.detail
    assert "works with a silent candidate" in verdict.detail
    assert verdict.attempts == 1
