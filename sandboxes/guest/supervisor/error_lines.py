"""Picks the lines of a failed command's output that explain the failure."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINES, MAX_CHARS = 3, 300
# Go's test runner needs more lines than others.
GO_TEST_FAILURE = "--- FAIL"
# Beginnings of the lines in which languages name the error that ended a program.
FATAL_ERRORS = re.compile(
    r"(?:Exception in thread|Caused by:|Uncaught |panic:|fatal error:|thread '.*' panicked|terminate called"
    r"|(?:[\w$]+\.)*[\w$]*(?:Error|Exception)\b|program: |--- FAIL|[^\s:]+: .*Assertion)"
)
HINTS = re.compile(r"error|exception|assert|fail|not found|unbound|denied", re.IGNORECASE)
# Beginnings of the lines where an error's message turns into a stack trace, or into advice.
STACK = re.compile(r"\s+at |CallStack |note:|Current stack trace:|goroutine |\[signal")


def error_lines(stderr: str, stdout: str) -> str:
    """Return the lines that say why a command failed, joined to one line; "" if there are none.

    Args:
        stderr: the command's standard error.
        stdout: its standard output, in which some test runners explain a failure.
    """
    stderr_lines, stdout_lines = ([line for line in text.splitlines() if line.strip()] for text in (stderr, stdout))
    searches = ((stderr_lines, FATAL_ERRORS.match), (stdout_lines, FATAL_ERRORS.match), (stderr_lines, HINTS.search))
    for lines, search in searches:
        for number, line in enumerate(lines):
            if search(line):
                return join_message(lines[number:])
    return join_message(stderr_lines[-1:])


def join_message(lines: Sequence[str]) -> str:
    """Return the first lines, up to a stack trace, joined to one line of at most MAX_CHARS characters."""
    limit = 2 * MAX_LINES if lines and lines[0].startswith(GO_TEST_FAILURE) else MAX_LINES
    end = next((number for number, line in enumerate(lines[:limit]) if STACK.match(line)), limit)
    return " ".join(" ".join(lines[:end]).split())[:MAX_CHARS]
