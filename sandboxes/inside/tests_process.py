"""The process of the tests' fork server that runs tests, for one candidate after the other."""

import _socket
import gc
import os
import resource
import struct
import sys
import time

from .asserts import compile_tests
from .frames import TESTS_HEAD, read_exact, write_frame
from .judge import TESTS_FILE
from .tests_side import judge_remotely

# It ends after so many candidates, or when it has grown or used more CPU time, or when something else became of a
# candidate than that it passed or gave a wrong answer, or when a candidate changed what the next one's tests would find
# changed; a new one takes its place.
MOST_RUNS, MOST_CPU_SECONDS, MOST_GROWTH_KIB = 100, 0.5, 32 << 10


def serve_tests(fd, output_variable):
    """Runs tests of one candidate after the other.

    Args:
        fd: a socket on which the supervisor sends, for each candidate, the descriptor of a socket to its process, and
            the tests if they are others than those before.
        output_variable: the global name whose value is wanted too; None if there is none.
    """
    control = _socket.socket(fileno=fd)
    tests, code = "", None
    recursion_limit = sys.getrecursionlimit()
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # What is there now is told from what a run makes: the collector does not list it.
    gc.freeze()
    for number in range(MOST_RUNS):
        head, controls, _, _ = control.recvmsg(TESTS_HEAD.size, _socket.CMSG_SPACE(4), _socket.MSG_WAITALL)
        if not head:
            return
        (tests_bytes,) = TESTS_HEAD.unpack(head)
        if tests_bytes >= 0:
            tests = read_exact(fd, tests_bytes).decode("utf-8", "surrogatepass")
            code = compiled(tests)
        link = struct.unpack("i", controls[0][2])[0]
        began = time.process_time()
        changed, modules = [], len(sys.modules)
        report = judge_remotely(tests, code, link, output_variable, changed)
        sys.stdout.flush()
        sys.stderr.flush()
        os.close(link)
        sys.setrecursionlimit(recursion_limit)
        ended = time.process_time()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size
        usual = report is None or report["outcome"] == "passed" or report.get("exception_type") == "AssertionError"
        last = not usual or number == MOST_RUNS - 1 or ended > MOST_CPU_SECONDS or grown > MOST_GROWTH_KIB
        if len(sys.modules) != modules:
            last = last or bool(changed)
            gc.freeze()
        last = last or outlive_run(changed)
        write_frame(fd, {"report": report, "cpu_seconds": ended - began, "last": last})


def outlive_run(changed):
    """Returns whether one of these objects was there before the run, or may have been: a library's list, say."""
    if not changed:
        return False
    made = set(map(id, gc.get_objects()))
    return any(not gc.is_tracked(each) or id(each) not in made for each in changed)


def compiled(tests):
    """The code of tests; None if they can't be compiled, which each run then reports."""
    try:
        return compile_tests(tests, TESTS_FILE)
    except BaseException:
        return None
