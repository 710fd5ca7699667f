"""The `code-eval cache` command: shows and empties the folder of a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from code_tasks.cli.output import fail
from sandboxes.reuse.cache_store import DEFAULT_CACHE_MB, FOLDER, Cache, checked_folder, clear
from sandboxes.validation import system_reason

cache_app = typer.Typer(no_args_is_help=True, help="Show or remove what a folder given as --cache-dir keeps.")

FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder.")]


@cache_app.command("info")
def info(cache_dir: FolderArgument) -> None:
    """Show how many results a cache has, and how large it is."""
    folder = checked_argument(cache_dir)
    if not (folder / FOLDER).is_dir():
        typer.echo(f"{folder} has no results that this version can use")
        return
    with Cache(folder, DEFAULT_CACHE_MB << 20) as cache:
        contents = cache.info()
    if contents is None:
        fail(f"the cache in {folder} can't be read")
    typer.echo(f"{contents.verdicts} results, {contents.used_bytes / (1 << 20):.1f} MiB, in {contents.path}")


@cache_app.command("clear")
def clear_all(cache_dir: FolderArgument) -> None:
    """Remove all results of a cache."""
    folder = checked_argument(cache_dir)
    try:
        removed = clear(folder)
    except OSError as error:
        fail(f"can't remove all of {folder}: {system_reason(error)}")
    typer.echo(f"removed {removed / (1 << 20):.1f} MiB from {folder}" if removed else "there is nothing to remove")


def checked_argument(cache_dir: Path) -> Path:
    """Return the folder of a cache. Raise BadParameter if a cache can't be there."""
    try:
        return checked_folder(cache_dir)
    except ValueError as error:
        # The name of the option is not that of the argument.
        raise typer.BadParameter(str(error).removeprefix("cache_dir ")) from error
