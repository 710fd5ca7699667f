"""The reader of problems in datasets, and its errors."""

import json

import pytest

from code_tasks.benchmarks.hub import load_problems
from support.human_eval_records import ADD, ADD_PROBLEM, SUB, SUB_PROBLEM, faults_of


@pytest.fixture
def local_dataset(tmp_path):
    """Return a function that makes a folder with a dataset of these rows, and returns its path."""

    def make(*rows, split="test"):
        folder = tmp_path / "local"
        folder.mkdir()
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(folder)

    return make


def test_dataset(local_dataset):
    """The problems of a dataset are read by task_id, and other columns are skipped."""
    rows = [{**ADD, "extra": 1}, {**SUB, "extra": 2}]
    assert load_problems(local_dataset(*rows), "test") == {"t/0": ADD_PROBLEM, "t/1": SUB_PROBLEM}


def test_dataset_without_a_column(local_dataset):
    """A dataset without tests is reported with the columns that it needs and those that it has."""
    folder = local_dataset({"task_id": "t/0", "prompt": "", "code": ""})
    [fault] = faults_of(load_problems, folder, "test")
    assert "has no column 'test' or 'tests' or 'input_output'" in fault
    assert "code" in fault


def test_unknown_split(local_dataset):
    """A missing split is reported with the names of the split and the dataset."""
    folder = local_dataset(ADD)
    fault = "\n".join(faults_of(load_problems, folder, "validation"))
    assert "'validation'" in fault
    assert folder in fault


def test_unknown_dataset():
    """A missing dataset is reported with its name and a hint."""
    fault = "\n".join(faults_of(load_problems, "no-such-owner/no-such-set", "test"))
    assert "no-such-owner/no-such-set" in fault
    assert "--problems" in fault


def test_same_problem_twice_in_a_dataset(local_dataset):
    """A duplicate task_id in a dataset is reported as for a file."""
    assert "'t/0'" in "\n".join(faults_of(load_problems, local_dataset(ADD, {**ADD, "prompt": "x"}), "test"))


def test_wrong_type_in_a_dataset(local_dataset):
    """A row whose test is not a string is reported as for a file."""
    folder = local_dataset({**ADD, "test": 5})
    [fault] = faults_of(load_problems, folder, "test")
    assert fault.endswith("row 0: 'test' is neither code nor a list of objects with input and output, but 5")


def test_row_without_a_test(local_dataset):
    """A row whose test is null has no test, even if others have one."""
    [fault] = faults_of(load_problems, local_dataset(ADD, {**ADD, "task_id": "t/1", "test": None}), "test")
    assert "row 1: missing key 'test'; there are 'task_id'" in fault
