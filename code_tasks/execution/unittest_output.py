"""Scripts that run unittest classes, and the parser of their output."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_NAMED_TESTS = 20
MAX_TRACE_CHARS = 16 << 10
# The last lines of unittest's output, with nothing else on them.
LAST_LINES = re.compile(
    r"^Ran (\d{1,9}) tests? in [\d.]+s\n\n(OK|FAILED|NO TESTS RAN)(?: \(([^()\n]*)\))?$", re.MULTILINE
)
FAILED_TEST = re.compile(r"^(?:FAIL|ERROR): (\S+)[^\n]*\n(.*?)(?=^={70}$|^-{70}\nRan |\Z)", re.MULTILINE | re.DOTALL)
TRACEBACK_HEADER = "Traceback (most recent call last):\n"


class ExecutionResult(NamedTuple):
    """The result that a program's output shows, as a tuple of two."""

    success: bool
    output: str
    """A text for people."""


def unittest_merge_snippets(code: str, test_code: str) -> str:
    """Return a program of a candidate and its tests, which runs the tests if it is run as a script.

    Args:
        code: the candidate.
        test_code: unittest classes, with or without a call of `unittest.main`.
    """
    runs_itself = "unittest.main(" in test_code
    # Without tests there is nothing to import unittest for. Before Python 3.12 it would say OK.
    needed = "    import unittest\n\n" if test_code.strip() else ""
    end = "" if runs_itself else f'\n\nif __name__ == "__main__":\n{needed}    unittest.main()\n'
    return f"{code}\n\n{test_code}{end}"


def parse_unittest_output(output: str, exit_status: int = 0) -> ExecutionResult:
    """Return the result in unittest's last lines, with the failed tests and their errors.

    The last line counts only as a whole: the word OK elsewhere means nothing. The output can still be forged. A program
    that prints these lines and exits with status 0 passes.

    Args:
        output: output of a script that calls `unittest.main`.
        exit_status: exit status of the script. Another status than 0 is a failure, whatever the output says.
    """
    endings = list(LAST_LINES.finditer(output))
    if not endings:
        return ExecutionResult(False, with_output("unittest did not finish", output))
    ran, word, more = endings[-1].groups()
    tests = "1 test" if ran == "1" else f"{ran} tests"
    not_run_or_failed = sum(map(int, re.findall(r"(?:skipped|expected failures)=(\d+)", more or "")))
    if word != "OK":
        summary = "\n".join([f"ran {tests}: {word}{f' ({more})' if more else ''}", *failed_tests(output)])
    elif exit_status:
        summary = f"ran {tests}: OK, but the exit status is {exit_status}"
    elif int(ran) <= not_run_or_failed:
        summary = f"ran {tests}: all of them were skipped or expected to fail"
    else:
        return ExecutionResult(True, f"ran {tests}: all passed" + (f" ({more})" if more else ""))
    return ExecutionResult(False, with_output(summary, output))


def failed_tests(output: str) -> list[str]:
    """Return a line with name and exception for each failed test. After MAX_NAMED_TESTS the rest is counted."""
    lines = []
    for match in FAILED_TEST.finditer(output):
        # The last exception of a chain.
        raised = match[2].rpartition(TRACEBACK_HEADER)[2].splitlines()
        lines.append(f"{match[1]}: {next((line for line in raised if line[:1].strip()), 'failed')}")
    if len(lines) > MAX_NAMED_TESTS:
        lines[MAX_NAMED_TESTS:] = [f"... and {len(lines) - MAX_NAMED_TESTS} more"]
    return lines


def with_output(summary: str, output: str) -> str:
    """Return a summary with the output below it. A long output loses its beginning."""
    shown = output if len(output) <= MAX_TRACE_CHARS else "..." + output[-MAX_TRACE_CHARS:]
    return f"{summary}\n\n{shown}" if shown else summary
