"""The page for users of nanoeval: its examples run, its names exist, and its table is whole."""

import dataclasses
import re
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import code_tasks.solvers
from code_tasks.cli.main import app
from code_tasks.solvers import FinalResult, SolveOptions, Step, Task
from support.solver_fixtures import final_result

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "coming-from" / "nanoeval.md").read_text(encoding="utf-8")


def test_examples(monkeypatch, tmp_path):
    """The page's examples run in turn. Retries are not waited for."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("code_tasks.solvers.options.Backoff.seconds", lambda backoff, retry_idx: 0.0)
    namespace = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for code in blocks:
        exec(compile(code, "nanoeval.md", "exec"), namespace)
    assert len(blocks) == 2


def test_twenty_features():
    """The table has a row for each of the 20 features, and each behaves as there."""
    rows = re.findall(r"^\| (\d+) \| .+ \| (.+) \|$", PAGE, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 21))
    assert all(here.startswith("the same") for _, here in rows)


EXPORTED = (
    "Backoff DummySolver FailingSolver JsonlRecorder MeasuredSolver SandboxGrader read_run_state tasks_from_problems"
)


@pytest.mark.parametrize("name", EXPORTED.split())
def test_names(name):
    """Names that the page takes from the package are exported there."""
    assert name in PAGE and hasattr(code_tasks.solvers, name)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (SolveOptions, "n_tries concurrency backoff record_pretty log_at_end order on_solver_error"),
        (Task, "question_id attempt_id retry_idx metadata reference prompt"),
        (Step, "conversation elapsed_seconds metadata grade"),
        (FinalResult, "grade conversation max_steps_reached max_tokens_reached max_time_reached"),
    ],
)
def test_fields(kind, names):
    """Fields that the page names exist."""
    assert all(name in PAGE for name in names.split())
    assert set(names.split()) <= {field.name for field in dataclasses.fields(kind)}


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z-]+)", PAGE))))
def test_options(option):
    """Options that the page names are options of `code-eval solve`."""
    ended = CliRunner().invoke(app, ["solve", "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert option in ended.output


def test_summary_names():
    """Names of the summary that the page lists are those of a summary in the run log."""
    from code_tasks.solvers.attempts import Attempt

    record = code_tasks.solvers.summarize_attempts([Attempt.from_result("a", 0, final_result())]).as_record()
    named = re.findall(r"`((?:num|frac|convo_len)_\w+)`", PAGE)
    inside = {*record["aggregations"], *record["length_stats"]}
    assert len(set(named)) == 11 and set(named) <= inside
