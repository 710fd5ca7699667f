"""A solver that shows a model how its code failed the tests, and asks again."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any

from code_tasks.solvers.interface import FinalResult, Grade, Grader, Message, Step, Task
from code_tasks.solvers.models.chat import ChatSolver, answer_within, timeout_grade
from sandboxes.extraction import content_text
from sandboxes.validation import positive_int

MAX_SHOWN_CHARS = 4000
"""Characters that a model is shown of one traceback, and of one output."""

SECTIONS = (("traceback", "Traceback"), ("stdout", "Standard output"), ("stderr", "Standard error"))
TRUNCATED_NOTICE = "Your answer was cut off, because it was too long."
RETRY_PROMPT = "Answer with the whole corrected function, and the imports that it needs, in one fenced block of code."


class AgentSolver:
    """Asks a model up to `max_steps` times, and shows it after each failure what failed.

    The model sees the first test that failed: its message, the traceback and the program's output. The message of an
    assertion can contain the expected value. The other tests are not shown.
    """

    def __init__(self, grader: Grader, *, model: str, max_steps: int = 5, **options: Any):
        """Check the arguments; no connection is opened yet.

        Args:
            grader: grades the code of each answer.
            model: its name, as the server knows it.
            max_steps: answers per attempt, >= 1.
            options: as `ChatSolver` takes them. `max_time` is for all answers of an attempt together.

        Raises:
            ValueError, TypeError, ImportError: as `ChatSolver` does.
        """
        self.max_steps = positive_int("max_steps", max_steps)
        self.chat = ChatSolver(grader, model=model, **options)

    @property
    def settings(self) -> dict[str, Any]:
        """The values that affect results, for the run log."""
        return {**self.chat.settings, "max_steps": self.max_steps}

    def shortname(self) -> str:
        """Return "agent MODEL"."""
        return f"agent {self.chat.client.endpoint.model}"

    async def __aenter__(self) -> AgentSolver:
        """Open the connections."""
        await self.chat.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.chat.__aexit__(kind, error, traceback)

    async def run(self, task: Task) -> AsyncGenerator[Step | FinalResult, None]:
        """Make one attempt: yield a step for each answer, then the result.

        Raises:
            RetryableSystemError: if the server or the sandbox fails. The attempt then begins from the start.
            EndpointError: if the server refuses a request.
        """
        chat = self.chat
        messages: list[Message] = chat.prompt_format.opening_messages(task)
        seconds_left, started = chat.max_time, time.monotonic()
        grade, code = Grade(0.0, "nothing was answered"), ""
        for number in range(1, self.max_steps + 1):
            await chat.client.wait_for_rate_limit()
            asked = time.monotonic()
            answer = await answer_within(chat.client, messages, seconds_left)
            if answer is None:
                log = f"{timeout_grade(chat.max_time).grader_log}; before: {grade.grader_log}"
                yield FinalResult(Grade(0.0, log, grade.result), tuple(messages), max_time_reached=True, candidate=code)
                return
            if answer.context_length_exceeded:
                log = f"no room for another answer; before: {grade.grader_log}"
                grade = Grade(0.0, log, grade.result)
                yield FinalResult(grade, tuple(messages), max_tokens_reached=True, candidate=code)
                return
            if seconds_left is not None:
                seconds_left = max(seconds_left - (time.monotonic() - asked), 0.0)
            messages.append({"role": "assistant", "content": answer.text})
            code = chat.prompt_format.extract_code(task, answer)
            grade = await chat.grader.grade(task, code)
            metadata = {"step": number, "score": grade.score, "detail": grade.grader_log, **answer.metadata}
            yield Step(tuple(messages), time.monotonic() - started, metadata, grade)
            is_solved = grade.score == 1
            if is_solved or number == self.max_steps:
                yield FinalResult(
                    grade,
                    tuple(messages),
                    max_steps_reached=not is_solved and not answer.truncated,
                    max_tokens_reached=answer.truncated,
                    candidate=code,
                    metadata=metadata,
                )
                return
            messages.append({"role": "user", "content": feedback(grade, answer.truncated)})


def feedback(grade: Grade, truncated: bool = False) -> str:
    """Return the message that shows a model how its code failed.

    Args:
        grade: the grade of the code.
        truncated: whether the answer ended because it was too long.
    """
    result = grade.result or {}
    detail = result.get("detail") or grade.grader_log or "the tests fail"
    parts = [TRUNCATED_NOTICE] if truncated else []
    parts.append(f"Your code does not pass its tests: {truncate_middle(str(detail))}")
    for key, title in SECTIONS:
        if text := str(result.get(key) or "").strip("\n"):
            parts.append(f"{title}:\n{truncate_middle(text)}")
    return content_text("\n\n".join([*parts, RETRY_PROMPT]))


def truncate_middle(text: str) -> str:
    """Return a text without its middle if it is longer than MAX_SHOWN_CHARS."""
    half = MAX_SHOWN_CHARS // 2
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:half]}\n...\n{text[-half:]}"
