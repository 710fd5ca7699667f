"""How the Space words a time-out of a program for which no CPU was free for a while."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandboxes import Outcome

MIN_SECONDS = 0.1
"""Shorter waits are not told, because every program waits for some milliseconds."""


def worded_detail(result: Mapping[str, Any]) -> str:
    """Return a result's detail; that of a program that timed out after it waited for a CPU says so, in seconds."""
    detail = str(result["detail"])
    waited = result["waited_seconds"]
    own = result["wall_seconds"] - waited
    # The waits of threads add up, and may exceed the time on the clock. Nothing is then known about the rest.
    if result["outcome"] != Outcome.TIMED_OUT.value or min(waited, own) < MIN_SECONDS:
        return detail
    return f"{detail}; it waited for a CPU for {waited:.1f} of its {result['wall_seconds']:.1f} s"
