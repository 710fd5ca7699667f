"""Reports of tests that run apart from their candidate, for each way in which they can end without passing."""

from __future__ import annotations

import traceback

from ..common.frames import REPORT_FIELDS, REPORTED_OUTCOMES
from ..common.output_value import MAX_JSON_CHARS
from ..runners.in_process import MESSAGE_CHARS, TRACEBACK_CHARS, error_report
from .handles import is_handle
from .message_stream import PeerGone
from .tests_end import ADVICE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .tests_end import TestsEnd

    Report = dict[str, Any]


def peer_gone_report(reason: object) -> Report:
    """Return the report for a candidate's process that has ended, or violates the protocol."""
    return {"outcome": "gone", "detail": ("the candidate's process does not answer: %s" % (reason,))[:MESSAGE_CHARS]}


def parse_candidate_report(fields: list[Any]) -> Report:
    """Return a candidate's report of its own failure, in the right shape."""
    if len(fields) != len(REPORT_FIELDS) + 1 or fields[0] not in REPORTED_OUTCOMES:
        return peer_gone_report("it failed without saying how")
    outcome, detail, kind, message, trace, output = map(str, fields)
    more = {"output": output[:MAX_JSON_CHARS]} if output else {}
    return {
        "outcome": outcome,
        "detail": detail[:MESSAGE_CHARS],
        "exception_type": kind[:200],
        "exception_message": message[:MESSAGE_CHARS],
        "traceback": trace[-TRACEBACK_CHARS:],
        **more,
    }


def failure_report(end: TestsEnd, names: dict[str, Any], error: BaseException) -> Report:
    """Return the report of tests that ended with an exception.

    Args:
        end: of the connection to the candidate.
        names: that the tests have defined.
        error: the exception.
    """
    outcome = "failed"
    if isinstance(error, SystemExit):
        outcome = "exited"
    elif isinstance(error, MemoryError):
        outcome = "out_of_memory"
    report = error_report(error, outcome)
    try:
        add_remote_frames(end, error, report)
        add_hint(end, names, error, report)
    except PeerGone as second:
        return peer_gone_report(second)
    except Exception as second:
        report["detail"] += " (no more details: %s)" % type(second).__name__
    return report


def add_remote_frames(end: TestsEnd, error: BaseException, report: Report) -> None:
    """Put the candidate's frames into a traceback, before the line that says what was raised."""
    if not is_handle(error):
        return
    frames = end.ask("trace", error, None, [])
    last = "".join(traceback.format_exception_only(type(error), error))
    shown = report["traceback"]
    if type(frames) is str and shown.endswith(last):
        shown = shown[: -len(last)] + frames[-TRACEBACK_CHARS:] + last
        report["traceback"] = shown[-TRACEBACK_CHARS:]


def add_hint(end: TestsEnd, names: dict[str, Any], error: BaseException, report: Report) -> None:
    """Add to a report that a failure may come from the separation into two processes."""
    hint = ""
    if isinstance(error, NameError) and is_handle(error):
        words = report["exception_message"].split("'")
        if len(words) > 2 and words[1] in names:
            hint = "the candidate can't see %s, which the tests define; " % words[1] + ADVICE
    elif isinstance(error, (AssertionError, TypeError, AttributeError)):
        hint = end.note
    if hint and "grading=" not in report["detail"]:
        report["detail"] = (report["detail"][: MESSAGE_CHARS - len(hint) - 3] + " (" + hint + ")")[:MESSAGE_CHARS]
