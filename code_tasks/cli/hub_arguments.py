"""The options of `code-eval run` that upload its results to the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from code_tasks.cli.arguments import usage_errors
from code_tasks.cli.output import fail
from code_tasks.scoring.hub_upload import HubDataSet, HubUploadError
from code_tasks.scoring.results import Results

SPELLINGS = {
    "overwrite=True": "--hub-overwrite",
    "private=False": "--hub-public",
    "programs=False": "--hub-verdicts-only",
}
"""Options of `Results.push_to_hub` as the command spells them."""


@dataclass(frozen=True)
class HubArguments:
    """Where results are uploaded, and how."""

    PANEL: ClassVar[str] = "Hugging Face Hub"

    push_to_hub: Annotated[
        str | None,
        typer.Option(
            metavar="OWNER/NAME",
            help="Upload the results to the Hugging Face Hub as a private dataset with a card, when the run has "
            "ended. Needs --output, and a token: HF_TOKEN, or the one that `hf auth login` has stored.",
        ),
    ] = None
    hub_public: Annotated[bool, typer.Option("--hub-public", help="Let everybody see the dataset.")] = False
    hub_overwrite: Annotated[
        bool, typer.Option("--hub-overwrite", help="Replace results that were uploaded there before.")
    ] = False
    hub_verdicts_only: Annotated[
        bool,
        typer.Option(
            "--hub-verdicts-only", help="Leave out everything that candidates and tests wrote: programs, outputs."
        ),
    ] = False
    hub_model: Annotated[str | None, typer.Option(metavar="NAME", help="The model's name, for the card.")] = None

    def check(self, output: Path | None) -> None:
        """Raise BadParameter for options that don't fit. End the command if the Hub would refuse the results.

        Args:
            output: the results file.
        """
        if self.push_to_hub is None:
            for name in ("hub_public", "hub_overwrite", "hub_verdicts_only", "hub_model"):
                if getattr(self, name) not in (None, False):
                    raise typer.BadParameter(f"--{name.replace('_', '-')} goes with --push-to-hub")
            return
        if output is None:
            raise typer.BadParameter("--push-to-hub uploads what is in --output, which is missing")
        with usage_errors():
            target = self._target(self.push_to_hub)
        with failing():
            target.check()

    def push(self, output: Path | None, benchmark: str | None) -> None:
        """Upload the results, and print the URL. End the command if the Hub refuses them.

        Args:
            output: the results file.
            benchmark: the benchmark's name.
        """
        if self.push_to_hub is None or output is None:
            return
        with failing(f"; the results are in {output}, and --resume with the same options tries again"):
            target = self._target(self.push_to_hub)
            url = Results.read(output).push_to_hub(
                self.push_to_hub,
                private=target.private,
                overwrite=target.overwrite,
                programs=not self.hub_verdicts_only,
                model=self.hub_model,
                benchmark=benchmark,
            )
        typer.echo(f"{'private' if target.private else 'public'} dataset: {url}", err=True)

    def _target(self, repo_id: str) -> HubDataSet:
        return HubDataSet(repo_id, private=not self.hub_public, overwrite=self.hub_overwrite)


@contextmanager
def failing(left: str = "") -> Iterator[None]:
    """End the command with the message of a HubUploadError.

    Args:
        left: the end of the message.
    """
    try:
        yield
    except HubUploadError as error:
        message = str(error)
        for name, spelling in SPELLINGS.items():
            message = message.replace(name, spelling)
        fail(message + left)
