"""The audit of one problem as data: what was run, how it ended, and what that says about the problem."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from sandboxes import Outcome
from sandboxes.outcome_labels import NOT_RUN

SLOW_FACTOR = 4.0
"""A canonical solution is slow if its limit is less than this many times as long as it takes."""

FINDINGS = {
    "fails": "the canonical solution fails",
    "flaky": "runs of the canonical solution end differently",
    "stub": "a stub passes",
    "disputed": "another solution fails",
    "examples": "the canonical solution fails an example of the prompt",
    "mutant": "a mutant passes",
    "slow": f"the limit is less than {SLOW_FACTOR:g} times as long as the canonical solution takes",
    "missing": "there is no canonical solution",
}
"""The findings of an audit by their names, the gravest first."""


@dataclass(frozen=True)
class VariantResult:
    """A stub, a mutant or another solution that was run."""

    name: str
    """One line for people: "return 0", "line 3: a < b became a <= b", or "solution 1"."""

    outcome: str
    """The value of its `Outcome`, or NOT_RUN."""

    detail: str = ""
    """Why another solution failed."""

    @property
    def passed(self) -> bool:
        """True if the problem's tests accept it."""
        return self.outcome == Outcome.PASSED.value


@dataclass(frozen=True)
class ProblemAudit:
    """The findings of an audit about one problem."""

    task_id: str
    language: str
    outcomes: tuple[str, ...] = ()
    """Outcome of each run of the canonical solution. Empty: the record has none."""

    detail: str = ""
    """Why the canonical solution failed. Empty if it passed."""

    caveat: str = ""
    """A known reason for which right candidates of this problem fail. "": there is none, or the solution passed."""

    wall_seconds: float | None = None
    """Time of the canonical solution; of its longest case, if the limit is for each case. None if it failed."""

    limit_seconds: float = 0.0
    """The time limit of candidates."""

    calibrated_limit_seconds: float | None = None
    """The limit that would follow from the time of the canonical solution."""

    stubs: tuple[VariantResult, ...] = ()
    equal_object: str = ""
    """The outcome of a stub whose result is an object that is equal to everything. "": it was not run. If it passes,
    that says nothing about the tests, but candidates that cheat need `separate` grading."""

    mutants: tuple[VariantResult, ...] = ()
    solutions: tuple[VariantResult, ...] = ()
    """Other solutions, such as corrected ones."""

    examples: str = ""
    """Why the canonical solution fails the examples of its prompt. "": it passes, or there are none."""

    grading: tuple[str, str] = ("", "")
    """(the grading of the problem's tests, the reason for which "auto" chose "shared"). Empty: nothing was run."""

    @property
    def passed(self) -> bool:
        """True if every run of the canonical solution passed."""
        return bool(self.outcomes) and set(self.outcomes) == {Outcome.PASSED.value}

    @property
    def is_flaky(self) -> bool:
        """True if the runs of the canonical solution had different outcomes."""
        return len(set(self.outcomes)) > 1

    @property
    def is_slow(self) -> bool:
        """True if candidates that are a little slower than the canonical solution may time out."""
        return self.wall_seconds is not None and self.wall_seconds * SLOW_FACTOR > self.limit_seconds

    @property
    def passing_stubs(self) -> list[str]:
        """Names of the stubs that the tests accept. For some problems a constant is the right answer."""
        return [stub.name for stub in self.stubs if stub.passed]

    @property
    def surviving_mutants(self) -> list[str]:
        """Names of the mutants that the tests accept. Some may do the same as the canonical solution."""
        return [mutant.name for mutant in self.mutants if mutant.passed]

    @property
    def killed(self) -> int:
        """The number of mutants that the tests refuse."""
        return sum(not mutant.passed and mutant.outcome != NOT_RUN for mutant in self.mutants)

    @property
    def killed_share(self) -> float | None:
        """Share of mutants that the tests refuse, from 0 to 1. None if none was run."""
        run = sum(mutant.outcome != NOT_RUN for mutant in self.mutants)
        return self.killed / run if run else None

    @property
    def failing_solutions(self) -> list[VariantResult]:
        """The other solutions that the tests refuse. Where one of these is right, the tests are not."""
        return [each for each in self.solutions if each.detail]

    @property
    def findings(self) -> list[str]:
        """Names in FINDINGS that hold for the problem."""
        found = {
            "fails": bool(self.outcomes) and not self.passed and not self.is_flaky,
            "flaky": self.is_flaky,
            "stub": bool(self.passing_stubs),
            "disputed": bool(self.failing_solutions),
            "examples": bool(self.examples),
            "mutant": bool(self.surviving_mutants),
            "slow": self.is_slow,
            "missing": not self.outcomes,
        }
        return [name for name in FINDINGS if found[name]]

    def as_record(self) -> dict[str, Any]:
        """Return the audit as plain data, with everything that follows from it."""
        return {
            **dataclasses.asdict(self),
            "findings": self.findings,
            "passing_stubs": self.passing_stubs,
            "surviving_mutants": self.surviving_mutants,
            "killed_share": self.killed_share,
        }
