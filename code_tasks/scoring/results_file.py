"""The partial results file (`*.partial`): results are appended as they arrive, so that `--resume` can continue a run.

`code-eval run` writes and resumes it. Each line holds a result and the index of its sample. The last step of a run
writes the results in the samples' order to the file that was asked for. A partial file must be this user's own, and
each of its lines is checked before it counts.
"""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from code_tasks.benchmarks.readers import MAX_LINE_BYTES, InputError, bounded_lines
from code_tasks.scoring.results_format import changed_settings, check_counted, checked_record, result_line, summary_line
from code_tasks.scoring.trusted_files import (
    UntrustedFileError,
    cant_write,
    check_replaceable,
    open_own,
    partial_path,
    try_lock,
    write_whole,
)
from sandboxes.validation import short_json, system_reason

# Longest time for which results stay in memory before they are written.
WRITE_INTERVAL_SECONDS = 0.5
NO_OFFSET = -1
FIRST_BYTES = b'{"settings": '


class PartialResultsError(Exception):
    """A partial file can't be started, resumed or finished. The message says what to do."""


def check_settings(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Raise PartialResultsError if a file of results belongs to a run with other settings.

    Args:
        path: the file.
        old: its settings.
        new: those of this run.
    """
    if changes := changed_settings(old, new):
        raise PartialResultsError(
            f"{path} belongs to a run with other settings: {'; '.join(changes)}; give the same settings, or remove the "
            "file to start over"
        )


class PartialResults:
    """A context manager: the partial file of one results file, locked against other runs."""

    def __init__(
        self, path: Path, total: int, settings: Mapping[str, Any], resume: bool, task_ids: Container[str] | None = None
    ):
        """Store the arguments; nothing is opened yet.

        Args:
            path: the results file. The partial file is beside it.
            total: number of all samples.
            settings: the values that affect results, as JSON. A partial file with other settings is refused.
            resume: whether a partial file may exist, to be continued.
            task_ids: the tasks of all samples. None: any task.
        """
        self.path, self.total, self.settings, self.resume = path, total, dict(settings), resume
        self.partial = partial_path(path)
        self._task_ids = task_ids
        self._file: IO[bytes]
        self._offsets = array("q", [NO_OFFSET]) * total
        """Offset of each sample's line in the partial file."""
        self._end = 0
        self._written_at = time.monotonic()

    def __enter__(self) -> PartialResults:
        """Start the partial file, or read the existing one.

        Raises:
            PartialResultsError: if the file can't be written, if another run writes it, if it is damaged or has other
                settings, or if it exists and `resume` is False.
        """
        try:
            check_replaceable(self.path)
            # The file is not truncated here, because it may be another run's.
            self._file = open(open_own(self.partial, os.O_RDWR, may_create=True), "r+b")  # noqa: SIM115
        except UntrustedFileError as error:
            raise PartialResultsError(str(error)) from error
        except OSError as error:
            raise PartialResultsError(cant_write(self.path, error)) from error
        try:
            self._lock()
            if not self.resume and os.fstat(self._file.fileno()).st_size:
                raise PartialResultsError(
                    f"an interrupted run left {self.partial}: continue it with --resume, or remove the file"
                )
            if not self._read():
                self._begin()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write the remaining lines. Remove a partial file without results.

        Raises:
            PartialResultsError: if they can't be written, unless there is another error already.
        """
        try:
            self._flush()
        except PartialResultsError:
            if kind is None:
                raise
        finally:
            if not self._has_results:
                self.partial.unlink(missing_ok=True)
            self._close()

    def __contains__(self, index: object) -> bool:
        """Return whether there is a result for a sample's index."""
        return isinstance(index, int) and self._offsets[index] != NO_OFFSET

    def write(self, index: int, record: Mapping[str, Any]) -> None:
        """Add a sample's result.

        Args:
            index: of the sample, from 0.
            record: the sample with its result, as JSON.

        Raises:
            PartialResultsError: if the file can't be written.
        """
        self._offsets[index] = self._end
        self._append(json.dumps({"sample": index, "record": record}).encode() + b"\n")
        if time.monotonic() > self._written_at + WRITE_INTERVAL_SECONDS:
            self._flush()
            self._written_at = time.monotonic()

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (index, record) of each result, in the samples' order."""
        self._flush()
        for index, offset in enumerate(self._offsets):
            if offset != NO_OFFSET:
                self._file.seek(offset)
                yield index, json.loads(self._file.readline())["record"]
        self._file.seek(self._end)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the results file in one step: all results in the samples' order, and a summary as the last line.

        Raises:
            PartialResultsError: if the file can't be written. The partial file then remains.
        """
        try:
            write_whole(self.path, self._result_lines(summary))
            self.partial.unlink()
        except OSError as error:
            raise PartialResultsError(
                f"{cant_write(self.path, error)}; --resume continues from {self.partial}"
            ) from error

    def _result_lines(self, summary: Mapping[str, Any]) -> Iterator[bytes]:
        for _, record in self.records():
            yield result_line(record)
        yield summary_line(dict(summary) | {"settings": self.settings})

    def _append(self, line: bytes) -> None:
        with self._write_errors():
            self._file.write(line)
        self._end += len(line)

    def _flush(self) -> None:
        with self._write_errors():
            self._file.flush()

    @contextmanager
    def _write_errors(self) -> Iterator[None]:
        """Raise PartialResultsError if the file can't be written, for example because the disk is full."""
        try:
            yield
        except OSError as error:
            advice = f"; --resume continues from {self.partial}" if self._has_results else ""
            raise PartialResultsError(f"{cant_write(self.partial, error)}{advice}") from error

    @property
    def _has_results(self) -> bool:
        return any(offset != NO_OFFSET for offset in self._offsets)

    def _begin(self) -> None:
        """Write the first line. Remove the file if that fails, because it would look like an interrupted run's."""
        try:
            self._append(json.dumps({"settings": self.settings}).encode() + b"\n")
            self._flush()
        except PartialResultsError:
            self.partial.unlink(missing_ok=True)
            raise

    def _close(self) -> None:
        # Closing writes what is left once more, which fails on a full disk. The file is closed all the same.
        with suppress(OSError):
            self._file.close()

    def _lock(self) -> None:
        try:
            is_locked = try_lock(self._file.fileno())
        except OSError as error:
            raise PartialResultsError(f"can't lock {self.partial}: {system_reason(error)}") from error
        if not is_locked:
            raise PartialResultsError(f"another run is writing {self.path}")

    def _read(self) -> bool:
        """Read the partial file, and remove a last line that a kill cut off. Return False if the file is empty.

        Raises:
            PartialResultsError: if the file is damaged, or has other settings. Nothing is removed then.
        """
        try:
            for number, line in bounded_lines(self._file, MAX_LINE_BYTES, str(self.partial)):
                if not line.endswith(b"\n") and (number > 1 or line[: len(FIRST_BYTES)] == FIRST_BYTES[: len(line)]):
                    break
                self._add_line(number, json.loads(line))
                self._end += len(line)
        except InputError as error:
            raise PartialResultsError(f"{error}; remove {self.partial} to start over") from error
        except (ValueError, RecursionError) as error:
            raise PartialResultsError(
                f"{self.partial}:{number}: not a line of results ({error}); remove the file to start over"
            ) from error
        self._file.seek(self._end)
        self._file.truncate()
        return self._end > 0

    def _add_line(self, number: int, value: Any) -> None:
        """Add the value of one line. Raise InputError or PartialResultsError if it is invalid."""
        location = f"{self.partial}:{number}"
        if number == 1:
            settings = value.get("settings") if isinstance(value, dict) else None
            if not isinstance(settings, dict):
                raise InputError(f"{location}: not the first line of a partial results file, but {short_json(value)}")
            check_settings(self.partial, settings, self.settings)
            return
        sample = value.get("sample") if isinstance(value, dict) else None
        if isinstance(sample, bool) or not isinstance(sample, int) or not 0 <= sample < self.total:
            raise InputError(f"{location}: sample must be from 0 to {self.total - 1}, not {short_json(sample)}")
        record = checked_record(location, value.get("record"))
        check_counted(location, value["record"])
        if self._task_ids is not None and record["task_id"] not in self._task_ids:
            raise InputError(f"{location}: there is no sample of {short_json(record['task_id'])}")
        self._offsets[sample] = self._end
