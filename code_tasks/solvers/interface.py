"""The interface of solvers, which produce candidates step by step, and of graders.

A `Solver` is an async context manager. Its `run(task)` is an async generator that yields a `Step` after each step, and
ends with one `FinalResult`. The class of an exception says what went wrong:

    RetryableSystemError    broken infrastructure, such as a sandbox or a model's endpoint. The attempt runs again, and
                            never counts as a wrong answer.
    CancelledError          the same, unless the run itself is cancelled: a library of the solver's gave up
    any other exception     a bug in the solver

The protocol and its names are those of OpenAI's nanoeval (its PythonCodingEval).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

SOLVERS = ("gold", "dummy", "failing", "replay", "chat", "agent")
"""The solvers of this package, by their names on the command line."""

Message = Mapping[str, Any]
"""One message of a conversation, as chat endpoints have it: {"role", "content"}."""


class RetryableSystemError(Exception):
    """Infrastructure broke. Nothing is known about the attempt, which may run again."""

    def __init__(self, message: str = "", min_seconds: float = 0.0):
        """Keep the reason, and the least wait.

        Args:
            message: the reason, for people.
            min_seconds: the least wait before the attempt runs again, such as a server asks for.
        """
        super().__init__(message)
        self.min_seconds = min_seconds


@dataclass(frozen=True)
class Task:
    """One attempt at a question."""

    question_id: str
    prompt: Sequence[Message]
    """The messages for a model."""

    reference: Any = None
    """The data that a grader needs: a `problems.Problem`, or tests."""

    attempt_id: int = 0
    """Index of the attempt among those at its question, from 0."""

    retry_idx: int = 0
    """Number of earlier tries of this attempt that broken infrastructure ended."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Details of the question for solvers and for the run log, which drops values that JSON can't represent."""

    @property
    def name(self) -> str:
        """The attempt's name, "QUESTION.ATTEMPT"."""
        return f"{self.question_id}.{self.attempt_id}"


@dataclass(frozen=True)
class Grade:
    """A grader's decision on a candidate."""

    score: float
    """A value in [0, 1]; 1 is correct."""

    grader_log: str = ""
    """The reason, for people."""

    result: Mapping[str, Any] | None = None
    """The verdict as `sandboxes.result_dict` gives it, if a sandbox ran the candidate."""


@dataclass(frozen=True)
class Step:
    """The state of an attempt after one step."""

    conversation: Sequence[Message]
    """All messages so far."""

    elapsed_seconds: float = 0.0
    """Time since the attempt began."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Details for the run log, which drops values that JSON can't represent."""

    grade: Grade | None = None
    """The grade of the answer so far; None if it was not graded."""

    @property
    def correct(self) -> bool:
        """True if the answer so far is correct."""
        return self.grade is not None and self.grade.score == 1


@dataclass(frozen=True)
class FinalResult:
    """The end of an attempt. If none of the three flags is True, the model ended by itself."""

    grade: Grade
    conversation: Sequence[Message] = ()
    """All messages. Empty: there was no conversation, and the attempt is in no percentile of lengths."""

    max_steps_reached: bool = False
    max_tokens_reached: bool = False
    max_time_reached: bool = False
    candidate: str = ""
    """The code that was graded."""

    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def correct(self) -> bool:
        """True if the candidate is correct."""
        return self.grade.score == 1


class Grader(Protocol):
    """Grades candidates."""

    async def grade(self, task: Task, candidate: str) -> Grade:
        """Return the grade of a candidate.

        Args:
            task: the attempt.
            candidate: code that continues the task's prompt, or a whole program.

        Raises:
            RetryableSystemError: if the candidate could not be run.
        """


class Solver(AbstractAsyncContextManager["Solver", bool | None], Protocol):
    """Solves tasks. A run enters its solver once, and may have many attempts under way at once."""

    def shortname(self) -> str:
        """Return a few words for the run log and the report, such as "gold" or "chat gpt-x"."""

    def run(self, task: Task) -> AsyncGenerator[Step | FinalResult, None]:
        """Make one attempt: yield steps, then one result, and nothing after it.

        Raises:
            RetryableSystemError: if infrastructure broke.
        """


@runtime_checkable
class MeasuredSolver(Protocol):
    """A solver that measures more than right and wrong, such as the tokens that it used."""

    def get_additional_metrics(self) -> Mapping[str, Any]:
        """Return the metrics for the summary, by their names. Called once, before the run exits the solver."""
