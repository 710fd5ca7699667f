"""A child of a fork server: is set up, becomes the program, and reports.

If the C extension `_forking` is available, it does everything here except `prepare` and `encode_details`.
"""

from __future__ import annotations

import _signal  # signal's own functions make enums of numbers, for which a fresh child pays 70 page faults
import gc
import json
import os
import resource
import sys
import time

from ..common.frames import (
    BROKEN,
    FIRST_FREE_FD,
    NONCE_BYTES,
    OTHER_REPORT,
    PASSED_REPORT,
    REPORT_FD,
    SETUP_FD,
    START,
    STARTED,
    read_exact,
)
from ..common.test_log import TEST_LOG_VARIABLE, encode_test_log
from ..runners.commands import prepare_step, run_step
from ..runners.in_process import compile_error_report, compile_program, program_report
from ..runners.script_cases import run_cases
from .joined_step import receive_joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .server_state import ChildRequest, ResourceLimits, ServerState

# A larger report might not fit into its pipe.
MAX_REPORT_WITH_LOG_BYTES = 60 << 10


def run_child(request: ChildRequest, server: ServerState, limits: ResourceLimits) -> NoReturn:
    """Turn this fork of the fork server into the program.

    Args:
        request: the program's.
        server: the fork server.
        limits: as `resource_limits` returns them.
    """
    # Bound now, because a candidate may replace the functions.
    leave, write, streams = os._exit, os.write, server.streams
    try:
        candidate = set_up_child(request, server, limits)
        # The nonce is a value of this expression alone. No variable holds it, which a search of all frames would find,
        # and no object that the garbage collector lists. The collector would list the unfinished values of a frame,
        # unless the frame is calling a C function: therefore `next` and `map` call `run_and_report`. `join` takes only
        # bytes, and calls none of their operators.
        write(REPORT_FD, b"".join((begin(server), next(map(run_and_report, (candidate,), (server,))))))
        for stream in (*streams, getattr(sys, "stdout", None), getattr(sys, "stderr", None)):
            try:
                stream.flush()  # type: ignore[union-attr]
            except BaseException:  # closed, replaced, full: the program's own affair
                continue
    finally:
        leave(0)


def run_and_report(candidate: bytes | dict[str, Any], server: ServerState) -> bytes:
    """Run the program and return its report: without the extension, or for programs that the extension doesn't run.

    Args:
        candidate: its source, bytes; or its step, a dict.
        server: the fork server.
    """
    leave, getpid = os._exit, os.getpid
    pid = getpid()
    program = prepare(candidate, server)
    if type(program) is not tuple:
        if getpid() != pid:
            leave(0)
        return program  # type: ignore[return-value]
    code, tests_code, names = program[:3]
    # Any: the type of `exec` says that its result has no use.
    run: Any = exec
    encode = encode_details
    try:
        # A candidate finds this frame, and can change its variables from Python 3.13 on. Everything that decides is on
        # the frame's stack before the candidate begins, and is called by C functions: `run` for the tests, `getpid`,
        # and the dict, which has no pass for a forked copy. Letter and details are joined, never added: an object that
        # takes the place of the details can't take part.
        return b"".join(
            (
                {pid: PASSED_REPORT}[(getpid, run(*(tests_code, names, run(code, names))[:2]))[0]()],
                encode(server, None),
            )
        )
    except BaseException as error:
        if getpid() != pid:
            leave(0)
        # OTHER_REPORT is written out: a candidate could have changed the global name, but not a constant.
        try:
            return b"".join((b"O", encode(server, error)))
        except MemoryError:
            return b'O{"outcome": "out_of_memory", "detail": "MemoryError"}'


def prepare(candidate: Any, server: ServerState) -> bytes | tuple[Any, ...]:
    """Prepare a program, before any of the candidate's code has run.

    Args:
        candidate: its source, bytes; or its step, a dict.
        server: the fork server.

    Returns:
        (code of the candidate, code of the tests, namespace, name, wants_output). A namespace that has the name in the
        end, or `wants_output`, says that even a pass has details. If there is nothing to run, or no tests run in this
        process, the complete report.
    """
    policy = server.policy
    if server.runs_step:
        if "inputs" not in candidate:
            return encode_report(run_step(candidate, policy))
        ended = run_cases(candidate, policy)
        return encode_report(ended) if type(ended) is dict else b"".join((PASSED_REPORT, encode_json(ended)))
    if server.run_role is not None:
        return encode_report(server.run_role(candidate))
    program = compile_program(candidate, server.tests, server.tests_code, policy, server.module)
    if type(program) is dict:
        return encode_report(program)
    return (*program, server.module.__dict__, TEST_LOG_VARIABLE, policy.output_variable is not None)


def report_compile_error(server: ServerState, error: BaseException) -> bytes:
    """Return the complete report of a program that the extension could not compile.

    Args:
        server: the fork server.
        error: the exception that says why.
    """
    return encode_report(compile_error_report(error, server.tests))


def encode_report(report: dict[str, Any] | None) -> bytes:
    """Return a complete report, for programs whose verdict is not decided in their own process.

    Args:
        report: None for a pass.
    """
    if report is None:
        return PASSED_REPORT
    return b"".join((OTHER_REPORT, encode_json(report)))


def encode_details(server: ServerState, error: BaseException | None) -> bytes:
    """Return the part of a report after its first byte. It has at most 6 bytes a character, to fit into its pipe.

    A candidate can replace the functions and names that are global here. They decide nothing.

    Args:
        server: the fork server.
        error: the exception that ended the program; None if it passed.
    """
    names, policy = server.module.__dict__, server.policy
    report = None if error is None else program_report(error, server.tests)
    output, record = policy.encode_output(names), encode_test_log(names)
    if report is None:
        details: str = output + "\n" + record if record else output
        return details.encode()
    fields = {**report, "output": output} if output else report
    text = encode_json(fields)
    if record:
        with_record = encode_json({**fields, "record": record})
        text = with_record if len(with_record) <= MAX_REPORT_WITH_LOG_BYTES else text
    return text


def encode_json(fields: Any) -> bytes:
    """Return plain data as JSON, in which surrogates are kept."""
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")


def begin(server: ServerState) -> bytes:
    """Say on SETUP_FD when a child begins, and close the descriptors that a program must not have.

    Returns:
        The report's nonce.
    """
    nonce: bytes = read_exact(server.channel.fileno(), NONCE_BYTES)
    # The child may be ended from now on. Nothing of its request may be left by then.
    os.write(SETUP_FD, START.pack(STARTED, time.monotonic()))
    if server.peer_fd is None:
        os.closerange(SETUP_FD, FIRST_FREE_FD)
    else:
        os.dup2(server.peer_fd, SETUP_FD, inheritable=False)
        os.closerange(SETUP_FD + 1, FIRST_FREE_FD)
    return nonce


def set_up_child(request: ChildRequest, server: ServerState, limits: ResourceLimits) -> bytes | dict[str, Any]:
    """Give a new child its folder, user and limits, or say on SETUP_FD why it can't begin.

    Returns:
        The candidate's source, or its step.
    """
    candidate: bytes | dict[str, Any]
    try:
        channel, size = server.channel, request.candidate_bytes
        source = receive_joined(channel, size) if request.is_joined else read_exact(channel.fileno(), size)
        candidate = source
        if len(source) != size:
            raise EOFError("the supervisor has gone")
        if server.privileges.is_pid_1:
            # No signal from its session reaches process 1. A session of the child's own would cost a tenth of a
            # millisecond.
            os.setpgid(0, 0)
        else:
            os.setsid()
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        if server.enter is not None:
            server.enter()
        if server.runs_step:
            candidate = prepare_step(source)
        for name, pair in limits:
            resource.setrlimit(name, pair)
        gc.enable()
    except BaseException as error:
        os.write(SETUP_FD, BROKEN + f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
        raise
    return candidate
