"""Results as a table with a row for each sample: CSV and Parquet."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sandboxes.extraction import encodable

ROWS = 1024
"""Rows that are in memory at once."""

NUMBERS = {
    **dict.fromkeys(("passed", "our_passed", "flaky", "cached"), "bool"),
    **dict.fromkeys(("completion_id", "peak_memory_bytes", "attempts", "decided_by_candidate"), "int64"),
    **dict.fromkeys(("wall_seconds", "cpu_seconds", "waited_seconds", "partial_credit"), "float64"),
}
"""Types of columns. A column that is neither here nor in LISTS has texts."""

LISTS = ("isolation", "repeats", "tests")
TEST_TYPES = {"name": "string", "outcome": "string", "message": "string", "seconds": "float64"}


def csv_rows(fields: Sequence[str], records: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the lines of a CSV file. A list is a text of JSON in it, and a missing value is empty."""
    text = io.StringIO()
    writer = csv.writer(text)
    for row in itertools.chain([fields], (map(record.get, fields) for record in records)):
        writer.writerow([as_text(value) for value in row])
        yield encodable(text.getvalue()).encode()
        text.seek(0)
        text.truncate()


def as_text(value: Any) -> Any:
    """Return a value for a column of texts: lists and objects as JSON, and the rest as it is."""
    return json.dumps(value) if isinstance(value, list | tuple | dict) else value


def parquet(fields: Sequence[str], records: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the parts of a Parquet file. Single tests are lists of objects in it."""
    import pyarrow
    import pyarrow.parquet

    schema = arrow_schema(fields)
    parts = Parts()
    with pyarrow.parquet.ParquetWriter(parts, schema) as writer:
        remaining = iter(records)
        while rows := list(itertools.islice(remaining, ROWS)):
            writer.write_table(pyarrow.Table.from_pylist([row(fields, record) for record in rows], schema))
            yield parts.take()
    yield parts.take()


def arrow_schema(fields: Sequence[str]) -> Any:
    """Return the pyarrow.Schema of a table with these columns."""
    import pyarrow

    test = pyarrow.struct([(name, pyarrow.type_for_alias(kind)) for name, kind in TEST_TYPES.items()])
    lists = {name: pyarrow.list_(test if name == "tests" else pyarrow.string()) for name in LISTS}
    columns = [(name, lists.get(name) or pyarrow.type_for_alias(NUMBERS.get(name, "string"))) for name in fields]
    return pyarrow.schema(columns)


def row(fields: Sequence[str], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as a row of a table with these columns."""
    return {name: cell(name, record.get(name)) for name in fields}


def cell(name: str, value: Any) -> Any:
    """Return a value for the column of a field. UTF-8 can encode its texts."""
    if value is None or name in NUMBERS:
        return value
    if name not in LISTS:
        return encodable(str(as_text(value)))
    return [
        {key: plain(part) for key, part in item.items()} if isinstance(item, dict) else plain(item) for item in value
    ]


def plain(value: Any) -> Any:
    """Return an item of a list, with a text that UTF-8 can encode."""
    return encodable(value) if isinstance(value, str) else value


class Parts(io.RawIOBase):
    """A file to write to, whose content is taken in parts."""

    def __init__(self) -> None:
        """Start empty."""
        self._parts: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the number of bytes that were written."""
        return self._position

    def write(self, data: Any) -> int:
        """Add bytes."""
        part = bytes(data)
        self._parts.append(part)
        self._position += len(part)
        return len(part)

    def take(self) -> bytes:
        """Return the bytes since the last call."""
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken
