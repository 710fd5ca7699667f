"""Files and folders of samples in the shapes that the field writes. A shape is detected by content, not by a name.

`code-eval run` and the solver `replay` read them. JSON lines and Parquet are never in memory as a whole.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.diagnosis import INDENTED, describe_foreign_format
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import (
    HEAD_BYTES,
    MAX_LINE_BYTES,
    InputError,
    InputErrors,
    cant_read,
    open_input,
    parse_lines,
    rows_with_locations,
)
from code_tasks.benchmarks.samples import MAX_SAMPLE_BYTES
from code_tasks.benchmarks.saved_datasets import is_saved, saved_rows
from code_tasks.benchmarks.sources import PARQUET, SUFFIXES, Records, read_array
from sandboxes.validation import short_json

GRADED = (".results.json", ".results.json.gz")
"""Files of MultiPL-E with results, which stand beside its samples."""

SCORED = "raw_generations"
"""The key under which CRUXEval's file of scores has the answers."""

FIRST_KEY = re.compile(rb'\{\s*("(?:[^"\\]|\\.)*")\s*:')
PARQUET_ROWS = 256


@dataclass(frozen=True)
class SampleInput:
    """A file or folder of samples, with what is needed to understand it."""

    path: Path
    problems: Mapping[str, Problem]
    """Problems by task_id, in their order."""

    shown: Path
    """The name in messages."""


@dataclass(frozen=True)
class Shape:
    """A form of files or folders with samples."""

    description: str
    matches: Callable[[SampleInput, bytes], bool]
    """(input, first bytes of the file without white space in front) -> whether it has this shape."""

    records: Callable[[SampleInput, InputErrors], Records]
    """Yields (location, record) pairs. The errors of lines and files are added."""

    hint: str = ""
    """Words for the user if a file has this shape."""


def program_folders(given: SampleInput, errors: InputErrors) -> Records:
    """Yield a record for each program of EvalPlus's folders. A problem's name has "_" in place of "/" there."""
    for folder in sorted(path for path in given.path.iterdir() if path.is_dir()):
        name = folder.name
        task_id = name if name in given.problems else name.replace("_", "/")
        files = [path for path in folder.iterdir() if path.suffix == ".py" and path.is_file()]
        for path in sorted(files, key=lambda path: (not path.stem.isdigit(), path.stem.zfill(20))):
            try:
                with open(path, "rb") as file:
                    yield str(path), {"task_id": task_id, "solution": file.read(MAX_SAMPLE_BYTES + 1).decode()}
            except (OSError, UnicodeDecodeError) as error:
                errors.add(f"{path}: can't be read ({error})")


def files_of_folder(given: SampleInput, errors: InputErrors) -> Records:
    """Yield the records of a folder's files, by their names."""
    files = [path for path in given.path.iterdir() if path.name.endswith(SUFFIXES) and path.is_file()]
    paths = sorted(path for path in files if not path.name.endswith(GRADED))
    if not paths:
        suffixes = ", ".join(SUFFIXES)
        raise InputError(f"{given.shown} has neither folders with programs, nor files that end with {suffixes}")
    for path in paths:
        part = SampleInput(path, given.problems, path)
        yield from detected_shape(part, FILE_SHAPES).records(part, errors)


def parquet_rows(given: SampleInput, errors: InputErrors) -> Records:
    """Yield the rows of a Parquet file."""
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(given.path) as file:
            rows = (row for batch in file.iter_batches(PARQUET_ROWS) for row in batch.to_pylist())
            yield from rows_with_locations(f"{given.shown}, row", rows)
    except (OSError, ValueError) as error:
        raise cant_read(given.shown, error) from error


def saved_dataset(given: SampleInput, errors: InputErrors) -> Records:
    """Yield the rows of a dataset that `save_to_disk` wrote."""
    return saved_rows(given.path)


def generations(given: SampleInput, errors: InputErrors) -> Records:
    """Yield a record for each program, or list of programs. They have no ids, and stand in the problems' order."""
    lists = items_of(given)
    if all(isinstance(each, str) for each in lists):
        lists = [[each] for each in lists]
    if len(lists) != len(given.problems):
        raise InputError(
            f"{given.shown}: there are {len(lists)} lists of programs, but {len(given.problems)} problems, so it can't "
            'be told which belong together; write JSON lines with "task_id" and "solution"'
        )
    for number, (task_id, programs) in enumerate(zip(given.problems, lists, strict=True)):
        location = f"{given.shown}, item {number}"
        if not isinstance(programs, list):
            errors.add(f"{location}: not a list of programs, but {short_json(programs)}")
        else:
            yield location, {"task_id": task_id, "code_list": programs}


def array_items(given: SampleInput, errors: InputErrors) -> Records:
    """Yield the items of a JSON array."""
    return rows_with_locations(f"{given.shown}, item", items_of(given))


def items_of(given: SampleInput) -> list[Any]:
    """Return the items of a file that begins with a bracket. Raises InputError if it holds no JSON array."""
    try:
        with ExitStack() as stack:
            return read_array(given.shown, open_input(given.path, stack))
    except (OSError, EOFError, zlib.error) as error:
        raise cant_read(given.shown, error) from error


def texts_by_id(given: SampleInput, errors: InputErrors) -> Records:
    """Yield a record for each item of an object with the completions of each problem."""
    value = read_object(given)
    for task_id, texts in value.get(SCORED, value).items():
        location = f"{given.shown}, {short_json(task_id)}"
        if isinstance(texts, str | list):
            yield location, {"task_id": task_id, "completions": [texts] if isinstance(texts, str) else texts}
        else:
            errors.add(f"{location}: neither a completion nor a list of them, but {short_json(texts)}")


def is_by_id(given: SampleInput, head: bytes) -> bool:
    """Return whether a file's first key is the id of a problem, or that of CRUXEval's scores."""
    match = FIRST_KEY.match(head)
    try:
        key = json.loads(match[1]) if match else None
    except ValueError:
        return False
    return key == SCORED or key in given.problems


def one_object(given: SampleInput, errors: InputErrors) -> Records:
    """Yield the object of a file that holds one, over several lines."""
    yield str(given.shown), read_object(given)


def read_object(given: SampleInput) -> Any:
    """Return the object of a file that holds one. Raises InputError for anything else."""
    try:
        with ExitStack() as stack:
            data = open_input(given.path, stack).read(MAX_LINE_BYTES + 1)
        if len(data) > MAX_LINE_BYTES:
            raise InputError(f"{given.shown}: an object of more than {MAX_LINE_BYTES >> 20} MiB, which is not read")
        return json.loads(data)
    except (OSError, EOFError, zlib.error, json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise cant_read(given.shown, error) from error


def json_lines(given: SampleInput, errors: InputErrors) -> Records:
    """Yield the objects of JSON lines."""
    return parse_lines(given.path, errors, MAX_SAMPLE_BYTES, given.shown)


def has_programs(path: Path) -> bool:
    """Return whether a folder has folders with Python files."""
    return any(file.suffix == ".py" for folder in path.iterdir() if folder.is_dir() for file in folder.iterdir())


JSON_LINES = Shape(
    'JSON lines, each an object with "task_id" and "completion", "solution" or another field for code',
    lambda given, head: not head or head.startswith(b"{"),
    json_lines,
)
FILE_SHAPES = (
    Shape("a Parquet file with such columns", lambda given, head: head.startswith(PARQUET), parquet_rows),
    Shape(
        "a JSON array of programs, or of lists of them, in the order of the problems (bigcode-evaluation-harness)",
        lambda given, head: re.match(rb'\[\s*[\["]', head) is not None,
        generations,
        "the programs are taken in the order of the problems",
    ),
    Shape(
        'a JSON array of such objects, as LiveCodeBench\'s with "question_id" and "code_list"',
        lambda given, head: head.startswith(b"["),
        array_items,
    ),
    Shape(
        "a JSON object with a completion, or a list of them, for each task_id (CRUXEval, APPS)",
        is_by_id,
        texts_by_id,
        "the texts of each task_id are taken as completions of its prompt",
    ),
    Shape(
        'a JSON object, as MultiPL-E\'s with "name" and "completions"',
        lambda given, head: INDENTED.match(head) is not None,
        one_object,
    ),
    JSON_LINES,
)
SHAPES = (
    Shape("a folder that `save_to_disk` of datasets wrote", lambda given, head: is_saved(given.path), saved_dataset),
    Shape(
        "a folder with a folder of programs for each problem, such as HumanEval_0/0.py (EvalPlus)",
        lambda given, head: given.path.is_dir() and has_programs(given.path),
        program_folders,
    ),
    Shape("a folder of files with samples", lambda given, head: given.path.is_dir(), files_of_folder),
    *FILE_SHAPES,
)
"""All shapes. The first that matches is the shape of a file."""


def detected_shape(given: SampleInput, shapes: Sequence[Shape]) -> Shape:
    """Return the shape of samples. A single shape is not doubted, and its errors have their lines.

    Raises:
        InputError: if they can't be read, or have none of these shapes.
    """
    if len(shapes) == 1:
        return shapes[0]
    try:
        head = b""
        if not given.path.is_dir():
            with ExitStack() as stack:
                head = open_input(given.path, stack).read(HEAD_BYTES).lstrip()
        for shape in shapes:
            if shape.matches(given, head):
                return shape
    except (OSError, EOFError, zlib.error) as error:
        raise cant_read(given.shown, error) from error
    known = "".join(f"\n  {shape.description}" for shape in shapes)
    if text := describe_foreign_format(str(given.shown), head, reads_objects=True):
        raise InputError(text)
    begin = short_json(head[:40].decode(errors="replace"))
    raise InputError(f"{given.shown}: it begins with {begin}, and has none of the shapes of samples:{known}")
