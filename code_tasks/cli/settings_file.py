"""Files with settings of the command: `[tool.code-eval]` of a pyproject.toml, and any file given as `--config`.

`lazy_commands.py` asks for the values of one command before it parses the command line. They are the defaults of that
command, so that the command line wins. What a project's file may set stands in `project_settings.py`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from code_tasks.cli.project_settings import check_trusted
from code_tasks.cli.settings_values import OptionKey, value_for
from sandboxes.validation import near_names, printable, short_json

PROJECT_FILE = "pyproject.toml"
TABLE = "tool.code-eval"
MAX_FILE_BYTES = 1 << 20

DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:"(?:[^"\\\n]|\\.){0,200}+"|'[^'\n]{0,200}+'|[\w-]++)[ \t]*+\.[ \t]*+){100}""")
"""A dotted key that no settings need. The memory that tomllib takes for one grows with the square of its length."""
SOURCE = frozenset({"problems", "dataset", "references", "benchmark", "split", "config", "revision", "since", "until"})
"""Options that name problems together. One of SOURCES on the command line replaces all of a file's."""

SOURCES = frozenset({"problems", "dataset", "references", "benchmark"})


class SettingsError(ValueError):
    """A file of settings is invalid. The message names the file, the key and the way out."""


@dataclass(frozen=True)
class FileValue:
    """The value of one option, from a file."""

    value: Any
    """As typer takes it."""

    text: str
    """The key and its value, for people."""

    place: str
    """The file, the table and the key, for messages."""


@dataclass(frozen=True)
class SettingsFile:
    """A file's table for the command."""

    path: Path
    table: Mapping[str, Any]
    is_project: bool
    """True if the file was found and not named, so that whoever wrote the project may have written it."""

    def values(
        self, command: str, commands: Collection[str], keys_of: Callable[[str], Mapping[str, OptionKey]]
    ) -> dict[str, FileValue]:
        """Return the values for one command, by the names of its parameters. Its own table wins over the common one.

        Args:
            command: its name.
            commands: the names of all commands.
            keys_of: returns the options of a command, by their keys in a file.

        Raises:
            SettingsError: for an unknown key, or an invalid value.
        """
        own = self.table.get(command, {})
        if not isinstance(own, dict):
            raise self._error(TABLE, command, f"must be a table, [{TABLE}.{command}], not {short_json(own)}")
        common = {key: value for key, value in self.table.items() if key not in commands}
        known = keys_of(command)
        values: dict[str, FileValue] = {}
        for where, table in ((TABLE, common), (f"{TABLE}.{command}", own)):
            for key, value in table.items():
                if option := known.get(key.replace("_", "-")):
                    taken = self._value(where, key, value, option, command)
                    values[option.name] = FileValue(taken, f"{key} = {toml(value)}", self._place(where, key))
                elif where != TABLE or not any(key.replace("_", "-") in keys_of(name) for name in commands):
                    raise self._error(where, key, unknown_key(key, command, known))
        return values

    def _value(self, where: str, key: str, value: Any, option: OptionKey, command: str) -> Any:
        try:
            if self.is_project:
                check_trusted(option.name, value, self.path.parent, f"code-eval --config {self.path} {command}")
            return value_for(option, value, self.path.parent)
        except (ValueError, TypeError) as error:
            raise self._error(where, key, str(error)) from error

    def _error(self, where: str, key: str, message: str) -> SettingsError:
        return SettingsError(f"{self._place(where, key)}: {message}")

    def _place(self, where: str, key: str) -> str:
        return f"{self.path}: [{where}] {key}"


def settings_of_command(
    command: str,
    commands: Collection[str],
    keys_of: Callable[[str], Mapping[str, OptionKey]],
    named: Path | None,
    given: Collection[str],
) -> dict[str, FileValue]:
    """Return the values that a file sets for a command, without those that the command line replaces.

    The values of a project's file are printed, because the user did not name it.

    Args:
        command: its name.
        commands: the names of all commands.
        keys_of: as for `SettingsFile.values`.
        named: the file of `--config`.
        given: the names of the parameters on the command line.

    Raises:
        SettingsError: as `read_settings` and `SettingsFile.values` do.
    """
    file = read_settings(named, working_folder())
    if file is None:
        return {}
    replaced = {*given} | (SOURCE if not SOURCES.isdisjoint(given) else frozenset())
    try:
        values = {
            name: value for name, value in file.values(command, commands, keys_of).items() if name not in replaced
        }
    except RecursionError as error:
        raise SettingsError(f"{file.path}: {TABLE} is nested too deeply") from error
    if values and file.is_project:
        typer.echo(printable(f"{file.path}: {', '.join(value.text for value in values.values())}"), err=True)
    return values


def unknown_key(key: str, command: str, known: Mapping[str, OptionKey]) -> str:
    """Return the message of a key that a command has no option for."""
    meant = near_names(key.replace("_", "-"), known)
    return f"unknown key{meant}; `code-eval {command} --help` lists the options, which are keys without their dashes"


def toml(value: Any) -> str:
    """Return a value as a TOML file may have it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def working_folder() -> Path | None:
    """Return the working directory; None if it was removed, or can't be searched."""
    try:
        return Path.cwd()
    except OSError:
        return None


def read_settings(named: Path | None, folder: Path | None) -> SettingsFile | None:
    """Return the settings of the named file, otherwise of the nearest project; None if there are none.

    Args:
        named: a TOML file. Its settings are in `[tool.code-eval]`, or at its top.
        folder: the working directory, if there is one. It and the folders above it may have the project's file.

    Raises:
        SettingsError: if a file can't be read.
    """
    if named:
        document = load(named)
        return SettingsFile(named, table_of(named, document) if "tool" in document else document, is_project=False)
    for place in (folder, *folder.parents) if folder else ():
        # Unlike the method of Path, this is False for a folder that can't be searched.
        if os.path.isfile(path := place / PROJECT_FILE):
            try:
                table = table_of(path, load(path))
            except SettingsError as error:
                raise SettingsError(f"{error}; --no-config ignores the file") from error
            if table:
                return SettingsFile(path, table, is_project=True)
    return None


def table_of(path: Path, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table for the command; {} if there is none. Raises SettingsError if it is no table."""
    tool = document.get("tool", {})
    table = tool.get("code-eval", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: {TABLE} must be a table, not {short_json(table)}")
    return table


def load(path: Path) -> dict[str, Any]:
    """Return what a TOML file has. Raises SettingsError."""
    if path.exists() and not path.is_file():
        # Opening a pipe would wait for somebody who writes to it.
        raise SettingsError(f"{path} is not a regular file, as settings have to be")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise SettingsError(f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB")
        text = data.decode()
        if DEEP_KEY.search(text):
            raise RecursionError
        return tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"can't read {path}: {error.strerror}") from error
    except RecursionError as error:
        raise SettingsError(f"{path} is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not TOML: it is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not TOML: {error}") from error
