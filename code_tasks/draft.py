"""The file of results while a run goes on: what a run that ended early, however, leaves to the next one.

Results are appended as they come, each with its sample's number. A last step puts them in the samples' order, as the
file that was asked for.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from array import array
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from sandboxes import shortened

SECONDS_BETWEEN_WRITES = 0.5
NOWHERE = -1


class DraftError(Exception):
    """A draft can't be begun, gone on with or made a file; the message says what to do."""


class Draft:
    """A context manager: the draft of one file of results, which no other run may use meanwhile."""

    def __init__(self, path: Path, total: int, settings: Mapping[str, Any], resume: bool):
        """Opens nothing yet.

        Args:
            path: of the file that it is the draft of.
            total: samples in all.
            settings: what decides on results, as JSON. A draft with others is not gone on with.
            resume: whether there may be a draft, to be gone on with.
        """
        self.path, self.total, self.settings, self.resume = path, total, dict(settings), resume
        self.draft = draft_of(path)
        self._file: IO[bytes]
        self._places = array("q", [NOWHERE]) * total
        """Where in the draft each sample's result is."""
        self._end = 0
        self._written_at = time.monotonic()

    def __enter__(self) -> Draft:
        """Begins the draft, or reads the one that there is.

        Raises:
            DraftError: if it can't be written, is another run's, is damaged or has other settings; or if there is one
                and `resume` is False.
        """
        if self.path.is_dir():
            raise DraftError(f"can't write {self.path}: it is a folder")
        try:
            # Nothing is cut off: it may be another run's.
            self._file = open(os.open(self.draft, os.O_RDWR | os.O_CREAT, 0o666), "r+b")  # noqa: SIM115
        except OSError as error:
            raise DraftError(f"can't write {self.path}: {error}") from error
        try:
            self._lock()
            if not self.resume and os.fstat(self._file.fileno()).st_size:
                raise DraftError(
                    f"{self.draft} is what a run left that ended early: go on with it by --resume, or remove it"
                )
            if not self._read():
                self._append(json.dumps({"settings": self.settings}).encode() + b"\n")
                self._file.flush()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Writes what is left to be written. A draft without results is removed."""
        with self._file:
            self._file.flush()
            if not any(place != NOWHERE for place in self._places):
                self.draft.unlink(missing_ok=True)

    def __contains__(self, number: object) -> bool:
        """Whether a sample has its result."""
        return isinstance(number, int) and self._places[number] != NOWHERE

    def write(self, number: int, record: Mapping[str, Any]) -> None:
        """Adds a sample's result.

        Args:
            number: of the sample, counted from 0.
            record: the sample with its result, as JSON.
        """
        self._places[number] = self._end
        self._append(json.dumps({"sample": number, "record": record}).encode() + b"\n")
        if time.monotonic() > self._written_at + SECONDS_BETWEEN_WRITES:
            self._file.flush()
            self._written_at = time.monotonic()

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(number, record) of each result that there is, in the samples' order."""
        self._file.flush()
        for number, place in enumerate(self._places):
            if place != NOWHERE:
                self._file.seek(place)
                yield number, json.loads(self._file.readline())["record"]
        self._file.seek(self._end)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Makes the file of all results in the samples' order, with a summary as its last line, in one step.

        Raises:
            DraftError: if it can't be written. The draft is still there then.
        """
        whole = self.path.with_name(self.path.name + ".whole")
        try:
            with open(whole, "wb") as file:
                for _, record in self.records():
                    file.write(json.dumps(record).encode() + b"\n")
                file.write(json.dumps({"summary": dict(summary) | {"settings": self.settings}}).encode() + b"\n")
            whole.replace(self.path)
            self.draft.unlink()
        except OSError as error:
            raise DraftError(f"can't write {self.path}: {error}; --resume goes on from {self.draft}") from error

    def _append(self, line: bytes) -> None:
        self._file.write(line)
        self._end += len(line)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DraftError(f"another run is writing {self.path}") from error

    def _read(self) -> bool:
        """Reads the draft; False if it is empty. A last line that is not whole is cut off."""
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                self._take(number, json.loads(line))
            except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
                raise DraftError(
                    f"{self.draft}:{number}: not a line of results ({error}); remove the file to begin anew"
                ) from error
            self._end += len(line)
        self._file.seek(self._end)
        self._file.truncate()
        return self._end > 0

    def _take(self, number: int, said: Any) -> None:
        if number == 1:
            check_same(said["settings"], self.settings, self.draft)
        elif not 0 <= said["sample"] < self.total or not isinstance(said["record"], dict):
            raise ValueError(shortened(said["sample"]))
        else:
            self._places[said["sample"]] = self._end


def check_same(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> None:
    """Raises DraftError, naming what differs, unless two runs' settings are the same."""
    # As they come back from JSON.
    new = json.loads(json.dumps(new))
    if differ := [name for name in {**new, **old} if old.get(name) != new.get(name)]:
        name = differ[0]
        raise DraftError(
            f"{path} is of a run with other settings: {name} was {shortened(old.get(name))}, and is "
            f"{shortened(new.get(name))}; give the same, or remove the file to begin anew"
        )


def draft_of(path: Path) -> Path:
    """Where results are written until they are whole."""
    return path.with_name(path.name + ".partial")


def summary_of(path: Path) -> dict[str, Any] | None:
    """The summary of a file of results; None if there is no such file, or it has none."""
    try:
        with open(path, "rb") as file:
            [last] = deque(file, maxlen=1)
        said = json.loads(last)
    except (OSError, ValueError):
        return None
    return said.get("summary") if isinstance(said, dict) else None
