"""Programs of tasks that decide, as references give them: checker programs and interactors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from sandboxes.contract import Limits
from sandboxes.guest.common.checker_programs import ARGUMENTS, OPEN_R1, TESTLIB
from sandboxes.guest.common.interactors import INTERACTOR_ARGUMENTS
from sandboxes.languages.base import COMPILE_SECONDS, compiler_limits
from sandboxes.languages.cpp import CPP_LANGUAGE, cpp_compiler
from sandboxes.languages.steps import Command
from sandboxes.validation import positive_int, positive_number, short_json

JUDGE_TOOLS = CPP_LANGUAGE.tools
"""The compilers of judge programs, on which cached verdicts depend."""

SECONDS, MEMORY_MB = 10.0, 1024
OUTPUT_BYTES, KEPT_BYTES = 1 << 20, 4 << 10
"""Limits of what a judge program may write, and of what is read of it. A conversation does not count."""

FIELDS = ("source", "language", "convention", "timeout", "memory_mb")


@dataclass(frozen=True)
class JudgeProgram:
    """A program of a task that decides."""

    source: str
    language: str = "python"
    """One of `default_conventions`."""

    convention: str = ""
    """One of `arguments`. "": the language's convention."""

    seconds: float = SECONDS
    """Wall and CPU seconds for one test."""

    memory_mb: int = MEMORY_MB

    kind: ClassVar[str]
    """The name in errors, and in references."""

    file_name: ClassVar[str]
    """The name of its source, without an ending."""

    default_conventions: ClassVar[Mapping[str, str]]
    """The languages of such programs, with the convention of each."""

    arguments: ClassVar[Mapping[str, tuple[str, ...]]]
    """The conventions, with the arguments of each."""

    def __post_init__(self) -> None:
        """Choose the convention."""
        object.__setattr__(self, "convention", self.convention or self.default_conventions[self.language])

    @classmethod
    def parse(cls, value: Any) -> Self:
        """Parse the program of a reference: an object with FIELDS, all but the source optional.

        Raises:
            ValueError, TypeError: if it is anything else.
        """
        kind = cls.kind
        if not isinstance(value, Mapping):
            raise TypeError(f"{kind} must be {cls.shapes()}, not {short_json(value)}")
        if unknown := [name for name in value if name not in FIELDS]:
            raise ValueError(f"{kind} has {short_json(unknown[0])}; it may have {', '.join(FIELDS)}")
        source, language = value.get("source"), value.get("language", "python")
        if not isinstance(source, str) or not source.strip():
            raise ValueError(f"the source of {cls.article()} must be a program, not {short_json(source)}")
        if language not in cls.default_conventions:
            choices = ", ".join(cls.default_conventions)
            raise ValueError(f"the language of {cls.article()} must be one of {choices}, not {short_json(language)}")
        convention = value.get("convention", cls.default_conventions[language])
        if convention not in cls.arguments:
            choices = ", ".join(cls.arguments)
            raise ValueError(
                f"the convention of {cls.article()} must be one of {choices}, not {short_json(convention)}"
            )
        seconds = positive_number(f"the timeout of {cls.article()}", value.get("timeout", SECONDS), "seconds")
        memory_mb = positive_int(f"the memory_mb of {cls.article()}", value.get("memory_mb", MEMORY_MB))
        return cls(source, language, convention, seconds, memory_mb)

    @classmethod
    def article(cls) -> str:
        """Return the kind with its article."""
        return f"an {cls.kind}" if cls.kind[0] in "aeiou" else f"a {cls.kind}"

    @classmethod
    def shapes(cls) -> str:
        """Return what references may have in the place of such a program."""
        return "an object with 'source'"

    def as_json(self, compile_seconds: float = COMPILE_SECONDS) -> dict[str, Any]:
        """Return the program as the guest reads it, in a plan.

        Args:
            compile_seconds: wall seconds of its compiler.
        """
        limits = Limits(
            wall_seconds=self.seconds,
            memory_bytes=self.memory_mb << 20,
            output_bytes=OUTPUT_BYTES,
            kept_bytes=KEPT_BYTES,
        )
        arguments = self.arguments[self.convention]
        if self.language == "python":
            script = f"{self.file_name}.py"
            run = Command(None, self.run_limits(limits)).as_json() | {"script": script, "arguments": arguments}
            return {"files": {script: self.source}, "build": [], "run": run, "convention": self.convention}
        file = f"{self.file_name}.cpp"
        compiler = Command((*cpp_compiler(), file), compiler_limits(limits, compile_seconds), reserves_memory=True)
        return {
            "files": {file: self.source},
            "build": [compiler.as_json()],
            "run": Command(("./program", *arguments), self.run_limits(limits)).as_json(),
            "convention": self.convention,
        }

    def run_limits(self, limits: Limits) -> Limits:
        """Return the limits of a run, given those that all its steps share."""
        return limits


class CheckerProgram(JudgeProgram):
    """A program that decides whether an output is right."""

    kind = "checker"
    file_name = "checker"
    default_conventions = {"python": OPEN_R1, CPP_LANGUAGE.name: TESTLIB}  # noqa: RUF012 (ClassVar of the base)
    arguments = ARGUMENTS

    @classmethod
    def shapes(cls) -> str:
        """Return what references may have in the place of such a program."""
        return "a name, or an object with 'source'"


class Interactor(JudgeProgram):
    """A program that talks with the candidate, and decides about the conversation."""

    kind = "interactor"
    file_name = "interactor"
    default_conventions = {"python": TESTLIB, CPP_LANGUAGE.name: TESTLIB}  # noqa: RUF012 (ClassVar of the base)
    arguments = INTERACTOR_ARGUMENTS

    def run_limits(self, limits: Limits) -> Limits:
        """Return the limits of a run. The clock of a candidate stands still for the CPU seconds of its interactor."""
        return replace(limits, cpu_seconds=self.seconds)
