"""The values of a file of settings, as the parameters of commands take them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, get_args, get_origin

from typer.models import OptionInfo

from code_tasks.cli.options import plain_type
from code_tasks.cli.wording import without_functions
from code_tasks.scoring.formats.registry import checked_formats
from sandboxes.extraction import checked_extractor
from sandboxes.languages.registry import checked_language
from sandboxes.options.table import OPTIONS
from sandboxes.validation import short_json

ACCEPTED: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "a text in quotation marks"),
    Path: ((str,), "a path in quotation marks"),
    datetime: ((date, str), "a day, such as 2025-01-31"),
}
"""The types of values in TOML, and words for them, by the type of the parameter."""

PAIRS = {"env": "=", "volumes": ":", "packages": ":"}
"""What stands between the two texts of a pair on the command line, of options that are tables in a file."""


@dataclass(frozen=True)
class OptionKey:
    """An option of a command, as a key of a file."""

    name: str
    """The name of the parameter."""

    kind: Any
    """The type of one value."""

    is_list: bool


CHECKS: dict[str, Callable[[Any], Any]] = {
    "language": checked_language,
    "extract": checked_extractor,
    "formats": checked_formats,
}
"""Checks of values that the option table leaves to others."""


def option_keys(function: Callable[..., Any]) -> dict[str, OptionKey]:
    """Return the options of a command's function by their keys: each long spelling without its dashes, and -k as k."""
    keys: dict[str, OptionKey] = {}
    for parameter in inspect.signature(function).parameters.values():
        kind, *infos = get_args(parameter.annotation) or (None,)
        if not infos or not isinstance(info := infos[0], OptionInfo):
            continue
        # Within Annotated, typer has the first spelling in the place of a default.
        flags = [flag for flag in (info.default, *(info.param_decls or ())) if isinstance(flag, str)]
        is_list = any(get_origin(each) is list for each in (kind, *get_args(kind)))
        option = OptionKey(parameter.name, plain_type(kind), is_list)
        spellings = [flag.partition("/")[0].lstrip("-") for flag in flags]
        keys |= dict.fromkeys(spellings or [parameter.name.replace("_", "-")], option)
    return keys


def value_for(option: OptionKey, value: Any, folder: Path) -> Any:
    """Return a file's value as typer takes it, checked.

    Args:
        option: that it is for.
        value: of TOML.
        folder: of the file, which relative paths begin at.

    Raises:
        TypeError: if it has another type.
        ValueError: if the option table refuses it.
    """
    if option.is_list:
        values = list_for(option, value)
        CHECKS.get(option.name, list)(values)
        return values
    types, words = ACCEPTED[option.kind]
    if not isinstance(value, types) or (isinstance(value, bool) and option.kind is not bool):
        raise TypeError(f"must be {words}, not {short_json(value)}")
    if option.name in OPTIONS:
        try:
            OPTIONS[option.name].checked(value)
            CHECKS.get(option.name, repr)(value)
        except (ValueError, TypeError) as error:
            # The file's own key stands before the message.
            raise ValueError(without_functions(str(error)).removeprefix(f"{option.name} ")) from error
    if option.kind is Path:
        return str(folder / str(value))
    return str(value) if option.kind is datetime else value


def list_for(option: OptionKey, value: Any) -> list[str]:
    """Return the texts of an option that may be repeated. Raises TypeError for a value that is no list of texts."""
    between = PAIRS.get(option.name)
    if between and isinstance(value, dict):
        value = [f"{name}{between}{text}" for name, text in value.items()]
    values = value if isinstance(value, list) else [value]
    if wrong := [each for each in values if isinstance(each, bool) or not isinstance(each, str | int | float)]:
        table = " or a table of them" if between else ""
        raise TypeError(f"must be a text or number, or an array{table}, not {short_json(wrong[0])}")
    return [*map(str, values)]
