"""Records of MERA's CodeCorrectness: code, a test of it, and whether the test succeeds."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.readers import InputError, InputErrors, cant_read, open_input
from code_tasks.correctness.escaped_newlines import with_newlines
from sandboxes.validation import short_json

LABELS = ("success", "failed")
LANGUAGES = ("python", "java", "go")
FIELDS = ("focal_code", "test_code", "lang")
MAX_FILE_BYTES = 256 << 20
"""Largest unpacked file of records, which is held in memory as a whole."""


class UnusableRecordError(ValueError):
    """A record's test is invalid, or needs a missing library. A run would say nothing about the record's code."""


class InvalidTestError(UnusableRecordError):
    """A record's test is not a valid program of its language."""


@dataclass(frozen=True)
class Record:
    """One record: a file, a test of it, and the dataset's label."""

    id: str
    focal_code: str
    """The file under test, with real newlines."""

    test_code: str
    """The file with the tests."""

    language: str
    """One of LANGUAGES."""

    label: str
    """The dataset's label, one of LABELS; empty if it has none."""

    place: str = ""
    """Location of the record: "file:line"."""

    source: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON object that the record was read from; empty if it was not read from one."""


def read_correctness(path: Path, needs_labels: bool = True) -> list[Record]:
    """Return the records of a file: JSON lines, an array, or one record, plain or gzipped.

    Args:
        path: of the file.
        needs_labels: whether a record without a label is an error.

    Raises:
        InputError: with a message for each value that is not a record, or that repeats one.
    """
    errors = InputErrors()
    records: dict[str, Record] = {}
    for number, (location, value) in enumerate(parse_values(path, errors), start=1):
        messages = check_value(value, needs_labels)
        errors.add(*(f"{location}: {message}" for message in messages))
        if messages:
            continue
        record = parse_record(value, location, str(number))
        if record.id in records:
            errors.add(f"{location}: duplicate meta.id {short_json(record.id)}")
        records[record.id] = record
    errors.raise_if_any()
    if not records:
        raise InputError(f"{path}: there are no records in it")
    return list(records.values())


def parse_record(value: dict[str, Any], place: str = "", number: str = "1") -> Record:
    """Return the record of a JSON object in which `check_value` finds no errors.

    Args:
        value: the object.
        place: of the record.
        number: the record's id if the object has none.
    """
    inputs, language = value["inputs"], value["inputs"]["lang"].strip().lower()
    focal_code, test_code = (with_newlines(inputs[name], language) for name in ("focal_code", "test_code"))
    name = str(value.get("meta", {}).get("id", number))
    return Record(name, focal_code, test_code, language, str_or_empty(value.get("outputs")).strip(), place, value)


def check_value(value: Any, needs_labels: bool) -> list[str]:
    """Return the errors of a value that should be a record, one line each."""
    if not isinstance(value, dict):
        return [f"not a JSON object, but {short_json(value)}"]
    inputs = value.get("inputs")
    if not isinstance(inputs, dict):
        return ["inputs must be an object with focal_code, test_code and lang"]
    errors = [f"inputs.{name} is not a text" for name in FIELDS if not str_or_empty(inputs.get(name)).strip()]
    language = str_or_empty(inputs.get("lang")).strip()
    if language and language.lower() not in LANGUAGES:
        errors.append(f"inputs.lang must be Python, Java or Go, not {short_json(language)}")
    label = value.get("outputs")
    if label is None or (isinstance(label, str) and not label.strip()):
        if needs_labels:
            errors.append(f"there is no label: outputs is {short_json(label)}; --labels FILE makes missing labels")
    elif str_or_empty(label).strip() not in LABELS:
        errors.append(f"outputs must be {' or '.join(LABELS)}, not {short_json(label)}")
    if not isinstance(value.get("meta", {}), dict):
        errors.append(f"meta must be an object with an id, not {short_json(value['meta'])}")
    return errors


def str_or_empty(value: Any) -> str:
    """Return a string as it is, and "" for other values."""
    return value if isinstance(value, str) else ""


def parse_values(path: Path, errors: InputErrors) -> Iterator[tuple[str, Any]]:
    """Yield ("file:line", value) for each JSON value of a file. Other text is added to `errors`."""
    text = read_text(path)
    if text.lstrip().startswith("[") or is_one_value(text):
        yield from parse_array(text, path, errors)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"{path}:{number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                errors.add(f"{path}:{number}: not JSON ({error})")


def is_one_value(text: str) -> bool:
    """Return whether a text is one JSON value, which may have several lines."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def parse_array(text: str, path: Path, errors: InputErrors) -> Iterator[tuple[str, Any]]:
    """Yield ("file:line", value) for each element of a JSON array, or for a text that is one value."""
    decoder, position = json.JSONDecoder(), len(text) - len(text.lstrip())
    is_array = text[position : position + 1] == "["
    position += is_array
    while rest := text[position:].lstrip():
        if is_array and rest[0] in ",]":
            position = len(text) - len(rest) + 1
            continue
        begin = len(text) - len(rest)
        location = f"{path}:{text.count(chr(10), 0, begin) + 1}"
        try:
            value, position = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            errors.add(f"{location}: not JSON ({error})")
            return
        yield location, value


def read_text(path: Path) -> str:
    """Return the text of a file, which may be gzipped.

    Raises:
        InputError: if the file can't be read, or its unpacked text has more than MAX_FILE_BYTES.
    """
    try:
        with ExitStack() as stack:
            data = open_input(path, stack).read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise InputError(f"{path} holds more than {MAX_FILE_BYTES >> 20} MiB, which is not read; split it")
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise cant_read(path, error) from error
