"""Input and output of code-execution-pass@1: completions with their contexts, and results."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from code_tasks.execution.callables import CallableSerializer, resolve_callable
from code_tasks.execution.unittest_output import parse_unittest_output, unittest_merge_snippets
from sandboxes.validation import positive_number, short_repr, true_or_false

NAME = "code-execution-pass@1"
FUNCTIONS = ("snippet_merge_fn", "output_parse_fn")


@dataclass(frozen=True)
class CodeExecutionPassAtOneContext:
    """The way in which one completion is run."""

    run_env: str
    """Image for the program, if the sandbox has images. Empty: the sandbox's own."""

    test_code: str
    """Source of the tests."""

    code_prompt: str = ""
    """The model's prompt, which is not run. A completion that continues the prompt must begin with it."""

    benchmark_timeout: float = 60.0
    """Seconds on the clock for the whole program."""

    package_downloads: Mapping[str, str | None] = field(default_factory=dict)
    """{import name: PyPI requirement, or None for a module of the standard library}."""

    snippet_merge_fn: Any = unittest_merge_snippets
    """(completion, test_code) -> program: a callable, "module:name" or a serialized function."""

    output_parse_fn: Any = parse_unittest_output
    """(output) -> ExecutionResult: a function in one of the same forms."""

    loopback: bool | None = None
    """True if programs have localhost to themselves. None: the metric's option decides."""


@dataclass(frozen=True)
class RealtimeCodeExecutionContext(CodeExecutionPassAtOneContext):
    """A context whose two functions are callables."""

    @classmethod
    def from_context(cls, context: CodeExecutionPassAtOneContext, trusted: bool = False) -> Self:
        """Return a context with its functions imported or decoded.

        Args:
            context: with functions in any form.
            trusted: whether the functions may be serialized. Decoding them runs code in this process.

        Raises:
            DecodingError: if a function can't be decoded, or is not trusted.
            ValueError, TypeError: if another form names no function.
        """
        return cls.decoded(context, CallableSerializer(trusted))

    @classmethod
    def decoded(cls, context: CodeExecutionPassAtOneContext, serializer: CallableSerializer) -> Self:
        """Return the same as `from_context`, with a serializer in place of `trusted`."""
        values = {each.name: getattr(context, each.name) for each in fields(context)}
        for name in FUNCTIONS:
            values[name] = resolve_callable(name, values[name], serializer)
        return cls(**values)


RealtimeCodeExectionContext = RealtimeCodeExecutionContext
"""The same class under the name that eval-framework spells so."""


@dataclass(frozen=True)
class Error:
    """The reason for which there is no value."""

    error_class: str
    message: str
    traceback: str = ""

    @classmethod
    def from_exception(cls, error: BaseException) -> Error:
        """Return the error of an exception."""
        return cls(type(error).__name__, str(error), "".join(traceback.format_exception(error)))


@dataclass(frozen=True)
class Completion:
    """The text that a model wrote, or the reason for which it wrote nothing."""

    completion: str
    """Source of a whole program, without tests."""

    context: CodeExecutionPassAtOneContext | Mapping[str, Any] | None = None
    """The way to run it; a mapping has the same fields."""

    error: Error | None = None


@dataclass(frozen=True)
class MetricResult:
    """The score of one completion."""

    metric_name: str = NAME
    value: float | None = None
    """1.0 if the completion is correct, 0.0 if not; None if that is unknown."""

    higher_is_better: bool = True
    code_execution_trace: str | None = None
    """A text for people: the tests that ran, those that failed with their errors, and the end of the output."""

    error: Error | None = None
    """The reason for which there is no value; None if there is a value."""

    isolation: tuple[str, ...] = ()
    """The layers that were on. Programs without "loopback" and without a network had no localhost."""


@dataclass(frozen=True)
class ExecutionTask:
    """A completion and its context, checked."""

    completion: str
    context: RealtimeCodeExecutionContext

    @property
    def merge(self) -> Callable[..., Any]:
        """The function that joins completion and tests."""
        return self.context.snippet_merge_fn  # type: ignore[no-any-return]

    @property
    def parse(self) -> Callable[..., Any]:
        """The function that reads the program's output."""
        return self.context.output_parse_fn  # type: ignore[no-any-return]

    @property
    def is_default(self) -> bool:
        """True if the default functions join completion and tests, and parse the output."""
        return self.merge is unittest_merge_snippets and self.parse is parse_unittest_output


def read_task(response: Any, serializer: CallableSerializer) -> ExecutionTask:
    """Return a completion with its context, from a Completion, a mapping or any object with such fields.

    Raises:
        ValueError, TypeError: naming the field that is missing or invalid.
        DecodingError: if a serialized function can't be decoded, or is not trusted.
    """
    completion, context = get_field(response, "completion"), get_field(response, "context")
    if not isinstance(completion, str):
        raise TypeError(f"completion must be a string, not {short_repr(completion)}")
    if isinstance(context, list | tuple):
        # A completion of eval-framework can have the contexts of several metrics.
        context = next((item for item in context if get_field(item, "test_code") is not None), None)
    if context is None:
        raise ValueError("the completion has no context with test_code")
    names = [field.name for field in fields(CodeExecutionPassAtOneContext)]
    values = {name: value for name in names if (value := get_field(context, name)) is not None}
    checked = checked_context({"run_env": "", **values})
    return ExecutionTask(completion, RealtimeCodeExecutionContext.decoded(checked, serializer))


def checked_context(values: dict[str, Any]) -> CodeExecutionPassAtOneContext:
    """Return a context from its fields. The two functions are not checked here.

    Raises:
        ValueError, TypeError: naming the field that is missing or invalid.
    """
    for name in ("run_env", "test_code", "code_prompt"):
        if not isinstance(values.get(name, ""), str):
            raise TypeError(f"{name} must be a string, not {short_repr(values[name])}")
    if "test_code" not in values:
        raise ValueError("the context has no test_code")
    true_or_false("loopback", values.get("loopback", False))
    packages = values.get("package_downloads", {})
    if not isinstance(packages, Mapping):
        raise TypeError(f"package_downloads must be a dict, not {short_repr(packages)}")
    for name, package in packages.items():
        if not isinstance(name, str) or not isinstance(package, str | None):
            raise TypeError(
                f"package_downloads must map names to requirements or None, not {short_repr({name: package})}"
            )
    seconds = positive_number("benchmark_timeout", values.get("benchmark_timeout", 60.0), "seconds")
    return CodeExecutionPassAtOneContext(**{**values, "package_downloads": packages, "benchmark_timeout": seconds})


def read_error(response: Any) -> Error | None:
    """Return the error that a completion carries; None if it carries none."""
    error = get_field(response, "error")
    if error is None or isinstance(error, Error):
        return error
    error_class, message, trace = (get_field(error, name) for name in ("error_class", "message", "traceback"))
    return Error(str(error_class or type(error).__name__), str(message or error), str(trace or ""))


def get_field(record: Any, name: str) -> Any:
    """Return the value of a mapping's key or an object's attribute; None if it is missing."""
    return record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)
