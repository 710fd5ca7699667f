"""Columns of samples that a user maps to their fields."""

import json

import pytest

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputErrors
from code_tasks.benchmarks.sample_columns import parse_columns
from code_tasks.benchmarks.sample_reader import SampleReader
from code_tasks.benchmarks.samples import PROGRAM, Sample
from code_tasks.scoring.sample_file import SampleFile
from support.human_eval_records import faults_of

PROBLEMS = {"11": Problem("11", "def f(x):\n", "assert f(1) == 1", "python")}
RECORD = {"id": 5, "number": 11, "response": "a", "solution": "the dataset's own"}
COLUMNS = {"task_id": "number", "completion": "response"}


def read(path, columns, *records):
    """Return the samples of records with columns of other names."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    errors = InputErrors()
    samples = list(SampleReader(path, PROBLEMS, columns=columns).read(errors))
    errors.raise_if_any()
    return samples


@pytest.mark.parametrize(
    "texts", [["task_id=number,completion=response"], [" task_id = number ", "completion=response"]]
)
def test_columns(texts):
    """Columns stand in one text, or in several."""
    assert parse_columns(texts) == COLUMNS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("completion", "write FIELD=COLUMN, such as completion=response, not 'completion'"),
        ("completion=", "write FIELD=COLUMN"),
        ("answer=response", "samples have no field 'answer' to map; choose from task_id, completion, solution"),
        ("task_id=a,task_id=b", "task_id stands for one column, and not for a and b"),
        ("completion=a,solution=b", "in one column, and not in those of completion and solution"),
    ],
)
def test_invalid_columns(text, message):
    """A mapping that can't be meant is an error that says what can."""
    with pytest.raises(ValueError, match=message):
        parse_columns([text])


def test_mapped_columns(tmp_path):
    """A mapped column counts, whatever other fields with code or ids a record has."""
    assert read(tmp_path / "x", COLUMNS, RECORD) == [Sample("11", "a")]
    assert read(tmp_path / "x", {"task_id": "number", "solution": "response"}, RECORD) == [Sample("11", "a", PROGRAM)]


def test_lists(tmp_path):
    """A column may hold a list of candidates."""
    columns = {"task_id": "number", "completions": "response"}
    assert read(tmp_path / "x", columns, {**RECORD, "response": ["a", "b"]}) == [Sample("11", "a"), Sample("11", "b")]


def test_an_unknown_column(tmp_path):
    """A column that is not there is an error with those that are."""
    (tmp_path / "x").write_text(json.dumps(RECORD))
    file = SampleFile(tmp_path / "x", PROBLEMS, columns={"task_id": "number", "completion": "answer"})
    assert faults_of(file.__enter__) == [
        f"{tmp_path / 'x'}:1: there is no column 'answer', which is to be completion; there are 'id', 'number', "
        "'response', 'solution'"
    ]
