"""The run of an audit: canonical solutions first, then stubs and mutants under limits that follow from these.

`code-eval audit` calls `audit_problems`. Everything runs through an `Evaluator`, and nothing runs in the caller.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from code_tasks.audit.examples import example_tests
from code_tasks.audit.mutants import mutants_of
from code_tasks.audit.problem_audit import SLOW_FACTOR, ProblemAudit, VariantResult
from code_tasks.audit.stubs import EQUAL_OBJECT, Variant, stubs_of
from code_tasks.benchmarks.canonical_limits import (
    canonical_seconds,
    canonical_task,
    limit_seconds,
    reason_of,
    with_ceiling,
    with_wall_seconds,
)
from code_tasks.benchmarks.expected_results import with_expected_results
from code_tasks.benchmarks.problems import CanonicalLimit, Problem
from sandboxes import EvalConfig, Evaluator, RunResult, Task, Verdict
from sandboxes.pool.progress import ProgressBar
from sandboxes.runner import state_of
from sandboxes.tasks.batch import TaskFacts
from sandboxes.validation import positive_int

CALIBRATED = CanonicalLimit(SLOW_FACTOR, floor_seconds=1.0, ceiling_seconds=3600.0)
"""The limit that an audit proposes for a problem without a rule of its own."""

VARIANT = CanonicalLimit(SLOW_FACTOR, floor_seconds=0.5, ceiling_seconds=3600.0)
"""The limit of stubs and mutants. Some of them never end, and most of the time of an audit goes into these."""


@dataclass(frozen=True)
class AuditPlan:
    """The programs that are run for each problem, beside its stubs."""

    repeats: int = 3
    """Runs of the canonical solution."""

    mutants: int = 10
    """The largest number of mutants. 0: none."""

    seed: int = 0
    """Decides which mutants are chosen."""

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError for an invalid number."""
        positive_int("repeats", self.repeats)
        if isinstance(self.mutants, bool) or not isinstance(self.mutants, int) or self.mutants < 0:
            raise ValueError(f"mutants must be a whole number, 0 or more, not {self.mutants!r}")


@dataclass(frozen=True)
class Audit:
    """An audit of problems with one configuration."""

    problems: Mapping[str, Problem]
    config: EvalConfig
    plan: AuditPlan
    solutions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Programs of other solutions, by task_id."""

    def run(self) -> Iterator[ProblemAudit]:
        """Yield the audit of each problem, in their order."""
        languages = tuple(sorted({self._language(problem) for problem in self.problems.values()}))
        tasks = replace(self.config.tasks, extract=None, languages=languages, stop_at_first_failure=True)
        # Invalid tests are a finding, and keep no other problem from its audit.
        tasks = replace(tasks, on_invalid_tests="skip")
        config = replace(self.config, tasks=tasks)
        once, repeated = (replace(config, reuse=replace(config.reuse, repeats=each)) for each in (1, self.plan.repeats))
        with Evaluator(once) as evaluator:
            evaluator.require_modules([TaskFacts(name, modules=each.modules) for name, each in self.problems.items()])
            audit = replace(self, problems=with_expected_results(self.problems, evaluator))
        with Evaluator(repeated) as evaluator:
            audits = list(audit._canonical(evaluator))
        with Evaluator(once) as evaluator:
            audits = list(audit._others(evaluator, audits))
            yield from audit._variants(evaluator, audits)

    def _language(self, problem: Problem) -> str:
        return problem.language or self.config.tasks.language

    def _canonical(self, evaluator: Evaluator) -> Iterator[ProblemAudit]:
        """Run the canonical solutions, and yield audits without stubs and mutants."""
        solved = {name: each for name, each in self.problems.items() if each.canonical_solution is not None}
        tasks = (canonical_task(with_ceiling(problem), evaluator) for problem in solved.values())
        with ProgressBar(len(solved), self.config.progress) as bar, closing(evaluator.stream(tasks)) as results:
            for task_id, problem in self.problems.items():
                audit = ProblemAudit(task_id, self._language(problem), limit_seconds=self._limit(problem))
                if task_id in solved:
                    result = next(results)
                    bar.count(0, result)
                    audit = self._with_solution(audit, problem, result)
                yield audit

    def _with_solution(self, audit: ProblemAudit, problem: Problem, result: RunResult) -> ProblemAudit:
        """Return the audit of a problem whose canonical solution has run."""
        if not isinstance(result, Verdict):
            return replace(audit, outcomes=(state_of(result),), detail=reason_of(result))
        outcomes = tuple(outcome.value for outcome in result.repeats or (result.outcome,))
        if not result.passed:
            return replace(audit, outcomes=outcomes, detail=reason_of(result), caveat=problem.caveat)
        seconds = canonical_seconds(problem, result)
        limit = limit_seconds(problem.canonical_limit or CALIBRATED, seconds)
        return replace(
            audit,
            outcomes=outcomes,
            wall_seconds=seconds,
            limit_seconds=limit if problem.canonical_limit else audit.limit_seconds,
            calibrated_limit_seconds=limit,
        )

    def _others(self, evaluator: Evaluator, audits: list[ProblemAudit]) -> Iterator[ProblemAudit]:
        """Run other solutions, and canonical solutions on their prompts' examples. Yield audits with the results."""
        others = [(audit, *self._other_tasks(audit)) for audit in audits]
        tasks = [task for _, *both in others for task in both if task.candidates]
        with closing(evaluator.stream(tasks)) as results:
            for audit, solutions, examples in others:
                shown = [
                    VariantResult(f"solution {number}", state_of(result), failure(result))
                    for number, result in enumerate((next(results) for _ in solutions.candidates), 1)
                ]
                failures = [failure(next(results)) for _ in examples.candidates]
                yield replace(audit, solutions=tuple(shown), examples="".join(failures))

    def _other_tasks(self, audit: ProblemAudit) -> tuple[Task, Task]:
        """Return the tasks of a problem's other solutions, and of its canonical one on the prompt's examples."""
        problem = self.problems[audit.task_id]
        solutions = problem.task(self.solutions.get(audit.task_id, []), self.config.limits, audit.language)
        tests = example_tests(problem.prompt) if audit.language == "python" and audit.passed else ""
        candidates = [problem.candidate(problem.canonical_solution or "", audit.language)] if tests else []
        return solutions, replace(problem, tests=tests).task(candidates, self.config.limits, audit.language)

    def _limit(self, problem: Problem) -> float:
        return float(problem.limits.get("wall_seconds", self.config.limits.wall_seconds))

    def _variants(self, evaluator: Evaluator, audits: list[ProblemAudit]) -> Iterator[ProblemAudit]:
        """Run stubs and mutants, and yield the audits with their results."""
        begun: deque[tuple[list[Variant], list[Variant]]] = deque()

        def tasks() -> Iterator[Task]:
            for audit in audits:
                problem = self.problems[audit.task_id]
                stubs = stubs_of(problem, audit.language)
                count = self.plan.mutants if audit.passed else 0
                mutants = mutants_of(problem, audit.language, count, self.plan.seed)
                begun.append((stubs, mutants))
                programs = [variant.program for variant in (*stubs, *mutants)]
                yield self._limited(problem, audit).task(programs, self.config.limits, audit.language)

        with ProgressBar(None, self.config.progress) as bar, closing(evaluator.stream(tasks())) as results:
            for audit in audits:
                yield with_variants(audit, results, begun, bar)

    def _limited(self, problem: Problem, audit: ProblemAudit) -> Problem:
        """Return a problem with the limit of its stubs and mutants."""
        if audit.wall_seconds is None:
            return problem
        return with_wall_seconds(problem, min(audit.limit_seconds, limit_seconds(VARIANT, audit.wall_seconds)))


def failure(result: RunResult) -> str:
    """Return why a program failed; "" if it passed, or could not be judged."""
    return reason_of(result) if isinstance(result, Verdict) and not result.passed else ""


def with_variants(
    audit: ProblemAudit,
    results: Generator[RunResult],
    begun: deque[tuple[list[Variant], list[Variant]]],
    bar: ProgressBar,
) -> ProblemAudit:
    """Return an audit with the results of its stubs and mutants.

    Args:
        audit: of a problem.
        results: of all stubs and mutants, from this problem on.
        begun: stubs and mutants of the problems whose tasks were read, from this problem on.
        bar: counts the results.
    """

    def take(variant: Variant, result: RunResult) -> VariantResult:
        bar.count(0, result)
        return VariantResult(variant.name, state_of(result))

    # The problem's task is read before its first result is there. Each problem has a stub.
    first = next(results)
    stubs, mutants = begun.popleft()
    taken = [take(stubs[0], first), *(take(variant, next(results)) for variant in (*stubs[1:], *mutants))]
    grading = (first.grading, first.grading_reason) if isinstance(first, Verdict) else ("", "")
    equal = [result.outcome for result in taken if result.name == EQUAL_OBJECT]
    return replace(
        audit,
        stubs=tuple(result for result in taken[: len(stubs)] if result.name != EQUAL_OBJECT),
        equal_object="".join(equal),
        mutants=tuple(taken[len(stubs) :]),
        grading=grading,
    )


def audit_problems(
    problems: Mapping[str, Problem],
    config: EvalConfig,
    plan: AuditPlan | None = None,
    solutions: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[ProblemAudit]:
    """Yield the audit of each problem, in their order.

    Args:
        problems: by task_id, such as those of `load_benchmark`.
        config: how programs are run. Its repeats and its extraction do not count.
        plan: what is run. None: the default plan.
        solutions: programs of other solutions by task_id, such as `Problem.candidate` returns. Tests that refuse one
            are a finding. None: there are none.

    Raises:
        ValueError, TypeError: if a problem can't be run with this configuration.
        SandboxUnavailable: as `Evaluator.run` does.
    """
    return Audit(problems, config, plan or AuditPlan(), solutions or {}).run()
