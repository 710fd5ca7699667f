"""`--json` and `--fail-under`: scores for programs, and statuses."""

import json
import shlex

import pytest
import yaml
from typer.main import get_command
from typer.testing import CliRunner

from code_tasks.cli.main import app
from support.metric_and_command import PROBLEM, ROOT

pytestmark = pytest.mark.slow

RIGHT, WRONG = "    return a + b\n", "    return a * b\n"
PROBLEMS = [{**PROBLEM, "task_id": f"t/{number}", "canonical_solution": RIGHT} for number in range(2)]
SAMPLES = [{"task_id": f"t/{number}", "completion": RIGHT if number else WRONG} for number in (0, 1)]
EXAMPLE = ROOT / "examples" / "github-actions.yml"


@pytest.fixture
def score(files):
    """Return a function that scores a right and a wrong sample of two tasks with further options."""
    arguments = files(SAMPLES, PROBLEMS)
    return lambda *options: CliRunner().invoke(app, [*map(str, arguments), *map(str, options)])


def test_json_of_a_run(score):
    """`run --json` prints one object to stdout, and the report for people to stderr."""
    done = score("--json", "-k", "1")
    data = json.loads(done.stdout)
    assert data["command"] == "run" and data["settings"]["timeout"] == 3.0
    assert data["scores"] == {"pass@1": {"mean": 0.5, "standard_error": 0.5, "interval": [0.0, 1.0]}}
    left_out = {"missing": 0, "not_run": 0, "invalid_tests": 0, "skipped": 0, "empty": 0, "duplicates": 0}
    outcomes = {"passed": 1, "failed": 1}
    counts = {"problems": 2, "tasks": 2, "samples": 2, "passed": 1, "outcomes": outcomes}
    assert (data["counts"], data["missing"], data["invalid_tests"]) == (counts | left_out, [], [])
    assert "pass@1" in done.stderr


def test_json_of_a_solver(files):
    """`solve --json` has the same keys for scores and counts."""
    problems = files(SAMPLES, PROBLEMS)[-2:]
    done = CliRunner().invoke(app, ["solve", "--solver", "gold", *map(str, problems), "--json"])
    data = json.loads(done.stdout)
    assert (data["command"], data["scores"]["pass@1"]["mean"], data["counts"]["passed"]) == ("solve", 1.0, 2)
    assert "accuracy" in done.stderr


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--fail-under", "0.5"], 0, ""),
        (["--fail-under", "0.51"], 1, "pass@1 is 0.5, below --fail-under 0.51"),
        (["--fail-under", "0.1", "-k", "2,1"], 2, "needs pass@2, and so 2 samples of each problem; 't/0' has 1; "),
        (["--fail-under", "40"], 2, "'--fail-under'"),
        (["--fail-under", "nan"], 2, "'--fail-under'"),
    ],
)
def test_fail_under(score, options, status, message):
    """The status is 1 if the first k's score is lower, and 2 for errors."""
    done = score(*options)
    assert done.exit_code == status and message in done.stderr


def test_fail_under_of_a_solver(files):
    """`solve` has the same status for a score that is lower."""
    problems = files(SAMPLES, PROBLEMS)[-2:]
    done = CliRunner().invoke(app, ["solve", "--solver", "failing", *map(str, problems), "--fail-under", "0.5"])
    assert done.exit_code == 1 and "pass@1 is 0, below --fail-under 0.5" in done.stderr


def test_complete_results(score, tmp_path):
    """Results that are complete already have a score too, without another run."""
    options = ["--output", tmp_path / "results.jsonl"]
    assert score(*options).exit_code == 0
    done = score(*options, "--resume", "--json", "--fail-under", "0.6")
    data = json.loads(done.stdout)
    assert (done.exit_code, data["scores"]["pass@1"]["mean"], data["samples_run"]) == (1, 0.5, 0)
    assert "is complete" in done.stderr


def steps():
    """Return the job of the example, and the commands that its steps run."""
    [job] = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))["jobs"].values()
    return job, [step["run"] for step in job["steps"] if step.get("run", "").startswith("code-eval ")]


def test_workflow_is_gated():
    """The workflow runs nothing unless the repository's variable HF_ALLOW_CODE_EVAL is 1."""
    job, commands = steps()
    assert job["if"] == "vars.HF_ALLOW_CODE_EVAL == '1'"
    assert len(commands) == 3


@pytest.mark.parametrize("line", steps()[1])
def test_workflow_commands_are_valid(line):
    """Each command of the workflow has options that the command knows."""
    group = get_command(app)
    arguments = shlex.split(line.partition(" > ")[0])[1:]
    with group.make_context("code-eval", [*arguments]) as context:
        name, *rest = arguments[arguments.index("--no-config") + 1 :] if "--no-config" in arguments else arguments
        assert group.get_command(context, name).make_context(name, rest, parent=context).params


def test_a_score_as_high_as_asked(files):
    """1 of 10 is not below 0.1, although the estimate of pass@1 is by a rounding error."""
    samples = [{"task_id": "t/0", "completion": WRONG if number else RIGHT} for number in range(10)]
    arguments = files(samples, PROBLEMS[:1])
    assert CliRunner().invoke(app, [*map(str, arguments), "-k", "1", "--fail-under", "0.1"]).exit_code == 0


def test_a_finished_run_of_other_settings(score, tmp_path):
    """`--resume` tells no score of a finished run whose settings are others."""
    output = tmp_path / "finished.jsonl"
    assert score("--output", output).exit_code == 0
    same = score("--output", output, "--resume", "--json", "--limit", "2")
    assert (same.exit_code, json.loads(same.stdout)["limit"]) == (0, 2)
    other = score("--output", output, "--resume", "--json", "--timeout", "9")
    assert (other.exit_code, other.stdout) == (2, "")
    assert "finished.jsonl belongs to a run with other settings: limits" in other.stderr


def test_a_bug_is_no_low_score(monkeypatch):
    """An exception that nobody expected ends the command with status 2 and its traceback."""
    monkeypatch.setattr("code_tasks.cli.main.CodeEvalCommands.invoke", lambda *_: 1 / 0)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 2 and "ZeroDivisionError" in done.stderr
