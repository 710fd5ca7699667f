"""What all of the Space's events share."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from space.requests import BadRequest

# Of a message: 50 lines of a file may be wrong.
MOST_CHARS = 8_000

Handler = Callable[..., Any]


def with_errors(run: Handler, in_page: bool = False) -> Handler:
    """An async generator that says to visitors what is wrong with their request, and is closed when they leave.

    Args:
        run: an async generator function.
        in_page: whether it is a page that shows the message, as HTML.
    """

    @functools.wraps(run)
    async def reporting(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        try:
            async with aclosing(run(*args, **kwargs)) as news:
                async for each in news:
                    yield each
        except BadRequest as error:
            raise shown_error(error, in_page) from None
        except RecursionError:
            raise shown_error(BadRequest("programs or tests are nested too deeply"), in_page) from None

    return reporting


def shown_error(error: BadRequest, in_page: bool) -> gr.Error:
    """The error that shows a visitor what is wrong."""
    # What it names is the visitor's, and may be long.
    text = str(error)[:MOST_CHARS]
    return gr.Error(
        escape(text).replace("\n", "<br>") if in_page else text, print_exception=False, title="Please check"
    )


@dataclass(frozen=True)
class Run:
    """What a page's button starts, and shows as it goes."""

    inputs: Sequence[Any]
    """Components whose values these functions take."""

    outputs: Sequence[Any]
    """Components that all of these give values for."""

    wait: Handler
    """What is shown until there is news. Raises BadRequest for what can't be run."""

    work: Handler
    """An async generator function of news. What it raises for visitors it raises as BadRequest."""

    refused: Sequence[Any]
    """What is shown where `wait` has raised."""

    ended_early: Sequence[Any]
    """What is shown of a run that failed, or was cancelled."""


def add_run(start: gr.Button, cancel: gr.Button, run: Run, queue: dict[str, Any]) -> None:
    """Has one button start a run, and another one cancel it.

    A press is answered at once, also where the run has to wait for others. The button can be pressed again only when
    Gradio has done with the run: what is pressed before that is lost.

    Args:
        start: the one.
        cancel: the other.
        run: the run.
        queue: keywords of the event that runs programs.
    """
    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    busy = (gr.update(interactive=False), gr.update(interactive=True))
    idle = (gr.update(interactive=True), gr.update(interactive=False))
    outputs = [*run.outputs, start, cancel]

    def answer(*values: Any) -> tuple[Any, ...]:
        try:
            return (*run.wait(*values), *busy)
        except BadRequest as error:
            raise shown_error(error, in_page=True) from None

    # Through the queue, though nothing in it is waited for: else Gradio shows no message of an error.
    answered = start.click(answer, run.inputs, outputs, **{**quiet, "queue": True, "concurrency_limit": None})
    answered.failure(lambda: (*run.refused, *idle), None, outputs, **quiet)
    worked = answered.success(
        with_errors(run.work, in_page=True),
        run.inputs,
        run.outputs,
        show_progress="hidden",
        api_visibility="private",
        **queue,
    )
    worked.success(lambda: idle, None, [start, cancel], **quiet)
    # Gradio counts a cancelled run among those that failed.
    worked.failure(lambda: (*run.ended_early, *idle), None, outputs, **quiet)
    cancel.click(None, cancels=[worked], queue=False, api_visibility="private")
