"""Grades a program with its candidate and its tests in two processes or in one, without a sandbox around them."""

import json
import os
import resource
import select
import signal
import socket
import sys
import warnings
from collections.abc import Callable
from typing import Any

import psutil

from sandboxes.guest.remote import test_runner
from sandboxes.guest.remote.candidate_end import CandidateEnd
from sandboxes.guest.remote.candidate_process import serve
from sandboxes.guest.runners.in_process import compile_program, new_module, program_report
from sandboxes.guest.runners.policy import PLAIN

# Address space on top of the forked process's own, which all the loaded tests make larger than a program's limit.
MEMORY_BYTES = 2 << 30


def judge_separately(candidate: str, tests: str, seconds: float = 10.0) -> dict[str, Any] | None:
    """Return the report of the tests' process.

    A pass is None. A report that comes too late is {"outcome": "timed_out"}.
    """
    near, far = socket.socketpair()
    read_end, write_end = os.pipe()
    source = candidate.encode("utf-8", "surrogatepass")
    children = [
        in_child(lambda: serve(source, CandidateEnd(far.fileno())), (far.fileno(),), seconds),
        in_child(
            lambda: report_to(write_end, test_runner.run_tests_remotely(tests, None, near.fileno())),
            (near.fileno(), write_end),
            seconds,
        ),
    ]
    near.close()
    far.close()
    os.close(write_end)
    try:
        report = b""
        while select.select([read_end], [], [], seconds)[0]:
            chunk = os.read(read_end, 1 << 16)
            if not chunk:
                return json.loads(report) if report else {"outcome": "no report"}
            report += chunk
        return {"outcome": "timed_out"}
    finally:
        os.close(read_end)
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def judge_together(candidate: str, tests: str) -> dict[str, Any] | None:
    """Return the report of one process that runs both."""
    read_end, write_end = os.pipe()
    pid = in_child(lambda: report_to(write_end, judged(candidate, tests)), (write_end,), 10)
    os.close(write_end)
    with open(read_end, "rb") as said:
        report = said.read()
    os.waitpid(pid, 0)
    return json.loads(report) if report else {"outcome": "no report"}


def judged(candidate: str, tests: str) -> dict[str, Any] | None:
    """Run a candidate and its tests here. Return the report; None if they pass."""
    module = new_module()
    program = compile_program(candidate.encode(), tests, None, PLAIN, module)
    if type(program) is dict:
        return program
    try:
        for code in program:
            exec(code, module.__dict__)
    except BaseException as error:
        return program_report(error, tests)
    return None


def in_child(action: Callable[[], Any], kept: tuple[int, ...], seconds: float) -> int:
    """Fork a child that runs a function, then ends.

    Args:
        action: the function that it runs.
        kept: the descriptors that it needs. The others are closed, because a hostile candidate would reach sockets of
            the whole test run.
        seconds: the time after which it is killed.

    Returns:
        Its process id.
    """
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        first = 3
        for fd in (*sorted(kept), os.sysconf("SC_OPEN_MAX")):
            os.closerange(first, fd)
            first = fd + 1
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(seconds) + 2)
        most = psutil.Process().memory_info().vms + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        # pytest's own objects write to descriptors that are closed now.
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
        warnings.simplefilter("default")
        action()
    finally:
        os._exit(0)


def report_to(fd: int, report: dict[str, Any] | None) -> None:
    """Write a report where the parent reads it."""
    os.write(fd, json.dumps(report).encode("utf-8", "surrogatepass"))
