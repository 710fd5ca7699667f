"""The one check of options by the option table, for every entry point."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sandboxes.options.option import written_default
from sandboxes.options.table import OPTIONS
from sandboxes.validation import near_names

WRITTEN_DEFAULTS = {name: written_default(option) for name, option in OPTIONS.items()}
"""The default of each option, as it stands in the metric's parameter list."""


def checked_options(
    options: Mapping[str, Any], defaults: Mapping[str, Any], without: Collection[str] = ()
) -> dict[str, Any]:
    """Return the given options after their checks, and the entry point's defaults for the others.

    Args:
        options: options as `compute` takes them.
        defaults: the entry point's defaults, where they differ from the table's.
        without: options that the entry point refuses.

    Raises:
        TypeError: for an option that is not in the table, or that the entry point refuses.
        ValueError, TypeError: for an invalid value; the message names the option and the value.
    """
    if unknown := sorted(set(options) - set(OPTIONS)):
        names = [name for name in OPTIONS if name not in without]
        meant = near_names(unknown[0], names)
        raise TypeError(f"there is no option {unknown[0]!r}{meant}; the options are {', '.join(names)}")
    given = {name: value for name, value in options.items() if value is not None or not OPTIONS[name].allows_none}
    if refused := sorted(set(given) & set(without)):
        raise TypeError(f"there is no option {refused[0]!r} here")
    return {name: OPTIONS[name].checked(value) for name, value in {**defaults, **given}.items()}


def given_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options among a function's parameters that the caller gave.

    A value that is the parameter's written default counts as not given.

    Args:
        parameters: the values of a function's parameters, as `locals()` has them at its beginning. Every option is one.
    """
    given = {}
    for name, default in WRITTEN_DEFAULTS.items():
        value = parameters[name]
        # An array has no single truth, so types are compared first.
        if value is not default and (type(value) is not type(default) or value != default):
            given[name] = value
    return given
