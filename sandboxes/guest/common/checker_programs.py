"""Checker programs of tasks: the files that they get, and what their end says about an output."""

from __future__ import annotations

import math
import re

# The ways in which checker programs are called and answer. OPEN_R1: `checker input expected output`, and the program
# prints its points, of which 1 and 100 are all; empty lines of the output are left out, as in its grader. TESTLIB:
# `checker input output expected`, and the exit status decides.
OPEN_R1, TESTLIB = "open-r1", "testlib"
CONVENTIONS = (OPEN_R1, TESTLIB)
INPUT_FILE, EXPECTED_FILE, OUTPUT_FILE = "input.txt", "correct_output.txt", "solution_output.txt"
ARGUMENTS = {OPEN_R1: (INPUT_FILE, EXPECTED_FILE, OUTPUT_FILE), TESTLIB: (INPUT_FILE, OUTPUT_FILE, EXPECTED_FILE)}
ALL_POINTS = (1.0, 100.0)
# Statuses of testlib. PARTLY and those above it up to PARTLY + 200 are points too.
RIGHT, POINTS, PARTLY, MOST_PARTLY = 0, 7, 16, 216
REFUSALS = {1: "wrong answer", 2: "presentation error", 4: "presentation error", 8: "presentation error"}
NAMED_POINTS = re.compile(r"points\s+([-+.\deE]+)")
MAX_MESSAGE_CHARS = 400


class CheckerFault(Exception):
    """A checker program ended without a decision. The message says how."""


def refusal(convention: str, status: int, stdout: str, stderr: str, judge: str = "checker") -> str:
    """Return why a checker program that ended by itself refuses an output; "" if the output is right.

    Args:
        convention: one of CONVENTIONS.
        status: its exit status.
        stdout: that it wrote.
        stderr: likewise.
        judge: the name for what decides, in messages.

    Raises:
        CheckerFault: if it decided nothing.
    """
    message = first_line(stderr) or first_line(stdout)
    if convention == OPEN_R1:
        if status:
            raise CheckerFault(f"it ended with status {status}: {message}")
        points = stdout.strip()
        said = first_line(stderr)
        return "" if are_all_points(points) else f"the checker gives {points} points" + (f": {said}" if said else "")
    if status == RIGHT:
        return ""
    if status == POINTS:
        named = NAMED_POINTS.match(message)
        if are_all_points(named[1] if named else message):
            return ""
        return f"the {judge} gives part of the points: {message}"
    if PARTLY <= status <= MOST_PARTLY:
        return f"the {judge} gives part of the points: {message}"
    if status in REFUSALS:
        return f"{REFUSALS[status]}: {message}" if message else REFUSALS[status]
    raise CheckerFault(f"it ended with status {status}: {message}")


def are_all_points(text: str) -> bool:
    """Return whether points are ALL_POINTS.

    Raises:
        CheckerFault: if the text is no number.
    """
    try:
        points = float(text)
    except ValueError:
        points = math.nan
    if not math.isfinite(points):
        raise CheckerFault(f"it says {text[:60]!r} in place of its points")
    return points in ALL_POINTS


def first_line(text: str) -> str:
    """Return the first line of a message that is not empty."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:MAX_MESSAGE_CHARS]


def checked_output(convention: str, output: bytes) -> bytes:
    """Return an output as the checker programs of a convention get it."""
    if convention == OPEN_R1:
        return b"\n".join(line for line in output.split(b"\n") if line) + (b"\n" if output.strip(b"\n") else b"")
    return output
