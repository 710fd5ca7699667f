"""The end of a command that scores: its report as a text or as JSON, and the score that it must reach."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from code_tasks.cli.output import STATUS_BELOW, fail
from sandboxes.validation import short_repr

if TYPE_CHECKING:
    from code_tasks.scoring.coverage import Coverage
    from code_tasks.scoring.sample_file import SampleFile

ROUNDING = 1e-9


@dataclass(frozen=True)
class JsonArguments:
    """The form of the report."""

    PANEL: ClassVar[str] = "The report"

    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON object to stdout, with scores, counts and settings. All else goes to stderr, also the "
            "report for people.",
        ),
    ] = False

    def show(self, text: str, data: Mapping[str, Any]) -> None:
        """Print the report.

        Args:
            text: for people.
            data: the same for programs.
        """
        typer.echo(text, nl=False, err=self.as_json)
        if self.as_json:
            typer.echo(json.dumps(data))


@dataclass(frozen=True)
class ReportArguments(JsonArguments):
    """The form of the report, and the score that is asked for."""

    fail_under: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="SHARE",
            help="End with status 1 if pass@k of the first k is below this share, such as 0.4. Errors have status 2.",
        ),
    ] = None

    @property
    def is_needed(self) -> bool:
        """True if the command has to find out the scores of a run that is complete already."""
        return self.as_json or self.fail_under is not None

    def check(self, k: int, mean: float | None) -> None:
        """End the command with status 1 if the score is below the one that is asked for.

        Args:
            k: the first k.
            mean: pass@k in [0, 1]; None if a task has too few samples, which ends the command with an error.
        """
        if self.fail_under is None:
            return
        if mean is None:
            fail(f"--fail-under needs pass@{k}, for which a task has too few samples with a verdict")
        # The estimate of pass@1 for 1 of 10 samples is less than 0.1 by a rounding error.
        if mean < self.fail_under - ROUNDING:
            typer.echo(f"pass@{k} is {mean:.4g}, below --fail-under {self.fail_under:g}", err=True)
            sys.exit(STATUS_BELOW)


ERROR, ZERO, IGNORE = "error", "zero", "ignore"
MISSING = (ERROR, ZERO, IGNORE)


@dataclass(frozen=True)
class SampleReportArguments(ReportArguments):
    """The report on a file of samples, and what counts where it leaves a problem out."""

    missing: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(MISSING),
            help="Effect of problems without a sample. error: nothing runs, and the status is 2. zero: they count as "
            "unsolved. ignore: they are not in the score.",
            show_default="error if the variable CI is set, otherwise ignore",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Raise BadParameter for an unknown effect."""
        if self.missing not in (None, *MISSING):
            raise typer.BadParameter(f"--missing must be one of {', '.join(MISSING)}, not {short_repr(self.missing)}")

    def checked_coverage(self, file: SampleFile, k: int) -> Coverage:
        """Return what the samples leave out. End the command if it must not leave that out, before anything runs.

        Args:
            file: the samples.
            k: the first k.
        """
        missing = self.missing or (ERROR if is_ci() else IGNORE)
        coverage = file.coverage(missing == ZERO)
        if coverage.missing and missing == ERROR:
            why = "" if self.missing else "; this is an error because the variable CI is set"
            fail(
                f"{coverage.without_samples}{why}; --missing zero counts a problem without one as unsolved, "
                "--missing ignore leaves it out of the score"
            )
        task_id, fewest = min(file.counts_by_task.items(), key=lambda item: item[1])
        if self.fail_under is not None and fewest < k:
            fail(
                f"--fail-under needs pass@{k}, and so {k} samples of each problem; {task_id!r} has {fewest}; choose a "
                "smaller -k"
            )
        return coverage


def is_ci() -> bool:
    """Return whether a CI service runs this process, whose variable CI then has a value."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
