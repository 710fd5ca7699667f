"""Datasets of the Hugging Face Hub, as `datasets` loads them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.problem_reader import parse_at, parse_problems, without_fields
from code_tasks.benchmarks.problems import TEST_FIELDS, Problem
from code_tasks.benchmarks.readers import InputError, InputErrors, rows_with_locations
from code_tasks.benchmarks.record_shapes import PLAIN_SHAPES

BUILDERS = {".parquet": "parquet"}
"""Names with which `datasets` loads files, by their suffix. All others are JSON."""


def load_problems(dataset: str, split: str, ignored: Collection[str] = ()) -> dict[str, Problem]:
    """Return the problems of a dataset on the Hugging Face Hub, or of a folder that `datasets.load_dataset` reads.

    Args:
        dataset: its id, or the folder's path.
        split: of the dataset.
        ignored: fields that are left out.

    Raises:
        InputError: if the dataset can't be loaded, or lacks the columns of problems.
    """
    rows = load_rows(dataset, split)
    columns = set(rows.column_names)
    if missing := [names for names in (("task_id",), TEST_FIELDS) if not columns & {*names}]:
        raise InputError(
            f"dataset {dataset!r} has no column {' or '.join(map(repr, missing[0]))}; "
            f"it has {', '.join(rows.column_names)}"
        )
    records = without_fields(rows_with_locations(f"{dataset}, row", rows), ignored)
    if_none = f"{dataset}: there are no problems in split {split!r}"
    return parse_problems(records, parse_at, PLAIN_SHAPES, InputErrors(), if_none)


def hub_records(
    benchmark: Benchmark, hub_id: str, split: str, config: str | None, revision: str | None
) -> Iterator[tuple[str, Any]]:
    """Yield the (location, record) pairs of a benchmark's dataset on the Hub.

    Files are named where the dataset comes with a loading script, which `datasets` does not run.

    Raises:
        InputError: as `load_rows` does.
        ValueError: as `Benchmark.files` does.
    """
    names = benchmark.files(split, config) if benchmark.files else ()
    yield from rows_with_locations(f"{hub_id}, row", load_rows(hub_id, split, config, revision, names))


def load_rows(
    hub_id: str, split: str, config: str | None = None, revision: str | None = None, names: Sequence[str] = ()
) -> Any:
    """Return a `datasets.Dataset`.

    Args:
        hub_id: of the dataset; or a folder that `datasets` reads.
        split: of the dataset.
        config: of the dataset. None: its default.
        revision: of the dataset. None: the newest.
        names: its files that are read, if they have to be named. Then they decide on split and config.

    Raises:
        InputError: if it can't be loaded.
    """
    import datasets

    try:
        if not names:
            return datasets.load_dataset(hub_id, config, split=split, revision=revision)
        folder = f"hf://datasets/{hub_id}{f'@{revision}' if revision else ''}"
        builder = BUILDERS.get(PurePath(names[0]).suffix, "json")
        return datasets.load_dataset(builder, data_files=[f"{folder}/{name}" for name in names], split="train")
    # The errors of `datasets`, of its HTTP client and of pyarrow have no base in common.
    except Exception as error:
        is_wrapper = isinstance(error, datasets.exceptions.DatasetGenerationError)
        reason = (is_wrapper and error.__cause__) or error
        raise InputError(
            f"can't load split {split!r} of dataset {hub_id!r}: {reason}; a local copy of its files can be "
            "given in its place (--problems, or --benchmark NAME=FILE of serve)"
        ) from error
