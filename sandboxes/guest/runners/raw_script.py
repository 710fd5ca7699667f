"""Runs a script of a raw run in the warm interpreter, with the status and the output that a fresh one would give it.

This happens in the child. The script's end is told and not judged, so nothing has to be kept from it: whatever it
changes here, it changes its own end.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback

from .in_process import error_report, outcome_for, relax_memory_limit
from .interpreter import end_interpreter, exit_status, new_main_module, read_source
from .sources import CANDIDATE_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from .policy import PlainPython

    Report = dict[str, Any]

UNCAUGHT, NOT_FLUSHED = 1, 120


def run_as_process(policy: PlainPython, arguments: Sequence[str]) -> Report | None:
    """Run CANDIDATE_FILE, and end this process with its status.

    Args:
        policy: that the script obeys.
        arguments: of the script.

    Returns:
        The report of a script that had no memory left, whose process is still to end.
    """
    leave, getpid = os._exit, os.getpid
    pid, status, report = getpid(), UNCAUGHT, None
    try:
        error = run_file(policy, arguments)
        status = 0 if error is None else status_after(error)
        try:
            end_interpreter()
        except BaseException as second:
            print_error(second)
        status = status if flush_streams() else NOT_FLUSHED
        if issubclass(type(error), KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(getpid(), signal.SIGINT)
        if error is not None and outcome_for(error) == "out_of_memory" and getpid() == pid:
            report = error_report(error, "out_of_memory")
    finally:
        if report is None:
            leave(status)
    return report


def run_file(policy: PlainPython, arguments: Sequence[str]) -> BaseException | None:
    """Run CANDIDATE_FILE as the main module, and return the exception that ended it; None if none did."""
    # The module of programs that have tests.
    sys.modules.pop("candidate", None)
    sys.argv[:] = [CANDIDATE_FILE, *arguments]
    try:
        code = policy.compile(read_source(CANDIDATE_FILE), CANDIDATE_FILE)
        module = new_main_module(CANDIDATE_FILE)
        if policy.prepare is not None:
            policy.prepare(module)
    except BaseException as error:
        # It has no frames of the script's.
        return error.with_traceback(None)
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        own_frames: Any = error.__traceback__
        return error.with_traceback(own_frames.tb_next)
    return None


def status_after(error: BaseException) -> int:
    """Show an exception that ended the script as the interpreter does, and return the status for it."""
    if issubclass(type(error), MemoryError):
        relax_memory_limit()
    if issubclass(type(error), SystemExit):
        return exit_status(error.code)  # type: ignore[attr-defined]
    if sys.excepthook is sys.__excepthook__:
        print_error(error)
        return UNCAUGHT
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as second:
        return exit_status(second.code)
    except BaseException as second:
        print_error(second)
        print_error(error)
    return UNCAUGHT


def print_error(error: BaseException) -> None:
    """Write an exception with its traceback to stderr, if the script has left one."""
    if sys.stderr is None:
        return
    try:
        traceback.print_exception(type(error), error, error.__traceback__)
    except BaseException:  # closed, replaced by something: the script's own affair
        return


def flush_streams() -> bool:
    """Flush the standard streams, and return whether all of them took what they were given."""
    taken = True
    for stream in {id(stream): stream for stream in (sys.__stdout__, sys.__stderr__, sys.stdout, sys.stderr)}.values():
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:  # a stream of the script's own may raise anything
            print_error(error)
            taken = False
    return taken
