"""A progress bar that counts outcomes while programs run."""

from __future__ import annotations

from types import TracebackType

from tqdm.auto import tqdm

from sandboxes.contract import Outcome, Verdict
from sandboxes.runner import RunResult

BAR_DELAY_SECONDS = 1.5
"""The time that a run takes before its bar appears. Shorter runs show no bar."""

COUNTED_AS = {outcome: outcome.label for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.TIMED_OUT)}


class ProgressBar:
    """A context manager whose `count` is called for each program that has finished."""

    def __init__(self, total: int | None, show: bool | None):
        """Open a bar.

        Args:
            total: number of programs. None: it is not known.
            show: True or False; None shows the bar on a terminal only.
        """
        self._bar = tqdm(
            total=total, unit="sample", delay=BAR_DELAY_SECONDS, disable=None if show is None else not show
        )
        self._counts = dict.fromkeys((*COUNTED_AS.values(), "errors"), 0)

    def count(self, index: int, result: RunResult) -> None:
        """Count one program, whatever its index.

        An error is a program that could not be run, or that did not reach the end of its tests.
        """
        self._counts[COUNTED_AS.get(result.outcome, "errors") if isinstance(result, Verdict) else "errors"] += 1
        if not self._bar.disable:
            self._bar.set_postfix(self._counts, refresh=False)
            self._bar.update()

    def __enter__(self) -> ProgressBar:
        """Return the bar."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bar, and leave it on the screen as it is."""
        self._bar.close()
