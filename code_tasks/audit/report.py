"""The report of an audit, as `code-eval audit` prints it: for people, and for programs."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from code_tasks.audit.problem_audit import FINDINGS, ProblemAudit
from code_tasks.scoring.summary import gradings
from sandboxes import Outcome
from sandboxes.outcome_labels import LABELS
from sandboxes.validation import printable

MAX_SHOWN = 20
"""Problems in each list of a report. The file of --output has all."""

MAX_SLOW_SHOWN = 5
"""Problems in the list of the slowest."""

MAX_NAMES_SHOWN = 3
"""Stubs or mutants of each problem."""

Line = Callable[[ProblemAudit], str]


def as_text(audits: Sequence[ProblemAudit], wall_seconds: float) -> str:
    """Return the report.

    Args:
        audits: of all problems.
        wall_seconds: duration of the audit.
    """
    programs = sum(len(each.outcomes) + len(each.stubs) + len(each.mutants) for each in audits)
    programs += sum(bool(each.equal_object) + len(each.solutions) for each in audits)
    problems = f"{len(audits)} problem{'' if len(audits) == 1 else 's'}"
    lines = [f"{problems} in {wall_seconds:.1f} s ({programs} programs)", "", *counts(audits)]
    lines += listed(audits, "fails", "canonical solution fails", "why", lambda each: each.caveat or each.detail)
    lines += listed(
        audits, "flaky", "flaky", "outcomes", lambda each: ", ".join(LABELS[name] for name in each.outcomes)
    )
    lines += listed(audits, "missing", "no canonical solution", "", lambda each: "")
    lines += listed(audits, "stub", "a stub passes", "stubs", lambda each: some(each.passing_stubs))
    lines += listed(audits, "disputed", "another solution fails", "why", dispute)
    lines += listed(audits, "examples", "contradicts its prompt", "why", lambda each: each.examples)
    lines += listed(audits, "slow", "slow", "seconds, and limit", times)
    lines += listed(audits, "mutant", "weak tests", "killed   such as", weakness, lambda each: each.killed_share or 0.0)
    lines += slowest(audits)
    # Names and texts come from files, and may hold control characters.
    return "\n".join(printable(line) for line in [*lines, ""])


def as_data(audits: Sequence[ProblemAudit], seconds: float) -> dict[str, Any]:
    """Return the report for programs: counts, and the problems with each finding.

    Args:
        audits: of all problems.
        seconds: that the audit took.
    """
    return {
        "counts": {
            "problems": len(audits),
            "passed": sum(each.passed for each in audits if each.outcomes),
            "mutants": sum(len(each.mutants) for each in audits),
            "killed": sum(each.killed for each in audits),
        },
        "gradings": {
            "separate": sum(grading == "separate" for grading, _ in map(attrgetter("grading"), audits)),
            "shared": Counter(reason for grading, reason in map(attrgetter("grading"), audits) if grading == "shared"),
        },
        "findings": {name: [each.task_id for each in audits if name in each.findings] for name in FINDINGS},
        "wall_seconds": round(seconds, 2),
    }


def counts(audits: Sequence[ProblemAudit]) -> list[str]:
    """Return lines with the numbers of problems and mutants."""
    solved = [each for each in audits if each.outcomes]
    lines = [f"  {'canonical solutions that pass':<42}{share(sum(each.passed for each in solved), len(solved))}"]
    if missing := len(audits) - len(solved):
        lines.append(f"  {'problems without a canonical solution':<42}{missing}")
    lines.append(f"  {'problems that a stub passes':<42}{sum(bool(each.passing_stubs) for each in audits)}")
    mutants = sum(len(each.mutants) for each in audits)
    if mutants:
        lines.append(f"  {'mutants that the tests kill':<42}{share(sum(each.killed for each in audits), mutants)}")
    if equal := sum(each.equal_object == Outcome.PASSED.value for each in audits):
        text = "pass with an object equal to everything"
        lines.append(f"  {text:<42}{equal}   (a cheat: separate grading refuses it)")
    return [*lines, *gradings(each.grading for each in audits)]


def share(part: int, whole: int) -> str:
    """Return a number of things with their share."""
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def listed(
    audits: Iterable[ProblemAudit],
    finding: str,
    title: str,
    column: str,
    line: Line,
    order: Callable[[ProblemAudit], float] = lambda each: 0.0,
) -> list[str]:
    """Return lines on the problems with a finding; no lines if there are none.

    Args:
        audits: of all problems.
        finding: one of FINDINGS.
        title: of the first column.
        column: title of the second column.
        line: returns the second column of a problem.
        order: problems with a small number come first.
    """
    found = sorted((each for each in audits if finding in each.findings), key=order)
    lines = [f"  {each.task_id:<26}{line(each)}".rstrip() for each in found[:MAX_SHOWN]]
    if len(found) > MAX_SHOWN:
        lines.append(f"  ... and {len(found) - MAX_SHOWN} more")
    return ["", f"  {title:<26}{column}".rstrip(), *lines] if lines else []


def some(names: Sequence[str]) -> str:
    """Return the first names of a list."""
    more = [f"... and {len(names) - MAX_NAMES_SHOWN} more"] if len(names) > MAX_NAMES_SHOWN else []
    return "; ".join([*names[:MAX_NAMES_SHOWN], *more])


def dispute(audit: ProblemAudit) -> str:
    """Return the first of other solutions that fails, and why."""
    first = audit.failing_solutions[0]
    return f"{first.name} of {len(audit.solutions)}: {first.detail}"


def weakness(audit: ProblemAudit) -> str:
    """Return how many mutants the tests of a problem kill, and one that they don't."""
    return f"{f'{audit.killed}/{len(audit.mutants)}':>6}   {audit.surviving_mutants[0]}"


def times(audit: ProblemAudit) -> str:
    """Return the time of a canonical solution, and the limits."""
    return f"{audit.wall_seconds:8.2f}   limit {audit.limit_seconds:g}, or {audit.calibrated_limit_seconds:g}"


def slowest(audits: Iterable[ProblemAudit]) -> list[str]:
    """Return lines on the slowest canonical solutions."""
    timed = [each for each in audits if each.wall_seconds is not None]
    order = heapq.nlargest(MAX_SLOW_SHOWN, timed, key=lambda each: each.wall_seconds or 0.0)
    lines = [f"  {each.task_id:<26}{times(each)}" for each in order]
    return ["", f"  {'slowest':<26} seconds   limit now, or by the canonical solution's time", *lines] if lines else []
