"""Commands whose modules are imported when they are called, so that the list of commands is shown without them."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from code_tasks.cli.examples import epilog_of

if TYPE_CHECKING:
    from code_tasks.cli.settings_file import FileValue
    from code_tasks.cli.settings_values import OptionKey


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
    def part(self) -> Any:
        """The command's function, or the group's `typer.Typer`."""
        return pkgutil.resolve_name(self.source)

    @functools.cached_property
    def loaded(self) -> Any:
        """The command or group itself."""
        if isinstance(self.part, typer.Typer):
            return typer.main.get_group(self.part)
        app = typer.Typer(add_completion=False)
        app.command(self.name, epilog=epilog_of(str(self.name)))(self.part)
        return typer.main.get_command(app)

    @property
    def keys(self) -> Mapping[str, OptionKey]:
        """The command's options by their keys in a file of settings. A group has none."""
        from code_tasks.cli.settings_values import option_keys

        return {} if isinstance(self.part, typer.Typer) else option_keys(self.part)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **settings: Any) -> Any:
        """Return the context of the command itself, which typer then invokes.

        The values of a file of settings are the command's defaults. No file is read to show help or to complete words.
        """
        make: Callable[..., Any] = functools.partial(self._make_own, info_name, parent=parent, **settings)
        is_run = parent is not None and not parent.resilient_parsing and not settings.get("resilient_parsing")
        if not is_run or "--help" in args or isinstance(self.part, typer.Typer):
            return make([*args])
        from_file = self._settings_of_file(parent, make([*args], resilient_parsing=True))
        try:
            return make([*args], default_map={name: value.value for name, value in from_file.items()})
        except typer.BadParameter as error:
            if error.param is not None and (origin := from_file.get(str(error.param.name))):
                from sandboxes.validation import printable

                error.message = printable(f"{origin.place}: {error.message}")
            raise

    def _make_own(self, info_name: str | None, args: list[str], **settings: Any) -> Any:
        """Return the context of the command itself. A value that can't be parsed is an error in the command's words."""
        if "--help" in args or (not args and isinstance(self.part, typer.Typer)):
            from code_tasks.cli.help_panels import use_whole_names

            use_whole_names()
        try:
            return self.loaded.make_context(info_name, args, **settings)
        except typer.BadParameter as error:
            from code_tasks.cli.wording import as_words_of_parser

            error.message = as_words_of_parser(error)
            raise

    def _settings_of_file(self, parent: Any, given: Any) -> Mapping[str, FileValue]:
        """Return the values that a file sets, and the command line leaves open.

        Args:
            parent: the context of `code-eval`, with the options before the command.
            given: a context of this command, with the values of the command line.
        """
        from code_tasks.cli.output import fail
        from code_tasks.cli.settings_file import SettingsError, settings_of_command

        if parent.params["no_config"]:
            return {}
        commands = parent.command.commands
        sources = {name: given.get_parameter_source(name) for name in given.params}
        on_command_line = {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}
        try:
            return settings_of_command(
                str(self.name), commands, lambda name: commands[name].keys, parent.params["config"], on_command_line
            )
        except SettingsError as error:
            fail(str(error))
