"""What the pyproject.toml of a project may set, without the user having named the file.

A folder with samples may have come from anybody, and so may the pyproject.toml in it. It can choose what is scored, and
how much time and CPU that takes. It can neither weaken the isolation of programs, nor run code outside of a sandbox. It
chooses no file that is written, and no machine that is spoken to. Options that are not listed here are refused.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sandboxes.backends.registry import BACKENDS
from sandboxes.guest.common.checkers import CHECKERS
from sandboxes.options.table import OPTIONS
from sandboxes.validation import short_repr

ANY_VALUE = frozenset(
    {
        *("k", "partial_credit", "stop_at_first_failure", "repeats", "on_sandbox_error", "progress"),
        *("language", "extract", "tolerance", "timeout", "compile_timeout", "cpu_seconds"),
        *("num_workers", "dedupe", "fresh_container"),
        *("problems", "dataset", "split", "benchmark", "config", "revision", "since", "until", "references"),
        *("limit", "task", "formats", "fail_under"),
        *("mutants", "seed", "fail_on", "syntax_errors_fail"),
        *("tries", "order", "concurrency", "on_solver_error", "model", "temperature", "top_p", "max_tokens", "stop"),
        *("answers_per_request", "max_steps", "max_time"),
    }
)
"""Options that may have any value. Each costs time and CPU at most, or chooses what is scored."""

ONE_OF: dict[str, Collection[str]] = {
    "sandbox": tuple(BACKENDS),
    "isolation": ("auto", "strict"),
    "grading": ("separate", "auto"),
    "checker": tuple(CHECKERS),
}
"""Options that may have these values alone, which protect as well as the default. A checker of theirs runs no code."""

AT_MOST = frozenset({"memory_mb", "max_processes", "max_output_bytes"})
"""Limits that may be lower than the default, and not higher."""


def check_trusted(name: str, value: Any, way_out: str) -> None:
    """Raise ValueError if a project's file must not set an option to a value.

    Args:
        name: of the option's parameter.
        value: of the file.
        way_out: the command that names the file.
    """
    if name in ANY_VALUE or value in ONE_OF.get(name, ()):
        return
    if name in AT_MOST and not isinstance(value, int | float):
        return
    if name in AT_MOST and value <= OPTIONS[name].default:
        return
    raise ValueError(
        f"{short_repr(value)} is not taken from a file that you have not named, because its author may not be one whom "
        f"you trust; write {way_out}, or give the option yourself; --no-config ignores the file"
    )
