"""The results of a session's cells, as Jupyter names their parts."""

from __future__ import annotations

from code_tasks.server.protocols.fusion_models import CellRunResult, CommandRunResult, CommandRunStatus
from sandboxes import CellResult, Outcome


def cell_run_result(result: CellResult) -> CellRunResult:
    """Return the end of a cell. The value of its last expression is a text, and never a picture."""
    error = result.error
    errors = (
        [{"ename": error.name, "evalue": error.message, "traceback": error.traceback.splitlines()}] if error else []
    )
    return CellRunResult(
        stdout=result.stdout,
        stderr=result.stderr,
        display=[] if result.value is None else [{"text/plain": result.value}],
        error=errors,
        status="ok" if result.succeeded else "error",
    )


def stops_notebook(result: CellResult) -> bool:
    """Return whether the cells after this one can't run: it took too long, or the variables are gone."""
    return result.limit is not None or result.state_lost


def driver_result(last: CellResult | None, seconds: float) -> CommandRunResult:
    """Return the end of the process that ran the cells, which SandboxFusion calls the driver.

    Args:
        last: the result of the last cell that ran. None: there is none.
        seconds: that all cells took.
    """
    if last is None or not stops_notebook(last):
        return CommandRunResult(
            status=CommandRunStatus.Finished, execution_time=seconds, return_code=0, stdout="", stderr=""
        )
    timed_out = last.limit is Outcome.TIMED_OUT
    return CommandRunResult(
        status=CommandRunStatus.TimeLimitExceeded if timed_out else CommandRunStatus.Error,
        execution_time=seconds,
        stdout="",
        stderr=last.detail,
        limit=last.limit.value if last.limit else None,
    )
