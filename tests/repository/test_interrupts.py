"""Tests can interrupt what they start, however pytest was started."""

import signal
import subprocess
import sys

import pytest

HANDLER = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
# A shell without job control starts commands with `&` like this, and so does nohup in a script.
IGNORED = 'trap "" INT; exec "$@"'


def test_interrupts_arrive():
    """SIGINT has its default handler in the tests' process and in processes that tests start."""
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert subprocess.run([sys.executable, "-c", HANDLER], capture_output=True, text=True).stdout == "True\n"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 1])
def test_interrupts_arrive_if_the_shell_ignores_them(workers):
    """The test above passes in a pytest, with and without workers, that was started with SIGINT ignored."""
    test = f"{__file__}::{test_interrupts_arrive.__name__}"
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), test]
    done = subprocess.run(["sh", "-c", IGNORED, "sh", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
