"""What the pyproject.toml of a project may set, without the user having named the file.

A folder with samples may have come from anybody, and so may the pyproject.toml in it. It can choose what is scored, and
how much time and CPU that takes. It can neither weaken the isolation of programs, nor run code outside of a sandbox. It
chooses no file that is written, and no machine that is spoken to. Options that are not listed here are refused.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from sandboxes.backends.registry import BACKENDS
from sandboxes.guest.common.checkers import CHECKERS
from sandboxes.options.table import OPTIONS
from sandboxes.validation import short_json

ANY_VALUE = frozenset(
    {
        *("k", "partial_credit", "stop_at_first_failure", "repeats", "on_sandbox_error", "on_invalid_tests"),
        "progress",
        *("language", "extract", "tolerance", "timeout", "compile_timeout", "cpu_seconds"),
        *("dedupe", "fresh_container"),
        *("benchmark", "split", "config", "revision", "since", "until"),
        *("limit", "task", "formats", "fail_under", "missing"),
        *("mutants", "seed", "fail_on", "syntax_errors_fail"),
        *("order", "on_solver_error", "temperature", "top_p", "stop", "max_time"),
    }
)
"""Options that may have any value. Each costs time at most, or chooses what is scored.

`dataset` is none of them: `datasets` reads a folder of that name first, whose files may name any machine.
"""

OWN_FILES = frozenset({"problems", "references"})
"""Options that may name a regular file below the project's folder. Another one could be shown in an error message."""

ONE_OF: dict[str, Collection[str]] = {
    "sandbox": tuple(BACKENDS),
    "isolation": ("auto", "strict"),
    "grading": ("separate", "auto"),
    "checker": tuple(CHECKERS),
}
"""Options that may have these values alone, which protect as well as the default. A checker of theirs runs no code."""

AT_MOST = frozenset({"memory_mb", "stack_mb", "max_processes", "max_output_bytes"})
"""Limits that may be lower than the default, and not higher."""


def check_trusted(name: str, value: Any, folder: Path, way_out: str) -> None:
    """Raise ValueError if a project's file must not set an option to a value.

    Args:
        name: of the option's parameter.
        value: of the file.
        folder: of the project.
        way_out: the command that names the file.
    """
    if name in ANY_VALUE or value in ONE_OF.get(name, ()):
        return
    if name in OWN_FILES and (not isinstance(value, str) or is_file_below(folder, value)):
        return
    if name in AT_MOST and not isinstance(value, int | float):
        return
    if name in AT_MOST and value <= OPTIONS[name].default:
        return
    raise ValueError(
        f"{short_json(value)} is not taken from a file that you have not named, because its author may not be one whom "
        f"you trust; write {way_out}, or give the option yourself; --no-config ignores the file"
    )


def is_file_below(folder: Path, path: str) -> bool:
    """Return whether a path leads to a regular file of a folder, or of one below it."""
    try:
        file = (folder / path).resolve(strict=True)
        return file.is_file() and file.is_relative_to(folder.resolve())
    except (OSError, ValueError):
        return False
