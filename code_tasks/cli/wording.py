"""The option table's texts and messages, in the words of a command: options by their spelling, values as they are."""

from __future__ import annotations

import re
from typing import Any

from typer import BadParameter

from sandboxes.options.table import OPTIONS
from sandboxes.validation import short_repr

OWN = {"on_solver_error": "--on-solver-error", "n_tries": "--tries"}
"""Options that one command has, and the table has not, as messages name them and as the command spells them."""

_NAMES = "|".join(sorted({*OPTIONS, *OWN}, key=len, reverse=True))
# Neither part of another word nor a value in quotation marks.
OPTION = re.compile(rf"(?<![\w.'\"-])(?P<name>{_NAMES})\b(?:=(?P<value>\"[^\"]*\"|'[^']*'|\w+))?")

OTHER = re.compile(r"^[a-z]+(?:_[a-z]+)+(?= must )")
SWITCHES = {"True": "on", "False": "off"}


PARSED = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"Input should be a valid integer.*", "must be a whole number"),
        (r"Input should be a valid number.*", "must be a number"),
        (r"Input should be a valid boolean.*", "must be true or false"),
        (r"Input should be greater than or equal to (.+)", r"must be at least \1"),
        (r"Input should be less than or equal to (.+)", r"must be at most \1"),
        (r"Value error, (.+) does not match the formats.*", r"must be a day, such as 2025-01-31, not \1"),
    )
)
"""Messages of typer's parser about a value, and the command's words for them."""


OWN_WORDS = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r", a function or \"module:name\"(?=, not )", " or MODULE:NAME"),
        (r", or a function(?=, not )", ""),
        (r"a dict, or the \"module:name\" of one(?=, not )", "the MODULE:NAME of a mapping"),
        (
            r'a subclass of \S+, "strict", "original", or "module:Class", and its module one that can be imported',
            "strict, original or the MODULE:CLASS of a policy whose module can be imported",
        ),
    )
)
"""What messages say of values that only Python's users can give, and the command's words for it."""

UNKNOWN = re.compile(r"^unknown (benchmark|format|language|sandbox|solver) ")


def as_words_of_parser(error: BadParameter) -> str:
    """Return the message of typer's parser about a value in the command's words."""
    message = error.message
    for pattern, text in PARSED:
        message = pattern.sub(text, message)
    # pydantic's error, which knows the value.
    faults: list[Any] = getattr(error.__cause__, "errors", list)()
    is_named = not faults or " not " in message
    return message if is_named else f"{message}, not {short_repr(faults[0].get('input'))}"


def without_functions(message: str) -> str:
    """Return a message about an option's value without what nobody can write on a command line or in a file."""
    for pattern, text in OWN_WORDS:
        message = pattern.sub(text, message)
    return message


def as_command_text(markdown: str) -> str:
    """Return a text of the option table as a command's help has it."""
    text = re.sub(r'`"([^"`]*)"`', r"\1", markdown)
    return re.sub(r"`([^`]*)`", lambda match: command_spelling(match[1]), text)


def command_spelling(name: str) -> str:
    """Return what users of a command write for an option, and words for a switch; any other text as it is."""
    return OPTIONS[name].spellings[0] if name in OPTIONS else (OWN | SWITCHES).get(name, name)


def as_command_message(message: str) -> str:
    """Return an error message with options as a command spells them.

    An option is a name at the message's beginning, a name with an underscore, or a name before a value, as in
    `isolation="off"`. Other words, such as the noun "policy", stay. A message about an unknown name begins with the
    option that gave it.
    """
    message = OPTION.sub(_spelled, UNKNOWN.sub(r"--\1: \g<0>", without_functions(message)))
    # Options of one command alone, such as those of `code-eval serve`, are not in the table.
    return OTHER.sub(lambda match: f"--{match[0].replace('_', '-')}", message)


def _spelled(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    if value is None:
        return command_spelling(name) if match.start() == 0 or "_" in name else name
    return command_spelling(name) if value == "True" else f"{command_spelling(name)} {value.strip(chr(34) + chr(39))}"
