"""Columns of samples with other names: those that a user maps, and those of official tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from code_tasks.benchmarks.samples import CODE_FIELDS
from sandboxes.validation import short_repr, summarize

CODE_NAMES = tuple(field.name for field in CODE_FIELDS)
TARGETS = ("task_id", *CODE_NAMES)
"""Fields that a column can be mapped to."""

OFFICIAL = (
    (("task_id", "prompt", "output"), "output", "completions"),
    (("id", "code", "metadata"), "code", "completion"),
    (("task_id", "predict"), "predict", "completions"),
)
"""(fields that a record has together, the one with its code, what that is): the records of TACO, DS-1000, ClassEval."""


def parse_columns(texts: Iterable[str]) -> dict[str, str]:
    """Return the columns by the fields that they stand for.

    Args:
        texts: each has one or more FIELD=COLUMN, with commas between them.

    Raises:
        ValueError: if one is written in another way, or names a field that samples don't have, or one twice.
    """
    columns: dict[str, str] = {}
    for part in (part for text in texts for part in text.split(",")):
        field, separator, column = (each.strip() for each in part.partition("="))
        if not separator or not column:
            raise ValueError(f"write FIELD=COLUMN, such as completion=response, not {short_repr(part)}")
        if field not in TARGETS:
            raise ValueError(f"samples have no field {short_repr(field)} to map; choose from {', '.join(TARGETS)}")
        if field in columns:
            raise ValueError(f"{field} stands for one column, and not for {columns[field]} and {column}")
        columns[field] = column
    if len(code := [name for name in CODE_NAMES if name in columns]) > 1:
        raise ValueError(f"the code of a sample is in one column, and not in those of {' and '.join(code)}")
    return columns


def with_columns(record: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Return a record with fields in place of a user's columns. Other fields with code don't count any more.

    Args:
        record: of a sample.
        columns: as `parse_columns` returns them.

    Raises:
        ValueError: if there is no such column.
    """
    for field, column in columns.items():
        if column not in record:
            there = summarize([*map(short_repr, record)])
            raise ValueError(f"there is no column {short_repr(column)}, which is to be {field}; there are {there}")
    mapped = {field: record[column] for field, column in columns.items()}
    hidden = CODE_NAMES if any(name in mapped for name in CODE_NAMES) else ()
    return {**{name: value for name, value in record.items() if name not in hidden}, **mapped}


def with_official_columns(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record of an official tool with the field that samples have; any other record as it is."""
    if any(name in record for name in CODE_NAMES):
        return record
    for fields, column, field in OFFICIAL:
        if record.keys() >= {*fields} and isinstance(record[column], list if field == "completions" else str):
            return {**record, field: record[column]}
    return record
