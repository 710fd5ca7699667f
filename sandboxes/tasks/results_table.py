"""Results as an HTML table with a row for each task, for notebooks.

Jinja2 is not installed with the metric, so each text is escaped here. The table has a bounded size, whatever texts
candidates have written.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sandboxes.contract import Outcome
from sandboxes.outcome_labels import INVALID_TESTS, LABELS, NOT_RUN
from sandboxes.validation import printable

MAX_TASKS = 50
MAX_NAME_CHARS = 60
MAX_DETAIL_CHARS = 100
HEAD = ("task", "passed", "outcomes", "first failure")
CELL = ' style="text-align: left; vertical-align: top"'


def results_table(records: Iterable[Mapping[str, Any]], scores: Mapping[str, float]) -> str:
    """Return the table.

    Args:
        records: results as `result_dict` makes them, task by task or mixed.
        scores: {"pass@k": in [0, 1]}, for the caption.
    """
    labels: dict[Any, Counter[str]] = {}
    failures: dict[Any, str] = {}
    for record in records:
        task_id = record["task_id"]
        label = LABELS[record.get("outcome", NOT_RUN)]
        labels.setdefault(task_id, Counter())[label] += 1
        if not record["passed"] and task_id not in failures:
            failures[task_id] = clip(record.get("detail") or record["result"], MAX_DETAIL_CHARS)
    shown = list(labels)[:MAX_TASKS]
    rows = [
        (clip(str(task_id), MAX_NAME_CHARS), passed(own), counts(own), failures.get(task_id, ""))
        for task_id, own in ((task_id, labels[task_id]) for task_id in shown)
    ]
    if len(labels) > len(shown):
        rows.append((f"... and {len(labels) - len(shown):,} more tasks", "", "", ""))
    total = sum(labels.values(), Counter[str]())
    size = f"{number(total.total(), 'candidate')} for {number(len(labels), 'task')}"
    caption = "; ".join([f"{size}: {counts(total)}", *(f"{name} {100 * each:.1f} %" for name, each in scores.items())])
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead>{table_row('th', HEAD)}</thead><tbody>{''.join(table_row('td', row) for row in rows)}</tbody></table>"
    )


def table_row(tag: str, texts: Iterable[str]) -> str:
    """Return a row of a table."""
    return f"<tr>{''.join(f'<{tag}{CELL}>{html.escape(text)}</{tag}>' for text in texts)}</tr>"


def passed(labels: Counter[str]) -> str:
    """Return how many of a task's candidates passed, among those that have a verdict."""
    unjudged = labels[LABELS[NOT_RUN]] + labels[LABELS[INVALID_TESTS]]
    return f"{labels[Outcome.PASSED.label]}/{labels.total() - unjudged}"


def counts(labels: Counter[str]) -> str:
    """Return the labels with their numbers, in the order of outcomes."""
    return ", ".join(f"{labels[label]:,} {label}" for label in LABELS.values() if labels[label])


def clip(text: str, max_chars: int) -> str:
    """Return a text as one printable line of at most this many characters."""
    # The rest of a very long text need not be read.
    line = printable(text[: 10 * max_chars])
    return line if len(line) <= max_chars else f"{line[: max_chars - 3]}..."


def number(count: int, noun: str) -> str:
    """Return a number with a noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
