"""Solvers that ask no model: canonical solutions, a body that always fails, samples from a file, and no answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.samples import Sample
from code_tasks.solvers.interface import FinalResult, Grade, Grader, Step, Task
from sandboxes.validation import short_repr

FAILING_BODY = "    raise NotImplementedError\n"


class NothingToOpen:
    """Base class of solvers that a run enters and exits without any effect."""

    async def __aenter__(self) -> Self:
        """Return the solver."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let exceptions pass."""
        return None


class KnownAnswers(NothingToOpen, ABC):
    """Base class of solvers whose candidates are known beforehand."""

    def __init__(self, grader: Grader):
        """Store the grader, which the caller enters."""
        self.grader = grader

    @abstractmethod
    def shortname(self) -> str:
        """Return the solver's name on the command line."""

    @abstractmethod
    def candidate(self, task: Task) -> str:
        """Return the answer to one attempt."""

    async def run(self, task: Task) -> AsyncGenerator[Step | FinalResult, None]:
        """Make one attempt, which has no steps."""
        candidate = self.candidate(task)
        conversation = (*task.prompt, {"role": "assistant", "content": candidate})
        yield FinalResult(await self.grader.grade(task, candidate), conversation, candidate=candidate)


class GoldSolver(KnownAnswers):
    """Answers with the canonical solution, which must be correct: it checks a dataset."""

    def shortname(self) -> str:
        """Return the solver's name on the command line."""
        return "gold"

    def candidate(self, task: Task) -> str:
        """Return the problem's canonical solution."""
        solution = task.reference.canonical_solution
        if solution is None:
            raise ValueError(f"problem {task.question_id} has no canonical_solution, which the gold solver needs")
        return str(solution)


class DummySolver(NothingToOpen):
    """Is always correct: it answers nothing, and nothing is run.

    It tries all that lies between problems and a summary. `GoldSolver` tries the tests too.
    """

    def shortname(self) -> str:
        """Return the solver's name on the command line."""
        return "dummy"

    async def run(self, task: Task) -> AsyncGenerator[Step | FinalResult, None]:
        """Make one attempt, which has no steps, no conversation and no candidate."""
        yield FinalResult(Grade(1.0, "the dummy solver is always correct; nothing was run"))


class FailingSolver(KnownAnswers):
    """Answers with a body that raises NotImplementedError, which must be incorrect."""

    def shortname(self) -> str:
        """Return the solver's name on the command line."""
        return "failing"

    def candidate(self, task: Task) -> str:
        """Return the failing body, which is the same for every task."""
        return FAILING_BODY


class ReplaySolver(KnownAnswers):
    """Answers with samples: a question's first sample in its first attempt, and so on."""

    def __init__(self, grader: Grader, samples: Iterable[Sample]):
        """Store the grader, and the samples of each question in their order."""
        super().__init__(grader)
        self.completions: dict[str, list[str]] = {}
        for sample in samples:
            self.completions.setdefault(sample.task_id, []).append(sample.completion)

    def shortname(self) -> str:
        """Return the solver's name on the command line."""
        return "replay"

    def candidate(self, task: Task) -> str:
        """Return the attempt's sample."""
        completions: Sequence[str] = self.completions.get(task.question_id, ())
        if task.attempt_id >= len(completions):
            raise ValueError(
                f"there are {len(completions)} samples of {short_repr(task.question_id)}, "
                f"and none for attempt {task.attempt_id}, counted from 0"
            )
        return completions[task.attempt_id]


def tasks_from_problems(problems: Mapping[str, Problem]) -> list[Task]:
    """Return a question for each problem: its prompt in one message, and the problem as the reference.

    The metadata are the problem's language and entry point, if its record names them.
    """
    tasks = []
    for task_id, problem in problems.items():
        metadata = {"language": problem.language, "entry_point": problem.entry_point}
        message = {"role": "user", "content": problem.prompt}
        named = {name: value for name, value in metadata.items() if value}
        tasks.append(Task(task_id, (message,), problem, metadata=named))
    return tasks
