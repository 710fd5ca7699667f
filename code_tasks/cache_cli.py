"""The `code-eval cache` command, and the option that names a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from code_tasks.results_file import fail
from sandboxes.cache import DEFAULT_CACHE_MB, FOLDER, Cache, checked_folder, clear

cache_app = typer.Typer(no_args_is_help=True, help="What a folder given as --cache-dir keeps.")

CacheOption = Annotated[
    Path | None,
    typer.Option(
        help="A folder for results, which are taken from there when the same sample meets the same tests in the same "
        "sandbox again.",
        show_default="none",
    ),
]
FolderArgument = Annotated[Path, typer.Argument(help="The folder.")]


@cache_app.command("info")
def info_of(cache_dir: FolderArgument) -> None:
    """Shows how many results a cache has, and how large it is."""
    folder = _checked(cache_dir)
    if not (folder / FOLDER).is_dir():
        typer.echo(f"{folder} has no results that this version can use")
        return
    with Cache(folder, DEFAULT_CACHE_MB << 20) as cache:
        found = cache.info()
    if found is None:
        fail(f"the cache in {folder} can't be read")
    typer.echo(f"{found.verdicts} results, {found.used_bytes / (1 << 20):.1f} MiB, in {found.path}")


@cache_app.command("clear")
def clear_all(cache_dir: FolderArgument) -> None:
    """Removes all results of a cache."""
    folder = _checked(cache_dir)
    try:
        removed = clear(folder)
    except OSError as error:
        fail(f"can't remove all of {folder}: {error}")
    typer.echo(f"removed {removed / (1 << 20):.1f} MiB from {folder}" if removed else "there is nothing to remove")


def _checked(cache_dir: Path) -> Path:
    try:
        return checked_folder(cache_dir)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
