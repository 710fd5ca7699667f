"""The section of a report with the failing samples: the code of each, and the evidence for its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from code_tasks.reports.code_html import code_html, program_html
from code_tasks.reports.data import AttemptData, ReportData
from code_tasks.reports.failing_lines import NumberedCode, numbered_candidate, numbered_tests
from code_tasks.reports.html_parts import TEXT_TITLES, macros
from code_tasks.reports.outcome_map import hardest_first
from sandboxes.outcome_labels import LABELS
from sandboxes.tasks.io_cases import parse_cases

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
    tasks, rendered = render_samples(report, failing, rows)
    listed = [html for task_id in report.tasks for html in rendered.get(task_id, ())]
    outcomes = {attempt.outcome for task in failing.values() for attempt in task}
    section: Markup = macros("samples.html").section(
        samples=listed,
        tasks=list(tasks.values()),
        count=sum(map(len, failing.values())),
        is_long=len(listed) > MAX_LAID_OUT,
        file_name=report.source.name,
        rows=[(rows[task_id], task_id) for task_id in report.tasks if task_id in rendered],
        outcomes=[(outcome, label) for outcome, label in LABELS.items() if outcome in outcomes],
    )
    return section


def render_samples(
    report: ReportData, failing: Mapping[str, list[AttemptData]], rows: Mapping[str, int]
) -> tuple[dict[str, Markup | str], dict[str, list[Markup]]]:
    """Return the HTML of samples by task, taken from each task in turn until the page is full.

    Args:
        report: the report.
        failing: the samples by task.
        rows: the row of each task in the map.

    Returns:
        (tasks, samples): the HTML of each task's prompt and tests, and the HTML of its samples, by task_id.
    """
    tasks: dict[str, Markup | str] = {}
    rendered: dict[str, list[Markup]] = {}
    samples = chars = 0
    for attempt in by_turns(failing):
        task_id = attempt.task_id
        html = render_sample(report, attempt, rows[task_id])
        task = "" if task_id in tasks else render_task(report, task_id, rows[task_id])
        chars += len(html) + len(task)
        samples += 1
        if samples > MAX_SAMPLES or chars > MAX_HTML_CHARS:
            break
        rendered.setdefault(task_id, []).append(html)
        tasks.setdefault(task_id, task)
    return tasks, rendered


def render_task(report: ReportData, task_id: str, row: int) -> Markup | str:
    """Return the prompt and the tests of a task, which its samples share; "" if its problem is not known."""
    if task_id not in report.problems:
        return ""
    problem, language = report.problems[task_id], report.language_of(task_id)
    tests_language = "json" if parse_cases(problem.tests) is not None else language
    prompt = code_html("Prompt", NumberedCode(problem.prompt), language) if problem.prompt.strip() else ""
    html: Markup = macros("samples.html").task(
        row, prompt, code_html("Tests", NumberedCode(problem.tests), tests_language)
    )
    return html


def by_turns(failing: Mapping[str, list[AttemptData]]) -> Iterator[AttemptData]:
    """Return the first attempt of each task, then the second of each, and so on."""
    return (attempt for turn in zip_longest(*failing.values()) for attempt in turn if attempt is not None)


def render_sample(report: ReportData, attempt: AttemptData, row: int) -> Markup:
    """Return one sample: a line, and below it the evidence, which a click opens.

    Args:
        report: the report.
        attempt: the sample.
        row: its task's row in the map.
    """
    problem = report.problems.get(attempt.task_id)
    tests = numbered_tests(problem.tests if problem else "", attempt.program_traceback)
    html: Markup = macros("samples.html").sample(
        clipped_attempt(attempt),
        row,
        clip(attempt.detail, MAX_DETAIL_CHARS),
        candidate_html(report, attempt),
        tests.failing_line,
    )
    return html


def candidate_html(report: ReportData, attempt: AttemptData) -> Markup | str:
    """Return a sample's code, with a mark at the line that failed; "" if there is no code."""
    if not attempt.code.strip():
        return ""
    result, language = attempt.result or {}, report.language_of(attempt.task_id)
    if program := program_html(result, attempt.code, language):
        return program
    problem = report.problems.get(attempt.task_id)
    # A completion that begins inside of a block continues the prompt.
    first_line = 1 + problem.prompt.count("\n") if problem and attempt.code[0] in " \t" else 1
    code = numbered_candidate(attempt.code, attempt.program_traceback, first_line)
    return code_html("Candidate", code, language)


def clipped_attempt(attempt: AttemptData) -> AttemptData:
    """Return an attempt without the middle of its long texts."""
    return replace(
        attempt,
        detail=clip(attempt.detail),
        traceback=clip(attempt.traceback),
        result=attempt.result and {**attempt.result, **{key: clip(attempt.result[key]) for key in TEXT_TITLES}},
    )


def clip(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Return a text's beginning and end if it is longer than this, and how much is left out between them."""
    if len(text) <= max_chars:
        return text
    half = max_chars // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out]\n{text[-half:]}"
