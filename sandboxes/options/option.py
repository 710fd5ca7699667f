"""The description of one option: its name, values, default, check and help. Every entry point takes them from here.

`options.table` holds the options. `options.docs` and the command render them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sandboxes.validation import positive_int, positive_number, short_repr

Check = Callable[[str, Any], Any]
"""(name, value) -> the checked value. Raises ValueError or TypeError with a message that names both."""


@dataclass(frozen=True)
class Option:
    """One option of an evaluation."""

    name: str
    """Its keyword."""

    kind: str
    """The values that the keyword takes, as the documentation names them."""

    type: type
    """The type that a command reads: int, float, bool, str, list or dict (repeatable), or object (not in commands)."""

    help: str
    """Markdown. Options stand in backticks by their names, values in backticks with their quotation marks."""

    default: Any = None
    """The default, or None where the value depends on something else."""

    default_text: str = ""
    """Markdown for a default that depends on something else."""

    check: Check | None = None
    """The check of a value. None: the sandbox or the dataclass that takes the option checks it."""

    choices: tuple[str, ...] = ()
    """All values that the option may have. Empty if they can't be listed."""

    flags: tuple[str, ...] = ()
    """The command's spellings, if the name with dashes is not the only one."""

    allows_none: bool = True
    """True if None stands for the default. False if None could be read as "no limit" or "no choice"."""

    see: str = ""
    """Markdown: a link from docs/options.md to the section on the option."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """The spellings of the command's flag, the best one first."""
        return self.flags or (f"--{self.name.replace('_', '-')}",)

    def checked(self, value: Any) -> Any:
        """Return the value, checked, in the form that an evaluation uses.

        Raises:
            ValueError, TypeError: if it is invalid; the message names the option and the value.
        """
        if self.choices and value not in self.choices:
            raise ValueError(f"{self.name} must be one of {', '.join(self.choices)}, not {short_repr(value)}")
        return self.check(self.name, value) if self.check else value


@dataclass(frozen=True)
class OptionGroup:
    """Options that are documented together."""

    name: str
    title: str
    """Markdown, as the options' help."""

    options: tuple[Option, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The options' names."""
        return tuple(option.name for option in self.options)


def number_of(unit: str) -> Check:
    """Return a check for finite numbers above 0.

    Args:
        unit: what the numbers count, such as "seconds"; "" for plain numbers.
    """
    return lambda name, value: positive_number(name, value, unit)


def whole_numbers(name: str, value: Any) -> tuple[int, ...]:
    """Return whole numbers of at least 1, from one number or from an iterable of any number of them.

    Raises:
        ValueError, TypeError: if one is invalid.
    """
    # An array without dimensions is one number.
    is_one = not isinstance(value, Iterable) or isinstance(value, str | bytes) or getattr(value, "ndim", 1) == 0
    return tuple(positive_int(name, number) for number in ([value] if is_one else value))


def written_default(option: Option) -> Any:
    """Return the default that stands in a function's parameter list: the option's own, or None for one that is made."""
    return option.default if isinstance(option.default, bool | int | float | str | tuple) else None
