"""The request of POST /evaluate: tasks with their candidates, and options of the option table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model, model_validator

from code_tasks.benchmarks.problems import Problem, parse_problem
from code_tasks.server.errors import InvalidRequest, LimitExceeded
from code_tasks.server.request_values import STRICT
from sandboxes.extraction import EXTRACTORS
from sandboxes.guest.common.checkers import CHECKERS
from sandboxes.languages.registry import NAMES
from sandboxes.options.option import Option
from sandboxes.options.table import OPTIONS

REQUEST_OPTIONS = (
    *("grading", "partial_credit", "stop_at_first_failure", "extract", "checker", "tolerance"),
    *("timeout", "compile_timeout", "memory_mb", "stack_mb", "cpu_seconds", "max_processes", "max_output_bytes"),
)
"""Options of the option table that a client may choose."""

# In the table, any function of the owner's process may be named. A client may name ours only.
CHOICES: Mapping[str, tuple[str, ...]] = {"checker": tuple(CHECKERS), "extract": (*EXTRACTORS, "none")}
SMALL_TESTS_CHARS = 1 << 14
"""Length up to which tests are parsed in the event loop. Longer ones are parsed in a thread."""

MAX_TESTS_CHARS = 1 << 18
"""Length of a task's tests that are code. They are parsed in the server, and this size takes it several seconds."""

MAX_ALL_TESTS_CHARS = 1 << 20
"""The same for all tasks of a request."""

MAX_PROMPT_CHARS = 16 << 20
"""Length of all prompts of a request, each counted for each of its candidates, which are whole programs with it."""

MAX_ID_CHARS = 1000
"""Length of a task's id, which comes back with each of its candidates."""


def request_field(option: Option) -> Any:
    """Return the type of an option in a request, and its field."""
    choices = option.choices or CHOICES.get(option.name)
    kind: Any = Literal[choices] if choices else option.type
    if option.type in (int, float):
        kind = Annotated[kind, Field(gt=0)]
    return kind | None, Field(None, description=option.help)


RequestOptions: type[BaseModel] = create_model(
    "RequestOptions",
    __config__=STRICT,
    __doc__="Options of the option table. The server's owner sets the others, and limits for these.",
    **{name: request_field(OPTIONS[name]) for name in REQUEST_OPTIONS},
)


class RequestTask(BaseModel):
    """One problem, with the candidates that are run against its tests."""

    model_config = STRICT

    candidates: Annotated[list[str], Field(min_length=1)] = Field(
        description="Programs, or completions if there is a prompt."
    )
    tests: str | None = Field(
        None, description="Code that raises an exception unless the candidate before it is right, in its language."
    )
    cases: list[Any] | dict[str, Any] | None = Field(
        None,
        description='In place of tests, inputs and outputs: [{"input", "output"}, ...] or {"inputs", "outputs"}; with '
        '"fn_name" for calls of a function.',
    )
    task_id: Annotated[str, Field(max_length=MAX_ID_CHARS)] | int | None = Field(
        None, description="Comes back in the results. Otherwise the task's number."
    )
    language: Literal[NAMES] = "python"  # type: ignore[valid-type]
    prompt: str | None = Field(None, description="Code that goes before each candidate.")
    entry_point: str | None = Field(None, description="The function that tests with `check(candidate)` are called on.")
    options: RequestOptions | None = Field(  # type: ignore[valid-type]
        None, description="Options of this task, in place of the request's."
    )

    @model_validator(mode="after")
    def _has_tests(self) -> RequestTask:
        if (self.tests is None) == (self.cases is None):
            raise ValueError("give either tests or cases")
        return self

    @property
    def is_small(self) -> bool:
        """True if the tests are code, and all that is parsed is short."""
        texts = (self.tests, self.prompt, self.entry_point)
        return self.tests is not None and sum(len(text or "") for text in texts) < SMALL_TESTS_CHARS

    def problem(self, number: int) -> Problem:
        """Return the problem, which has the task's number in the request.

        Raises:
            InvalidRequest: if its tests are invalid.
        """
        field = "cases" if self.tests is None else "tests"
        try:
            if self.is_small and self.tests is not None:
                return problem_with_tests(self.language, self.tests, self.prompt, self.entry_point)
            return problem_of(self.language, getattr(self, field), self.prompt, self.entry_point)
        except (ValueError, TypeError) as error:
            raise InvalidRequest(f"tasks.{number}.{field}", str(error)) from None
        except (RecursionError, MemoryError):
            raise InvalidRequest(f"tasks.{number}.{field}", "the tests are nested too deeply") from None


def problem_of(language: str, tests: Any, prompt: str | None, entry_point: str | None) -> Problem:
    """Return the problem of a task.

    Raises:
        ValueError, TypeError: if its tests are invalid.
    """
    record = {"task_id": "task", "language": language, "tests": tests}
    if prompt is not None or entry_point is not None:
        record["prompt"] = prompt or ""
    if entry_point is not None:
        record["entry_point"] = entry_point
    return parse_problem(record)


# Attempts at one problem often come in requests of their own, and parsing tests is most of the work for a request.
@lru_cache(maxsize=256)
def problem_with_tests(language: str, tests: str, prompt: str | None, entry_point: str | None) -> Problem:
    """Return the problem of a task whose texts are short. Raise as `problem_of`."""
    return problem_of(language, tests, prompt, entry_point)


class EvaluationRequest(BaseModel):
    """Tasks whose candidates are run, each in a sandbox."""

    model_config = STRICT

    tasks: Annotated[list[RequestTask], Field(min_length=1)]
    options: RequestOptions | None = None  # type: ignore[valid-type]

    @property
    def size(self) -> int:
        """The number of candidates."""
        return sum(len(task.candidates) for task in self.tasks)

    def check_sizes(self, max_candidates: int) -> None:
        """Raise LimitExceeded for too many candidates, prompts that are too long for so many, or tests that are."""
        if self.size > max_candidates:
            raise LimitExceeded("tasks", f"{self.size} candidates", max_candidates)
        sizes = [len(task.tests or "") for task in self.tasks]
        for number, size in enumerate(sizes):
            if size > MAX_TESTS_CHARS:
                raise LimitExceeded(f"tasks.{number}.tests", f"{size} characters", MAX_TESTS_CHARS)
        prompts = sum(len(task.prompt or "") * len(task.candidates) for task in self.tasks)
        if prompts > MAX_PROMPT_CHARS:
            raise LimitExceeded("tasks", f"{prompts} characters of prompts, one for each candidate", MAX_PROMPT_CHARS)
        if sum(sizes) > MAX_ALL_TESTS_CHARS:
            raise LimitExceeded("tasks", f"{sum(sizes)} characters of tests", MAX_ALL_TESTS_CHARS)

    def options_of(self, task: RequestTask) -> dict[str, Any]:
        """Return the options of a task that were given."""
        given: dict[str, Any] = {}
        for options in (self.options, task.options):
            if options is not None:
                given |= options.model_dump(exclude_none=True)
        return given
