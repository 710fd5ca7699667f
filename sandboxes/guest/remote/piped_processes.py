"""Candidate and tests as two commands of any Python that two pipes join, as in the language `python3.8`.

The descriptors are those of `linked` in sandboxes/languages/base.py.
"""

from __future__ import annotations

import os
import sys

from ..runners.policy import PLAIN
from .candidate_end import CandidateEnd
from .candidate_process import serve
from .test_runner import run_over
from .tests_end import ADVICE, TestsEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .message_stream import MessageStream

IN_FD, OUT_FD = 3, 4
FAILED_STATUS = 1
# The advice of other gradings, which these commands do not have.
OWN_ADVICE = 'run such tests with language="python" and grading="shared"'


def serve_on_pipes(memory_status: int) -> NoReturn:
    """Load the candidate after the first message, answer its tests, and end.

    Args:
        memory_status: the exit status of a candidate that has no memory left.
    """
    end = CandidateEnd(IN_FD, PLAIN)
    use_pipes(end.stream)
    # The tests' process sends it once the files of the tests are gone.
    os.read(IN_FD, 1)
    with open("candidate.py", "rb") as file:
        candidate = file.read()
    report = serve(candidate, end)
    # A candidate that leaves with status 0 has left before its tests were done, and has said nothing of its own.
    if report is None or report["outcome"] == "exited":
        leave(0)
    tell_report(report)
    leave(memory_status if report["outcome"] == "out_of_memory" else FAILED_STATUS)


def run_tests_on_pipes(files: tuple[str, ...], lost_status: int, memory_status: int) -> NoReturn:
    """Read the tests, remove files, have the candidate loaded, run the tests, and end. Status 0: they have passed.

    Args:
        files: to remove; the first one has the tests.
        lost_status: the exit status if the candidate has ended before its tests have.
        memory_status: the exit status if it had no memory left.
    """
    with open(files[0], encoding="utf-8", errors="surrogatepass") as file:
        tests = file.read()
    for name in files:
        os.remove(name)
    end = TestsEnd(IN_FD)
    use_pipes(end.stream)
    os.write(OUT_FD, b"\n")
    report = run_over(end, tests, None, {})
    # An object of the tests that is removed at the end must ask nothing.
    end.stream.closed_reason = end.stream.closed_reason or "the tests have ended"
    if report is None:
        leave(0)
    outcome = report["outcome"]
    if outcome in ("exited", "gone"):
        tell("the candidate ended before its tests were done")
        leave(lost_status)
    tell_report(report)
    leave(memory_status if outcome == "out_of_memory" else FAILED_STATUS)


def use_pipes(stream: MessageStream) -> None:
    """Have a stream write to the other pipe than the one it reads."""
    write = os.write
    stream.write_some = lambda fd, data: write(OUT_FD, data)


def tell_report(report: dict[str, Any]) -> None:
    """Write a traceback, with the report's detail in the place of its last lines."""
    lines = report["traceback"].splitlines()
    last = [number for number, line in enumerate(lines) if line.startswith(report["exception_type"])][-1:]
    tell("\n".join([*lines[: last[0] if last else None], report["detail"].replace(ADVICE, OWN_ADVICE)]))


def tell(text: str) -> None:
    """Write a text for people."""
    os.write(2, (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace"))


def leave(status: int) -> NoReturn:
    """End this process, whatever its threads and its functions for the end want."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # closed, full: the program's own affair
            continue
    os._exit(status)
