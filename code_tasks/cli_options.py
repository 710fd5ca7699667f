"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from sandboxes import BACKENDS

DEFAULT_SANDBOX = "subprocess"


class OnSandboxError(StrEnum):
    """What to do about a sample that the sandbox could not run."""

    RAISE = "raise"
    EXCLUDE = "exclude"


class Grading(StrEnum):
    """Where tests run."""

    SHARED = "shared"
    SEPARATE = "separate"
    AUTO = "auto"


class IsolationMode(StrEnum):
    """How isolated samples must be."""

    AUTO = "auto"
    STRICT = "strict"
    OFF = "off"


SandboxOption = Annotated[str, typer.Option(help=f"Where samples run: {', '.join(BACKENDS)}.")]
IsolationOption = Annotated[
    IsolationMode,
    typer.Option(
        help="auto: every layer that can be had here, with a warning of the others. strict: all of them, or nothing "
        "runs. off: limits only, for debugging."
    ),
]
ImageOption = Annotated[
    str | None,
    typer.Option(help="With --sandbox docker: any image with Python 3.8 or newer.", show_default="python:3.11-slim"),
]
PackageOption = Annotated[
    list[str] | None,
    typer.Option(help="With --sandbox docker: a PyPI requirement to install on the image; may be repeated."),
]
DatasetOption = Annotated[
    str | None,
    typer.Option(help="Instead of --problems: a data set on the Hugging Face Hub, such as openai/openai_humaneval."),
]
SplitOption = Annotated[str, typer.Option(help="The data set's split.")]
HostOption = Annotated[
    str | None, typer.Option(help="Where the engine is, as DOCKER_HOST has it.", show_default="as the docker command")
]
