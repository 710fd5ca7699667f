"""A record as a file: JSON lines that are only ever appended, and are on disk when `flush` returns."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import threading
import time
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from code_tasks.recording import RECORD_TYPES, RecordError, record_lines, sample_id, serialisable
from code_tasks.solver import Task
from code_tasks.trusted_files import UntrustedFile, open_own

# For lines that nobody waits for.
SECONDS_UNTIL_WRITTEN = 0.5
FIRST_BYTES = b'{"timestamp": '


class JsonlRecorder:
    """Appends to a file of JSON lines, which it has for itself until it is closed."""

    def __init__(self, path: Path, resume: bool = False):
        """Opens the file. With `resume`, a last line that was cut off is removed from it.

        Args:
            path: of the file.
            resume: True: it is there; False: it must not be there, or be empty.

        Raises:
            RecordError: if it is, or is not, there as it must be, another process has it, or it can't be opened.
        """
        self.path = path
        self._fd = opened(path, resume)
        self._pending: list[bytes] = []
        self._pending_lock = threading.Lock()
        self._disk_lock = threading.Lock()
        self._recorded = self._on_disk = 0
        self._writing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._broken: RecordError | None = None
        self._warned = False

    def record(self, record_type: str, task: Task | None = None, **fields: Any) -> None:
        """Takes down one line; it is on disk after the next `flush`, or soon."""
        line = {
            "timestamp": round(time.time(), 3),
            "record_type": record_type,
            "sample_id": sample_id(task) if task else None,
            "group_id": task.question_id if task else None,
        }
        if task:
            line |= {"attempt_id": task.attempt_id, "retry_idx": task.retry_idx}
        encoded = self._encoded(line | fields)
        with self._pending_lock:
            self._pending.append(encoded)
            self._recorded += 1
        if self._timer is None:
            with contextlib.suppress(RuntimeError):
                self._timer = asyncio.get_running_loop().call_later(SECONDS_UNTIL_WRITTEN, self._write_soon)

    async def flush(self) -> None:
        """Returns when all that was taken down before is on disk. Attempts that end at once share one flush of it.

        Raises:
            RecordError: if it can't be written, now or before.
        """
        wanted = self._recorded
        while self._on_disk < wanted:
            # Shielded: the write is everybody's, and goes on if one of them is cancelled.
            await asyncio.shield(self._write())

    def close(self) -> None:
        """Puts what is left on disk, and lets go of the file."""
        if self._timer is not None:
            self._timer.cancel()
        try:
            if self._broken is None:
                self._write_out()
        finally:
            with self._disk_lock:
                if self._fd >= 0:
                    os.close(self._fd)
                self._fd = -1

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def _write_soon(self) -> None:
        self._timer = None
        if self._broken is None:
            # What fails is raised by the next `flush`.
            self._write().add_done_callback(lambda done: done.cancelled() or done.exception())

    def _write(self) -> asyncio.Task[None]:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(asyncio.to_thread(self._write_out))
        return self._writing

    def _write_out(self) -> None:
        """Writes what is pending. In any thread."""
        with self._disk_lock:
            if self._broken is not None:
                raise self._broken
            with self._pending_lock:
                lines, self._pending = self._pending, []
                recorded = self._recorded
            if not lines or self._fd < 0:
                return
            data = memoryview(b"".join(lines))
            try:
                while data:
                    data = data[os.write(self._fd, data) :]
                os.fsync(self._fd)
            except OSError as error:
                # Nothing may follow what is perhaps half of a line.
                self._broken = RecordError(f"can't write the record {self.path}: {error.strerror}")
                raise self._broken from error
            self._on_disk = recorded

    def _encoded(self, line: dict[str, Any]) -> bytes:
        try:
            text = json.dumps(line, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            dropped: list[str] = []
            text = json.dumps(serialisable(line, "", dropped), allow_nan=False)
            if dropped and not self._warned:
                self._warned = True
                warnings.warn(
                    f"{dropped[0]} of a {line['record_type']} can't be written as JSON and is left out of the record; "
                    "so will be whatever else can't",
                    stacklevel=3,
                )
        return text.encode() + b"\n"


def opened(path: Path, resume: bool) -> int:
    """Returns a descriptor of a record that appends, and is this process's alone. The record's last line is whole.

    Raises:
        RecordError: as `JsonlRecorder` does.
    """
    try:
        fd = open_own(path, os.O_RDWR | os.O_APPEND, may_create=not resume)
    except UntrustedFile as error:
        raise RecordError(str(error)) from error
    except OSError as error:
        way_out = "; --output begins a new one" if resume else ""
        raise RecordError(f"can't open the record {path}: {error.strerror}{way_out}") from error
    try:
        try:
            # Of the open file, so it ends with this process, however that ends.
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RecordError(f"another process is writing the record {path}; wait until it is done") from error
        if resume:
            repair(fd, path)
        elif os.fstat(fd).st_size:
            raise RecordError(f"{path} is there already; --resume goes on with it, or choose another name")
        else:
            sync_folder(path)
    except BaseException:
        os.close(fd)
        raise
    return fd


def sync_folder(path: Path) -> None:
    """Puts a new file's name on disk, which its own flush does not."""
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def repair(fd: int, path: Path) -> None:
    """Removes a last line of a record that is not whole.

    Raises:
        RecordError: if the file is no record: nothing of it is removed then.
    """
    begin = end = 0
    last = b""
    with open(os.dup(fd), "rb") as file:
        for number, line in record_lines(file, path):
            if number == 1 and not is_first_line(line):
                raise RecordError(f"{path} is no record of `code-eval solve`: its first line is another thing")
            begin, end, last = end, end + len(line), line
    if not last:
        return
    try:
        json.loads(last)
    except (ValueError, RecursionError):
        os.ftruncate(fd, begin)
    else:
        if not last.endswith(b"\n"):
            os.write(fd, b"\n")
    os.fsync(fd)


def is_first_line(line: bytes) -> bool:
    """Returns whether a file that begins so can be a record: also one that was cut off in its first line."""
    if not line.endswith(b"\n") and line[: len(FIRST_BYTES)] == FIRST_BYTES[: len(line)]:
        return True
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("record_type") in RECORD_TYPES
