"""The `code-eval` command.

Nothing but typer is imported before a command is called: `code-eval --help` shows the texts of COMMANDS.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from code_tasks.cli.examples import epilog_of
from code_tasks.cli.lazy_commands import LazyCommand

DISTRIBUTION = "code-eval-sandboxes"
SCORING, READING, SETTING_UP = "Score programs", "Look at results", "Serve and set up"
COMMANDS = {
    "run": ("run:run", "Score a file of samples against its problems.", SCORING),
    "solve": (
        "solve:solve",
        "Let a solver, such as a model, answer every problem, run the answers, and sum up: accuracy, pass@k, pass^k.",
        SCORING,
    ),
    "audit": (
        "audit:audit",
        "Audit a benchmark: run its canonical solutions, stubs that solve nothing, and mutants of the solutions.",
        SCORING,
    ),
    "correctness": (
        "correctness:correctness",
        "Run the records of a CodeCorrectness dataset, in Python, Java and Go, and compare its labels.",
        SCORING,
    ),
    "report": (
        "report:report",
        "Write a page about a run: scores, outcomes by task, time, memory, and each failing sample with its code.",
        READING,
    ),
    "view": (
        "view:view",
        "Open the page about a run in the browser. `code-eval report` writes the same page to a place of your choice.",
        READING,
    ),
    "compare": (
        "compare:compare",
        "Compare runs of the same problems: the difference of pass@k with its interval, flipped verdicts, seconds.",
        READING,
    ),
    "doctor": (
        "doctor:doctor",
        "Show how programs are isolated on this machine, and run canaries: programs whose verdicts are known.",
        SETTING_UP,
    ),
    "serve": (
        "serve:serve",
        "Serve verdicts over HTTP: POST /evaluate, and the endpoints that verl, open-r1 and SandboxFusion's clients "
        "call.",
        SETTING_UP,
    ),
    "install": ("install:install_app", "Make other tools find the metric.", SETTING_UP),
    "docker": ("docker:docker_app", "Manage images and containers of the sandbox docker.", SETTING_UP),
    "cache": ("cache:cache_app", "Show or remove what a folder given as --cache-dir keeps.", SETTING_UP),
}
"""{name: ("module of this package:function or group", text for the list of commands, panel of that list)}"""


class CodeEvalCommands(TyperGroup):
    """The commands of COMMANDS."""

    def __init__(self, **settings: Any):
        """Import none of the commands."""
        commands = {
            name: LazyCommand(name, f"{__package__}.{source}", text, panel)
            for name, (source, text, panel) in COMMANDS.items()
        }
        super().__init__(**{**settings, "commands": commands})

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Run the command. A bug has the status of errors, because 1 is that of a low score. So has a full disk."""
        own_format = warnings.formatwarning
        warnings.formatwarning = plain_warning
        try:
            return super().main(*arguments, **settings)
        except Exception as error:
            if not settings.get("standalone_mode", True):
                raise
            from code_tasks.cli.output import STATUS_OF_ERRORS, fail_if_disk_is_full

            fail_if_disk_is_full(error)
            traceback.print_exc()
            sys.exit(STATUS_OF_ERRORS)
        finally:
            warnings.formatwarning = own_format

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of `code-eval`, with whole names of its options."""
        from code_tasks.cli.help_panels import use_whole_names

        use_whole_names()
        super().format_help(ctx, formatter)


def plain_warning(message: Warning | str, *place: Any, **source: Any) -> str:
    """Return the line of a warning, without the place in our code that Python names."""
    return f"warning: {message}\n"


app = typer.Typer(
    cls=CodeEvalCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Scores model-written programs: runs each in a sandbox, against its tests, and estimates pass@k.",
    epilog=epilog_of(""),
)


def show_version(is_given: bool) -> None:
    """Print the version of the package, and end the command."""
    if is_given:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"code-eval {version(DISTRIBUTION)}")
        except PackageNotFoundError:
            typer.echo("code-eval, which is not installed")
        raise typer.Exit


@app.callback()
def code_eval(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, metavar="", help="Show the version and exit."),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A TOML file with defaults of options. Without this option they come from the table tool.code-eval "
            "of a pyproject.toml, in this folder or the nearest one above it.",
        ),
    ] = None,
    no_config: Annotated[bool, typer.Option("--no-config", metavar="", help="Take no defaults from a file.")] = False,
) -> None:
    """Refuse options that exclude each other. `lazy_commands.py` uses them."""
    if config and no_config:
        raise typer.BadParameter("give either --config FILE or --no-config")


if __name__ == "__main__":
    app()
