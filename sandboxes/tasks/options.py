"""User options for running tasks, such as language, checker and extraction, and their checks."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from sandboxes.extraction import Extractor, checked_extractor
from sandboxes.guest.common.checkers import CHECKERS
from sandboxes.languages.base import COMPILE_SECONDS
from sandboxes.languages.registry import checked_language, probe_version, required_paths
from sandboxes.runner import Runner
from sandboxes.tasks.io_cases import Checker
from sandboxes.validation import positive_number, short_repr, true_or_false
from sandboxes.workers.sandbox import Sandbox

ON_INVALID_TESTS = ("raise", "skip")
"""The choices for tests that can judge no candidate: end with an error, or leave their candidates out."""


@dataclass(frozen=True)
class TaskOptions:
    """User options for running tasks."""

    language: str = "python"
    """The language of all candidates."""

    languages: tuple[str, ...] = ()
    """One language per task. Empty: `language` for all tasks."""

    compile_seconds: float = COMPILE_SECONDS
    """Wall seconds of each compiler."""

    checker: str | Checker | None = None
    """The checker of outputs. None: the task's own, "lines" for the cases of LiveCodeBench and "tokens" for others."""

    tolerance: float = 1e-6
    """The largest difference that the checker "floats" accepts, relative or absolute."""

    stop_at_first_failure: bool = True
    """True if the tests after the first failure are left out."""

    partial_credit: bool = False
    """True if results have the share of tests that passed."""

    assemble: Callable[[str, Any], str] | None = None
    """(candidate, reference) -> the program. None: the candidate, then its tests."""

    extract: Extractor | None = None
    """Takes the code out of candidates. None: all of a candidate is code."""

    on_invalid_tests: str = "raise"
    """"raise", or "skip": a candidate whose tests can judge nobody has an InvalidTests as its result."""

    @classmethod
    def checked(cls, **given: Any) -> TaskOptions:
        """Return TaskOptions from the options that a user gives. None stands for a default.

        Raises:
            ValueError, TypeError: if an option is invalid; the message names the value.
        """
        given = {name: value for name, value in given.items() if value is not None}
        if "language" in given and "languages" in given:
            raise ValueError("give either language, for all tasks, or languages, one per task")
        for name in ("stop_at_first_failure", "partial_credit"):
            true_or_false(name, given.get(name, True))
        languages = given.get("languages", ())
        if isinstance(languages, str) or not hasattr(languages, "__iter__"):
            raise TypeError(f"languages must be a list, one per task, not {short_repr(languages)}")
        partial_credit = given.get("partial_credit", False)
        if partial_credit and given.get("stop_at_first_failure"):
            raise ValueError("partial_credit counts all tests, so it can't have stop_at_first_failure=True")
        if not callable(assemble := given.get("assemble", str)):
            raise TypeError(
                f"assemble must be a function (candidate, reference) -> program, not {short_repr(assemble)}"
            )
        return cls(
            language=checked_language(given.get("language", "python")),
            languages=tuple(map(checked_language, languages)),
            compile_seconds=positive_number(
                "compile_timeout", given.get("compile_timeout", COMPILE_SECONDS), "seconds"
            ),
            checker=checked_checker(given["checker"]) if "checker" in given else None,
            tolerance=positive_number("tolerance", given.get("tolerance", 1e-6), ""),
            stop_at_first_failure=given.get("stop_at_first_failure", not partial_credit),
            partial_credit=partial_credit,
            assemble=given.get("assemble"),
            extract=checked_extractor(given.get("extract")),
            on_invalid_tests=given.get("on_invalid_tests", "raise"),
        )

    @property
    def all_languages(self) -> set[str]:
        """The languages of all tasks."""
        return {*self.languages} or {self.language}

    @property
    def extra_fields(self) -> tuple[str, ...]:
        """Fields of results that only these options add."""
        return ("partial_credit",) if self.partial_credit else ()

    def check_task_count(self, tasks: int) -> None:
        """Raise ValueError if `languages` is given and has not as many entries as there are tasks."""
        if self.languages and len(self.languages) != tasks:
            raise ValueError(f"there are {len(self.languages)} languages, but {tasks} tasks; give one per task")


def check_supported(sandbox: Sandbox, languages: Collection[str]) -> None:
    """Raise ValueError if a sandbox does not support one of these languages, whatever is installed."""
    if sandbox.languages is not None and (others := sorted({*languages} - sandbox.languages)):
        own = ", ".join(name.capitalize() for name in sorted(sandbox.languages))
        raise ValueError(f'sandbox="{sandbox.name}" runs {own} only, not {others[0]}; choose "subprocess" or "docker"')


def with_mounts(sandbox: Sandbox, languages: Collection[str]) -> Sandbox:
    """Return a sandbox with the files and folders that programs in these languages have to see.

    Raises:
        SandboxUnavailable: if a file is missing and can't be built.
    """
    paths = required_paths(languages, sandbox.uses_host_files)
    return sandbox.with_mounts(paths) if paths else sandbox


def require_languages(runner: Runner, languages: Collection[str]) -> None:
    """Raise SandboxUnavailable, with what to install, if a sandbox lacks the compiler or interpreter of a language."""
    for name in sorted({*languages} - {"python"}):
        probe_version(runner, name)


def checked_checker(checker: Any) -> str | Checker:
    """Return a checker, from its name, a function, or the "module:name" of a function.

    Raises:
        ValueError, TypeError: if there is no such checker, or it can't be imported.
    """
    if callable(checker) or (isinstance(checker, str) and checker in CHECKERS):
        return checker  # type: ignore[no-any-return]
    if isinstance(checker, str) and ":" in checker:
        try:
            function = resolve_name(checker)
        except (ImportError, AttributeError, ValueError) as error:
            raise ValueError(f"checker {checker!r} can't be imported: {error}") from error
        if callable(function):
            return function  # type: ignore[no-any-return]
    raise ValueError(
        f'checker must be one of {", ".join(CHECKERS)}, a function or "module:name", not {short_repr(checker)}'
    )
