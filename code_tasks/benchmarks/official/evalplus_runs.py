"""Runs a candidate in the way of evalplus 0.3.1: a process for the base inputs, and one for the plus inputs.

This text becomes a part of a program's tests, see `forms.py`. Each input has its own time limit, which depends on the
canonical solution's time.
"""

from __future__ import annotations

import builtins
import copy
import functools
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from code_tasks.benchmarks.official.running import (
    described,
    import_numpy_for,
    quiet,
    raise_time_limit,
    take_functions_away,
)

MIN_SECONDS, FACTOR, MAX_SECONDS = 1.0, 4.0, 60.0
"""Limits: of an input, at least, and in relation to the canonical solution's time; of all inputs of a process."""

MORE_SECONDS = 2.0
"""Seconds that a process may take beyond the limits of its inputs."""

FLOAT_TOLERANCE = 1e-6


def run_inputs(
    source: str,
    name: str,
    groups: dict[str, list[Any]],
    oracle: Callable[[], Any],
    rule: Callable[..., Any],
    atol: float,
) -> None:
    """Run a candidate on the inputs of a problem. Raise an exception if a result is wrong.

    Args:
        source: of the candidate.
        name: of its function.
        groups: the inputs of each process, by the name of the group.
        oracle: returns the canonical solution.
        rule: (result, expected result, arguments, tolerance) -> whether the result is right.
        atol: the tolerance.
    """
    import_numpy_for(source)
    for group, inputs in groups.items():
        calls, solution = [], oracle()
        for arguments in inputs:
            own, began = copy.deepcopy(arguments), time.time()
            expected = solution(*own)
            calls.append((arguments, expected, max(MIN_SECONDS, FACTOR * (time.time() - began))))
        run = functools.partial(message_of_calls, source, name, calls, rule, atol)
        if message := message_of_process(run, sum(limit for _, _, limit in calls)):
            raise AssertionError(f"{group} inputs: {message}")


def message_of_process(run: Callable[[], str], limit: float) -> str:
    """Return what `run` returns in a process of its own; a message if that takes too long or gives no answer."""
    reading, writing = os.pipe()
    write, leave = os.write, os._exit
    pid = os.fork()
    if pid == 0:
        try:
            message = run()
        except BaseException as error:
            message = described(error)
        write(writing, (message or "right").encode("utf-8", "replace"))
        leave(0)
    os.close(writing)
    has_answer, _, _ = select.select([reading], [], [], min(MAX_SECONDS, limit) + MORE_SECONDS)
    answer = os.read(reading, 4096).decode("utf-8", "replace") if has_answer else "they took too long"
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reading)
    return "" if answer == "right" else answer or "the process ended"


def message_of_calls(
    source: str, name: str, calls: Sequence[tuple[Any, Any, float]], rule: Callable[..., Any], atol: float
) -> str:
    """Return what is wrong with the first result that is wrong; "" if all are right.

    Args:
        source: of the candidate.
        name: of its function.
        calls: (arguments, expected result, seconds) of each input.
        rule: as in `run_inputs`.
        atol: the tolerance.
    """
    take_functions_away("evalplus")
    vars(builtins)["open"] = None
    signal.signal(signal.SIGALRM, raise_time_limit)
    space: dict[str, Any] = {}
    with quiet():
        exec(compile(source, "<string>", "exec", 0, True), space)
        called = space[name]
    for number, (arguments, expected, seconds) in enumerate(calls, 1):
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                with quiet():
                    result = called(*arguments)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            # The tolerance stays for all later inputs.
            if atol == 0 and are_floats(expected):
                atol = FLOAT_TOLERANCE
            if not rule(result, expected, arguments, atol):
                return f"input {number}: it should be {expected!r:.80}, but is {result!r:.80}"
        except BaseException as error:
            return f"input {number}: {described(error)}"
    return ""


def are_floats(expected: Any) -> bool:
    """Return whether an expected result is a float, or a list or tuple of floats."""
    if isinstance(expected, (list, tuple)) and expected:
        return all(isinstance(each, float) for each in expected)
    return isinstance(expected, float)
