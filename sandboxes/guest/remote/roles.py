"""The entry points of the two fork servers of programs graded "separate".

The fork server of programs graded "shared" does not import this, because more memory makes each of its forks slower.
"""

from __future__ import annotations

import _socket
import functools
import os

from ..common.frames import CANDIDATE, SETUP_FD, TESTS
from ..runners.policy import PLAIN
from .candidate_end import CandidateEnd
from .candidate_process import serve
from .test_runner import run_tests_remotely
from .tests_process import serve_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..runners.policy import PlainPython


def child_of(
    role: str, policy: PlainPython, encode_report: Callable[[dict[str, Any] | None], bytes]
) -> tuple[Callable[[bytes], dict[str, Any] | None], tuple[Any, ...] | None]:
    """Return what the children of a fork server need to run their candidate.

    Args:
        role: of the fork server: CANDIDATE or TESTS.
        policy: that the candidate obeys.
        encode_report: returns a complete report.

    Returns:
        (run, parts): run(candidate) returns the report, None if nothing failed; and what the extension needs to do the
        same without it, None if it can't.
    """
    if role == CANDIDATE:
        end = CandidateEnd(SETUP_FD, policy)
        parts = end.parts(encode_report) if policy is PLAIN else None
        return functools.partial(serve, end=end), parts
    return lambda candidate: serve_tests(SETUP_FD, policy.output_variable), None


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
                serve(candidate, CandidateEnd(far.fileno()))
            else:
                run_tests_remotely(tests, None, far.fileno())
        finally:
            os._exit(0)
    far.close()
    try:
        if role == TESTS:
            return run_tests_remotely(tests, None, own.fileno())
        return serve(candidate, CandidateEnd(own.fileno(), policy))
    finally:
        own.close()
        os.waitpid(pid, 0)
