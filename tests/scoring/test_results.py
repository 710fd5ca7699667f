"""`Results`: the results of a run, or of the metric, in a notebook."""

import gzip
import json
import sys

import pytest

from code_tasks import scoring
from code_tasks.benchmarks.readers import InputError
from code_tasks.scoring import Results
from support.metric_and_command import TWO_TASKS, load_metric
from support.run_files import results, write_lines


@pytest.fixture
def path(tmp_path):
    """Write a results file with nine samples of three tasks, one of which could not be run."""
    return write_lines(tmp_path / "results.jsonl", [*results(), {"summary": {"samples": 9}}])


@pytest.mark.parametrize("zipped", [False, True])
def test_a_file(path, zipped):
    """The records of a file are a sequence, without the summary."""
    if zipped:
        path.write_bytes(gzip.compress(path.read_bytes()))
    read = Results.read(path)
    assert list(read) == json.loads(json.dumps(results()))
    assert (len(read), read[0]["task_id"], read[-1]["passed"]) == (9, "t/0", None)
    assert [each["completion_id"] for each in read[1:6:2]] == [1, 0, 2]
    assert [each["completion_id"] for each in read[2:0:-1]] == [2, 1]
    with pytest.raises(IndexError):
        read[9]


def test_pass_at_k(path):
    """A sample that could not be run counts neither as passed nor as failed, and a k that is too large is left out."""
    read = Results.read(str(path))
    assert read.pass_at_k() == {"pass@1": pytest.approx((1 / 3 + 0 + 1) / 3)}
    assert read.pass_at_k([2, 3]) == {"pass@2": pytest.approx((2 / 3 + 0 + 1) / 3)}


def test_pandas(path):
    """A table has a row for each sample, and a column for each field."""
    table = Results.read(path).to_pandas()
    assert table.shape == (9, len(Results.read(path).fields))
    assert table.groupby("task_id").passed.sum().to_dict() == {"t/0": 1, "t/1": 0, "t/2": 2}
    assert table.tests[1][0]["name"] == "test_large"


def test_parquet(path, tmp_path):
    """A Parquet file has the same rows."""
    import pyarrow.parquet

    Results.read(path).to_parquet(tmp_path / "results.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "results.parquet").to_pylist()
    for row, record in zip(rows, results(), strict=True):
        assert {name: row[name] for name in record if record[name] is not None} == {
            name: value for name, value in json.loads(json.dumps(record)).items() if value is not None
        }


@pytest.mark.slow
def test_the_metric(tmp_path):
    """What `compute` returns, or the second part of it, becomes the same table."""
    computed = load_metric().compute(**TWO_TASKS, k=[1, 2])
    assert Results.of(computed).pass_at_k([1, 2]) == computed[0]
    table = Results.of(computed[1]).to_pandas()
    assert list(table.task_id) == [0, 0, 1, 1]
    assert list(table.passed) == [True, False, False, True]
    Results.of(computed).to_parquet(tmp_path / "results.parquet")


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "there are no results in it"), ('{"a": 1}\n', ":1: missing key 'task_id'"), ("x\n", ":1: not JSON")],
)
def test_other_files(tmp_path, content, message):
    """A file that holds no results is an error with its line."""
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(InputError, match=message):
        Results.read(tmp_path / "x.jsonl")


def test_both_verdicts_in_parquet(tmp_path):
    """The verdict that --strict-official puts beside the official one is true, false or null, and no text."""
    import pyarrow.parquet

    records = [{"task_id": "t", "passed": True, "our_passed": ours} for ours in (False, None)]
    Results(records).to_parquet(tmp_path / "results.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "results.parquet")
    assert table["our_passed"].to_pylist() == [False, None]


def test_dataset(path):
    """A datasets.Dataset has the same rows as a Parquet file."""
    dataset = Results.read(path).to_dataset()
    assert dataset.num_rows == 9
    assert dataset.column_names == list(Results.read(path).fields)
    assert dataset[1]["tests"][0]["name"] == "test_large"
    assert dataset[8]["passed"] is None


def test_dataset_of_the_metric():
    """Task ids of the metric, which are numbers, are texts in a dataset, as in other files."""
    dataset = Results([{"task_id": 0, "passed": True, "stdout": "\ud800"}]).to_dataset()
    assert dataset[0] == {"task_id": "0", "passed": True, "stdout": "?"}


@pytest.mark.parametrize("tracker", ["wandb", "mlflow"])
def test_trackers_that_are_not_installed(tracker, path, monkeypatch):
    """Without a tracker's package the error names the extra to install."""
    monkeypatch.setitem(sys.modules, tracker, None)
    with pytest.raises(ImportError, match=rf"pip install 'code-eval-sandboxes\[{tracker}\]'"):
        getattr(scoring, f"log_to_{tracker}")(Results.read(path))


def test_notebook(path):
    """A notebook shows results as a table with the scores, and as text they are one line with the file."""
    read = Results.read(path)
    assert repr(read) == f"<Results: 9 samples, in {path}>"
    assert repr(Results(results()[:1])) == "<Results: 1 sample>"
    assert "9 candidates for 3 tasks: 3 passed, 4 failed, 1 timed out, 1 not run; pass@1 44.4 %" in read._repr_html_()
