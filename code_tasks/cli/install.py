"""`code-eval install`: makes other tools find the metric."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from code_tasks.adapters.lm_eval import NOT_OF_HARNESS, NotOurs, install, metric_path, text_with, uninstall
from code_tasks.cli.arguments import expand_arguments, usage_errors
from code_tasks.cli.options import Door, GivenOptions
from code_tasks.cli.output import fail
from sandboxes import EvalConfig

INSTALL = Door(refused=NOT_OF_HARNESS)
MISSING = f"""lm-evaluation-harness is not installed in this Python, {sys.executable}, so nothing was written.
The harness and code-eval-sandboxes have to be in one environment: {sys.executable} -m pip install lm-eval"""

install_app = typer.Typer(no_args_is_help=True, help="Make other tools find the metric.")


@install_app.callback()
def install_commands() -> None:
    """Make other tools find the metric."""


@dataclass(frozen=True)
class FolderArguments:
    """The folder in which the harness is started."""

    folder: Annotated[
        Path,
        typer.Option(
            file_okay=False, exists=True, help="The folder in which lm-eval will be started.", show_default="this one"
        ),
    ] = Path()
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove the file that this command wrote.")] = False


@install_app.command("lm-eval")
@expand_arguments
def lm_eval(place: FolderArguments, options: Annotated[GivenOptions, INSTALL]) -> None:
    """Make the tasks humaneval and mbpp of lm-evaluation-harness use this metric, if it is started in a folder.

    The command writes one file, code_eval/code_eval.py, and nothing in the harness. Options hold for all of the
    harness's tasks, which give none themselves.
    """
    path = metric_path(place.folder)
    if place.uninstall and options:
        raise typer.BadParameter("--uninstall removes the file with all of its options; give it alone")
    with usage_errors():
        EvalConfig.from_options(options, without=NOT_OF_HARNESS)
    try:
        if place.uninstall:
            typer.echo(f"removed {path}" if uninstall(place.folder) else f"there is nothing to remove at {path}")
            return
        if importlib.util.find_spec("lm_eval") is None:
            fail(MISSING)
        is_new = install(place.folder, options)
    except NotOurs as error:
        fail(str(error))
    except OSError as error:
        fail(f"can't change {path}: {error.strerror}")
    typer.echo(f"wrote {path}:\n" if is_new else f"{path} is there already:\n")
    typer.echo("\n".join(f"    {line}".rstrip() for line in text_with(options).splitlines()))
    typer.echo(f"\nStart the harness in {place.folder.resolve()}:\n")
    typer.echo("    HF_ALLOW_CODE_EVAL=1 lm-eval run --tasks humaneval --confirm_run_unsafe_code ...")
