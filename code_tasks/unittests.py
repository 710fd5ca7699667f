"""Scripts that run unittest classes, and what their output says."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_NAMED_TESTS = 20
MOST_TRACE_CHARS = 16 << 10
# How unittest ends: these lines and nothing else on them.
LAST_LINES = re.compile(
    r"^Ran (\d{1,9}) tests? in [\d.]+s\n\n(OK|FAILED|NO TESTS RAN)(?: \(([^()\n]*)\))?$", re.MULTILINE
)
FAILED_TEST = re.compile(r"^(?:FAIL|ERROR): (\S+)[^\n]*\n(.*?)(?=^={70}$|^-{70}\nRan |\Z)", re.MULTILINE | re.DOTALL)
RAISED = "Traceback (most recent call last):\n"


@dataclass(frozen=True)
class ExecutionResult:
    """What a run's output says."""

    success: bool
    output: str
    """For people."""


def unittest_merge_snippets(code: str, test_code: str) -> str:
    """A script of a candidate and its tests, which runs them if it is run as a script.

    Args:
        code: the candidate.
        test_code: unittest classes, with or without a call of `unittest.main`.
    """
    runs_itself = "unittest.main(" in test_code
    end = "" if runs_itself else '\n\nif __name__ == "__main__":\n    import unittest\n\n    unittest.main()\n'
    return f"{code}\n\n{test_code}{end}"


def parse_unittest_output(output: str, exit_status: int = 0) -> ExecutionResult:
    """What unittest's own last lines say, and which tests failed with what.

    Only the whole last line counts, not its letters elsewhere. It is still text: a program that prints these lines and
    ends with status 0 is believed.

    Args:
        output: of a script that calls `unittest.main`.
        exit_status: of the script; one that is not 0 is no success, whatever the output says.
    """
    endings = list(LAST_LINES.finditer(output))
    if not endings:
        return ExecutionResult(False, with_output("unittest did not come to its end", output))
    ran, word, more = endings[-1].groups()
    tests = "1 test" if ran == "1" else f"{ran} tests"
    not_passed = sum(map(int, re.findall(r"(?:skipped|expected failures)=(\d+)", more or "")))
    if word != "OK":
        summary = "\n".join([f"ran {tests}: {word}{f' ({more})' if more else ''}", *failed_tests(output)])
    elif exit_status:
        summary = f"ran {tests}: OK, but the exit status is {exit_status}"
    elif int(ran) <= not_passed:
        summary = f"ran {tests}: none that was not skipped"
    else:
        return ExecutionResult(True, f"ran {tests}: all passed" + (f" ({more})" if more else ""))
    return ExecutionResult(False, with_output(summary, output))


def failed_tests(output: str) -> list[str]:
    """A line for each test that failed, with its name and what it raised; the first of very many."""
    lines = []
    for match in FAILED_TEST.finditer(output):
        # Of exceptions that led to each other, the last.
        raised = match[2].rpartition(RAISED)[2].splitlines()
        lines.append(f"{match[1]}: {next((line for line in raised if line[:1].strip()), 'failed')}")
    if len(lines) > MOST_NAMED_TESTS:
        lines[MOST_NAMED_TESTS:] = [f"... and {len(lines) - MOST_NAMED_TESTS} more"]
    return lines


def with_output(summary: str, output: str) -> str:
    """A summary, and below it the output, of which the end is kept."""
    shown = output if len(output) <= MOST_TRACE_CHARS else "..." + output[-MOST_TRACE_CHARS:]
    return f"{summary}\n\n{shown}" if shown else summary
