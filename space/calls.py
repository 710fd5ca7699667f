"""Calls of tools. Gradio makes each a request of its own to itself, and goes on when the caller leaves."""

from __future__ import annotations

import uuid

import gradio as gr

HEADER = "x-code-eval-call"
"""Of a request, the name of the call that it is for: Gradio hands headers on."""

# Each has a thread until its run has ended, of 40 that Gradio has for everything.
MOST_CALLS = 10


class ToolCalls:
    """The calls that are under way, by names that can't be guessed."""

    def __init__(self) -> None:
        """None yet."""
        self._callers: dict[str, bool] = {}
        """Whether they are still there."""

    @property
    def is_full(self) -> bool:
        """Whether there can't be another call now."""
        return len(self._callers) >= MOST_CALLS

    def begin(self) -> str:
        """The name of a new call."""
        name = uuid.uuid4().hex
        self._callers[name] = True
        return name

    def leave(self, name: str) -> None:
        """Notes that a caller has left. The call still has to end."""
        self._callers[name] = False

    def end(self, name: str) -> None:
        """Forgets a call."""
        del self._callers[name]

    def is_abandoned(self, request: gr.Request) -> bool:
        """Whether a request is for a call that nobody waits for."""
        name = request.headers.get(HEADER)
        return name is not None and not self._callers.get(name, False)
