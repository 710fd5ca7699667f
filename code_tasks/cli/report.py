"""The command `code-eval report`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from code_tasks.cli.arguments import expand_arguments
from code_tasks.cli.output import check_writable, fail, show_next_step, write_parts
from code_tasks.scoring.trusted_files import check_apart

if TYPE_CHECKING:
    from code_tasks.reports.data import ReportData

ProblemsOption = Annotated[
    Path | None,
    typer.Option(
        help="The file of problems that the run had. Each failing sample is then shown with its prompt and its tests.",
        metavar="FILE",
        show_default=False,
    ),
]


@expand_arguments
def report(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="A run log that `code-eval solve` wrote, or results that `code-eval run` wrote."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option(help="Where to write the page.", show_default="beside the input, as .html")
    ] = None,
    problems: ProblemsOption = None,
) -> None:
    """Write a page about a run: scores, outcomes by task, time, memory, and each failing sample with its code.

    The page is one HTML file, to be opened in a browser. It needs no network.
    """
    target = output or run.with_name(page_name(run))
    try:
        check_apart("--output", target, {"the run": run, "the problems": problems})
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    html, contents = made_page(run, problems, target)
    write_parts(target, [html])
    typer.echo(f"{target}: {contents}")
    show_next_step(f"open {target.resolve().as_uri()} in a browser")


def page_name(run: Path) -> str:
    """Return the name of the page about a run."""
    return run.name.removesuffix(".gz").removesuffix(".jsonl") + ".html"


def read_run(run: Path) -> ReportData:
    """Return the data of a run log, or of results.

    Raises:
        InputError: if the file is neither; the message says what it is, or names the line.
    """
    from code_tasks.benchmarks.diagnosis import RESULTS
    from code_tasks.benchmarks.readers import InputError, explain_error, parse_lines
    from code_tasks.reports.data import read_report_data

    try:
        return read_report_data(run)
    except InputError as error:
        raise explain_error(error, RESULTS, run, functools.partial(parse_lines, run), lines_only=True) from error


def made_page(run: Path, problems: Path | None, target: Path | None = None) -> tuple[str, str]:
    """Return the page about a run, and a text that says what is in it. End the command if the page can't be made.

    Args:
        run: the file.
        problems: the file of its problems.
        target: where the page will be written, which is checked before the page is made. None: not known yet.
    """
    from code_tasks.benchmarks.readers import InputError
    from code_tasks.reports.data import with_problems
    from code_tasks.reports.page import page

    try:
        data = read_run(run)
        if problems is not None:
            data = with_problems(data, problems)
        if target is not None:
            check_writable(target)
        html = page(data)
    except InputError as error:
        fail(str(error))
    except ImportError as error:
        fail(f"{error}; the page needs Jinja2, plotly and Pygments: pip install 'code-eval-sandboxes[report]'")
    return html, f"{len(data.attempts):,} samples of {len(data.tasks):,} tasks, {len(html) / 1e6:.1f} MB"
