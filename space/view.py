"""What is on the page besides results, as HTML. Every text that is not ours is escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from code_tasks.result_html import LABELS, badge, candidate
from sandboxes import LAYERS
from space.offers import Offer


def results_list(results: Sequence[Mapping[str, Any] | None]) -> str:
    """The candidates of one task, each to be opened for what it wrote and where it failed."""
    each = [candidate(f"Candidate {number}", result) for number, result in enumerate(results, start=1)]
    return f'<div class="ce-results">{"".join(each)}</div>'


def progress(counts: Counter[str], total: int, note: str = "") -> str:
    """A bar of the outcomes so far, and their numbers.

    Args:
        counts: ended candidates by outcome.
        total: candidates in all.
        note: what is to be said beside the numbers.
    """
    done = sum(counts.values())
    order = [name for name in LABELS if counts[name]]
    parts = "".join(
        f'<span class="ce-part ce-{name}" style="width:{100 * counts[name] / total:.2f}%"></span>' for name in order
    )
    numbers = "".join(f"<li>{badge(name)} {counts[name]:,}</li>" for name in order)
    return (
        f'<div class="ce-progress" role="status"><div class="ce-bar">{parts}</div>'
        f"<p><b>{done:,}</b> of <b>{total:,}</b> run{'. ' + escape(note) if note else ''}</p><ul>{numbers}</ul></div>"
    )


def offer_panel(offer: Offer) -> str:
    """What a sandbox isolates here and now."""
    name = escape(offer.name)
    if offer.isolation is None or offer.refused:
        return message(f"The sandbox <b>{name}</b> can't be used here: {escape(offer.refused)}", "warning")
    on = "".join(f"<li><b>{escape(each)}</b> {escape(LAYERS.get(each, ''))}</li>" for each in offer.isolation.layers)
    missing = "".join(
        f"<li><b>{escape(layer)}</b> {escape(LAYERS.get(layer, ''))} <i>Missing here: {escape(reason)}</i></li>"
        for layer, reason in offer.isolation.missing.items()
    )
    count = len(offer.isolation.layers)
    summary = f"<b>{name}</b> isolates a program here by {count} layers, with Python {escape(offer.isolation.python)}"
    lacks = f"<p>Not to be had here:</p><ul>{missing}</ul>" if missing else ""
    if missing:
        summary += f"; {len(offer.isolation.missing)} are missing"
    state = " ce-lacking" if missing else ""
    return f'<details class="ce-offer{state}"><summary>{summary}</summary>{lacks}<ul>{on}</ul></details>'


def message(html: str, kind: str) -> str:
    """A note across the page: `kind` is "warning" or "info"; what is not ours in `html` has to be escaped."""
    return f'<div class="ce-message ce-message-{kind}" role="status">{html}</div>'
