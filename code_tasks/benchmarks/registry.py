"""The registry of benchmarks, and the way from a benchmark's files to its problems."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from code_tasks.benchmarks.apps import APPS, TACO
from code_tasks.benchmarks.benchmark import Benchmark, LoadedBenchmark
from code_tasks.benchmarks.bigcodebench import BIGCODEBENCH, BIGCODEBENCH_HARD
from code_tasks.benchmarks.classeval import CLASSEVAL
from code_tasks.benchmarks.code_contests import CODECONTESTS
from code_tasks.benchmarks.codeforces import CODEFORCES
from code_tasks.benchmarks.cruxeval import CRUXEVAL_INPUT, CRUXEVAL_OUTPUT
from code_tasks.benchmarks.deepcoder import DEEPCODER
from code_tasks.benchmarks.detection import recognised
from code_tasks.benchmarks.ds1000 import DS1000
from code_tasks.benchmarks.evalplus import HUMANEVALPLUS, MBPPPLUS
from code_tasks.benchmarks.evoeval import EVOEVAL
from code_tasks.benchmarks.human_eval import HUMANEVAL, HUMANEVAL_INFILLING
from code_tasks.benchmarks.humanevalpack import HUMANEVAL_X, HUMANEVALPACK
from code_tasks.benchmarks.intellect3 import INTELLECT_3
from code_tasks.benchmarks.kodcode import KODCODE
from code_tasks.benchmarks.livecodebench import LIVECODEBENCH
from code_tasks.benchmarks.mbpp import MBPP
from code_tasks.benchmarks.mhpp import MHPP
from code_tasks.benchmarks.multipl_e import MULTIPL_E
from code_tasks.benchmarks.prime_code import PRIME_CODE
from code_tasks.benchmarks.problem_reader import parse_problems, without_fields
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError, InputErrors
from code_tasks.benchmarks.record_shapes import SHAPES
from code_tasks.benchmarks.sources import problems_explained, records_of
from code_tasks.benchmarks.verification_info import SYNTHETIC_1, SYNTHETIC_2, VERIFIABLE_CODING
from code_tasks.benchmarks.xcodeeval import XCODEEVAL
from sandboxes.validation import short_repr

ALL = (
    *(HUMANEVAL, HUMANEVALPLUS, HUMANEVAL_INFILLING, MBPP, MBPPPLUS),
    *(LIVECODEBENCH, APPS, TACO, PRIME_CODE, CODECONTESTS, XCODEEVAL),
    *(VERIFIABLE_CODING, SYNTHETIC_1, SYNTHETIC_2, INTELLECT_3, DEEPCODER, CODEFORCES),
    *(CRUXEVAL_INPUT, CRUXEVAL_OUTPUT, CLASSEVAL, KODCODE, BIGCODEBENCH, BIGCODEBENCH_HARD, DS1000),
    *(MULTIPL_E, HUMANEVAL_X, HUMANEVALPACK, EVOEVAL, MHPP),
)
BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType({each.name: each for each in ALL})


def load_benchmark(
    name: str | None,
    path_or_hub_id: str | Path | None = None,
    *,
    split: str | None = None,
    config: str | None = None,
    revision: str | None = None,
    since: date | None = None,
    until: date | None = None,
    ignored_fields: Collection[str] = (),
) -> LoadedBenchmark:
    """Load the problems of a benchmark, to be judged as its own grader judges them.

    Args:
        name: one of BENCHMARKS, or another name of one. None: the benchmark that the fields of the first record belong
            to, or problems with "task_id" and tests that belong to none. Then a path is needed.
        path_or_hub_id: a file (JSON lines or JSON, which may be gzipped, or Parquet), a folder of such files or one
            that `save_to_disk` wrote, or a dataset on the Hugging Face Hub. None: the benchmark's own dataset there.
        split: of a dataset on the Hub, or one that `save_to_disk` wrote. None: the benchmark's test split.
        config: the configuration of a dataset on the Hub; the release, for a benchmark with releases.
        revision: of a dataset on the Hub.
        since: the date of the first problems, for a benchmark with dates.
        until: the date of the last problems, included.
        ignored_fields: names of fields that are left out of all records. Without that, a field that may decide on
            verdicts and is not read, such as "checker", is an error.

    Raises:
        ValueError: if there is no such benchmark, release or date.
        InputError: if the problems can't be read; with a message for each record that is invalid.
    """
    errors = InputErrors()
    if name is None:
        if config or revision:
            raise ValueError("a config or revision needs the name of a benchmark")
        with problems_explained(path_or_hub_id):
            benchmark, records = recognised(path_or_hub_id, BENCHMARKS.values(), errors, ignored_fields, split)
        source: str | Path | None = path_or_hub_id
    else:
        benchmark = checked_benchmark(name)
        source = benchmark.hub_id if path_or_hub_id is None else path_or_hub_id
        if path_or_hub_id is None and Path(benchmark.hub_id).exists():
            raise InputError(
                f"{benchmark.hub_id} is a path here, which `datasets` would read in place of the dataset on the Hub: "
                "name it as the file of problems, or work in another folder"
            )
        found = records_of(benchmark, source, split, config, revision, errors)
        records = without_fields(found, ignored_fields)
    if not benchmark.date_field and (since or until):
        raise ValueError(f"the problems of {benchmark.name} have no dates to choose by")
    known: dict[str, Problem] = {}

    def parse(record: Mapping[str, Any], position: int) -> Problem | None:
        if benchmark.date_field and not is_between(record.get(benchmark.date_field), since, until):
            return None
        problem = benchmark.parse(record, position)
        if problem is None or not benchmark.has_repeats:
            return problem
        if known.get(problem.task_id) == problem:
            return None
        known[problem.task_id] = problem
        return problem

    if_none = f"{source}: there are no problems in it" + (" of these dates" if since or until else "")
    with problems_explained(path_or_hub_id):
        problems = parse_problems(records, parse, SHAPES.get(benchmark.name, ()), errors, if_none)
    return LoadedBenchmark(benchmark, dict(sorted(problems.items())) if benchmark.is_sorted else problems)


def load_source(source: str) -> LoadedBenchmark:
    """Load a benchmark that an owner names in one text: NAME=FILE, or NAME alone for the dataset on the Hub.

    Raises:
        ValueError: if there is no such benchmark, or its problems can't be read.
    """
    name, separator, path = source.partition("=")
    return load_benchmark(name, path if separator else None)


def checked_benchmark(name: str) -> Benchmark:
    """Return a benchmark by a name of it, in any case, with or without hyphens. Raises ValueError if there is none."""
    for benchmark in BENCHMARKS.values():
        if plain_name(name) in map(plain_name, (benchmark.name, *benchmark.aliases)):
            return benchmark
    raise ValueError(f"unknown benchmark {name!r}; choose one of {', '.join(BENCHMARKS)}")


def plain_name(name: str) -> str:
    """Return a name without what users write in different ways."""
    return name.lower().replace("-", "").replace("_", "")


def is_between(value: Any, since: date | None, until: date | None) -> bool:
    """Return whether a record's date lies in a window.

    Raises:
        ValueError: if there is a window, and the record has no date.
    """
    if since is None and until is None:
        return True
    try:
        day = date.fromisoformat(str(value)[:10])
    except ValueError:
        raise ValueError(f"there is no date, but {short_repr(value)}") from None
    return (since is None or since <= day) and (until is None or day <= until)
