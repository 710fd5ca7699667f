"""The command `code-eval compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from code_tasks.cli.arguments import expand_arguments, usage_errors
from code_tasks.cli.options import Door, GivenOptions
from code_tasks.cli.output import check_writable, fail, write_parts
from code_tasks.cli.report import read_run
from code_tasks.scoring.trusted_files import check_apart

COMPARE = Door(groups=("scoring",), only=("k",))


@expand_arguments
def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Results that `code-eval run --output` wrote, or run logs of `code-eval solve`: the baseline, and one "
            "or more runs to compare with it.",
            metavar="BASELINE RUN...",
            show_default=False,
        ),
    ],
    options: Annotated[GivenOptions, COMPARE],
    as_data: Annotated[
        bool, typer.Option("--json", help="Print JSON, with all flipped verdicts and what their programs wrote.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Also write a page, with the flipped verdicts side by side.", metavar="FILE"),
    ] = None,
) -> None:
    """Compare runs of the same problems: the difference of pass@k with its interval, flipped verdicts, seconds.

    Tasks are compared with themselves. Those that are not in both runs are left out.
    """
    from code_tasks.reports.comparison import as_json, compare_runs
    from code_tasks.reports.comparison_text import NAMES, as_text

    if not 2 <= len(runs) <= len(NAMES):
        raise typer.BadParameter(f"give a baseline and from 1 to {len(NAMES) - 1} runs to compare with it")
    with usage_errors():
        if html is not None:
            check_apart("--html", html, {f"run {name}": path for name, path in zip(NAMES, runs, strict=False)})
            check_writable(html)
        comparisons = compare_runs([read_run(path) for path in runs], options.get("k", ()))
    if missing := [each for each in comparisons if not each.common]:
        fail(f"{missing[0].other.source} has no task in common with {missing[0].baseline.source}")
    if html is not None:
        from code_tasks.reports.comparison_page import page

        try:
            write_parts(html, [page(comparisons)])
        except ImportError as error:
            fail(f"{error}; the page needs Jinja2 and Pygments: pip install 'code-eval-sandboxes[report]'")
    typer.echo(json.dumps(as_json(comparisons)) if as_data else as_text(comparisons), nl=as_data)
    if html is not None:
        typer.echo(f"{'' if as_data else chr(10)}{html}: the comparison as a page", err=as_data)
