"""The buttons that start and cancel a run, and the events behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from space.errors import RequestError
from space.hosting.error_messages import Handler, visible_error, with_errors
from space.ui.html_parts import error_lines, message

WAITING = message("Waiting until a run of another visitor has ended, if this server has no room for more …", "info")


@dataclass(frozen=True)
class RunAction:
    """A run that a page's button starts, with what the page shows meanwhile."""

    inputs: Sequence[Any]
    """The components whose values the functions take."""

    outputs: Sequence[Any]
    """The components that each of the functions and tuples gives values for."""

    wait: Handler
    """Returns what is shown before the first update. Raises RequestError for an invalid request."""

    work: Handler
    """An async generator function of updates. It raises RequestError for errors that visitors may see."""

    refused: Sequence[Any]
    """The values that are shown if `wait` raised."""

    left: gr.State
    """HTML about what the run leaves if it fails or is cancelled now. It is one of `outputs`."""

    ended_early: Handler
    """Returns, from the value of `left`, what is shown if the run failed or was cancelled.

    It keeps `left`: Gradio sometimes reports one cancelled run twice.
    """


def add_run(start: gr.Button, cancel: gr.Button, action: RunAction, queue: dict[str, Any]) -> None:
    """Let one button start a run and another cancel it.

    A press is answered at once, even if the run has to wait for others. The button can be pressed again only after
    Gradio has finished with the run, because a press before that is lost.

    Args:
        start: starts the run.
        cancel: cancels the run.
        action: the run.
        queue: keywords of the event that runs programs.
    """
    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    busy = (gr.update(interactive=False), gr.update(interactive=True))
    idle = (gr.update(interactive=True), gr.update(interactive=False))
    outputs = [*action.outputs, start, cancel]

    def answer(*values: Any) -> tuple[Any, ...]:
        try:
            return (*action.wait(*values), *busy)
        except RequestError as error:
            raise visible_error(error, error_lines) from None

    # Gradio shows error messages only of events in the queue. This event never waits there.
    answered = start.click(answer, action.inputs, outputs, **{**quiet, "queue": True, "concurrency_limit": None})
    answered.failure(lambda: (*action.refused, *idle), None, outputs, **quiet)
    worked = answered.success(
        with_errors(action.work, error_lines),
        action.inputs,
        action.outputs,
        show_progress="hidden",
        api_visibility="private",
        **queue,
    )
    worked.success(lambda: idle, None, [start, cancel], **quiet)
    # For Gradio, a cancelled run is a failed one.
    worked.failure(lambda left: (*action.ended_early(left), *idle), action.left, outputs, **quiet)
    cancel.click(None, cancels=[worked], queue=False, api_visibility="private")
