"""The results of a session's cells. A command's result is a `ProcessResult`."""

from __future__ import annotations

from dataclasses import dataclass

from sandboxes.contract import Outcome, make_printable

PROCESS_ENDED = "ProcessEnded"
"""`CellError.name` if the Python process ended in the cell, so that no exception is known."""


@dataclass(frozen=True)
class CellError:
    """The exception that ended a cell."""

    name: str
    """Class name of the exception: "ZeroDivisionError". "SystemExit" if the cell called `sys.exit`,
    "KeyboardInterrupt" if it was interrupted, and PROCESS_ENDED if there is no exception."""

    message: str = ""
    traceback: str = ""
    """Traceback with the frames of cells and of the session's own files, as Python prints it."""

    def __post_init__(self) -> None:
        """Make the name one printable line."""
        make_printable(self, ("name",))


@dataclass(frozen=True)
class CellResult:
    """The result of one Python cell. Its texts come from the cell, and are not escaped."""

    stdout: str = ""
    stderr: str = ""
    value: str | None = None
    """The repr of the last expression. None if the cell does not end with an expression, or its value is None."""

    error: CellError | None = None
    """The reason why the cell did not run to its end. None if it did."""

    limit: Outcome | None = None
    """TIMED_OUT if the cell took too long, or OUT_OF_MEMORY if it used too much memory. None otherwise."""

    state_lost: bool = False
    """True if the Python process ended in this cell, or after the last one. Variables of earlier cells are gone, and
    the session's files are still there."""

    detail: str = ""
    """One line for people about the limit, or about the end of the process. Empty if there was neither."""

    number: int = 0
    """The cell's number in the session, from 1. 0 if the cell was not started."""

    stdout_is_cut: bool = False
    """True if `stdout` lacks the end of what the cell wrote."""

    stderr_is_cut: bool = False
    """True if `stderr` lacks the end of what the cell wrote."""

    wall_seconds: float = 0.0

    def __post_init__(self) -> None:
        """Make the detail one printable line."""
        make_printable(self, ("detail",))

    @property
    def succeeded(self) -> bool:
        """True if the cell ran to its end, within its limits."""
        return self.error is None and self.limit is None
