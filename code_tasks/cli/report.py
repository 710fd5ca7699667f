"""The command `code-eval report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from code_tasks.cli.arguments import expand_arguments
from code_tasks.cli.output import check_writable, fail, show_next_step, write_parts
from code_tasks.scoring.trusted_files import check_apart


@expand_arguments
def report(
    run: Annotated[
        Path,
        typer.Argument(help="A run log that `code-eval solve` wrote, or results that `code-eval run` wrote."),
    ],
    output: Annotated[
        Path | None, typer.Option(help="Where to write the page.", show_default="beside the input, as .html")
    ] = None,
) -> None:
    """Write a page about a run: scores, outcomes by task, time, memory, and each failing sample with its code.

    The page is one HTML file, to be opened in a browser. It needs no network.
    """
    from code_tasks.benchmarks.readers import InputError
    from code_tasks.reports.data import read_report_data
    from code_tasks.reports.page import page

    target = output or run.with_name(run.name.removesuffix(".gz").removesuffix(".jsonl") + ".html")
    try:
        check_apart("--output", target, {"the run": run})
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    try:
        data = read_report_data(run)
        check_writable(target)
        html = page(data)
    except InputError as error:
        fail(str(error))
    except ImportError as error:
        fail(f"{error}; the page needs Jinja2 and plotly: pip install 'code-eval-sandboxes[report]'")
    write_parts(target, [html])
    typer.echo(f"{target}: {len(data.attempts):,} attempts at {len(data.tasks):,} tasks, {len(html) / 1e6:.1f} MB")
    show_next_step(f"open {target.resolve().as_uri()} in a browser")
