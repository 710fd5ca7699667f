"""Canaries: programs whose verdicts are known, run before anything is scored.

A machine that can't run programs, or whose limits don't hold, is an error and never a score of 0 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sandboxes.contract import Isolation, Limits, Outcome, Program, SandboxUnavailable, Verdict

LIMITS = Limits(wall_seconds=5.0, memory_bytes=256 << 20)
HANG_LIMITS = Limits(wall_seconds=0.1, memory_bytes=256 << 20)


@dataclass(frozen=True)
class Canary:
    """A program and the outcome that it must have."""

    name: str
    program: Program
    outcome: Outcome
    layer: str = ""
    """Left out where this layer is missing."""


CANARIES = (
    Canary("passes", Program("def add(a, b):\n    return a + b", "assert add(2, 3) == 5", LIMITS), Outcome.PASSED),
    Canary("fails", Program("def add(a, b):\n    return a * b", "assert add(2, 3) == 5", LIMITS), Outcome.FAILED),
    Canary("hangs", Program("while True:\n    pass", "", HANG_LIMITS), Outcome.TIMED_OUT),
    Canary("eats memory", Program("x = bytearray(1 << 30)", "", LIMITS), Outcome.OUT_OF_MEMORY, layer="memory"),
    Canary("crashes", Program("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "", LIMITS), Outcome.CRASHED),
)


def disagreements(verdicts: Sequence[Verdict | SandboxUnavailable], isolation: Isolation) -> list[str]:
    """What went otherwise than it must with the canaries, a line each; empty if all is well.

    Args:
        verdicts: one per canary, in the order of `CANARIES`.
        isolation: of the guests that gave them.
    """
    lines = []
    for canary, verdict in zip(CANARIES, verdicts, strict=True):
        if canary.layer in isolation.missing:
            continue
        if isinstance(verdict, SandboxUnavailable):
            lines.append(f"the canary that {canary.name} could not be run: {verdict}")
        elif verdict.outcome is not canary.outcome:
            became = f"{verdict.outcome.value} ({verdict.detail})" if verdict.detail else verdict.outcome.value
            lines.append(f"the canary that {canary.name} should be {canary.outcome.value}, but is {became}")
    return lines
