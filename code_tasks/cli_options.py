"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

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
NetworkOption = Annotated[bool, typer.Option("--network", help="Let programs use the network.")]
ReadOnlyPathOption = Annotated[
    list[Path] | None, typer.Option(help="One more file or folder that programs can read; may be repeated.")
]
PreloadOption = Annotated[
    list[str] | None,
    typer.Option(help="A module to import once, before programs run, such as numpy; may be repeated."),
]
AllowedImportOption = Annotated[
    list[str] | None,
    typer.Option(help="With --sandbox restricted: a module that programs may import; may be repeated."),
]
AllowUnderscoreNamesOption = Annotated[
    bool,
    typer.Option("--allow-underscore-names", help="With --sandbox restricted: names may begin with one underscore."),
]
AllowStrFormatOption = Annotated[
    bool, typer.Option("--allow-str-format", help="With --sandbox restricted: str.format works.")
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        help="With --sandbox restricted: what programs may be written in. strict: as RestrictedPython has it; or "
        "MODULE:CLASS, a subclass of its RestrictingNodeTransformer in a module that PYTHONPATH leads to.",
        show_default="what models write, as far as it is safe",
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


def sandbox_options(
    sandbox: str,
    memory_mb: int,
    isolation: str,
    network: bool,
    read_only_path: list[Path] | None,
    preload: list[str] | None,
    **own_options: Any,
) -> dict[str, Any]:
    """What `open_sandbox` takes besides the sandbox's name, from what was given to a command.

    Args:
        sandbox: its name.
        memory_mb: of a program; some sandboxes are to know it too.
        isolation: "auto", "strict" or "off".
        network: whether programs have it.
        read_only_path: what they can read besides; None for nothing.
        preload: modules to import before them; None for none.
        **own_options: of one sandbox alone; what is empty was not given.
    """
    options: dict[str, Any] = {"isolation": isolation, "network": network, "preload": preload or []}
    options["read_only_paths"] = [str(path) for path in read_only_path or ()]
    options |= {name: value for name, value in own_options.items() if value not in (None, False, [])}
    if sandbox in BACKENDS and "memory_mb" in BACKENDS[sandbox].limit_options:
        options["memory_mb"] = memory_mb
    return options
