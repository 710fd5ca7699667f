"""What canonical solutions tell before candidates run: time limits, as some graders set them, and expected results.

`Problem.canonical_limit` and `Problem.expected` say how. `code-eval run` and `LoadedBenchmark.tasks` call
`with_canonical_limits` first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from code_tasks.benchmarks.expected_results import with_expected_results
from code_tasks.benchmarks.problems import CanonicalLimit, Problem
from sandboxes import Evaluator, RunResult, Task, Verdict
from sandboxes.outcome_labels import LABELS
from sandboxes.runner import state_of
from sandboxes.tasks.io_cases import IOCases, parse_cases

STEP_SECONDS = 0.125
"""Limits are multiples of this, so that two runs often have the same limit."""


@dataclass(frozen=True)
class CanonicalLimits:
    """Problems with the limits of their canonical solutions, and what could not be measured."""

    problems: Mapping[str, Problem]
    """Problems by task_id, with the measured limit as `wall_seconds`."""

    failures: Mapping[str, str]
    """Why the canonical solution gave no limit, by task_id. The problem's fixed limit holds."""

    def warnings(self) -> list[str]:
        """Return a line for each canonical solution that failed."""
        return [
            f"{task_id}: its canonical solution fails ({reason}), so that its fixed time limit holds"
            for task_id, reason in self.failures.items()
        ]


def with_canonical_limits(problems: Mapping[str, Problem], evaluator: Evaluator) -> CanonicalLimits:
    """Run canonical solutions, and return all problems with the limits and the expected results that follow from them.

    Problems without a `canonical_limit` or a canonical solution keep their limits.

    Args:
        problems: by task_id.
        evaluator: runs the canonical solutions, as it will run the candidates. Its cache keeps their times.

    Raises:
        SandboxUnavailable: as `Evaluator.run` does.
    """
    problems = with_expected_results(problems, evaluator)
    measured = [each for each in problems.values() if each.canonical_limit and each.canonical_solution is not None]
    if not measured:
        return CanonicalLimits(problems, {})
    tasks = [canonical_task(with_ceiling(problem), evaluator) for problem in measured]
    limited, failures = dict(problems), {}
    for problem, result in zip(measured, evaluator.run(tasks), strict=True):
        if problem.canonical_limit and isinstance(result, Verdict) and result.passed:
            seconds = limit_seconds(problem.canonical_limit, canonical_seconds(problem, result))
            limited[problem.task_id] = with_wall_seconds(problem, seconds)
        else:
            failures[problem.task_id] = reason_of(result)
    return CanonicalLimits(limited, failures)


def canonical_task(problem: Problem, evaluator: Evaluator) -> Task:
    """Return the task whose only candidate is a problem's canonical solution."""
    config = evaluator.config
    language = problem.language or config.tasks.language
    completion = problem.canonical_solution or ""
    return problem.task([problem.candidate(completion, language)], config.limits, language)


def canonical_seconds(problem: Problem, verdict: Verdict) -> float:
    """Return the seconds that a time limit is compared with, without the time in which no CPU was free.

    Each case of a script has the limit for itself, so that its longest case counts.
    """
    cases = parse_cases(problem.tests)
    if isinstance(cases, IOCases) and not cases.function:
        return max((test.seconds for test in verdict.tests), default=verdict.wall_seconds)
    return max(0.0, verdict.wall_seconds - verdict.waited_seconds)


def with_ceiling(problem: Problem) -> Problem:
    """Return a problem whose time limit is the longest that its canonical solution can give."""
    return with_wall_seconds(problem, problem.canonical_limit.longest_seconds) if problem.canonical_limit else problem


def limit_seconds(rule: CanonicalLimit, seconds: float) -> float:
    """Return the limit for a canonical solution that takes so long, rounded up."""
    return math.ceil(round(rule.seconds(seconds) / STEP_SECONDS, 6)) * STEP_SECONDS


def with_wall_seconds(problem: Problem, seconds: float) -> Problem:
    """Return a problem with a time limit."""
    return replace(problem, limits={**problem.limits, "wall_seconds": seconds})


def reason_of(result: RunResult) -> str:
    """Return why a result is not a pass."""
    if isinstance(result, Verdict):
        return result.detail or result.outcome.label
    return f"{LABELS[state_of(result)]}: {result}"
