"""Visitors' requests, checked: every error is a `RequestError` with a message for people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sandboxes import EvalConfig, Evaluator, Limits, ProgramBatch
from sandboxes.consent import has_consent
from sandboxes.languages.base import COMPILE_SECONDS
from sandboxes.tasks.io_cases import parse_cases
from sandboxes.tasks.samples import checked_tasks
from sandboxes.tasks.task import reference_text
from sandboxes.validation import positive_int, short_repr
from space.available_sandboxes import SandboxAvailability
from space.errors import RequestError, request_errors
from space.settings import Settings

KEPT_BYTES = 4 << 10
"""Bytes of stdout, and of stderr, that a result keeps. A page shows no more."""

MAX_K = 1_000
# Tests are parsed where the server's own threads wait. This size takes several seconds and 250 MiB at most.
MAX_TESTS_CHARS = 1 << 18
# The tests of a file are parsed one after the other.
MAX_FILE_TESTS_CHARS = 1 << 20
DEFAULT_KS = (1, 10, 100)
REFUSED = ("cache_dir", "cluster", "repeats")
"""Options that no visitor has: strangers' verdicts are not stored, and nobody's other machines are used."""

NOT_ALLOWED = (
    "This server does not run programs yet. They are programs that nobody has read: whoever runs the server has to "
    "understand that (see SECURITY.md), and then start it with the environment variable HF_ALLOW_CODE_EVAL=1."
)


def checked_choices(
    settings: Settings,
    sandboxes: Mapping[str, SandboxAvailability],
    sandbox: Any,
    grading: Any,
    k: Any,
    timeout: Any,
    memory_mb: Any,
    language: Any = "python",
    extract: Any = "none",
) -> EvalConfig:
    """Return the configuration that a visitor's choices make.

    Raises:
        RequestError: for a value that is invalid or exceeds the settings; it names the value.
    """
    if not has_consent():
        raise RequestError(NOT_ALLOWED)
    chosen = sandboxes.get(sandbox) if isinstance(sandbox, str) else None
    if chosen is None:
        raise RequestError(f"unknown sandbox {short_repr(sandbox)}; choose one of {', '.join(sandboxes)}")
    if chosen.sandbox is None:
        raise RequestError(f"the sandbox {sandbox} can't be used here: {chosen.refused}")
    # A slider gives a float.
    is_whole = isinstance(memory_mb, float) and memory_mb.is_integer()
    options = {"sandbox": sandbox, "grading": grading, "timeout": timeout, "language": language, "extract": extract}
    options |= {"memory_mb": int(memory_mb) if is_whole else memory_mb, "max_output_bytes": settings.max_output_bytes}
    options |= {"compile_timeout": min(COMPILE_SECONDS, settings.max_compile_seconds), "on_sandbox_error": "exclude"}
    with request_errors():
        config = EvalConfig.from_options(options, without=REFUSED)
    check_limits(settings, config.limits)
    # All visitors share the warm workers of the sandbox that was probed.
    limits = replace(config.limits, kept_bytes=KEPT_BYTES)
    return replace(config, sandbox=chosen.sandbox, limits=limits, k=checked_ks(k))


def check_limits(settings: Settings, limits: Limits) -> None:
    """Raise RequestError if limits exceed the settings."""
    if limits.wall_seconds > settings.max_timeout:
        raise RequestError(f"timeout may be at most {settings.max_timeout:g} seconds here, not {limits.wall_seconds:g}")
    if (mebibytes := limits.memory_bytes >> 20) > settings.max_memory_mb:
        raise RequestError(f"memory_mb may be at most {settings.max_memory_mb} here, not {mebibytes}")


def checked_ks(k: Any) -> tuple[int, ...]:
    """Return the k of pass@k, from a number, a list of numbers, or a text such as "1, 10, 100".

    Raises:
        RequestError: if there is no number, or if one is invalid or out of range.
    """
    values = k.replace(",", " ").split() if isinstance(k, str) else k if isinstance(k, list | tuple) else [k]
    ks = []
    for value in values:
        try:
            number = int(value) if isinstance(value, str) else positive_int("k", value)
        except (ValueError, TypeError):
            raise RequestError(f"k must be whole numbers such as 1, 10, not {short_repr(value)}") from None
        if not 1 <= number <= MAX_K:
            raise RequestError(f"k must be from 1 to {MAX_K}, not {number}")
        ks.append(number)
    if not ks:
        raise RequestError("k must hold at least one number, such as 1")
    return tuple(dict.fromkeys(ks))


def check_tests(tests: Collection[str]) -> None:
    """Raise RequestError if tests are too long to be parsed here, which classifies them."""
    if sum(map(len, tests)) > MAX_TESTS_CHARS:
        raise RequestError(f"all tests together may be at most {MAX_TESTS_CHARS >> 10} KiB long here; use /score_file")


def check_tests_of_file(tests: Collection[str]) -> None:
    """Raise RequestError if the tests of a file are too long to be parsed here. Inputs and outputs are not parsed."""
    sizes = [len(test) for test in tests if (cases := parse_cases(test)) is None or cases.function]
    if max(sizes, default=0) > MAX_TESTS_CHARS or sum(sizes) > MAX_FILE_TESTS_CHARS:
        raise RequestError(
            f"the tests of a problem may be at most {MAX_TESTS_CHARS >> 10} KiB long here, and all together "
            f"{MAX_FILE_TESTS_CHARS >> 10} KiB; `code-eval run` on a machine of your own has no such limit"
        )


def checked_programs(
    settings: Settings, config: EvalConfig, predictions: Any, references: Any
) -> tuple[list[int], ProgramBatch]:
    """Return (candidates per task, their programs) of the metric's arguments.

    Raises:
        RequestError: if they are invalid, or exceed the settings.
    """
    with request_errors():
        tasks = checked_tasks(predictions, references)
    sizes = [len(task.candidates) for task in tasks]
    if sum(sizes) > settings.max_candidates:
        raise RequestError(
            f"at most {settings.max_candidates} candidates may be run at once here, not {sum(sizes)}; use /score_file"
        )
    with request_errors():
        check_tests({reference_text(task.reference) for task in tasks})
        return sizes, Evaluator(config).assemble(tasks)


def without_blank(candidates: Sequence[str | None]) -> list[str]:
    """Return the candidates in a page's editors, without the blank ones.

    Raises:
        RequestError: if all of them are blank.
    """
    written = [candidate for candidate in candidates if candidate and candidate.strip()]
    if not written:
        raise RequestError("there is no candidate: write a program into the editor, or choose an example")
    return written
