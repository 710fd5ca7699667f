"""Runs a script on several inputs, one after the other, in one process.

This happens in the child: its interpreter and the compiled script serve all inputs. The supervisor compares what the
script wrote, and an input that did not go well gets a process of its own. Nothing here decides a verdict. An input that
leaves anything behind, which the next one could notice, is the last one of its process.
"""

from __future__ import annotations

import atexit
import os
import sys
import time

from .commands import compile_script, redirect_stdin, run_main, set_stack_limit
from .interpreter import end_interpreter
from .sources import CANDIDATE_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

    from .policy import PlainPython

    Report = dict[str, Any]

# Their threads and processes end with the interpreter, and new ones can't be started after that.
ENDING_MODULES = ("concurrent.futures.thread", "concurrent.futures.process", "multiprocessing.util")


def run_cases(step: Mapping[str, Any], policy: PlainPython) -> Report | list[float]:
    """Run the script on the inputs of a step, and write the step's marks behind the output on each input.

    Args:
        step: as `run_step` takes it, with "inputs", a list of texts; "marks", the texts for stdout and stderr; and
            "budget": once so many seconds have passed, no further input is begun.
        policy: that the script obeys.

    Returns:
        The seconds of each input; if the script failed on one, the report of that.
    """
    # Bound now, because the script may replace the functions.
    write, clock, getpid = os.write, time.monotonic, os.getpid
    pid, marks = getpid(), [mark.encode() for mark in step["marks"]]
    streams, recursion_limit = (sys.stdout, sys.stderr), sys.getrecursionlimit()
    set_stack_limit(step)
    code = compile_script(policy)
    if type(code) is dict:
        failure: Report = code
        return failure
    files = left_files()
    seconds: list[float] = []
    end = clock() + step["budget"]
    for text in step["inputs"]:
        began = clock()
        sys.stdout, sys.stderr = streams
        sys.setrecursionlimit(recursion_limit)
        sys.argv[:] = [CANDIDATE_FILE]
        redirect_stdin(text.encode("utf-8", "surrogatepass"))
        report = run_main(code, policy, CANDIDATE_FILE, step.get("any_status", False))
        if report is not None or getpid() != pid:
            # A copy of this process that the script forked ends as after any script.
            return report or seconds
        is_last = not ends_without_a_trace()
        if is_last:
            end_interpreter()
        flush_all(sys.stdout, sys.stderr, *streams)
        try:
            # Stdout comes last: a mark there says that the input is done with.
            for fd, mark in ((2, marks[1]), (1, marks[0])):
                write(fd, mark)
        except OSError:
            break
        seconds.append(clock() - began)
        leaves_traces = any(stream.closed for stream in streams) or left_files() != files or has_children()
        if is_last or leaves_traces or clock() > end:
            break
    return seconds


def flush_all(*streams: Any) -> None:
    """Flush streams, which the script may have replaced."""
    for stream in streams:
        try:
            stream.flush()
        except BaseException:  # closed, full, no stream at all: the script's own affair
            continue


def ends_without_a_trace() -> bool:
    """Wait for the threads that the interpreter waits for. Return whether nothing else is left for its end."""
    if any(name in sys.modules for name in ENDING_MODULES) or atexit._ncallbacks():
        return False
    if "threading" in sys.modules:
        threading = sys.modules["threading"]
        for thread in threading.enumerate():
            if thread is not threading.main_thread() and not thread.daemon:
                thread.join()
        return bool(threading.active_count() == 1)
    return True


def left_files() -> list[str]:
    """Return the names in the folders that a script may write to."""
    return sorted(name for folder in {".", os.environ.get("TMPDIR", ".")} for name in os.listdir(folder))


def has_children() -> bool:
    """Return whether the script left processes behind."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
