"""Readers of lines and records, from JSON lines files."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from code_tasks.benchmarks.diagnosis import SAMPLES, describe_foreign_format, diagnose
from sandboxes.validation import short_json, system_reason

MAX_ERRORS_SHOWN = 50
MAX_SAME_SHOWN = 3
"""Number of lines that are shown with the same message. A file of another kind has it in each line."""

MAX_ERRORS = 10_000
"""Number of errors after which the rest of a file is not read."""

MAX_LINE_BYTES = 256 << 20
"""Largest unpacked line of problems or results. A line is held in memory as a whole."""

READ_BYTES = 1 << 17
HEAD_BYTES = 1 << 16
"""Size of a file's beginning by which its format is detected."""

UTF_8_MARK = b"\xef\xbb\xbf"
"""Bytes in front of some texts in UTF-8."""

QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
MAX_ALIKE_SHOWN = 10
"""Number of lines that are shown with messages that differ in values alone."""


class InputError(ValueError):
    """An input file or dataset is invalid. The message has a line per error, with its location."""


class InputErrors:
    """The errors of a file's lines: the first messages, and the number of all."""

    def __init__(self) -> None:
        """Start without errors."""
        self.shown: list[str] = []
        self.count = 0
        self._messages: Counter[str] = Counter()

    def add(self, *errors: str) -> None:
        """Add messages that begin with the error's location.

        Raises:
            InputError: with the first messages, if there are MAX_ERRORS. Such a file has another format.
        """
        for error in errors:
            message = error.partition(": ")[2] or error
            # A hint, which follows a semicolon, differs where the fault is the same.
            form = f"form of {QUOTED.sub('', message).partition(';')[0]}"
            is_new = self._messages[message] < MAX_SAME_SHOWN and self._messages[form] < MAX_ALIKE_SHOWN
            if is_new and len(self.shown) < MAX_ERRORS_SHOWN:
                self._messages.update((message, form))
                self.shown.append(error)
        self.count += len(errors)
        if self.count >= MAX_ERRORS:
            raise InputError("\n".join([*self.shown, f"... and so on; after {MAX_ERRORS} such lines no more was read"]))

    def raise_if_any(self) -> None:
        """Raise InputError with the messages if there are any."""
        if self.count > len(self.shown):
            self.shown.append(f"... and {self.count - len(self.shown)} more such lines")
        if self.count:
            raise InputError("\n".join(self.shown))


def rows_with_locations(name: str, rows: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Yield (location, row) pairs. A field that only some rows have is null in the others, and left out there."""
    for number, row in enumerate(rows):
        is_dict = isinstance(row, dict)
        yield f"{name} {number}", {key: value for key, value in row.items() if value is not None} if is_dict else row


def parse_lines(
    path: Path, errors: InputErrors, max_bytes: int = MAX_LINE_BYTES, shown: Path | None = None
) -> Iterator[tuple[str, Any]]:
    """Return ("file:line", value) pairs for the lines that are JSON.

    Blank lines are skipped. The errors of other lines are added to `errors`.

    Args:
        path: of the file.
        errors: gets the errors of lines.
        max_bytes: largest line.
        shown: the file's name in messages. None: the path.

    Raises:
        InputError: as `read_lines` and `InputErrors.add` do.
    """
    return parsed_lines(read_lines(path, max_bytes, shown), str(shown or path), errors)


def parsed_lines(lines: Iterable[tuple[int, bytes]], name: str, errors: InputErrors) -> Iterator[tuple[str, Any]]:
    """Yield ("file:line", value) for each (number, line) that is JSON.

    Args:
        lines: of the file.
        name: the file's, in messages.
        errors: gets the errors of lines.
    """
    for number, line in lines:
        location = f"{name}:{number}"
        if not (line := line.strip()):
            continue
        try:
            yield location, json.loads(line)
        except (ValueError, RecursionError) as error:
            errors.add(f"{location}: not JSON ({reason_of(error)})")


def reason_of(error: Exception) -> str:
    """Return why a text is not JSON, or why a file can't be read, in words without Python's."""
    if isinstance(error, json.JSONDecodeError):
        place = f"at character {error.pos + 1:,}" if error.pos < len(error.doc) else "at its end: it may be cut off"
        # Some of the messages end with "at", before a place.
        return f"{error.msg[:1].lower()}{error.msg[1:].removesuffix(' at')} {place}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1:,} is not UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, EOFError):
        return "it is cut off: its compressed data have no end"
    if isinstance(error, zlib.error):
        return "its compressed data are damaged"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return system_reason(error) if isinstance(error, OSError) else str(error)


def cant_read(path: Path, error: Exception) -> InputError:
    """Return the error of a file that can't be read."""
    return InputError(f"can't read {path}: {reason_of(error)}")


def explain_error(
    error: InputError,
    expected: str,
    path: Path,
    records: Callable[[InputErrors], Iterable[tuple[str, Any]]],
    *,
    shown: Path | None = None,
    known: Collection[str] = (),
    lines_only: bool = False,
) -> InputError:
    """Return one error about a file as a whole in place of the errors of its lines, if it is of another kind.

    The file is read once more, except for a pipe, which can't be.

    Args:
        error: of the file's lines.
        expected: the kind of records, as `diagnose` takes it.
        path: of the file or folder.
        records: yields the (location, value) pairs of the file.
        shown: the file's name in messages. None: the path.
        known: ids of the problems, for samples.
        lines_only: whether JSON lines alone are read.
    """
    name, text = str(shown or path), ""
    try:
        if path.is_file():
            with ExitStack() as stack:
                head = open_input(path, stack).read(HEAD_BYTES)
            text = describe_foreign_format(name, head, lines_only=lines_only, reads_objects=expected == SAMPLES)
        if not text and (path.is_file() or path.is_dir()):
            text = diagnose(expected, name, records(InputErrors()), known)
    except (InputError, OSError, EOFError, zlib.error):
        # The file's own error says what is wrong with it.
        return error
    return InputError(text) if text else error


def objects_of(records: Iterable[tuple[str, Any]], errors: InputErrors) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the (location, record) pairs whose record is an object. The errors of others are added to `errors`."""
    for location, record in records:
        if isinstance(record, dict):
            yield location, record
        else:
            errors.add(f"{location}: not a JSON object, but {short_json(record)}")


def read_lines(path: Path, max_bytes: int = MAX_LINE_BYTES, shown: Path | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, line) of a file, which may be gzipped, or of a pipe.

    Args:
        path: of the file.
        max_bytes: largest line. No more of a file is in memory at once, whatever size it unpacks to.
        shown: the file's name in messages. None: the path.

    Raises:
        InputError: if the file can't be read, or a line is too long.
    """
    try:
        with ExitStack() as stack:
            yield from bounded_lines(open_input(path, stack), max_bytes, str(shown or path))
    except (OSError, EOFError, zlib.error) as error:
        raise cant_read(shown or path, error) from error


def open_input(path: Path, stack: ExitStack) -> io.BufferedReader:
    """Open a file, which may be gzipped, for unpacked reading, after the mark of UTF-8. `stack` closes it.

    Raises:
        OSError, EOFError, zlib.error: if the file can't be read.
    """
    # The file is opened once, because a pipe's data can't be read twice.
    file: io.BufferedReader = stack.enter_context(io.BufferedReader(io.FileIO(path), READ_BYTES))
    if file.peek(2)[:2] == b"\x1f\x8b":
        unpacked: Any = gzip.GzipFile(fileobj=file)
        file = stack.enter_context(io.BufferedReader(unpacked, READ_BYTES))
    if file.peek(3).startswith(UTF_8_MARK):
        file.read(len(UTF_8_MARK))
    return file


def bounded_lines(file: IO[bytes], max_bytes: int, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, line) of an open file. Raises InputError for a line of more than `max_bytes`."""
    number = 0
    while line := file.readline(max_bytes + 1):
        number += 1
        if len(line) > max_bytes:
            raise InputError(
                f"{name}:{number}: a line of more than {max_bytes >> 20} MiB, which is not read; remove it"
            )
        yield number, line
