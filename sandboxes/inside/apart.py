"""What only the fork servers of programs graded "separate" need: more memory makes each fork of the other slower."""

import _socket
import os

from .candidate_side import serve
from .frames import CANDIDATE, SETUP_FD, TESTS
from .policy import PLAIN
from .tests_process import serve_tests
from .tests_side import judge_remotely


def run(role, candidate, policy):
    """Does what a child of the candidates' or the tests' fork server does. Returns its report, as `judge` does."""
    if role == CANDIDATE:
        return serve(candidate, SETUP_FD, policy)
    return serve_tests(SETUP_FD, policy.output_variable)


def rehearse(role, candidate, tests, policy):
    """Judges a candidate from this process, as children do, with another one for the other side."""
    own, far = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    pid = os.fork()
    if pid == 0:
        try:
            own.close()
            serve(candidate, far.fileno(), PLAIN) if role == TESTS else judge_remotely(tests, None, far.fileno())
        finally:
            os._exit(0)
    far.close()
    try:
        if role == TESTS:
            return judge_remotely(tests, None, own.fileno())
        return serve(candidate, own.fileno(), policy)
    finally:
        own.close()
        os.waitpid(pid, 0)
