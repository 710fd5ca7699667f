"""The process of the tests' fork server that runs tests, for one candidate after the other."""

from __future__ import annotations

import _socket
import os
import resource
import signal
import struct
import sys
import time

from ..common.frames import TESTS_HEAD, read_exact, write_frame
from ..runners.assert_values import compile_tests
from ..runners.sources import TESTS_FILE
from .test_runner import run_tests_remotely

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

# The process ends after so many candidates, or when it has grown more or used more CPU time. It also ends when a
# candidate did not pass or give a wrong answer, or changed something that the next one's tests would find changed. A
# new process takes its place.
MAX_RUNS, MAX_CPU_SECONDS, MAX_GROWTH_KIB = 100, 0.5, 32 << 10


def serve_tests(fd: int, output_variable: str | None) -> None:
    """Run tests of one candidate after the other.

    Args:
        fd: a socket to the supervisor. For each candidate it gives the descriptor of a socket to the candidate's
            process, and the tests if they are others than those before.
        output_variable: the global name whose value is wanted too; None if there is none.
    """
    control = _socket.socket(fileno=fd)
    tests = ""
    code: CodeType | None = None
    recursion_limit = sys.getrecursionlimit()
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(MAX_RUNS):
        head, controls, _, _ = control.recvmsg(TESTS_HEAD.size, _socket.CMSG_SPACE(4), _socket.MSG_WAITALL)
        if not head:
            return
        (tests_bytes,) = TESTS_HEAD.unpack(head)
        if tests_bytes >= 0:
            tests = read_exact(fd, tests_bytes).decode("utf-8", "surrogatepass")
            code = try_compile(tests)
        candidate_fd = struct.unpack("i", controls[0][2])[0]
        began = time.process_time()
        report = run_tests_remotely(tests, code, candidate_fd, output_variable)
        sys.stdout.flush()
        sys.stderr.flush()
        os.close(candidate_fd)
        if "signal" in tests:
            # A pending timer would end the next candidate's tests.
            for timer, number in ((signal.ITIMER_REAL, signal.SIGALRM), (signal.ITIMER_PROF, signal.SIGPROF)):
                signal.setitimer(timer, 0)
                signal.signal(number, signal.SIG_DFL)
        sys.setrecursionlimit(recursion_limit)
        ended = time.process_time()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size
        usual = report is None or report["outcome"] == "passed" or report.get("exception_type") == "AssertionError"
        last = not usual or number == MAX_RUNS - 1 or ended > MAX_CPU_SECONDS or grown > MAX_GROWTH_KIB
        write_frame(fd, {"report": report, "cpu_seconds": ended - began, "last": last})


def try_compile(tests: str) -> CodeType | None:
    """Return the code of tests; None if they can't be compiled, which each run then reports."""
    try:
        return compile_tests(tests, TESTS_FILE)
    except BaseException:
        return None
