"""The editors' content that outlives a page: page.js keeps it for a refresh, and puts it into links.

A link may come from anybody. What it holds fills the editors, once it is checked here, and nothing runs by itself.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any

import gradio as gr

from sandboxes.grading import GRADINGS
from sandboxes.languages.registry import LABELS
from space.errors import RequestError
from space.ui.examples import Example

MAX_EDITORS = 8
"""Candidates that the tab holds."""

SAVE = "(...values) => codeEvalEditors.save(values)"
COPY_LINK = "(...values) => codeEvalEditors.copyLink(values)"
READ = "async () => [await codeEvalEditors.read()]"
"""Functions of page.js, as events call them. The values are editors, tests, sandbox, grading and language."""

FROM_LINK = "The link filled the editors, and nothing has run. Read the programs, then press Run."
INVALID = "The link does not hold candidates and tests as this page writes them; the editors are as they were."


def read_kept(text: str, sandboxes: Container[str]) -> tuple[Example, bool] | None:
    """Return (the editors' content, whether a link brought it); None if there is none.

    Args:
        text: what page.js read, as JSON; anybody may have written it.
        sandboxes: the names of all sandboxes.

    Raises:
        RequestError: if it is not what page.js writes.
    """
    if not text:
        return None
    try:
        kept = json.loads(text)
        candidates, tests, sandbox, grading, language = kept["values"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise RequestError(INVALID) from None
    is_list = isinstance(candidates, list) and 1 <= len(candidates) <= MAX_EDITORS
    # There is no sandbox to choose if none works.
    texts: list[Any] = [*candidates, tests, sandbox or "", grading, language] if is_list else [None]
    if not all(isinstance(each, str) for each in texts):
        raise RequestError(INVALID)
    if (sandbox and sandbox not in sandboxes) or grading not in GRADINGS or language not in LABELS:
        raise RequestError(INVALID)
    return Example("", tuple(candidates), tests, sandbox, grading, language), kept.get("link") is True


def add_kept_events(kept: Sequence[Any], copy: gr.Button, note: gr.HTML) -> None:
    """Let the browser keep each change of the editors, and the button copy a link that holds them.

    Args:
        kept: the components whose values are kept, in the order that page.js takes them in.
        copy: the button.
        note: shows what became of the link.
    """
    for component in kept:
        component.change(None, kept, None, js=SAVE, queue=False, api_visibility="private")
    copy.click(None, kept, note, js=COPY_LINK, queue=False, api_visibility="private")
