"""What became of a program, decided from how its process ended and what it reported."""

import json
import os
import signal

REPORTED_OUTCOMES = ("passed", "failed", "compile_error", "out_of_memory", "exited")
REPORTED_TEXTS = ("detail", "exception_type", "exception_message", "traceback")


def decide(reason, status, cpu_seconds, report, limits, output):
    """The reply for a child that has ended, from how it ended and what it reported: both must say "passed".

    Args:
        reason: why it was ended by us, or None.
        status: as wait gives it.
        cpu_seconds: what it used.
        report: the child's.
        limits: the request's.
        output: what it wrote.
    """
    killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if report.reason_not_started is not None:
        return {"broken": report.reason_not_started}
    if report.started_at is None:
        return {"broken": f"the program's process ended, with status {status}, before the program began"}
    if output.total > limits["output_bytes"]:
        return {"outcome": "output_limit", "detail": "wrote more than %d bytes" % limits["output_bytes"]}
    if reason == "timed_out":
        return {"outcome": "timed_out", "detail": "ran for more than {:g} s".format(limits["wall_seconds"])}
    # SIGKILL comes a CPU second after SIGXCPU, to a program that ignores that. The kernel counts ticks against the
    # limit, which can be more than what it then says was used.
    least_used = {signal.SIGXCPU: 0.7, signal.SIGKILL: 0.9}
    if killer in least_used and cpu_seconds >= limits["cpu_seconds"] * least_used[killer]:
        return {"outcome": "timed_out", "detail": "used more than {:g} s of CPU time".format(limits["cpu_seconds"])}
    if killer:
        return {"outcome": "crashed", "detail": "killed by signal %d (%s)" % (killer, signal_name(killer))}
    if status or not report.said:
        return {"outcome": "exited", "detail": "left before its tests were done, with status %d" % (status >> 8)}
    return believed(report.said)


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return "SIGRTMIN+%d" % (number - signal.SIGRTMIN)


def believed(report):
    """What a child's report says, or that it is none: whatever the candidate wrote there, this has the right shape."""
    try:
        said = json.loads(report.decode("utf-8", "surrogatepass"))
        if said["outcome"] not in REPORTED_OUTCOMES:
            raise ValueError(said["outcome"])
        return {name: str(said[name]) for name in ("outcome", *REPORTED_TEXTS) if name in said}
    except (ValueError, TypeError, KeyError, RecursionError):
        return {"outcome": "exited", "detail": "left before its tests were done, with a report that is none"}
