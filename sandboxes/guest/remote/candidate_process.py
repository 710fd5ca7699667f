"""The candidate's process, if the tests run in another: runs the candidate, then does what the tests request."""

from __future__ import annotations

from ..runners.in_process import compile_error_report, program_report
from ..runners.sources import CANDIDATE_FILE, SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ..runners.policy import PlainPython
    from .candidate_end import CandidateEnd

    Report = dict[str, Any]


def serve(candidate: bytes, end: CandidateEnd) -> Report | None:
    """Run a candidate, send the names that it defines, and answer the tests until they end.

    Args:
        candidate: source.
        end: of the connection to the tests, a new one. It is made before the fork, so that no child has to.

    Returns:
        The report if the candidate itself failed; None otherwise.
    """
    report = run_candidate(candidate, end.module, end.policy)
    if report is not None:
        return end.send_failure(report)
    end.serve_tests(candidate)
    return None


def run_candidate(candidate: bytes, module: ModuleType, policy: PlainPython) -> Report | None:
    """Run a candidate in a module, as programs with their tests are run. Return the report if it failed."""
    run = exec  # the candidate may replace the builtin
    try:
        SOURCES[CANDIDATE_FILE] = source = candidate.decode("utf-8", "surrogatepass")
        code = policy.compile(source, CANDIDATE_FILE)
        if policy.prepare is not None:
            policy.prepare(module)
    except BaseException as error:
        return compile_error_report(error)
    try:
        run(code, module.__dict__)
    except BaseException as error:
        return program_report(error)
    return None
