"""Runs tests in a process of their own, where handles stand for what their candidate defines in another."""

from __future__ import annotations

import linecache
import signal

from ..common.output_value import MAX_JSON_CHARS, encode_output
from ..common.test_log import encode_test_log
from ..common.values import NotTransferable
from ..runners.assert_values import compile_tests
from ..runners.in_process import error_report
from ..runners.sources import TESTS_FILE
from .candidate_names import build_namespace
from .message_stream import PeerGone
from .messages import RAISED
from .test_reports import failure_report, parse_candidate_report, peer_gone_report
from .tests_end import TestsEnd
from .tests_imports import absent_imports
from .tolerances import compare_shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    Report = dict[str, Any]


def run_tests_remotely(
    tests: str, tests_code: CodeType | None, fd: int, output_variable: str | None = None
) -> Report | None:
    """Run tests of a candidate that runs in another process.

    Args:
        tests: source.
        tests_code: the tests compiled, or None if they are to be compiled here.
        fd: this end of the socket to the candidate's process.
        output_variable: the global name whose value is wanted too, if there is one.

    Returns:
        None if the tests ran to their end, otherwise the report: a dict as `error_report` gives it. It is
        {"outcome": "gone"} if the candidate's process ended or violated the protocol. If there is more to say, there is
        a dict in any case, with {"outcome": "passed"} if the tests ran to their end.
    """
    end = TestsEnd(fd)
    names: dict[str, Any] = {}
    try:
        report = run_over(end, tests, tests_code, names)
        more: Report = {}
        if log := encode_test_log(names):
            more["record"] = log
        if end.decided:
            more["decided_by_candidate"] = end.decided
        if output_variable is not None and not end.stream.closed_reason and not (report and report.get("output")):
            more["output"] = final_output(end, names, output_variable)
        return {**(report or {"outcome": "passed"}), **more} if more else report
    finally:
        # Handles of these tests that live on must not ask: by then the descriptor may be another connection's.
        end.stream.closed_reason = end.stream.closed_reason or "the tests have ended"


def run_over(end: TestsEnd, tests: str, tests_code: CodeType | None, names: dict[str, Any]) -> Report | None:
    """Run tests over a connection. Return their report; None if they ran to their end.

    Args:
        end: of the connection.
        tests: source.
        tests_code: the tests compiled, or None.
        names: gets the names that the tests define.
    """
    linecache.cache[TESTS_FILE] = (len(tests), None, tests.splitlines(True), TESTS_FILE)
    try:
        message = end.stream.receive()
        if message[1] == RAISED:
            return parse_candidate_report(message[2])
        functions, others, modules = (text.split() for text in map(str, message[2]))
    except (PeerGone, ValueError) as error:
        return peer_gone_report(error)
    try:
        if tests_code is None:
            tests_code = compile_tests(tests, TESTS_FILE)
    except BaseException as error:
        return error_report(error, "compile_error")
    report = None
    try:
        if absent := absent_imports(tests, (functions, others, modules)):
            end.request("import", 0, None, absent)
        namespace, given = build_namespace(end, tests_code, functions, others, modules)
        compare_shapes(tests)
        signal.setitimer = end.timer.set
        try:
            exec(tests_code, namespace)
        finally:
            signal.setitimer = end.timer.set_timer
            names.update((name, value) for name, value in namespace.items() if given.get(name, given) is not value)
    except PeerGone as error:
        # The peer of this connection, or of an earlier one that something has kept.
        return peer_gone_report(error)
    except BaseException as error:
        report = failure_report(end, names, error)
    if end.stream.closed_reason:
        return peer_gone_report(end.stream.closed_reason)
    if end.refusal and not report:
        return error_report(NotTransferable(end.refusal), "failed")
    return report


def final_output(end: TestsEnd, names: dict[str, Any], name: str) -> str:
    """Return the value that the tests left in a global name, or else the candidate, as `encode_output` gives it."""
    if name in names:
        return encode_output(names, name)
    try:
        return str(end.request("output", 0, None, []))[:MAX_JSON_CHARS]
    except BaseException:  # the candidate's process has ended meanwhile, say
        return ""
