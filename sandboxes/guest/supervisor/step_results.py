"""Results of single steps: their costs, and whether a run's output is right. Used by `steps` and `raw_runs`."""

from __future__ import annotations

from ..common.checkers import difference_from_any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .verdicts import Reply

COSTS = ("wall_seconds", "cpu_seconds", "waited_seconds", "peak_memory_bytes")


def add_costs(reply: Reply, result: Reply) -> None:
    """Add what a step used to the costs of its program."""
    for name in ("wall_seconds", "cpu_seconds", "waited_seconds"):
        reply[name] += result.get(name, 0)
    reply["peak_memory_bytes"] = max(reply["peak_memory_bytes"], result.get("peak_memory_bytes", 0))


def truncate(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, and a mark if it was cut."""
    return text if len(text) <= limit else text[:limit] + "\n[cut]"


def check_output(result: Reply, step: dict[str, Any], token: str) -> None:
    """Check the output of a run that ended well, and change its result if the test failed.

    Args:
        result: of the run.
        step: of the plan.
        token: the completion token, for a run with "writes_token".
    """
    if result["outcome"] != "passed":
        return
    if step.get("writes_token"):
        # Some libraries write their buffers after the token.
        before, separator, after = result.get("stdout", "").rpartition(token)
        if not separator:
            result.update(outcome="exited", detail="left before its tests were done, with status 0")
            return
        result["stdout"] = before + after
    if step.get("checker"):
        wrong = difference_from_any(step["checker"], step["tolerance"], step["expected"], result.get("stdout", ""))
        if wrong:
            result.update(outcome="failed", detail=wrong)
