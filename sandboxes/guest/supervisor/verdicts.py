"""Decides a program's verdict from how its process ended and what it reported."""

from __future__ import annotations

import json
import os
import signal

from ..common.frames import OTHER_REPORT, PASSED_REPORT, REPORTED_OUTCOMES
from ..common.output_value import is_output
from ..common.test_log import decode_test_log
from .program_pipes import parse_setup_error, parse_start_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Reply = dict[str, Any]
    """An answer to the caller: "outcome", "detail" and more; or "broken" with a reason, if the sandbox failed."""

# The outcome that tests report if their candidate, in another process, no longer answers.
GONE = "gone"
REPORTED_TEXTS = ("detail", "exception_type", "exception_message", "traceback", "values", "output", "record", "lines")
# A program that a signal killed has timed out if it used this fraction of its CPU seconds. SIGKILL comes a CPU second
# after SIGXCPU, to a program that ignores SIGXCPU. The kernel counts ticks against the limit, and may report less time
# than the ticks afterwards.
MIN_CPU_FRACTIONS: dict[int, float] = {signal.SIGXCPU: 0.7, signal.SIGKILL: 0.9}


def verdict_for(
    reason: str | None,
    status: int,
    cpu_seconds: float,
    setup: bytes,
    report: bytes,
    limits: dict[str, Any],
    output_bytes: int,
) -> Reply:
    """Return the verdict for a child that has ended. It passed only if both its status and its report say so.

    Args:
        reason: why the supervisor ended it, or None.
        status: as wait gives it.
        cpu_seconds: CPU time that it used.
        setup: the child's message before the program began.
        report: the child's message at the program's end; may be anything, or nothing.
        limits: the request's.
        output_bytes: number of bytes that it wrote.
    """
    if reply := limit_verdict(reason, status, cpu_seconds, setup, limits, output_bytes):
        if reply.get("outcome") == "crashed" and os.WTERMSIG(status) == signal.SIGXCPU:
            # Tests have limited the CPU time of the candidate's calls.
            return {"outcome": "timed_out", "detail": "a call used more CPU time than the tests allow"}
        return reply
    if status or not report:
        return {"outcome": "exited", "detail": "left before its tests were done, with status %d" % (status >> 8)}
    return parse_report(report)


def limit_verdict(
    reason: str | None, status: int, cpu_seconds: float, setup: bytes, limits: dict[str, Any], output_bytes: int
) -> Reply | None:
    """Return the verdict for a child that never began, did not end by itself or exceeded a limit; None for others.

    The arguments are those of `verdict_for`.
    """
    killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if parse_start_time(setup) is None:
        if (setup_error := parse_setup_error(setup)) is not None:
            return {"broken": setup_error}
        return {"broken": f"the program's process ended, with status {status}, before the program began"}
    if reason == "output_limit" or output_bytes > limits["output_bytes"]:
        return output_verdict(limits)
    if reason == "memory_kill":
        return {"outcome": "out_of_memory", "detail": "killed, because the system had no more memory for it"}
    if reason == "out_of_memory":
        megabytes = limits["memory_bytes"] >> 20
        return {"outcome": "out_of_memory", "detail": "all processes together used more than %d MiB" % megabytes}
    if reason == "timed_out":
        return {"outcome": "timed_out", "detail": "ran for more than {:g} s".format(limits["wall_seconds"])}
    if killer in MIN_CPU_FRACTIONS and cpu_seconds >= limits["cpu_seconds"] * MIN_CPU_FRACTIONS[killer]:
        return {"outcome": "timed_out", "detail": "used more than {:g} s of CPU time".format(limits["cpu_seconds"])}
    if killer:
        return {"outcome": "crashed", "detail": "killed by signal %d (%s)" % (killer, signal_name(killer))}
    return None


def output_verdict(limits: dict[str, Any]) -> Reply:
    """Return the verdict for a program that wrote more than its limits allow."""
    return {"outcome": "output_limit", "detail": "wrote more than %d bytes" % limits["output_bytes"]}


def signal_name(number: int) -> str:
    """Return a signal's name, as the system's manual writes it."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal, or one below them that the C library keeps to itself
        above = number - signal.SIGRTMIN
        return "SIGRTMIN+%d" % above if above >= 0 else "SIG%d" % number


def parse_report(report: bytes) -> Reply:
    """Return the verdict in a child's report, or "exited" for an invalid report.

    A candidate may have written anything there, so the reply holds only the fields of a report, as text.
    """
    if report == PASSED_REPORT:
        return {"outcome": "passed"}
    try:
        if report[:1] == PASSED_REPORT:
            output, _, record = report[1:].decode("ascii").partition("\n")
            if (output and not is_output(output)) or (record and not decode_test_log(record)):
                raise ValueError(output)
            return {"outcome": "passed", "output": output, "record": record}
        if report[:1] != OTHER_REPORT:
            raise ValueError(report[:1])
        fields = json.loads(report[1:].decode("utf-8", "surrogatepass"))
        if fields["outcome"] not in REPORTED_OUTCOMES:
            raise ValueError(fields["outcome"])
        return {name: str(fields[name]) for name in ("outcome", *REPORTED_TEXTS) if name in fields}
    except (ValueError, TypeError, KeyError, RecursionError):
        return {"outcome": "exited", "detail": "left before its tests were done, with an invalid report"}
