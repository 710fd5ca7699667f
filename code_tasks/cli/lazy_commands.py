"""Commands whose modules are imported when they are called, so that the list of commands is shown without them."""

from __future__ import annotations

import functools
import pkgutil
from typing import Any

import typer
from typer.core import TyperCommand

from code_tasks.cli.examples import epilog_of


class LazyCommand(TyperCommand):
    """A command, or a group of commands, that stands in a module which is not imported yet."""

    def __init__(self, name: str, source: str, text: str, panel: str):
        """Import nothing yet.

        Args:
            name: of the command.
            source: "module:name" of the command's function, or of the group's `typer.Typer`.
            text: for the list of commands.
            panel: the panel of that list.
        """
        super().__init__(name, help=text, rich_help_panel=panel)
        self.source = source

    @functools.cached_property
    def loaded(self) -> Any:
        """The command or group itself."""
        part = pkgutil.resolve_name(self.source)
        if isinstance(part, typer.Typer):
            return typer.main.get_group(part)
        app = typer.Typer(add_completion=False)
        app.command(self.name, epilog=epilog_of(str(self.name)))(part)
        return typer.main.get_command(app)

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """Return the context of the command itself, which typer then invokes."""
        return self.loaded.make_context(*arguments, **settings)
