"""The report as one HTML page that needs no network and no other file.

`code-eval report` calls `page`. The templates escape every text: see `templates`. The page's policy refuses all other
scripts, in case a text were ever taken for HTML.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from code_tasks.reports.data import ReportData
from code_tasks.reports.figures import curve, figures
from code_tasks.reports.html_parts import PACKAGE, results_css, templates
from code_tasks.reports.outcome_map import MAX_COLUMNS, MAX_ROWS, OutcomeMap
from code_tasks.reports.samples import failing_samples
from sandboxes.extraction.hints import AnswerHints

if TYPE_CHECKING:
    from markupsafe import Markup

HEADLINE_KS = (1, 5, 10, 100)
MAX_NAMED = 20


def page(report: ReportData) -> str:
    """Return the whole page.

    Raises:
        ImportError: if Jinja2 or plotly is not installed.
    """
    from markupsafe import Markup

    assets = files(PACKAGE) / "assets"
    scripts = [plotly_script(), (assets / "report.js").read_text(encoding="utf-8")]
    style = results_css() + (assets / "report.css").read_text(encoding="utf-8")
    # Markup: these are our own files and plotly's, which a browser does not unescape.
    return (
        templates(PACKAGE)
        .get_template("report.html")
        .render(
            title=f"{report.solver or report.source.name}: Code Eval report",
            policy=content_policy(scripts),
            style=Markup(style),
            body=body(report),
            scripts=[Markup(script) for script in scripts],
        )
    )


def body(report: ReportData) -> Markup:
    """Return what is on the page, and the data that its script draws."""
    from markupsafe import Markup

    summary = report.summary
    points = len(curve(summary.pass_at_k))
    outcome_map = OutcomeMap.of(report)
    html = (
        templates(PACKAGE)
        .get_template("report_body.html")
        .render(
            heading=report.solver or "Code Eval report",
            facts=facts(report),
            settings={
                name: value if isinstance(value, str) else json.dumps(value) for name, value in report.settings.items()
            },
            warnings=[*warnings(report), *hints(report), *report.notes],
            estimates=[point for point in summary.pass_at_k[:points] if point.k in {*HEADLINE_KS, points}],
            counts=Counter(attempt.outcome for attempt in report.attempts),
            total=max(len(report.attempts), 1),
            captions=captions(report),
            left_out=left_out(report),
            outcome_map=outcome_map,
            failing_samples=failing_samples(report),
            figures={**figures(report), "numbers": outcome_map.numbers},
        )
    )
    # Markup: a template returned it, so that it is escaped already.
    return Markup(html)


def plotly_script() -> str:
    """Return the script that draws the figures."""
    from plotly.offline import get_plotlyjs

    # A browser reads line ends as "\n" and computes the script's hash from that.
    script: str = get_plotlyjs().replace("\r\n", "\n").replace("\r", "\n")
    return script


def content_policy(scripts: Sequence[str]) -> str:
    """Return the page's Content-Security-Policy: the page loads nothing and runs only these scripts."""
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def facts(report: ReportData) -> dict[str, str]:
    """Return the lines of the header, by their names."""
    summary = report.summary
    not_run = f", {summary.system_errors:,} not run" if summary.system_errors else ""
    return {
        "File": report.source.name,
        "Date": f"{report.date:%Y-%m-%d %H:%M} UTC",
        "Tasks": f"{summary.tasks:,}",
        "Samples": f"{summary.attempts:,}: {summary.correct:,} passed, {summary.incorrect:,} did not{not_run}",
    }


def warnings(report: ReportData) -> list[str]:
    """Return the reasons why the scores may say less than they seem to."""
    summary = report.summary
    lines = []
    if summary.missing_tasks:
        names = ", ".join(summary.missing_tasks[:MAX_NAMED])
        more = len(summary.missing_tasks) - MAX_NAMED
        lines.append(
            f"This result is not valid: {len(summary.missing_tasks):,} of {summary.tasks:,} tasks have no sample that "
            f"could be run, and the scores are without them: {names}{f' and {more:,} more' if more > 0 else ''}."
        )
    if summary.system_errors:
        line = (
            f"{summary.system_errors:,} samples could not be run, because infrastructure broke. They count neither as "
            "passed nor as failed."
        )
        if not math.isnan(summary.accuracy_with_errors):
            line += f" If they counted as failed, pass@1 would be {100 * summary.accuracy_with_errors:.1f}%."
        lines.append(line)
    if report.unfinished:
        lines.append(f"The run is not finished: {report.unfinished:,} samples have no result yet.")
    points = len(curve(summary.pass_at_k))
    if points < len(summary.pass_at_k):
        lines.append(
            f"Some tasks have fewer samples than others, so pass@k is shown for k up to {points}, for which all tasks "
            "have enough."
        )
    if report.solver_errors:
        lines.append(f"{report.solver_errors:,} samples count as failed because the solver raised an exception.")
    return lines


def hints(report: ReportData) -> list[str]:
    """Return the sentences on answers that are not code alone, and on names that all answers to a task lack."""
    run = ((attempt.task_id, attempt.code, attempt.result) for attempt in report.attempts if attempt.result is not None)
    return AnswerHints.of(run).sentences("--extract auto")


def captions(report: ReportData) -> dict[str, tuple[str, str]]:
    """Return the title and the caption of each figure, by the name of its element."""
    interval = " The band holds 95 of 100 bootstrap samples of tasks." if len(report.tasks) > 1 else ""
    return {
        "curve": ("pass@k over k", f"pass@k: at least one of k samples passes; pass^k: all of them do.{interval}"),
        "times": ("Time on the clock", "For the programs that were run."),
        "memory": ("Peak memory", "For the programs whose memory could be measured."),
    }


def left_out(report: ReportData) -> str:
    """Return a text about the tasks and samples that the map leaves out; "" if it has all."""
    text = ""
    if len(report.tasks) > MAX_ROWS:
        text += f" Shown are the first {MAX_ROWS:,} of {len(report.tasks):,} tasks."
    if (columns := max((len(task) for task in report.tasks.values()), default=0)) > MAX_COLUMNS:
        text += f" Shown are the first {MAX_COLUMNS:,} of up to {columns:,} samples."
    return text
