"""Fields of records: their types, and texts of JSON in them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from typing import Any

from sandboxes.extraction import code_blocks
from sandboxes.imports import parse_source
from sandboxes.languages.registry import ALIASES, checked_language
from sandboxes.tasks.io_cases import check_cases
from sandboxes.validation import short_json, summarize


def text_field(record: Mapping[str, Any], name: str) -> str:
    """Return a field that must be a text.

    Raises:
        ValueError, TypeError: if the field is missing, or anything else.
    """
    if not isinstance(value := required(record, name), str):
        raise TypeError(f"{name!r} is not a string, but {short_json(value)}")
    return value


def optional_text(record: Mapping[str, Any], name: str) -> str | None:
    """Return a field that may be missing, or hold no text: then None."""
    value = record.get(name)
    return value if isinstance(value, str) else None


def texts_field(record: Mapping[str, Any], name: str) -> list[str]:
    """Return a field that must be a list of texts. Raises as `text_field` does."""
    value = required(record, name)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{name!r} is not a list of strings, but {short_json(value)}")
    return value


def id_field(record: Mapping[str, Any], name: str) -> str:
    """Return a field that must be a number or a text, as a text. Raises as `text_field` does."""
    value = required(record, name)
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise TypeError(f"{name!r} is neither a number nor a string, but {short_json(value)}")
    return str(value)


def json_field(record: Mapping[str, Any], name: str) -> Any:
    """Return the data of a field, which may be a text of JSON. Raises as `text_field` does."""
    value = required(record, name)
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name!r} is not JSON ({error}): {short_json(value)}") from error


def optional_interactor(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the field `interactor` adds to the tests of a record; {} if the record has no interactor.

    No published dataset of problems from contests has the field. It holds an interactor as references give it, or a
    text of JSON with one. Raises as `text_field` does.
    """
    value = json_field(record, "interactor") if record.get("interactor") else None
    return {"interactor": value} if value is not None else {}


def first_solution(record: Mapping[str, Any]) -> str | None:
    """Return the first program of the field `solutions`, which is a list of texts, or JSON of one.

    Return None if there is none: records without a solution are published, and can be judged all the same.
    """
    value = record.get("solutions")
    if isinstance(value, str) and value:
        value = json_field(record, "solutions")
    if not value:
        return None
    if not isinstance(value, list) or not isinstance(value[0], str):
        raise TypeError(f"'solutions' is not a list of programs, but {short_json(value)}")
    return value[0]


def object_field(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a field that must be an object, or a text of one in JSON or Python. Raises as `text_field` does."""
    value = required(record, name)
    if isinstance(value, str):
        value = literal(name, value)
    if not isinstance(value, dict):
        raise TypeError(f"{name!r} is not an object, but {short_json(value)}")
    return value


def literal(name: str, text: str) -> Any:
    """Return the data that a text holds, in JSON or as Python writes it.

    Args:
        name: of the text's field, for messages.
        text: of the data.

    Raises:
        ValueError: if the text is neither.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        [statement] = parse_source(text.strip()).body
        return ast.literal_eval(statement.value)  # type: ignore[attr-defined]
    except (ValueError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        raise ValueError(f"{name!r} is data neither of JSON nor of Python: {short_json(text)}") from error


def language_field(record: Mapping[str, Any], name: str) -> str:
    """Return the language that a field names. Raises as `text_field` does, and for a language that can't be run."""
    language = text_field(record, name).lower()
    return checked_language(ALIASES.get(language, language))


def case_text(value: Any) -> str:
    """Return a script's input or output as a text. None is an empty one, and a list holds its lines.

    Raises:
        TypeError: if the value is neither of them, nor a text or a number.
    """
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if value is not None and not isinstance(value, str | int | float):
        raise TypeError(f"the input or output of a case is neither a text nor a number, but {short_json(value)}")
    return "" if value is None else str(value)


def solution_code(value: Any) -> str | None:
    """Return the code of a canonical solution, which may stand in a fenced block. None: it is no text, or empty."""
    return (code_blocks(value) or [value])[-1] if isinstance(value, str) and value.strip() else None


def case_lists(data: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the lists "inputs" and "outputs". Raises as `text_field` does, also if their lengths differ."""
    check_cases([data])
    inputs, outputs = required(data, "inputs"), required(data, "outputs")
    if not isinstance(inputs, list) or not isinstance(outputs, list) or len(inputs) != len(outputs):
        shown = f"{short_json(inputs)} and {short_json(outputs)}"
        raise TypeError(f"'inputs' and 'outputs' must be lists of the same length, not {shown}")
    return inputs, outputs


def required(record: Mapping[str, Any], name: str) -> Any:
    """Return a field's value. Raises ValueError if the record has no such field."""
    if name not in record:
        raise ValueError(missing_key(record, name))
    return record[name]


def missing_key(record: Mapping[str, Any], name: str, others: Iterable[str] = ()) -> str:
    """Return the message about a record without a field.

    Args:
        record: the record.
        name: the field.
        others: fields that could be there in its place.
    """
    instead = f" (or {', '.join(map(repr, others))})" if others else ""
    message = f"missing key {name!r}{instead}"
    return f"{message}; there are {summarize([*map(repr, record)])}" if record else message
