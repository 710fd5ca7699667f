"""The problems that have no sample, and the samples that are not taken: what a file of samples leaves out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

MAX_IDS_SHOWN = 3


@dataclass(frozen=True)
class Coverage:
    """How much of the chosen problems a file of samples covers."""

    problems: int = 0
    """Number of the chosen problems."""

    missing: Sequence[str] = ()
    """Ids of those without a sample, in their order."""

    skipped: int = 0
    """Number of samples of other problems, which `--limit` and `--task` leave out."""

    is_zero: bool = False
    """Whether problems without a sample count as unsolved. False: they are not in the score."""

    @property
    def unsolved(self) -> int:
        """The number of problems that count as unsolved without a sample."""
        return len(self.missing) if self.is_zero else 0

    @property
    def without_samples(self) -> str:
        """The subject and verb of a sentence on the problems without a sample, with the first of their ids."""
        count, shown = len(self.missing), ", ".join(itertools.islice(self.missing, MAX_IDS_SHOWN))
        others = ", ..." if count > MAX_IDS_SHOWN else ""
        return f"{count} of the {self.problems} problems {'has' if count == 1 else 'have'} no sample ({shown}{others})"

    def lines(self) -> list[str]:
        """Return the lines of the report."""
        lines = []
        if self.missing and self.is_zero:
            lines.append(f"{self.without_samples}; without one, a problem counts as unsolved")
        elif self.missing:
            lines.append(f"{self.without_samples}; without one, a problem is not in the score")
        if self.skipped:
            plural = "" if self.skipped == 1 else "s"
            lines.append(f"{self.skipped} sample{plural} of tasks that were not chosen: left out")
        return lines


WHOLE = Coverage()
"""Nothing is left out."""
