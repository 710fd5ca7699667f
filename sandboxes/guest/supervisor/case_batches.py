"""Runs of a script on several inputs in one process, for the programs in steps whose tests are such runs.

A process of its own for each input takes ten times as long. `StepExecutor` therefore runs inputs in batches. Expected
outputs never enter the process. A run that fails in a process which other inputs had before it is not believed: the
input is run again in a process of its own. If it passes there, the script depends on what runs leave behind, or on
chance. All of its inputs are then run again in processes of their own.
"""

from __future__ import annotations

import json
import os

from ..common.frames import PASSED_REPORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .execution import Execution
    from .verdicts import Reply

# Most wrong scripts fail early, and the inputs after the first failure need not be run.
FIRST_INPUTS = 16
MAX_INPUTS = 1000
MAX_INPUT_CHARS = 4 << 20
# Once the inputs of a batch have taken so long, a process for each costs little more.
BUDGET_SECONDS = 0.25
MARK_BYTES = 16
SHARED_COSTS = ("cpu_seconds", "waited_seconds")


def batch_of(plan: dict[str, Any], first: int) -> Sequence[dict[str, Any]]:
    """Return the runs of a plan, from one on, that can have one process. Fewer than two are none.

    Args:
        plan: as `StepExecutor.run` takes it.
        first: number of the first run.
    """
    if plan["build"] or plan["returns"] or plan.get("checker") or plan.get("interactor"):
        return ()
    batch: list[dict[str, Any]] = []
    chars = 0
    for run in plan["runs"][first : first + (FIRST_INPUTS if first == 0 else MAX_INPUTS)]:
        chars += len(run["stdin"])
        is_alike = run["argv"] is None and "files" not in run and run["limits"] == plan["runs"][first]["limits"]
        if not is_alike or run.get("expected") is None or chars > MAX_INPUT_CHARS:
            break
        batch.append(run)
    return batch if len(batch) > 1 else ()


def batch_step(batch: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the step that runs a script on the inputs of a batch."""
    inputs = [run["stdin"] for run in batch]
    marks = [os.urandom(MARK_BYTES).hex() for _ in range(2)]
    return {**batch[0], "stdin": "", "inputs": inputs, "marks": marks, "budget": BUDGET_SECONDS}


def batch_results(execution: Execution, step: dict[str, Any], result: Reply) -> list[Reply]:
    """Return the results of the runs of a batch that have ended, in their order. The first run always has a result.

    Args:
        execution: of the batch.
        step: from `batch_step`.
        result: of the batch as one step.
    """
    stdout_mark, stderr_mark = step["marks"]
    # A script may send one stream where the other goes, and a mark with it.
    outputs = result["stdout"].replace(stderr_mark, "").split(stdout_mark)
    errors = result["stderr"].replace(stdout_mark, "").split(stderr_mark)
    ended = min(len(outputs) - 1, len(step["inputs"]))
    if not ended:
        # No other input was begun.
        return [{**result, "stdout": outputs[0], "stderr": "".join(errors)}]
    seconds = reported_seconds(execution, ended)
    total = sum(seconds) or 1
    results = []
    for output, error, taken in zip(outputs[:ended], errors + [""] * ended, seconds):
        costs = {name: result.get(name, 0) * taken / total for name in SHARED_COSTS}
        costs.update(wall_seconds=taken, peak_memory_bytes=result["peak_memory_bytes"])
        results.append({"outcome": "passed", "stdout": output, "stderr": error, **costs})
    return results


def reported_seconds(execution: Execution, ended: int) -> list[float]:
    """Return the wall seconds of each run that ended, as the process says, or equal parts of the time of all."""
    wall_seconds: float = execution.costs()["wall_seconds"]
    report = execution.authentic_report()
    try:
        seconds = [float(each) for each in json.loads(report[len(PASSED_REPORT) :])]
    except (ValueError, TypeError, OverflowError, RecursionError):
        seconds = []
    if len(seconds) == ended and all(0 <= each <= wall_seconds for each in seconds):
        return seconds
    return [wall_seconds / ended] * ended
