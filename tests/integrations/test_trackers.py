"""Results in the trackers' own files, without a network: Weights & Biases, and MLflow."""

import json

import pytest

from code_tasks.scoring import Results, log_to_mlflow, log_to_wandb
from support.frameworks import framework
from support.metric_and_command import ROOT
from support.pages import blocks_of, run_python
from support.run_files import results, write_lines

# mlflow's own use of pandas.
pytestmark = pytest.mark.filterwarnings("ignore:For backward compatibility, 'str' dtypes:DeprecationWarning")

LIMITS = {"wall_seconds": 3.0, "memory_bytes": 1 << 30, "cpu_seconds": None}
NUMBERS = {
    "tasks": 3,
    "samples": 9,
    "outcome/passed": 3,
    "outcome/failed": 4,
    "outcome/timed_out": 1,
    "outcome/not_run": 1,
}
PASS_AT_1 = pytest.approx((1 / 3 + 0 + 1) / 3)


@pytest.fixture
def read(tmp_path):
    """Provide the results of a finished run. A text in them has half of a surrogate pair."""
    lines = results()
    lines[1]["stdout"] = "\ud800"
    settings = {"limits": LIMITS, "env": {"TOKEN": "secret"}}
    return Results.read(write_lines(tmp_path / "results.jsonl", [*lines, {"summary": {"settings": settings}}]))


@pytest.fixture
def wandb(tmp_path, monkeypatch):
    """Provide the package wandb, which writes to a folder and sends nothing."""
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")
    yield framework("wandb", "verl")
    framework("wandb", "verl").teardown()


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    """Provide the package mlflow, with a folder as its store."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = framework("mlflow", "verl")
    mlflow.set_tracking_uri(f"file://{tmp_path}/mlruns")
    return mlflow


def logged_table(folder):
    """Return the table in the only table file of a run of wandb."""
    [path] = folder.rglob("*.table.json")
    return json.loads(path.read_text())


def test_wandb(read, wandb, tmp_path):
    """The active run gets scores, counts, limits and a table, and goes on."""
    with wandb.init(project="tests") as run:
        assert log_to_wandb(read) == run.id
        summary = {name: run.summary[f"code_eval/{name}"] for name in NUMBERS}
        assert summary == NUMBERS
        assert run.summary["code_eval/pass@1"] == PASS_AT_1
        assert dict(run.config) == {f"code_eval/{name}": value for name, value in LIMITS.items()}
        run.log({"later": 1})
        table = logged_table(tmp_path)
    assert table["columns"] == list(read.fields)
    assert len(table["data"]) == 9
    assert json.loads(table["data"][1][table["columns"].index("tests")])[0]["name"] == "test_large"


def test_wandb_without_programs(read, wandb, tmp_path):
    """With programs=False the table has no text of a candidate or of a test."""
    with wandb.init(project="tests") as run:
        log_to_wandb(read, run, step=7, programs=False)
        assert run.step == 7
        table = logged_table(tmp_path)
    assert not {"completion", "stdout", "detail", "tests"} & set(table["columns"])
    assert {"task_id", "outcome", "passed", "wall_seconds"} <= set(table["columns"])


def test_a_new_run_of_wandb(read, wandb):
    """Without an active run a new one is made, which ends with the call."""
    assert log_to_wandb(read)
    assert wandb.run is None


def test_mlflow(read, mlflow):
    """The active run gets scores, counts, limits and a table, and goes on."""
    with mlflow.start_run() as active:
        assert log_to_mlflow(read) == active.info.run_id
        mlflow.log_metric("later", 1)
    run = mlflow.get_run(active.info.run_id)
    assert {name: run.data.metrics[f"code_eval/{name}"] for name in NUMBERS} == NUMBERS
    assert run.data.metrics["code_eval/pass_at_1"] == PASS_AT_1
    assert run.data.params == {f"code_eval/{name}": str(value) for name, value in LIMITS.items()}
    table = mlflow.load_table("code_eval/results.json", run_ids=[active.info.run_id])
    assert list(table.columns) == list(read.fields)
    assert list(table.task_id) == [record["task_id"] for record in read]


def test_steps_of_mlflow(read, mlflow):
    """Two steps of a run have a table each, and the scores have the steps; programs may be left out."""
    run_id = log_to_mlflow(read, step=1)
    assert mlflow.active_run() is None
    assert log_to_mlflow(read, run_id, step=2, programs=False) == run_id
    assert [len(mlflow.load_table(f"code_eval/results-{step}.json", run_ids=[run_id])) for step in (1, 2)] == [9, 9]
    assert "completion" not in mlflow.load_table("code_eval/results-2.json", run_ids=[run_id]).columns
    history = mlflow.MlflowClient().get_metric_history(run_id, "code_eval/pass_at_1")
    assert [metric.step for metric in history] == [1, 2]


@pytest.mark.parametrize("log", [log_to_wandb, log_to_mlflow])
def test_what_the_metric_returns(log, wandb, mlflow):
    """What `compute` returns is logged without a further step."""
    assert log(({"pass@1": 1.0}, {0: [(0, {**results()[0], "task_id": 0})]}))


def test_page(read, wandb, mlflow, tmp_path, monkeypatch):
    """The examples of docs/integrations/trackers.md run."""
    monkeypatch.chdir(tmp_path)
    page, names = ROOT / "docs" / "integrations" / "trackers.md", {}
    for block in blocks_of(page.read_text(encoding="utf-8"), "python"):
        run_python(block, page.name, names)
    assert {"results", "step"} <= names.keys()
