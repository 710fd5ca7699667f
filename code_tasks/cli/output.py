"""The end of a command: the file that it writes, or a message and a status."""

from __future__ import annotations

import errno
import json
import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import typer

from code_tasks.scoring.trusted_files import cant_write, check_replaceable, write_whole
from sandboxes.validation import printable, system_reason

STATUS_BELOW = 1
"""Exit status of a command that did its work, and found less than was asked for: see --fail-under and --fail-on."""

STATUS_OF_ERRORS = 2
"""Exit status of a command that could not do its work. Typer uses it for invalid options too."""


def check_writable(path: Path) -> None:
    """End the command if results can't be written to a file: before the run, not after it."""
    try:
        check_replaceable(path)
    except OSError as error:
        fail(cant_write(path, error))


def write_results(path: Path, records: list[dict[str, Any]]) -> None:
    """Write JSON lines in one step, so that there is never half a file."""
    write_parts(path, (json.dumps(record) + "\n" for record in records))


def write_parts(path: Path, parts: Iterable[str]) -> None:
    """Write texts one after the other in one step, so that there is never half a file."""
    try:
        write_whole(path, (part.encode() for part in parts))
    except OSError as error:
        fail(cant_write(path, error))


def fail(message: str) -> NoReturn:
    """End the command with a message and STATUS_OF_ERRORS. Characters that move a terminal's cursor are removed."""
    typer.echo("\n".join(map(printable, message.split("\n"))), err=True)
    sys.exit(STATUS_OF_ERRORS)


def fail_if_disk_is_full(error: Exception) -> None:
    """End the command with a message if a disk is full, also the one that stdout leads to."""
    if not isinstance(error, OSError) or error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return
    try:
        sys.stdout.flush()
    except OSError:
        # Python would write the rest at its end, and fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    fail(f"can't write {error.filename or 'to stdout or a file'}: {system_reason(error)}")


def show_next_step(text: str) -> None:
    """Print, to a person at a terminal, the command that comes next. Programs and logs don't get it."""
    if sys.stderr.isatty():
        typer.echo(f"\nnext: {printable(text)}", err=True)


def show_report_step(output: Path | None, is_all_right: bool) -> None:
    """Print how to look at the results of a run.

    Args:
        output: the file that has them; None if there is none.
        is_all_right: whether no sample failed.
    """
    if output is None:
        show_next_step("the same command with --output FILE keeps the results, which `code-eval report FILE` shows")
    else:
        shown = "the run" if is_all_right else "the failing samples with their code"
        show_next_step(f"`code-eval report {shlex.quote(str(output))}` shows {shown}")
