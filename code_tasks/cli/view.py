"""The command `code-eval view`."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from code_tasks.cli.output import fail, write_parts
from code_tasks.cli.report import ProblemsOption, made_page, page_name
from sandboxes.validation import system_reason


def view(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="A run log that `code-eval solve` wrote, or results that `code-eval run` wrote."
        ),
    ],
    problems: ProblemsOption = None,
) -> None:
    """Open the page about a run in the browser. `code-eval report` writes the same page to a place of your choice.

    The page is made in a temporary folder that only you can read, and stays there: the command says where.
    """
    html, contents = made_page(run, problems)
    try:
        folder = Path(tempfile.mkdtemp(prefix="code-eval-view-"))
    except OSError as error:
        fail(f"can't make a temporary folder: {system_reason(error)}")
    path = folder / page_name(run)
    try:
        write_parts(path, [html])
    except BaseException:
        folder.rmdir()
        raise
    # Before the browser starts, because one in the terminal takes the terminal until it is closed.
    typer.echo(f"{path}: {contents}. Remove the folder {folder} when you are done.")
    if not opened(path.as_uri()):
        typer.echo("No browser could be opened here; open the page yourself.")


def opened(url: str) -> bool:
    """Return whether a browser was opened."""
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
