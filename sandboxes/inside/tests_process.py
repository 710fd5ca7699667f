"""The process of the tests' fork server that runs tests, for one candidate after the other."""

import _socket
import os
import resource
import struct
import sys
import time

from .frames import LINK_BYTE, write_frame
from .judge import TESTS_FILE
from .tests_side import judge_remotely

# It ends after so many candidates, or when it has grown or used more CPU time, and a new one takes its place.
MOST_RUNS, MOST_CPU_SECONDS, MOST_GROWTH_KIB = 100, 0.5, 32 << 10


def serve_tests(tests, fd):
    """Runs tests on one candidate after the other.

    Args:
        tests: source, text.
        fd: a socket on which the supervisor sends, for each candidate, the descriptor of a socket to its process.
    """
    control = _socket.socket(fileno=fd)
    try:
        code = compile(tests, TESTS_FILE, "exec", dont_inherit=True)
    except BaseException:
        # Each run compiles them again, and reports what is wrong with them.
        code = None
    recursion_limit = sys.getrecursionlimit()
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(MOST_RUNS):
        word, controls, _, _ = control.recvmsg(len(LINK_BYTE), _socket.CMSG_SPACE(4))
        if not word:
            return
        link = struct.unpack("i", controls[0][2])[0]
        began = time.process_time()
        report = judge_remotely(tests, code, link)
        sys.stdout.flush()
        sys.stderr.flush()
        os.close(link)
        sys.setrecursionlimit(recursion_limit)
        ended = time.process_time()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size
        last = number == MOST_RUNS - 1 or ended > MOST_CPU_SECONDS or grown > MOST_GROWTH_KIB
        write_frame(fd, {"report": report, "cpu_seconds": ended - began, "last": last})
