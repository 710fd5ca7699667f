"""Progress bars that count the results of attempts, one for each status, and show when the run will end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from tqdm.auto import tqdm

from code_tasks.solvers.attempts import Attempt
from code_tasks.solvers.run import Retry
from sandboxes.pool.progress import BAR_DELAY_SECONDS
from sandboxes.validation import printable

BAR_FORMAT = "{l_bar}{bar}{r_bar} ends {eta:%b %d %H:%M}"
STATUS_FORMAT = "  {desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}"
STATUSES = {"corr": "green", "errs": "yellow", "fail": "red"}
"""The statuses by their names on the screen, with their bars' colours: correct, system errors, incorrect."""
NOTICE_SECONDS = 30.0
"""Attempts that wait for the same reason are told of once in this time."""
MAX_REASON_CHARS = 60
"""Characters of a reason in the bar."""


class SolverBar:
    """A context manager whose `count` is called after each attempt, and `tell` when one has to wait.

    One bar is for all attempts, and shows three counts: `corr` correct, `errs` system errors, `fail` incorrect. Below
    it each of the three has a bar of its own. Until an attempt is done, the bar says what the attempts wait for.
    """

    def __init__(self, total: int, show: bool | None = None, done: Iterable[Attempt] = ()):
        """Open the bars.

        Args:
            total: number of all attempts.
            show: True or False; None shows the bars on a terminal only.
            done: attempts of an earlier run.
        """
        self._counts = dict.fromkeys(STATUSES, 0)
        self._told_at: dict[str, float] = {}
        attempts_before = tuple(done)
        for attempt in attempts_before:
            self._counts[status_of(attempt)] += 1
        options: dict[str, Any] = {
            "total": total,
            "delay": BAR_DELAY_SECONDS,
            "disable": None if show is None else not show,
        }
        self._bar = tqdm(
            desc="waiting for the first result",
            initial=len(attempts_before),
            unit="attempt",
            position=0,
            bar_format=BAR_FORMAT,
            **options,
        )
        self._by_status = {
            status: tqdm(
                desc=status,
                colour=colour,
                initial=self._counts[status],
                position=position,
                bar_format=STATUS_FORMAT,
                **options,
            )
            for position, (status, colour) in enumerate(STATUSES.items(), start=1)
        }

    def count(self, attempt: Attempt) -> None:
        """Count an attempt."""
        status = status_of(attempt)
        self._counts[status] += 1
        self._bar.set_description_str("", refresh=False)
        self._bar.set_postfix(self._counts, refresh=False)
        self._bar.update()
        self._by_status[status].update()

    def tell(self, retry: Retry) -> None:
        """Print why attempts wait, at once, also where no bars are shown."""
        reason, now = printable(str(retry.error) or type(retry.error).__name__), time.monotonic()
        if now - self._told_at.get(reason, -NOTICE_SECONDS) >= NOTICE_SECONDS:
            self._told_at[reason] = now
            seconds = f"{retry.seconds:.2g}" if retry.seconds < 10 else f"{retry.seconds:.0f}"
            tqdm.write(f"{reason}, retrying {retry.number} of {retry.retries} in {seconds} s", file=sys.stderr)
        shown = reason if len(reason) <= MAX_REASON_CHARS else f"{reason[: MAX_REASON_CHARS - 3]}..."
        self._bar.set_description_str(f"waiting: {shown}")

    def __enter__(self) -> Self:
        """Return the bars."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the bars, which stay on the screen as they are."""
        for bar in (self._bar, *self._by_status.values()):
            bar.close()


def status_of(attempt: Attempt) -> str:
    """Return the name of an attempt's status."""
    return "errs" if attempt.is_system_error else "corr" if attempt.correct else "fail"
