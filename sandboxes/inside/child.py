"""A child of a fork server: is set up, becomes the program, and reports.

What of this comes before and after `reported` the extension module `forking` does instead, where there is one.
"""

import _signal  # signal's own functions make enums of numbers, for which a fresh child pays 70 page faults
import gc
import json
import os
import resource
import sys
import time

from .commands import prepare_step, run_step
from .frames import BROKEN, FIRST_FREE_FD, REPORT_FD, SEAL_BYTES, SETUP_FD, START, STARTED, read_exact
from .judge import judge
from .record import RECORD, record_of

# Else a report might not fit into its pipe.
MOST_BYTES_WITH_RECORD = 60 << 10


def run_child(job, server, limits):
    """Turns this fork of the fork server into the program. Does not return."""
    # Bound now: a candidate may replace them.
    leave, write, streams = os._exit, os.write, server.streams
    try:
        candidate = set_up_child(job, server, limits)
        # The seal is a value of this expression alone: in no variable that a look at all frames finds, nor in an object
        # that the garbage collector tells of. It would tell of the unfinished values of a frame, but for one that calls
        # a function of C, so that is what calls `reported`.
        write(REPORT_FD, last_word(server) + next(map(reported_once, (candidate,), (server,))))
        for stream in (*streams, getattr(sys, "stdout", None), getattr(sys, "stderr", None)):
            try:
                stream.flush()
            except BaseException:  # closed, replaced, full: the program's own affair
                continue
    finally:
        leave(0)


def reported_once(candidate, server):
    """What `reported` returns, but not in a copy of this process that the candidate forked."""
    leave, own_pid = os._exit, os.getpid
    pid = own_pid()
    said = reported(candidate, server)
    if own_pid() != pid:
        leave(0)
    return said


def reported(candidate, server):
    """Runs the program and returns its report, bytes.

    A candidate can put others in the place of the functions and names that are global here. So what it is that makes a
    report one of a pass is only the way that is taken through this function.
    """
    policy, module = server.policy, None
    try:
        if server.runs_step:
            report = run_step(candidate, policy)
        elif server.apart is None:
            module = server.module
            report = judge(candidate, server.tests, server.tests_code, policy, module)
            if report is None and policy.output_variable is None and RECORD not in module.__dict__:
                # All that is left to say of most programs that pass.
                return b"P"
        else:
            report = server.apart.run(server.role, candidate, policy)
        # Which of the two it is stands before code of the candidate's, that of a repr, can run again.
        return (b"P" if report is None else b"O") + encoded(report, module, policy)
    except MemoryError:
        return b'O{"outcome": "out_of_memory", "detail": "MemoryError"}'


def last_word(server):
    """The seal of the report, bytes: the last that a child hears from outside."""
    seal = read_exact(server.channel.fileno(), SEAL_BYTES)
    if server.link is None:
        os.closerange(SETUP_FD, FIRST_FREE_FD)
    else:
        os.dup2(server.link, SETUP_FD, inheritable=False)
        os.closerange(SETUP_FD + 1, FIRST_FREE_FD)
    return seal


def encoded(report, module, policy):
    """What a report says after its first byte, as bytes: at most 6 for a character, so that it fits into its pipe.

    Args:
        report: as `judge` gives it.
        module: the program's; None if its output variable is not wanted here.
        policy: of programs, which says what that is.
    """
    output = policy.output_of(module.__dict__) if module else ""
    record = record_of(module.__dict__) if module else ""
    if report is None:
        return (output + "\n" + record if record else output).encode()
    said = {**report, "output": output} if output else report
    text = json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if record:
        with_record = json.dumps({**said, "record": record}, ensure_ascii=False).encode("utf-8", "surrogatepass")
        text = with_record if len(with_record) <= MOST_BYTES_WITH_RECORD else text
    return text


def set_up_child(job, server, limits):
    """Gives a new child its folder, user and limits; returns the candidate's source, bytes, or its step, a dict."""
    try:
        candidate = read_exact(server.channel.fileno(), job.candidate_bytes)
        if len(candidate) != job.candidate_bytes:
            raise EOFError("the supervisor has gone")
        if server.privileges.is_process_1:
            # Whom no signal from its session reaches. A session of its own would cost a tenth of a millisecond.
            os.setpgid(0, 0)
        else:
            os.setsid()
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        if server.enter is not None:
            server.enter()
        if server.runs_step:
            candidate = prepare_step(candidate)
        for name, pair in limits:
            resource.setrlimit(name, pair)
        gc.enable()
        os.write(SETUP_FD, START.pack(STARTED, time.monotonic()))
    except BaseException as error:
        os.write(SETUP_FD, BROKEN + f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
        raise
    return candidate
