"""The section of a report with the failing samples: the code of each, and the evidence for its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from code_tasks.reports.data import AttemptData, ReportData
from code_tasks.reports.html_parts import LABELS, TEXT_TITLES, macros
from code_tasks.reports.outcome_map import hardest_first

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_SAMPLES = 3_000
# A limit on the samples' HTML, so that the page opens quickly whatever the programs wrote.
MAX_HTML_CHARS = 8_000_000
# With more samples than this, the browser lays out only those in view.
MAX_LAID_OUT = 300
MAX_TEXT_CHARS = 10_000
MAX_DETAIL_CHARS = 500


def failing_samples(report: ReportData) -> Markup:
    """Return the section: the fields that filter the failing samples, and their list."""
    failing = {
        task_id: [attempt for attempt in task.values() if not attempt.correct] for task_id, task in report.tasks.items()
    }
    rows = {task_id: row for row, task_id in enumerate(hardest_first(report))}
    rendered = render_samples(failing, rows)
    listed = [html for task_id in report.tasks for html in rendered.get(task_id, ())]
    outcomes = {attempt.outcome for task in failing.values() for attempt in task}
    section: Markup = macros("samples.html").section(
        samples=listed,
        count=sum(map(len, failing.values())),
        is_long=len(listed) > MAX_LAID_OUT,
        file_name=report.source.name,
        rows=[(rows[task_id], task_id) for task_id in report.tasks if task_id in rendered],
        outcomes=[(outcome, label) for outcome, label in LABELS.items() if outcome in outcomes],
    )
    return section


def render_samples(failing: Mapping[str, list[AttemptData]], rows: Mapping[str, int]) -> dict[str, list[Markup]]:
    """Return the HTML of samples by task, taken from each task in turn until the page is full."""
    rendered: dict[str, list[Markup]] = {}
    samples = chars = 0
    for attempt in by_turns(failing):
        html = render_sample(attempt, rows[attempt.task_id])
        chars += len(html)
        samples += 1
        if samples > MAX_SAMPLES or chars > MAX_HTML_CHARS:
            break
        rendered.setdefault(attempt.task_id, []).append(html)
    return rendered


def by_turns(failing: Mapping[str, list[AttemptData]]) -> Iterator[AttemptData]:
    """Return the first attempt of each task, then the second of each, and so on."""
    return (attempt for turn in zip_longest(*failing.values()) for attempt in turn if attempt is not None)


def render_sample(attempt: AttemptData, row: int) -> Markup:
    """Return one sample: a line, and below it the evidence, which a click opens.

    Args:
        attempt: the sample.
        row: its task's row in the map.
    """
    clipped = clipped_attempt(attempt)
    html: Markup = macros("samples.html").sample(clipped, row, clip(attempt.detail, MAX_DETAIL_CHARS))
    return html


def clipped_attempt(attempt: AttemptData) -> AttemptData:
    """Return an attempt without the middle of its long texts."""
    return replace(
        attempt,
        detail=clip(attempt.detail),
        code=clip(attempt.code),
        traceback=clip(attempt.traceback),
        result=attempt.result and {**attempt.result, **{key: clip(attempt.result[key]) for key in TEXT_TITLES}},
    )


def clip(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Return a text's beginning and end if it is longer than this, and how much is left out between them."""
    if len(text) <= max_chars:
        return text
    half = max_chars // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out]\n{text[-half:]}"
