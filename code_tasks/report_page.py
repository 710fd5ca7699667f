"""A run as one HTML page that needs nothing else, no network and no other file. Texts that are not ours are escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from code_tasks.report_data import Run
from code_tasks.report_figures import MOST_COLUMNS, MOST_ROWS, curve, figures
from code_tasks.report_samples import failing_samples
from code_tasks.result_html import LABELS, badge, estimates, results_css, shown

HEADLINE_KS = (1, 5, 10, 100)
MOST_NAMED = 20


def page(run: Run) -> str:
    """The whole page.

    Raises:
        ImportError: if plotly is not installed.
    """
    assets = files("code_tasks")
    scripts = [plotly_script(), (assets / "report.js").read_text(encoding="utf-8")]
    styles = results_css() + (assets / "report.css").read_text(encoding="utf-8")
    title = f"{run.solver or run.source.name}: Code Eval report"
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(scripts)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{shown(title)}</title>\n<style>\n{styles}</style>\n</head>\n<body>",
            *body(run),
            *(f"<script>{script}</script>" for script in scripts),
            "</body>\n</html>\n",
        ]
    )


def body(run: Run) -> list[str]:
    """All that is on the page, and the data that its script draws."""
    return [
        header(run),
        "<main>\n<noscript><p>The figures and the search need JavaScript.</p></noscript>",
        *warnings_of(run),
        headline(run),
        *(figure(name, *texts) for name, texts in captions(run).items()),
        failing_samples(run),
        "</main>",
        f'<script type="application/json" id="ce-data">{as_json(figures(run))}</script>',
    ]


def plotly_script() -> str:
    """What draws the figures."""
    from plotly.offline import get_plotlyjs

    # As a browser reads it, or its hash is another.
    script: str = get_plotlyjs().replace("\r\n", "\n").replace("\r", "\n")
    return script


def policy(scripts: Sequence[str]) -> str:
    """The page's Content-Security-Policy: it may load nothing, and run these scripts alone, whatever a sample wrote."""
    hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def as_json(value: Any) -> str:
    """JSON that can't end the script element it is in: all of it is ASCII, without "<"."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def header(run: Run) -> str:
    """What was run, how and when."""
    summary = run.summary
    facts = {
        "File": run.source.name,
        "Date": f"{run.date:%Y-%m-%d %H:%M} UTC",
        "Tasks": f"{summary.tasks:,}",
        "Attempts": f"{summary.attempts:,}: {summary.correct:,} right, {summary.incorrect:,} wrong"
        + (f", {summary.system_errors:,} not run" if summary.system_errors else ""),
    }
    settings = {name: value if isinstance(value, str) else json.dumps(value) for name, value in run.settings.items()}
    rows = definitions(facts)
    more = f"<details><summary>Settings</summary>{definitions(settings)}</details>" if settings else ""
    return f"<header><h1>{shown(run.solver or 'Code Eval report')}</h1>{rows}{more}</header>"


def definitions(facts: Mapping[str, str]) -> str:
    """Names with their values."""
    rows = "".join(f"<div><dt>{shown(name)}</dt><dd>{shown(value)}</dd></div>" for name, value in facts.items())
    return f"<dl>{rows}</dl>"


def warnings_of(run: Run) -> list[str]:
    """What stands between the numbers and what they are taken for."""
    summary = run.summary
    found = []
    if summary.missing_tasks:
        names = ", ".join(summary.missing_tasks[:MOST_NAMED])
        more = len(summary.missing_tasks) - MOST_NAMED
        found.append(
            f"This result is not valid: {len(summary.missing_tasks):,} of {summary.tasks:,} tasks have no attempt that "
            f"could be run, and the scores are without them: {names}{f' and {more:,} more' if more > 0 else ''}."
        )
    if summary.system_errors:
        found.append(
            f"{summary.system_errors:,} attempts could not be run, because infrastructure broke. They count neither as "
            "right nor as wrong. "
            + (
                ""
                if math.isnan(summary.accuracy_with_errors)
                else f"Taken as wrong, pass@1 would be {100 * summary.accuracy_with_errors:.1f}%."
            )
        )
    if run.undone:
        found.append(f"The run is not finished: {run.undone:,} attempts have no result yet.")
    if left_out := len(summary.pass_at_k) - len(curve(summary.pass_at_k)):
        found.append(
            f"Some tasks have fewer attempts than others, so pass@k is shown for k up to "
            f"{len(summary.pass_at_k) - left_out}, which all of them have."
        )
    if run.solver_errors:
        found.append(f"{run.solver_errors:,} attempts count as wrong because the solver raised an exception.")
    return [f'<p class="ce-warning" role="note">{shown(each)}</p>' for each in (*found, *run.notes)]


def headline(run: Run) -> str:
    """pass@k as numbers, and the outcomes, which are the heat map's legend too."""
    every = curve(run.summary.pass_at_k)
    last = len(every)
    chosen = [each for each in run.summary.pass_at_k[:last] if each.k in {*HEADLINE_KS, last}]
    counts = Counter(each.outcome for each in run.samples)
    total = max(len(run.samples), 1)
    order = [outcome for outcome in LABELS if counts[outcome]]
    parts = "".join(
        f'<span class="ce-part ce-{each}" style="width:{100 * counts[each] / total:.2f}%"></span>' for each in order
    )
    legend = "".join(f"<li>{badge(each)} {counts[each]:,}</li>" for each in order)
    return (
        f'<section aria-label="Scores">{estimates(chosen, ())}'
        f'<div class="ce-bar" aria-hidden="true">{parts}</div><ul class="ce-legend">{legend}</ul></section>'
    )


def captions(run: Run) -> dict[str, tuple[str, str]]:
    """Each figure's title, and what is to be said about it."""
    cut = ""
    if len(run.tasks) > MOST_ROWS:
        cut += f" Shown are the first {MOST_ROWS:,} of {len(run.tasks):,} tasks."
    if (most := max((len(task) for task in run.tasks.values()), default=0)) > MOST_COLUMNS:
        cut += f" Shown are the first {MOST_COLUMNS:,} of up to {most:,} attempts."
    interval = " The band holds 95 of 100 bootstrap samples of tasks." if len(run.tasks) > 1 else ""
    return {
        "curve": ("pass@k over k", f"At least one of k attempts is right; pass^k: all of them are.{interval}"),
        "heat-map": (
            "Outcomes",
            "A row for each task, those that are solved least first, and a column for each attempt, counted from 0. "
            f"Choose a cell to see its task's failing samples below.{cut}",
        ),
        "times": ("Time on the clock", "Of the programs that were run."),
        "memory": ("Peak memory", "Of the programs whose memory could be measured."),
    }


def figure(name: str, title: str, caption: str) -> str:
    """Where the page's script draws a figure."""
    return (
        f'<section id="ce-section-{name}"><h2>{escape(title)}</h2><p>{escape(caption)}</p><div class="ce-scroll">'
        f'<div class="ce-figure" id="ce-{name}" role="img" aria-label="{escape(title)}"></div></div></section>'
    )
