"""How commands end: the file that they write, or a message."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import typer


def check_writable(path: Path) -> None:
    """Ends the command if results can't be written there: before the run, not after it."""
    try:
        if path.is_dir():
            raise IsADirectoryError("it is a folder")
        draft_of(path).touch()
        draft_of(path).unlink()
    except OSError as error:
        fail(f"can't write {path}: {error}")


def draft_of(path: Path) -> Path:
    """Where results are written until they are whole."""
    return path.with_name(path.name + ".partial")


def write_results(path: Path, records: list[dict[str, Any]]) -> None:
    """Writes JSON lines in one step, so that no half of a file is ever there."""
    write_parts(path, (json.dumps(record) + "\n" for record in records))


def write_parts(path: Path, parts: Iterable[str]) -> None:
    """Writes texts one after the other in one step, so that no half of a file is ever there."""
    draft = draft_of(path)
    try:
        with open(draft, "w", encoding="utf-8", newline="") as file:
            file.writelines(parts)
        draft.replace(path)
    except OSError as error:
        fail(f"can't write {path}: {error}")


def fail(message: str) -> NoReturn:
    """Ends the command with a message and status 1."""
    typer.echo(message, err=True)
    sys.exit(1)
