"""HTML of what is on the page besides Gradio's components. The templates escape every text: see `templates`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from code_tasks.reports import html_parts
from code_tasks.reports.code_html import program_html
from sandboxes import LAYERS
from sandboxes.outcome_labels import NOT_RUN
from space.available_sandboxes import SandboxAvailability
from space.service import Progress
from space.time_outs import worded_detail

PACKAGE = "space.ui"
"""The package that holds the templates of the page."""


def results_list(results: Sequence[Mapping[str, Any] | None]) -> str:
    """Return the candidates of one task; a click on one opens what it wrote and where it failed.

    One that was taken out of an answer has its program too.
    """
    candidates = [
        (
            f"Candidate {number}",
            html_parts.outcome_name(result),
            result and with_worded_detail(result),
            program_html(result, "", "") if result else "",
        )
        for number, result in enumerate(results, start=1)
    ]
    return render("candidates", candidates)


def with_worded_detail(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result as the page shows it; one that was not run has no detail."""
    return {**result, "detail": worded_detail(result)} if "outcome" in result else result


def left_by_run(progress: Progress, noun: str, waiting: Sequence[int] = ()) -> str:
    """Return what is shown if a run ends early now: how many verdicts there are, and which programs have none.

    Args:
        progress: the run so far.
        noun: the name of its programs: "candidate" or "sample".
        waiting: the numbers of those without a result, if they are few.
    """
    verdicts, left = len(progress.results) - progress.counts[NOT_RUN], progress.total - len(progress.results)
    nouns = noun if left == 1 else f"{noun}s"
    names = f"{nouns} {', '.join(map(str, waiting))}" if waiting else f"{left:,} {nouns}"
    has = "has" if verdicts == 1 else "have"
    return message(
        f"Cancelled, or ended by an error. {verdicts:,} of {progress.total:,} {noun}s {has} a verdict. Not run to the "
        f"end: {names}. There is no score, because pass@k needs all verdicts.",
        "info",
    )


def progress_bar(counts: Counter[str], total: int, note: str = "") -> str:
    """Return a bar of the outcomes so far, with their numbers.

    Args:
        counts: finished candidates by outcome.
        total: all candidates.
        note: a text that follows the numbers.
    """
    return render("progress_bar", counts, sum(counts.values()), total, note)


def sandbox_panel(entry: SandboxAvailability) -> str:
    """Return the layers that a sandbox has and lacks on this server."""
    return render("sandbox_panel", entry.name, entry.refused, entry.isolation, LAYERS)


def refused_sandboxes(reasons: Mapping[str, str]) -> str:
    """Return the sandboxes that can't be chosen, each with its reason."""
    return render("refused_sandboxes", reasons)


def message(text: str, kind: str) -> str:
    """Return a note as wide as the page; `kind` is "warning" or "info"."""
    return render("message", text, kind)


def empty(text: str) -> str:
    """Return what stands in place of results that are not there yet."""
    return render("empty", text)


def header(title: str, tagline: str) -> str:
    """Return the top of the page."""
    return render("header", title, tagline)


def error_lines(text: str) -> str:
    """Return an error message, with its line breaks."""
    return render("error_lines", text)


def script(source: str) -> str:
    """Return one of our own scripts as an element of the page's head."""
    # Markup: a browser does not unescape a script.
    return render("script", Markup(source))


def render(macro: str, *values: Any) -> str:
    """Return what a macro in parts.html makes of values."""
    return str(getattr(html_parts.macros("parts.html", PACKAGE, html_parts.PACKAGE), macro)(*values))
