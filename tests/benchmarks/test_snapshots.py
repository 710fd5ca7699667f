"""Copies of a dataset's repository on the Hub, as problems: `datasets` finds their splits and configurations."""

import datasets
import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.problem_reader import read_problems
from code_tasks.benchmarks.readers import InputError
from code_tasks.benchmarks.sources import path_records
from support.human_eval_records import ADD, ADD_PROBLEM

PROBLEMS = {"t/0": ADD_PROBLEM}
MBPP = {"text": "", "code": "", "test_setup_code": "", "test_list": ["assert f() == 1"]}
CARD = """\
---
configs:
- config_name: full
  data_files: full/*
- config_name: sanitized
  data_files: sanitized/*
---
# A dataset
"""


@pytest.fixture
def snapshot(tmp_path):
    """Return a function that writes a row to each Parquet file of a snapshot, and returns the folder."""

    def write(rows, card=""):
        for name, row in rows.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            datasets.Dataset.from_list([row]).to_parquet(tmp_path / name)
        # Old repositories have this file.
        (tmp_path / "dataset_infos.json").write_text("{}")
        (tmp_path / "README.md").write_text(card)
        return tmp_path

    return write


def test_problems_in_data(snapshot):
    """The problems of the only split are read."""
    folder = snapshot({"data/train-00000-of-00001.parquet": ADD})
    assert load_benchmark(None, folder).problems == PROBLEMS
    assert read_problems(folder, path_records) == PROBLEMS


def test_splits(snapshot):
    """The split "test" is taken of several, or the one that is named."""
    rows = {name: {**ADD, "task_id": name} for name in ("train", "test")}
    folder = snapshot({f"data/{name}-00000-of-00001.parquet": row for name, row in rows.items()})
    assert [*load_benchmark(None, folder).problems] == ["test"]
    assert [*load_benchmark(None, folder, split="train").problems] == ["train"]


def test_a_missing_split(snapshot):
    """The error of a missing split names those that are there."""
    folder = snapshot({"data/train-00000-of-00001.parquet": ADD})
    with pytest.raises(InputError, match="no split 'test', but train"):
        load_benchmark("humaneval", folder, split="test")


def test_configurations(snapshot):
    """The benchmark's own configuration is read, or the one that is named."""
    rows = {f"{name}/test-0.parquet": {**MBPP, "task_id": number} for number, name in enumerate(("full", "sanitized"))}
    folder = snapshot(rows, CARD)
    assert [*load_benchmark("mbpp", folder).problems] == ["0"]
    assert [*load_benchmark("mbpp", folder, config="sanitized").problems] == ["1"]


def test_a_choice_of_configurations(snapshot):
    """Without a benchmark's name, the error names the configurations."""
    rows = {f"{name}/test-0.parquet": {**MBPP, "task_id": number} for number, name in enumerate(("full", "sanitized"))}
    with pytest.raises(InputError, match="full"):
        load_benchmark(None, snapshot(rows, CARD))
