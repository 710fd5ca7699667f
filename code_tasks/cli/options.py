"""The options of the option table as parameters of typer commands.

A `Door` says which options a command has. `arguments.expand_arguments` puts them into the command's signature.
"""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, get_args

import typer
from typer.models import OptionInfo

from code_tasks.cli.wording import as_command_text
from sandboxes.backends.registry import BACKENDS
from sandboxes.config import LIMIT_OPTIONS
from sandboxes.guest.common.checkers import CHECKERS
from sandboxes.languages.registry import NAMES as LANGUAGE_NAMES
from sandboxes.options.option import Option
from sandboxes.options.table import DEFAULT_SANDBOX, GROUPS, OPTIONS, REUSE

METAVARS = {
    "cache_dir": "FOLDER",
    "checker": "NAME|MODULE:NAME",
    "custom_builtins": "MODULE:NAME",
    "env": "NAME=VALUE",
    "k": "N[,N...]",
    "packages": "[IMPORT:]REQUIREMENT",
    "policy": "strict|MODULE:CLASS",
    "read_only_paths": "PATH",
    "volumes": "PATH[:PATH]",
}
WORDS = {bool: "", int: "N", float: "NUMBER", str: "TEXT", Path: "FILE", datetime: "YYYY-MM-DD"}
"""What stands for a value in a command's help, by the value's type."""

COMPLETIONS = {"sandbox": tuple(BACKENDS), "language": LANGUAGE_NAMES, "checker": tuple(CHECKERS)}
"""Values that a shell completes, of options that may have others as well."""

UNDECISIVE = frozenset({"k", "num_workers", "cluster", "on_sandbox_error", "progress", "dedupe", *REUSE.names})
"""Options that leave each result as it is."""

DEFAULTS = {
    "sandbox": DEFAULT_SANDBOX,
    **{name: OPTIONS[name].default for name in ("grading", "isolation", "memory_mb", "network", "repeats", "timeout")},
}
"""Defaults that are recorded with results, beside the options that were given."""

GivenOptions = Mapping[str, Any]
"""Options of the table by their names, without those that were not given."""


@dataclass(frozen=True)
class Door:
    """The options of the table that one command has."""

    groups: tuple[str, ...] = tuple(group.name for group in GROUPS)
    """Names of option groups."""

    only: tuple[str, ...] = ()
    """The only options of these groups; empty for all."""

    refused: Mapping[str, str] = field(default_factory=dict)
    """Options of these groups that the command does not have, each with the reason."""

    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Defaults that differ from the table's."""

    @property
    def options(self) -> dict[str, tuple[Option, str]]:
        """Each option by its name, with the title of its group."""
        return {
            option.name: (option, as_command_text(group.title))
            for group in GROUPS
            if group.name in self.groups
            for option in group.options
            if option.name not in self.refused and option.type is not object
            if not self.only or option.name in self.only
        }

    def default(self, option: Option) -> Any:
        """Return the default of one of the options."""
        return self.defaults.get(option.name, DEFAULT_SANDBOX if option.name == "sandbox" else option.default)

    def parameters(self) -> list[inspect.Parameter]:
        """Return the options as parameters of a typer command."""
        return [
            parameter_of(option.name, annotation_of(option, self.default(option), panel), shown_default(self, option))
            for option, panel in self.options.values()
        ]

    def given(self, arguments: Mapping[str, Any]) -> GivenOptions:
        """Return the options that were given, as the option table takes them.

        Raises:
            typer.BadParameter: for a text that can't be parsed.
        """
        options = {}
        for name, (option, _) in self.options.items():
            value = arguments[name]
            if value is None or value == [] or value == shown_default(self, option):
                continue
            options[name] = PARSERS[name](value) if name in PARSERS else value
        return options


def decisive_settings(options: GivenOptions, but: Collection[str] = ()) -> dict[str, Any]:
    """Return the options that decide on results: what was given, and defaults where they are plain values.

    Args:
        options: as they were given.
        but: names of options that are left out.
    """
    there = {**DEFAULTS, **options}
    return {name: value for name, value in there.items() if name not in UNDECISIVE and name not in but}


def shown_default(door: Door, option: Option) -> Any:
    """Return the default that a command's parameter has; None where its help names the default in words.

    Limits have none: one that is given replaces a benchmark's, also if it is the default.
    """
    if option.name in LIMIT_OPTIONS:
        return None
    default = door.default(option)
    is_plain = isinstance(default, int | float | str) and not isinstance(default, bool)
    return option.type(default) if is_plain else None


def annotation_of(option: Option, default: Any, panel: str) -> Any:
    """Return the annotation of a command's parameter."""
    settings: dict[str, Any] = {
        "help": as_command_text(option.help),
        "metavar": "|".join(option.choices) or METAVARS.get(option.name),
    }
    if values := option.choices or COMPLETIONS.get(option.name):
        settings["autocompletion"] = completion_of(values)
    if default is None or isinstance(default, bool | tuple):
        # "False" needs no words, and of a list the words say it.
        words = as_command_text(option.default_text) or ("on" if default else "")
        settings["show_default"] = words.strip("[]{}") or False
    elif option.name in LIMIT_OPTIONS:
        settings["show_default"] = str(default)
    if option.type is int:
        settings["min"] = 1
    flags = option.spellings
    if option.type is bool:
        flags = flags if default is False else tuple(f"{flag}/--no-{flag.removeprefix('--')}" for flag in flags)
    if option.type in (list, dict):
        settings["help"] += " May be repeated."
        kind: Any = list[str]
    else:
        kind = option.type
    return presented(Annotated[kind | None, typer.Option(*flags, **settings)], panel)


def presented(annotation: Any, panel: str | None) -> Any:
    """Return the annotation of an option with a panel of the help, and with words for its values.

    Args:
        annotation: of a parameter. One that is not `Annotated` stays as it is.
        panel: the panel's title. None: the first panel.
    """
    kind, *infos = get_args(annotation) or (annotation,)
    if not infos or not isinstance(infos[0], OptionInfo):
        return annotation
    info = copy.copy(infos[0])
    info.rich_help_panel = panel or info.rich_help_panel
    if info.metavar is None:
        info.metavar = WORDS.get(plain_type(kind))
    return Annotated[kind, info]


def plain_type(kind: Any) -> Any:
    """Return the type of one value, without the list around it and the None beside it."""
    inner = [each for each in get_args(kind) if each is not type(None)]
    return plain_type(inner[0]) if inner else kind


def completion_of(values: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function with which typer completes an option's value in a shell."""

    def complete(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return complete


def parameter_of(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Return a parameter of a command."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def parse_numbers(texts: list[str]) -> list[int]:
    """Return whole numbers from texts such as "1" or "1,10,100"."""
    words = [word.strip() for text in texts for word in text.split(",")]
    if wrong := [word for word in words if not word.isdecimal() or not int(word)]:
        message = f"must be whole numbers of at least 1, such as 1,10,100, not {wrong[0]!r}"
        raise typer.BadParameter(message, param_hint="'-k'")
    return [*map(int, words)]


def parse_variables(texts: list[str]) -> dict[str, str]:
    """Return environment variables from texts such as "NAME=VALUE"."""
    if wrong := [text for text in texts if "=" not in text]:
        raise typer.BadParameter(f"--env must be NAME=VALUE, not {wrong[0]!r}")
    return dict(text.split("=", 1) for text in texts)


def parse_volumes(texts: list[str]) -> dict[str, str]:
    """Return volumes from texts such as "PATH" or "PATH:PATH"."""
    pairs = [text.partition(":") for text in texts]
    return {path: inside or path for path, _, inside in pairs}


def parse_packages(texts: list[str]) -> list[str] | dict[str, str]:
    """Return requirements, or a dict by import names from texts such as "cv2:opencv-python".

    Raises:
        typer.BadParameter: if only some of the texts have an import name.
    """
    named = [match.groups() for text in texts if (match := PACKAGE_OF_IMPORT.fullmatch(text))]
    if not named:
        return texts
    if len(named) < len(texts):
        raise typer.BadParameter("--package must have the form IMPORT:REQUIREMENT for all packages, or for none")
    return {module: requirement for module, requirement in named}


PACKAGE_OF_IMPORT = re.compile(r"([A-Za-z_]\w*):(.+)")
PARSERS: Mapping[str, Callable[[list[str]], Any]] = MappingProxyType(
    {"env": parse_variables, "k": parse_numbers, "volumes": parse_volumes, "packages": parse_packages}
)
