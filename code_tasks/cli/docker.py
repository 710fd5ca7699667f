"""The `code-eval docker` command: looks after images and containers of the sandbox docker."""

from __future__ import annotations

from typing import Annotated

import typer

from code_tasks.cli.arguments import expand_arguments
from code_tasks.cli.options import Door, GivenOptions
from code_tasks.cli.output import fail
from code_tasks.cli.wording import as_command_message
from sandboxes import SandboxUnavailable
from sandboxes.backends.docker.engine import DockerCli
from sandboxes.backends.docker.images import prune as prune_images

PRUNE = Door(groups=("docker",), only=("docker_host",))

docker_app = typer.Typer(no_args_is_help=True, help="Manage images and containers of the sandbox docker.")


@docker_app.command()
@expand_arguments
def prune(options: Annotated[GivenOptions, PRUNE]) -> None:
    """Remove the images that were built for --package, and containers that ended but were not removed."""
    try:
        removed = prune_images(DockerCli(options.get("docker_host")))
    except SandboxUnavailable as error:
        fail(as_command_message(str(error)))
    typer.echo("\n".join(removed) or "there is nothing to remove")
