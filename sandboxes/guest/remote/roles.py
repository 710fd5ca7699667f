"""The entry points of the two fork servers of programs graded "separate".

The fork server of programs graded "shared" does not import this, because more memory makes each of its forks slower.
"""

from __future__ import annotations

import _socket
import functools
import os

from ..common.frames import CANDIDATE, SETUP_FD, TESTS
from .candidate_process import CandidateConnection, serve
from .test_runner import run_tests_remotely
from .tests_process import serve_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..runners.policy import PlainPython


def child_of(role: str, policy: PlainPython) -> Callable[[bytes], dict[str, Any] | None]:
    """Return the function that each child of a fork server calls with its candidate's source.

    It returns the report; None if nothing failed.

    Args:
        role: of the fork server: CANDIDATE or TESTS.
        policy: that the candidate obeys.
    """
    if role == CANDIDATE:
        return functools.partial(serve, connection=CandidateConnection(SETUP_FD, policy))
    return lambda candidate: serve_tests(SETUP_FD, policy.output_variable)


def rehearse(role: str, candidate: bytes, tests: str, policy: PlainPython) -> dict[str, Any] | None:
    """Grade a candidate from this process, as children do. A forked process takes the other side.

    Args:
        role: the side of this process: CANDIDATE or TESTS.
        candidate: source.
        tests: source.
        policy: that the candidate obeys, if this process runs it.

    Returns:
        The report of this side; None if nothing failed.
    """
    own, far = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    pid = os.fork()
    if pid == 0:
        try:
            own.close()
            if role == TESTS:
                serve(candidate, CandidateConnection(far.fileno()))
            else:
                run_tests_remotely(tests, None, far.fileno())
        finally:
            os._exit(0)
    far.close()
    try:
        if role == TESTS:
            return run_tests_remotely(tests, None, own.fileno())
        return serve(candidate, CandidateConnection(own.fileno(), policy))
    finally:
        own.close()
        os.waitpid(pid, 0)
