"""Names of fields that decide on verdicts in the field's data, wherever they stand.

A reader that knows such a field judges by it. Where no reader does, `check_fields` refuses it, because a checker or a
limit that is dropped makes verdicts wrong. Other unknown fields pass: ids, difficulties, notes of one's own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping
from typing import Any

from sandboxes.languages.registry import ALIASES, NAMES
from sandboxes.validation import summarize

PROGRAM = r"_(?:code|program|source|file|path|function)"
JUDGES = rf"(?:(?:custom|output|generated)_)?(?:checker|validator|comparator|interactor)s?(?:{PROGRAM})?|judge{PROGRAM}"
SPECIAL = rf"(?:(?:is|has|needs)_)?(?:special_judge|spj)(?:{PROGRAM})?|(?:is_)?interactive|interaction_format"
UNITS = r"(?:_(?:s|sec|seconds|ms|mb|kb|bytes))?"
LIMITS = rf"(?:(?:tests?|cases?|run|cpu|wall)_)?(?:time_?out|(?:time|memory)_?limit)s?{UNITS}"
FRAME = r"suffix|prefix|(?:(?:tests?|code)_)?(?:setup|teardown|preamble|prelude|imports?)(?:_(?:code|statements?))?"
KINDS = r"(?:(?:public|private|hidden|generated|official|challenge|extra|base|plus|unit|system)_)*"
TESTS = rf"{KINDS}tests?(?:_?(?:case|list|code|suite))?s?|assert(?:ion)?s?|assert_case|(?:base|plus)_inputs?"
CASES = r"inputs?_outputs?|verification_info|(?:fn|func)_name|input_mode|(?:input|output)_file|(?:tests?_|data_)?files"
TOLERANCE = r"(?:(?:abs|rel|absolute|relative|float|output)_)?tolerance|[ar]tol|epsilon|(?:ignore|any)_order"
DECIDES = re.compile("|".join((JUDGES, SPECIAL, LIMITS, FRAME, TESTS, CASES, TOLERANCE)))
"""Matches the whole of a name in `plain_name`'s form."""

LANGUAGE_FIELDS = ("language", "lang", "programming_language", "code_language")
WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")


def plain_name(name: str) -> str:
    """Return a field's name in small letters, with "_" between its words: that of "timeLimit" is "time_limit"."""
    return "_".join(filter(None, WORD_END.split(name))).lower()


@functools.lru_cache(4096)
def decides(name: str) -> bool:
    """Return whether a field's name says that it decides on verdicts, if it has a value at all."""
    return plain_name(name) in LANGUAGE_FIELDS or DECIDES.fullmatch(plain_name(name)) is not None


def has_effect(name: str, value: Any) -> bool:
    """Return whether the value of a field that decides has an effect: Python has none, and no language of people."""
    if plain_name(name) not in LANGUAGE_FIELDS:
        return bool(value)
    language = ALIASES.get(value.lower(), value.lower()) if isinstance(value, str) else ""
    return language in NAMES and language != "python"


def check_fields(record: Mapping[str, Any], known: Collection[str], way_out: str) -> None:
    """Raise ValueError if a record has fields that decide on verdicts, and that are not known.

    A field without a value, such as "", null or false, decides nothing.

    Args:
        record: any object of a dataset.
        known: names of fields that are read, or that the benchmark's own grader does not use.
        way_out: words for the user after the names.
    """
    unread = [name for name in record if name not in known and decides(name) and has_effect(name, record[name])]
    if unread:
        shown = summarize(list(map(repr, unread)))
        raise ValueError(
            f"{shown} may decide on verdicts, and {'is' if len(unread) == 1 else 'are'} not read {way_out}"
        )
