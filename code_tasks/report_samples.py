"""The failing samples of a report: each with its code, and with what its verdict rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from code_tasks.report_data import Run, Sample
from code_tasks.report_figures import hardest_first
from code_tasks.result_html import LABELS, TEXTS, badge, duration, evidence, memory, shown

MOST_SHOWN = 3_000
# Of their HTML, so that the page opens quickly whatever they wrote.
MOST_SHOWN_CHARS = 8_000_000
MOST_LAID_OUT = 300
MOST_TEXT_CHARS = 10_000
MOST_DETAIL_CHARS = 500


def failing_samples(run: Run) -> str:
    """The section of those that did not pass: what can be searched, and the list."""
    failing = {task_id: [each for each in task.values() if not each.correct] for task_id, task in run.tasks.items()}
    count = sum(map(len, failing.values()))
    head = '<section id="ce-section-samples"><h2>Failing samples</h2>'
    if not count:
        return f"{head}<p>There are none.</p></section>"
    rows = {task_id: row for row, task_id in enumerate(hardest_first(run))}
    rendered = rendered_of(failing, rows)
    left_out = count - sum(map(len, rendered.values()))
    note = (
        f"<p>Shown are {count - left_out:,} of {count:,}, of as many tasks as possible, so that this page is small; "
        f"all of them are in {shown(run.source.name)}.</p>"
        if left_out
        else ""
    )
    outcomes = {each.outcome for task in failing.values() for each in task}
    many = " ce-many" if count - left_out > MOST_LAID_OUT else ""
    listed = "".join(html for task_id in run.tasks for html in rendered.get(task_id, ()))
    return (
        f"{head}{note}{controls({task_id: rows[task_id] for task_id in run.tasks if task_id in rendered}, outcomes)}"
        f'<div class="ce-results{many}" id="ce-samples">{listed}</div></section>'
    )


def controls(rows: Mapping[str, int], outcomes: set[str]) -> str:
    """What chooses among them. `rows` are their tasks', in the heat map."""
    tasks = [(str(row), shown(task_id)) for task_id, row in rows.items()]
    kinds = [(each, LABELS[each]) for each in LABELS if each in outcomes]
    return (
        '<form class="ce-controls" role="search"><div class="ce-wide"><label for="ce-search">Search</label>'
        '<input type="search" id="ce-search" autocomplete="off" spellcheck="false" '
        'placeholder="in task, detail, code, output, traceback"></div>'
        f"{choice('Task', tasks)}{choice('Outcome', kinds)}"
        '<button type="button" id="ce-open">Open all</button><output id="ce-count" aria-live="polite"></output></form>'
    )


def choice(label: str, options: Sequence[tuple[str, str]]) -> str:
    """A field to choose one of options, or all of them: (value, HTML)."""
    name = f"ce-{label.lower()}"
    listed = "".join(f'<option value="{value}">{html}</option>' for value, html in [("", "all"), *options])
    return f'<div><label for="{name}">{label}</label><select id="{name}">{listed}</select></div>'


def rendered_of(failing: Mapping[str, list[Sample]], rows: Mapping[str, int]) -> dict[str, list[str]]:
    """The HTML of samples by task, taken of each task in turn until the page is full."""
    rendered: dict[str, list[str]] = {}
    shown_count = chars = 0
    for sample in by_turns(failing):
        html = sample_html(sample, rows[sample.task_id])
        chars += len(html)
        shown_count += 1
        if shown_count > MOST_SHOWN or chars > MOST_SHOWN_CHARS:
            break
        rendered.setdefault(sample.task_id, []).append(html)
    return rendered


def by_turns(failing: Mapping[str, list[Sample]]) -> Iterator[Sample]:
    """The first sample of each task, then the second ones, and so on."""
    return (each for turn in zip_longest(*failing.values()) for each in turn if each is not None)


def sample_html(sample: Sample, row: int) -> str:
    """One sample: a line, and below it what is shown once it is opened. `row` is its task's in the heat map."""
    figures = ""
    if sample.result is not None:
        seconds, size = sample.result["wall_seconds"], sample.result["peak_memory_bytes"]
        figures = f'<span class="ce-figures">{duration(seconds)} · {memory(size)}</span>'
    line = (
        f'{badge(sample.outcome)}<span class="ce-title">{shown(sample.task_id)} · attempt {sample.number}</span>'
        f'{figures}<span class="ce-detail">{shown(clipped(sample.detail, MOST_DETAIL_CHARS))}</span>'
    )
    code = f'<h4>Code</h4><pre class="ce-code">{shown(clipped(sample.code))}</pre>' if sample.code.strip() else ""
    return (
        f'<details class="ce-result" data-row="{row}" data-attempt="{sample.number}" '
        f'data-outcome="{sample.outcome}"><summary class="ce-line">{line}</summary>'
        f'<div class="ce-sample">{code}{ending(sample)}</div></details>\n'
    )


def ending(sample: Sample) -> str:
    """What its verdict rests on, or what it had none for."""
    if sample.result is not None:
        return evidence({**sample.result, **{name: clipped(sample.result[name]) for name in TEXTS}})
    trace = f'<h4>Traceback</h4><pre class="ce-traceback">{shown(clipped(sample.traceback))}</pre>'
    return f'<div class="ce-evidence"><p>{shown(clipped(sample.detail))}</p>{trace if sample.traceback else ""}</div>'


def clipped(text: str, most: int = MOST_TEXT_CHARS) -> str:
    """A text's beginning and end, if it is long."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out]\n{text[-half:]}"
