"""The `code-eval` command.

Nothing but typer is imported before a command is called: `code-eval --help` shows the texts of COMMANDS.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from code_tasks.cli.lazy_commands import LazyCommand

COMMANDS = {
    "run": ("run:run", "Score a file of samples against its problems."),
    "audit": (
        "audit:audit",
        "Audit a benchmark: run its canonical solutions, stubs that solve nothing, and mutants of the solutions.",
    ),
    "correctness": (
        "correctness:correctness",
        "Run the records of a CodeCorrectness data set, in Python, Java and Go, and compare its labels.",
    ),
    "solve": (
        "solve:solve",
        "Let a solver, such as a model, answer every problem, run the answers, and sum up: accuracy, pass@k, pass^k.",
    ),
    "serve": (
        "serve:serve",
        "Serve verdicts over HTTP: POST /evaluate, and the endpoints that verl, open-r1 and SandboxFusion's clients "
        "call.",
    ),
    "report": (
        "report:report",
        "Write a page about a run: scores, outcomes by task, time, memory, and each failing sample with its code.",
    ),
    "view": (
        "view:view",
        "Open the page about a run in the browser. `code-eval report` writes the same page to a place of your choice.",
    ),
    "compare": (
        "compare:compare",
        "Compare runs of the same problems: the difference of pass@k with its interval, flipped verdicts, seconds.",
    ),
    "doctor": (
        "doctor:doctor",
        "Show how programs are isolated on this machine, and run canaries: programs whose verdicts are known.",
    ),
    "docker": ("docker:docker_app", "Manage images and containers of the sandbox docker."),
    "cache": ("cache:cache_app", "Show or remove what a folder given as --cache-dir keeps."),
    "install": ("install:install_app", "Make other tools find the metric."),
}
"""{name: ("module of this package:function or group", text for the list of commands)}"""


class CodeEvalCommands(TyperGroup):
    """The commands of COMMANDS."""

    def __init__(self, **settings: Any):
        """Import none of the commands."""
        commands = {
            name: LazyCommand(name, f"{__package__}.{source}", text) for name, (source, text) in COMMANDS.items()
        }
        super().__init__(**{**settings, "commands": commands})


app = typer.Typer(
    cls=CodeEvalCommands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Scores model-written programs: runs each in a sandbox, against its tests, and estimates pass@k.",
)


@app.callback()
def code_eval() -> None:
    """Make typer build a group."""


if __name__ == "__main__":
    app()
