"""The comparison of runs as one HTML page that needs no network, no other file and no script.

`code-eval compare --html` calls `page`. The templates escape every text, as those of the report do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING

from code_tasks.reports.comparison import Comparison, program_seconds
from code_tasks.reports.comparison_text import (
    NAMES,
    changed_setting,
    difference_cells,
    flip_counts,
    shared_tasks,
)
from code_tasks.reports.data import ReportData
from code_tasks.reports.html_parts import PACKAGE, macros, results_css, templates
from code_tasks.reports.page import content_policy
from code_tasks.reports.samples import (
    MAX_DETAIL_CHARS,
    MAX_HTML_CHARS,
    MAX_LAID_OUT,
    MAX_SAMPLES,
    candidate_html,
    clip,
    clipped_attempt,
)

if TYPE_CHECKING:
    from markupsafe import Markup


def page(comparisons: Sequence[Comparison]) -> str:
    """Return the page on comparisons with one baseline.

    Raises:
        ImportError: if Jinja2 is not installed.
    """
    environment = templates(PACKAGE)
    from markupsafe import Markup

    runs = [comparisons[0].baseline, *(each.other for each in comparisons)]
    html = environment.get_template("comparison_body.html").render(
        runs=[[name, *run_cells(run)] for name, run in zip(NAMES, runs, strict=False)],
        max_laid_out=MAX_LAID_OUT,
        notes=[f"{name}: {note}" for name, run in zip(NAMES, runs, strict=False) for note in run.notes],
        comparisons=[
            comparison_values(name, each, MAX_HTML_CHARS // len(comparisons))
            for name, each in zip(NAMES[1:], comparisons, strict=False)
        ],
    )
    style = results_css() + (files(PACKAGE) / "assets" / "report.css").read_text(encoding="utf-8")
    # Markup: this is our own style, and a template returned the body, so that it is escaped already.
    return environment.get_template("report.html").render(
        title="Code Eval comparison",
        policy=content_policy(()),
        style=Markup(style),
        body=Markup(html),
        scripts=(),
    )


def run_cells(run: ReportData) -> list[str]:
    """Return the cells of a run's row."""
    seconds = (run.run_seconds, *program_seconds(run))
    return [
        str(run.source),
        f"{len(run.tasks):,}",
        f"{len(run.attempts):,}",
        *("–" if each is None else f"{each:.1f}" for each in seconds),
    ]


def comparison_values(name: str, comparison: Comparison, max_chars: int) -> dict[str, object]:
    """Return the values of the template for one run beside the baseline.

    Args:
        name: of the run.
        comparison: with the baseline.
        max_chars: of the HTML of flipped samples.
    """
    differences, left_out = comparison.differences
    return {
        "name": name,
        "facts": [shared_tasks(name, comparison), *map(changed_setting, comparison.changed_settings), *left_out],
        "differences": [difference_cells(difference) for difference in differences],
        "flip_counts": flip_counts(name, comparison),
        "flips": rendered_flips(name, comparison, max_chars),
        "total": len(comparison.flips),
        "solved": {"A": comparison.solved_by_baseline_alone, name: comparison.solved_by_other_alone},
    }


def rendered_flips(name: str, comparison: Comparison, max_chars: int) -> list[Markup]:
    """Return the HTML of the first flips, until the page is full."""
    rendered: list[Markup] = []
    chars = 0
    flip_html = macros("comparison.html").flip
    for flip in islice(comparison.flips, MAX_SAMPLES):
        sides = [
            (
                side,
                replace(clipped_attempt(attempt), detail=clip(attempt.detail, MAX_DETAIL_CHARS)),
                candidate_html(run, attempt),
            )
            for side, run, attempt in (
                ("A", comparison.baseline, flip.baseline),
                (name, comparison.other, flip.other),
            )
        ]
        html = flip_html(flip.baseline.task_id, flip.baseline.number, flip.same_program, sides)
        chars += len(html)
        if chars > max_chars:
            break
        rendered.append(html)
    return rendered
