"""Recognises the benchmark that a file's problems belong to, by the fields of its first record."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.problem_reader import parse_at, without_fields
from code_tasks.benchmarks.problems import TEST_FIELDS
from code_tasks.benchmarks.readers import InputError, InputErrors
from code_tasks.benchmarks.saved_datasets import is_saved
from code_tasks.benchmarks.sources import Records, path_records, records_of
from sandboxes.validation import summarize

PLAIN = Benchmark("", parse_at, "")
"""Stands for problems that belong to no benchmark: a name, and code or cases as tests."""

ADVICE = "--benchmark NAME says which it is"


def recognised(
    source: str | Path | None,
    benchmarks: Collection[Benchmark],
    errors: InputErrors,
    ignored: Collection[str] = (),
    split: str | None = None,
) -> tuple[Benchmark, Records]:
    """Return the benchmark that the problems of a file or folder belong to, or PLAIN, and all of its records.

    Args:
        source: a path, or the id of a benchmark's dataset on the Hub.
        benchmarks: that are known.
        errors: gets the errors of lines.
        ignored: fields that are left out.
        split: of a dataset.

    Raises:
        InputError: if the problems can't be read, or may belong to several benchmarks, or to none.
    """
    if source is None:
        raise ValueError("give the name of a benchmark, or a file of problems")
    own = next((each for each in benchmarks if each.hub_id.lower() == str(source).lower()), None)
    if own and not Path(source).exists():
        return own, without_fields(records_of(own, source, split, None, None, errors), ignored)
    path = Path(source)
    records = without_fields(path_records(path, errors, split), ignored)
    first = next(records, None)
    if first is None:
        errors.raise_if_any()
        raise InputError(f"{source}: there are no problems in it")
    location, record = first
    if not isinstance(record, Mapping):
        return PLAIN, chain([first], records)
    benchmark = benchmark_of(location, record, benchmarks)
    if path.is_dir() and benchmark.files and not is_saved(path):
        return benchmark, without_fields(records_of(benchmark, source, split, None, None, errors), ignored)
    return benchmark, chain([first], records)


def benchmark_of(location: str, record: Mapping[str, Any], benchmarks: Collection[Benchmark]) -> Benchmark:
    """Return the benchmark that a record belongs to, or PLAIN.

    Args:
        location: of the record, for messages.
        record: the first one of a file.
        benchmarks: that are known.

    Raises:
        InputError: if several benchmarks have such records, or none.
    """
    is_plain = "task_id" in record and any(name in record for name in TEST_FIELDS)
    forms = [(each, {*fields}) for each in benchmarks for fields in (each.fields, each.fields_on_hub) if fields]
    forms = [(each, fields) for each, fields in forms if fields <= {*record}]
    # A benchmark whose fields are among those of another one fits less well.
    forms = [(each, fields) for each, fields in forms if not any(fields < others for _, others in forms)]
    if is_plain:
        # Own problems may have further fields. Only a benchmark whose records have these two as well is meant.
        forms = [(each, fields) for each, fields in forms if "task_id" in fields and not fields.isdisjoint(TEST_FIELDS)]
    fitting = [each for each, _ in forms]
    if not fitting and "task_id" in record:
        return PLAIN
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(each.name for each in fitting)
        raise InputError(f"{location}: the fields are those of {names}; {ADVICE}")
    raise InputError(
        f"{location}: no benchmark is known to have the fields {summarize(list(map(repr, record)))}; {ADVICE}, and "
        "problems of your own have 'task_id' and 'test'"
    )
