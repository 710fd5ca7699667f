"""Records of datasets, from files, folders and the Hugging Face Hub. Each comes with its location, for messages."""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.diagnosis import PROBLEMS
from code_tasks.benchmarks.hub import hub_records, load_rows
from code_tasks.benchmarks.readers import (
    MAX_LINE_BYTES,
    InputError,
    InputErrors,
    bounded_lines,
    cant_read,
    explain_error,
    open_input,
    parsed_lines,
    rows_with_locations,
)
from code_tasks.benchmarks.saved_datasets import chosen_split, is_saved, saved_rows

SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".json.gz", ".parquet")
"""Names of a folder's files that are read end with one of these."""

NO_RECORDS = "dataset_infos.json"
"""A file of old datasets on the Hub, which describes them."""

PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""

Records = Iterator[tuple[str, Any]]
"""(location, record) pairs: "problems.jsonl:3" and what stands there."""


def records_of(
    benchmark: Benchmark,
    source: str | Path,
    split: str | None,
    config: str | None,
    revision: str | None,
    errors: InputErrors,
) -> Records:
    """Return the records of a file, of a folder, or of a dataset on the Hub.

    Args:
        benchmark: that they belong to.
        source: a path, or the id of a dataset.
        split: of a dataset, or of a folder with a file for each split. None: the benchmark's.
        config: of a dataset, or a release.
        revision: of a dataset on the Hub.
        errors: gets the errors of lines.

    Raises:
        ValueError: if there is no such release.
        InputError: if they can't be read; also while they are read.
    """
    path = Path(source)
    if not path.exists():
        if isinstance(source, Path) or source.endswith(SUFFIXES):
            check_exists(path)
        return hub_records(benchmark, str(source), split or benchmark.split, config or benchmark.config, revision)
    names = benchmark.files(split or benchmark.split, config) if benchmark.files and not is_saved(path) else ()
    has_configs = path.is_dir() and (names or is_snapshot(path))
    if revision or (config and not has_configs):
        name = "revision" if revision else "config"
        raise ValueError(f"{path} is read as it is: a {name} is for a dataset on the Hub")
    if is_saved(path):
        return saved_rows(path, split, benchmark.split)
    if not names and is_snapshot(path):
        return snapshot_rows(path, split, benchmark.split, config or benchmark.config)
    return folder_records(path, names, config, errors) if path.is_dir() else file_records(path, errors)


def path_records(path: Path, errors: InputErrors, split: str | None = None) -> Records:
    """Return the records of a file, or of all files of a folder.

    Args:
        path: of the file or folder.
        errors: gets the errors of lines.
        split: of a dataset that `save_to_disk` wrote, or of a copy of a dataset's repository. None: the only one, or
            "test".

    Raises:
        InputError: if they can't be read; also while they are read.
    """
    check_exists(path)
    if is_saved(path):
        return saved_rows(path, split, "test")
    if is_snapshot(path):
        return snapshot_rows(path, split, "test", None)
    return folder_records(path, (), None, errors) if path.is_dir() else file_records(path, errors)


@contextmanager
def problems_explained(source: str | Path | None) -> Iterator[None]:
    """Replace the errors of a file's records with one about the whole file, if that has no problems at all.

    Args:
        source: a path. Otherwise, such as for a dataset on the Hub, errors stay as they are.
    """
    try:
        yield
    except InputError as error:
        if source is None or not Path(source).exists():
            raise
        path = Path(source)
        raise explain_error(error, PROBLEMS, path, functools.partial(path_records, path)) from error


def check_exists(path: Path) -> None:
    """Raise InputError unless there is a file or folder."""
    if not path.exists():
        raise InputError(f"can't read {path}: there is no such file")


def record_files(path: Path) -> list[Path]:
    """Return a folder's files that may have records, by their names."""
    return sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES) and file.name != NO_RECORDS)


def is_snapshot(path: Path) -> bool:
    """Return whether a folder is a copy of a dataset's repository on the Hub, with files in folders such as `data`."""
    if not path.is_dir() or record_files(path):
        return False
    return any(record_files(folder) for folder in path.iterdir() if folder.is_dir())


def snapshot_rows(path: Path, split: str | None, default: str, config: str | None) -> Records:
    """Yield (location, row) of a copy of a dataset's repository, whose splits `datasets` finds.

    Args:
        path: the folder's path.
        split: the split's name. None: the only one, or the default.
        default: the split that is taken of several.
        config: the configuration's name. None: the only one.

    Raises:
        InputError: if the folder can't be read, or lacks the split or configuration.
    """
    import datasets

    try:
        splits = datasets.get_dataset_split_names(str(path), config)
    # The errors of `datasets` have no base in common.
    except Exception as error:
        raise InputError(f"can't read {path}: {error}") from error
    chosen = chosen_split(path, splits, split, default)
    yield from rows_with_locations(f"{path}, row", load_rows(str(path), chosen, config))


def folder_records(path: Path, names: Iterable[str], config: str | None, errors: InputErrors) -> Records:
    """Yield the records of a folder's files.

    Args:
        path: of the folder.
        names: the benchmark's own files. If not all are there, all files with records are read, by their names.
        config: a release, whose files have to be there.
        errors: gets the errors of lines.
    """
    # A name may be a pattern, such as "ALL/test-*.parquet".
    own = [file for name in names for file in sorted(path.glob(name)) or [path / name]]
    is_own = bool(own) and (config is not None or all(file.exists() for file in own))
    paths = own if is_own else record_files(path)
    if not paths:
        programs = next((file for folder in path.iterdir() if folder.is_dir() for file in folder.glob("*.py")), None)
        kind = f"; {programs} looks like a sample, not a problem" if programs else ""
        raise InputError(f"{path} has no files that end with {', '.join(SUFFIXES)}{kind}")
    for file in paths:
        yield from file_records(file, errors)


def file_records(path: Path, errors: InputErrors) -> Records:
    """Yield the records of a file: JSON lines, a JSON array, or Parquet."""
    if path.suffix == ".parquet":
        yield from rows_with_locations(f"{path}, row", parquet_rows(path))
        return
    try:
        # A pipe can be opened only once.
        with ExitStack() as stack:
            file = open_input(path, stack)
            if file.peek(4)[:4] == PARQUET:
                yield from rows_with_locations(f"{path}, row", parquet_rows(path))
            elif file.peek(1)[:1] == b"[":
                yield from rows_with_locations(f"{path}, item", read_array(path, file))
            else:
                yield from parsed_lines(bounded_lines(file, MAX_LINE_BYTES, str(path)), str(path), errors)
    except (OSError, EOFError, zlib.error) as error:
        raise cant_read(path, error) from error


def parquet_rows(path: Path) -> list[Any]:
    """Return the rows of a Parquet file. Raises InputError."""
    import pyarrow.parquet

    try:
        return list(pyarrow.parquet.read_table(path).to_pylist())
    except (OSError, ValueError) as error:
        raise cant_read(path, error) from error


def read_array(path: Path, file: BufferedReader) -> list[Any]:
    """Return the array that an open JSON file holds.

    Raises:
        InputError: if it is too large, or not JSON.
        OSError, EOFError, zlib.error: if the file can't be read.
    """
    data = file.read(MAX_LINE_BYTES + 1)
    if len(data) > MAX_LINE_BYTES:
        raise InputError(f"{path}: an array of more than {MAX_LINE_BYTES >> 20} MiB; write its items as JSON lines")
    try:
        values: list[Any] = json.loads(data)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise cant_read(path, error) from error
    return values
