"""Canaries: programs whose verdicts are known, run before anything is scored.

A machine that can't run programs, or whose limits don't hold, is an error and never a score of 0 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sandboxes.contract import Isolation, Limits, Outcome, Program, Verdict
from sandboxes.errors import SandboxUnavailable

LIMITS = Limits(wall_seconds=5.0, memory_bytes=256 << 20)
# The first verdict of a pool waits for this time, and five times as long on a busy machine.
HANG_LIMITS = Limits(wall_seconds=0.05, memory_bytes=256 << 20)


@dataclass(frozen=True)
class Canary:
    """A program and the outcome that it must have."""

    name: str
    program: Program
    outcome: Outcome
    layer: str = ""
    """The layer that the canary tests. The canary does not count where the layer is missing."""

    may_be_refused: bool = False
    """True if a COMPILE_ERROR is accepted too: a policy may forbid any program."""


CANARIES = (
    Canary("passes", Program("def add(a, b):\n    return a + b", "assert add(2, 3) == 5", LIMITS), Outcome.PASSED),
    Canary("fails", Program("def add(a, b):\n    return a * b", "assert add(2, 3) == 5", LIMITS), Outcome.FAILED),
    # It sleeps: a loop would take a seventh of the CPU time in which a pool starts.
    Canary("hangs", Program("import time\ntime.sleep(600)", "", HANG_LIMITS), Outcome.TIMED_OUT),
    Canary("eats memory", Program("x = bytearray(1 << 30)", "", LIMITS), Outcome.OUT_OF_MEMORY, layer="memory"),
    Canary("crashes", Program("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "", LIMITS), Outcome.CRASHED),
)
# These use no builtin, import or attribute. None of them crashes, because a crash needs one of the three.
RESTRICTED_CANARIES = (
    *CANARIES[:2],
    replace(CANARIES[2], program=Program("while True:\n    pass", "", HANG_LIMITS)),
    replace(CANARIES[3], program=Program("x = [0] * (1 << 28)", "", LIMITS)),
)


def unexpected_outcomes(
    canaries: Sequence[Canary], verdicts: Sequence[Verdict | SandboxUnavailable], isolation: Isolation
) -> list[str]:
    """Return a line for each canary whose outcome is wrong; an empty list means that the sandbox works.

    Args:
        canaries: the sandbox's canaries.
        verdicts: one per canary, in the same order.
        isolation: the isolation of the guests that ran the canaries.
    """
    lines = []
    for canary, verdict in zip(canaries, verdicts, strict=True):
        if canary.layer in isolation.missing:
            continue
        if canary.may_be_refused and isinstance(verdict, Verdict) and verdict.outcome is Outcome.COMPILE_ERROR:
            continue
        if isinstance(verdict, SandboxUnavailable):
            lines.append(f"the canary that {canary.name} could not be run: {verdict}")
        elif verdict.outcome is not canary.outcome:
            actual = f"{verdict.outcome.value} ({verdict.detail})" if verdict.detail else verdict.outcome.value
            lines.append(f"the canary that {canary.name} should be {canary.outcome.value}, but is {actual}")
    return lines
