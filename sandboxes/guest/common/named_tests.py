"""Results of single tests of a program in steps, which the tests' own framework runs.

Where candidate and tests are one process, each test has a ticket, which nobody can guess. The code that runs the tests
writes it to standard output when the test has passed. Candidates can read what was written: they learn the tickets of
tests that have passed, and no others. The others are as hard to find in the process as the completion token.

Where they are two processes, the tests' process adds a line to its report after each test. A line has the outcome, the
seconds, the name and the message, with tabs between them.
"""

from __future__ import annotations

import hashlib
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

TICKET_CHARS = 32
MICROSECONDS = 10
"""Digits behind a ticket: how long the test took."""

REPORT_FILE = "code_eval_report"
"""The file of the tests' process."""

MAX_REPORT_BYTES = 1 << 20
MAX_MESSAGE_CHARS = 1000
"""Characters of a message in the report. The candidate chooses what a failure says."""

OUTCOMES = ("passed", "failed")


class Tickets:
    """The tickets of a program's tests, for one run."""

    def __init__(self, token: str, names: Sequence[str]) -> None:
        """Make the tickets. Their first halves are the same.

        Args:
            token: the program's completion token.
            names: of its tests.
        """
        self.names, self.half = names, digest(f"{token} tests")
        self.all = [self.half + digest(f"{token} {number}") for number in range(len(names))]
        self.seconds: dict[str, float] = {}

    def take(self, output: str) -> str:
        """Take the tickets out of what a program wrote, and return the rest."""
        known = frozenset(self.all)

        def take_one(match: re.Match[str]) -> str:
            if match[1] not in known:
                return match[0]
            self.seconds[match[1]] = int(match[2]) / 1e6
            return ""

        pattern = rf"({self.half}[0-9a-f]{{{TICKET_CHARS - len(self.half)}}})([0-9]{{{MICROSECONDS}}})"
        return re.sub(pattern, take_one, output)

    def results(self, outcome: str, detail: str) -> list[dict[str, Any]]:
        """Return the results of the tests.

        A test without a ticket has not passed. It has the outcome of the run, and the run's detail if that names it, or
        can mean no other. If the run has passed nevertheless, the test was none of those that were run.

        Args:
            outcome: of the run.
            detail: of the run.
        """
        is_only = len(self.seconds) == len(self.all) - 1
        tests: list[dict[str, Any]] = []
        for name, ticket in zip(self.names, self.all):
            if ticket in self.seconds:
                tests.append({"name": name, "outcome": "passed", "seconds": self.seconds[ticket]})
            elif outcome != "passed":
                message = detail if is_only or re.search(rf"\b{name}\b", detail) else ""
                tests.append({"name": name, "outcome": outcome, "seconds": 0, "message": message})
        return tests


def digest(text: str) -> str:
    """Return half a ticket, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[: TICKET_CHARS // 2]


def read_report(report: bytes) -> list[dict[str, Any]]:
    """Return the results of the tests that a report has."""
    tests = []
    for line in report.decode("utf-8", "replace").splitlines():
        fields = line.split("\t", 3)
        if len(fields) == 4 and fields[0] in OUTCOMES and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", fields[1]):
            tests.append({"name": fields[2], "outcome": fields[0], "seconds": float(fields[1]), "message": fields[3]})
    return tests
