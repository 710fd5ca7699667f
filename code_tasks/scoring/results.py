"""Results of a run, for notebooks and for files of other tools: `Results`.

`code-eval run --format` writes files with it. A file of results is read line by line, so it may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from code_tasks.benchmarks.readers import InputError, InputErrors, objects_of, parse_lines
from code_tasks.scoring.estimates import DEFAULT_KS, pass_at_k_from_counts
from code_tasks.scoring.hub_upload import HubDataSet, push_results
from code_tasks.scoring.results_format import check_counted, checked_record, summary_from
from code_tasks.scoring.tables import arrow_schema, csv_rows, parquet, row
from code_tasks.scoring.trusted_files import write_whole
from sandboxes.tasks.results_table import number, results_table

Record = Mapping[str, Any]
"""A sample with its result, as `code-eval run --output` writes it."""


@dataclass(frozen=True)
class ResultLines(Iterable[Record]):
    """The records of a results file, which is read again each time."""

    path: Path
    summary: dict[str, Any] = field(default_factory=dict)
    """The summary of a finished run, once the file was read."""

    def __iter__(self) -> Iterator[Record]:
        """Yield the records. Raises InputError for a line that is none."""
        errors = InputErrors()
        for location, value in objects_of(parse_lines(self.path, errors), errors):
            errors.raise_if_any()
            if (summary := summary_from(value)) is not None:
                self.summary.update(summary)
            else:
                checked_record(location, value)
                check_counted(location, value)
                yield value
        errors.raise_if_any()


class Results(Sequence[Record]):
    """Samples with their results, in their order.

    results = Results.read("results.jsonl")
    results.pass_at_k()
    results.to_pandas().groupby("task_id").passed.mean()
    """

    def __init__(self, records: Iterable[Record]):
        """Store records, which are read once to learn their fields and their number.

        Args:
            records: as `code-eval run --output` writes them. They can be iterated several times.
        """
        self._records = records
        names: dict[str, None] = {}
        self._length = 0
        for record in records:
            names.update(dict.fromkeys(record))
            self._length += 1
        self.fields = tuple(names)
        """Names of the fields that records have."""

    @classmethod
    def read(cls, path: str | Path) -> Results:
        """Return the results that `code-eval run --output` wrote, plain or gzipped. They are not held in memory.

        Raises:
            InputError: if the file can't be read, or a line is not a sample with its result.
        """
        results = cls(ResultLines(Path(path)))
        if not results:
            raise InputError(f"{path}: there are no results in it")
        return results

    @classmethod
    def of(cls, computed: Any) -> Results:
        """Return the results of the metric: what `compute` returns, or the second part of it.

        Args:
            computed: (pass_at_k, results), or {task_id: [(completion_id, result), ...]}.
        """
        by_task = computed[1] if isinstance(computed, tuple) else computed
        return cls([result for task in by_task.values() for _, result in task])

    def __iter__(self) -> Iterator[Record]:
        """Yield the records."""
        return iter(self._records)

    def __repr__(self) -> str:
        """Return the number of records, and the file that they are in."""
        source = f", in {self._records.path}" if isinstance(self._records, ResultLines) else ""
        return f"<Results: {number(self._length, 'sample')}{source}>"

    def _repr_html_(self) -> str:
        return results_table(self, self.pass_at_k())

    def __len__(self) -> int:
        """Return the number of records."""
        return self._length

    @overload
    def __getitem__(self, index: int) -> Record: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Record]: ...

    def __getitem__(self, index: int | slice) -> Record | Sequence[Record]:
        """Return a record, or some of them."""
        if isinstance(index, slice):
            wanted = range(self._length)[index]
            found = {number: record for number, record in enumerate(self) if number in wanted}
            return [found[number] for number in wanted]
        number = range(self._length)[index]
        return next(record for position, record in enumerate(self) if position == number)

    def pass_at_k(self, k: Sequence[int] = DEFAULT_KS) -> dict[str, float]:
        """Return {"pass@k": mean over tasks}, without each k for which a task has too few samples.

        Samples that could not be run count neither as passed nor as failed.
        """
        counts: dict[str, tuple[int, int]] = {}
        for record in self:
            if record["passed"] is not None:
                samples, passed = counts.get(record["task_id"], (0, 0))
                counts[record["task_id"]] = (samples + 1, passed + record["passed"])
        return {f"pass@{estimate.k}": estimate.mean for estimate in pass_at_k_from_counts(counts, k)[0]}

    def push_to_hub(
        self,
        repo_id: str,
        *,
        token: str | None = None,
        private: bool = True,
        overwrite: bool = False,
        programs: bool = True,
        model: str | None = None,
        benchmark: str | None = None,
        k: Sequence[int] = DEFAULT_KS,
    ) -> str:
        """Upload the results to the Hugging Face Hub as a dataset with a card, and return its URL.

        Args:
            repo_id: "OWNER/NAME".
            token: with the permission to write. None: HF_TOKEN, or the one that `hf auth login` has stored.
            private: False lets everybody see the dataset.
            overwrite: True replaces results that were uploaded there before. Other datasets are never overwritten.
            programs: False leaves out everything that candidates and tests wrote: programs, outputs, messages.
            model: name of the model, for the card.
            benchmark: name of the benchmark, for the card.
            k: each >= 1. A k for which a task has too few samples is left out.

        Raises:
            ValueError: for an invalid `repo_id`.
            HubUploadError: if there is no token, if the dataset must not be overwritten, or if the Hub refuses.
        """
        target = HubDataSet(repo_id, token, private, overwrite)
        texts = {name: text for name, text in (("model", model), ("benchmark", benchmark)) if text}
        return push_results(self, target, texts=texts, programs=programs, limits=self.limits, ks=k)

    @property
    def limits(self) -> Mapping[str, Any]:
        """The limits of a candidate, by their names in `Limits`; {} if the results don't come from a finished run."""
        limits = self.settings.get("limits")
        return {str(name): value for name, value in limits.items()} if isinstance(limits, dict) else {}

    @property
    def settings(self) -> Mapping[str, Any]:
        """The values that affected the results; {} if these don't come from a finished run."""
        summary = self._records.summary if isinstance(self._records, ResultLines) else {}
        settings = summary.get("settings")
        return settings if isinstance(settings, dict) else {}

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with a row for each sample. Raises ImportError without pandas."""
        import pandas

        return pandas.DataFrame(list(self), columns=list(self.fields))

    def to_dataset(self) -> Any:
        """Return a datasets.Dataset in memory with a row for each sample. Its columns are those of `to_parquet`."""
        import datasets

        features = datasets.Features.from_arrow_schema(arrow_schema(self.fields))
        return datasets.Dataset.from_list([row(self.fields, record) for record in self], features=features)

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file with a row for each sample. Raises OSError."""
        write_whole(Path(path), parquet(self.fields, self))

    def to_csv(self, path: str | Path) -> None:
        """Write a CSV file with a row for each sample; lists are JSON in it. Raises OSError."""
        write_whole(Path(path), csv_rows(self.fields, self))
