"""What all of the Space's events share."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
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

    return reporting


def shown_error(error: BadRequest, in_page: bool) -> gr.Error:
    """The error that shows a visitor what is wrong."""
    # What it names is the visitor's, and may be long.
    text = str(error)[:MOST_CHARS]
    return gr.Error(
        escape(text).replace("\n", "<br>") if in_page else text, print_exception=False, title="Please check"
    )
