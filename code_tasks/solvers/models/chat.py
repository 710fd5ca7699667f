"""A solver that asks a model once: one attempt is one sampled completion of any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from code_tasks.benchmarks.problems import Problem
from code_tasks.solvers.interface import FinalResult, Grade, Grader, Message, Step, Task
from code_tasks.solvers.models.client import Answer, Client, Endpoint
from sandboxes.extraction import Asked, checked_extractor, content_text, read_answer
from sandboxes.validation import positive_number, short_repr

TEMPLATE = (
    "Complete this Python function. Answer with the whole function, and the imports that it needs, in one fenced block "
    "of code.\n\n```python\n{prompt}\n```"
)


class PromptFormat:
    """Builds the messages for a model from a task, and takes the code out of its answer."""

    def __init__(
        self,
        template: str | None = None,
        system: str | None = None,
        extract: str | Callable[[str, str], str] | None = "auto",
    ):
        """Check the arguments.

        Args:
            template: text of a question, with {prompt} and perhaps {entry_point} in it; None: TEMPLATE.
            system: the system message; None: no system message.
            extract: takes the code out of an answer, as `compute` has it: "auto", "last", "all", "defining", or a
                function (answer, reference) -> code. None: the whole answer is code.

        Raises:
            ValueError, TypeError: for an invalid argument.
        """
        self.template = TEMPLATE if template is None else template
        if not isinstance(self.template, str) or "{prompt}" not in self.template:
            raise ValueError(f"template must be a string that contains {{prompt}}, not {short_repr(template)}")
        if system is not None and not isinstance(system, str):
            raise TypeError(f"system must be a string, not {short_repr(system)}")
        self.system = system
        self.extract = checked_extractor(extract)
        self.extract_name = extract if isinstance(extract, str) else getattr(extract, "__qualname__", None)

    @property
    def settings(self) -> dict[str, Any]:
        """The values that affect results, for the run log."""
        return {"template": self.template, "system": self.system, "extract": self.extract_name}

    def opening_messages(self, task: Task) -> list[Message]:
        """Return the messages that a conversation begins with: those of the prompt, the last one in the template."""
        messages: list[Message] = [{**message, "content": message_text(message)} for message in task.prompt]
        if not messages:
            raise ValueError(f"question {task.question_id!r} has no prompt")
        # str.format would read the braces of prompts and templates as fields.
        before, _, after = self.template.partition("{prompt}")
        before, after = (part.replace("{entry_point}", entry_point_of(task)) for part in (before, after))
        last = messages[-1]
        if isinstance(last["content"], str):
            messages[-1] = {**last, "content": f"{before}{last['content']}{after}"}
        return [{"role": "system", "content": self.system}, *messages] if self.system else messages

    def extract_code(self, task: Task, answer: Answer) -> str:
        """Return the code in an answer."""
        return read_answer(answer.text, asked_by(task), self.extract).code


def message_text(message: Message) -> Any:
    """Return a message's content. A string is returned in a form that UTF-8 can encode."""
    content = message.get("content")
    return content_text(content) if isinstance(content, str) else content


def entry_point_of(task: Task) -> str:
    """Return the name of the function that a task asks for; an empty string if it has none."""
    return str(getattr(task.reference, "entry_point", ""))


def asked_by(task: Task) -> Asked:
    """Return what a task asks of an answer. Whether a prompt belongs to a program is decided when it is assembled."""
    if isinstance(task.reference, Problem):
        return replace(task.reference.asked(), prompt="")
    return Asked(task.reference if isinstance(task.reference, str) else "", entry_point_of(task))


class ChatSolver:
    """Asks a model once for each attempt, and has its answer graded."""

    def __init__(
        self,
        grader: Grader,
        *,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        stop: str | Sequence[str] = (),
        answers_per_request: int = 1,
        timeout: float = 600.0,
        extra_body: dict[str, Any] | None = None,
        template: str | None = None,
        system: str | None = None,
        extract: str | Callable[[str, str], str] | None = "auto",
        max_time: float | None = None,
    ):
        """Check the arguments; no connection is opened yet.

        Args:
            grader: grades the code of each answer.
            model: its name, as the server knows it.
            base_url: the server's URL; None: OPENAI_BASE_URL, otherwise OpenAI's own.
            api_key: the server's key; None: OPENAI_API_KEY.
            temperature: sampling temperature; None: the server's default, as for the next two.
            top_p: share of the probability that is sampled from.
            max_tokens: tokens of one answer.
            stop: one or more texts before which an answer ends.
            answers_per_request: largest `n` of a request, which the server has to support. Attempts at one question
                that wait at the same time share a request, so that the server reads their prompt once.
            timeout: seconds for one request. A slower answer counts as broken infrastructure, and is requested again.
            extra_body: further fields of a request that this server knows.
            template: text of a question, as `PromptFormat` takes it, like the next two.
            system: the system message.
            extract: takes the code out of an answer.
            max_time: seconds that a model has for one attempt. An attempt that takes longer has failed.

        Raises:
            ValueError, TypeError: for an invalid argument.
            ImportError: if the openai package is missing.
        """
        self.grader = grader
        self.prompt_format = PromptFormat(template, system, extract)
        self.max_time = None if max_time is None else positive_number("max_time", max_time, "seconds")
        endpoint = Endpoint(
            model=model,
            base_url=base_url,
            api_key=api_key,
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            stop=stop,
            timeout_seconds=timeout,
            answers_per_request=answers_per_request,
            extra_body=extra_body or {},
        )
        self.client = Client(endpoint)

    @property
    def settings(self) -> dict[str, Any]:
        """The values that affect results, for the run log."""
        return {**self.client.endpoint.settings, **self.prompt_format.settings, "max_time": self.max_time}

    def shortname(self) -> str:
        """Return "chat MODEL"."""
        return f"chat {self.client.endpoint.model}"

    async def __aenter__(self) -> ChatSolver:
        """Open the connections."""
        await self.client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.client.__aexit__(kind, error, traceback)

    async def run(self, task: Task) -> AsyncGenerator[Step | FinalResult, None]:
        """Make one attempt: yield a step with the answer, then the result.

        Raises:
            RetryableSystemError: if the server or the sandbox fails.
            EndpointError: if the server refuses the request.
        """
        messages = self.prompt_format.opening_messages(task)
        # The wait that a server asks for does not count as the model's time.
        await self.client.wait_for_rate_limit()
        started = time.monotonic()
        answer = await answer_within(self.client, messages, self.max_time)
        if answer is None:
            yield FinalResult(timeout_grade(self.max_time), messages, max_time_reached=True)
            return
        conversation = [*messages, {"role": "assistant", "content": answer.text}]
        yield Step(conversation, time.monotonic() - started, answer.metadata)
        code = self.prompt_format.extract_code(task, answer)
        grade = await self.grader.grade(task, code)
        yield FinalResult(
            grade, conversation, max_tokens_reached=answer.truncated, candidate=code, metadata=answer.metadata
        )


async def answer_within(client: Client, messages: Sequence[Message], seconds: float | None) -> Answer | None:
    """Return a model's answer; None if it takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await client.ask(messages)
    except TimeoutError:
        return None


def timeout_grade(max_time: float | None) -> Grade:
    """Return the grade of an attempt that took longer than `max_time` seconds."""
    return Grade(0.0, f"the model gave no answer within {max_time:g} s")
