"""The command `code-eval solve`: the solvers dummy and failing, the order of attempts, and lines for people."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from code_tasks.cli.main import app
from code_tasks.solvers.record.format import read_run_log

PROBLEMS = ["--problems", Path(__file__).resolve().parents[2] / "examples" / "problems.jsonl"]
WALL = ["--timeout", "20"]


def code_eval_solve(*arguments):
    """Run the command, and return its result with `exit_code`, `stdout` and `stderr`."""
    return CliRunner().invoke(app, ["solve", *map(str, arguments)])


@pytest.mark.slow
def test_dummy_and_failing(tmp_path):
    """The solver dummy is always correct and says that nothing was run; failing scores 0, by the sandbox's verdicts."""
    ended = code_eval_solve("--solver", "dummy", *PROBLEMS, "--output", tmp_path / "dummy.jsonl")
    assert ended.exit_code == 0 and "12 attempts at 12 tasks: 12 correct" in ended.stdout
    assert "the solver dummy is always correct: nothing was run" in ended.stderr
    ended = code_eval_solve("--solver", "failing", *PROBLEMS, *WALL, "--output", tmp_path / "failing.jsonl")
    assert ended.exit_code == 0 and "12 attempts at 12 tasks: 0 correct, 12 incorrect" in ended.stdout
    results = [
        [line["result"] for line in read_run_log(tmp_path / f"{name}.jsonl") if line["record_type"] == "match"]
        for name in ("dummy", "failing")
    ]
    assert results[0] == [None] * 12 and all(results[1])


def test_dummy_needs_no_sandbox(tmp_path):
    """The solver dummy starts no sandbox, so data can be tried where there is none."""
    arguments = ["--sandbox", "docker", "--docker-host", f"unix://{tmp_path}/none.sock"]
    assert code_eval_solve("--solver", "dummy", *PROBLEMS, *arguments).exit_code == 0


def test_a_run_log_of_the_former_dummy(tmp_path):
    """A run log in which dummy was the solver that is always wrong is not continued by the one that is always right."""
    path = tmp_path / "run.jsonl"
    assert code_eval_solve("--solver", "dummy", *PROBLEMS, "--output", path).exit_code == 0
    spec, *_ = read_run_log(path)
    del spec["settings"]["always_correct"]
    path.write_text(json.dumps(spec) + "\n")
    ended = code_eval_solve("--solver", "dummy", *PROBLEMS, "--output", path, "--resume")
    assert ended.exit_code == 2 and "always_correct was null and is true" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "by_question"), [([], True), (["--order", "interleaved"], False), (["--order", "by_question"], True)]
)
def test_order(tmp_path, options, by_question):
    """Attempts of gold are task by task, unless --order says otherwise."""
    path = tmp_path / "run.jsonl"
    arguments = ["--tries", 2, "--concurrency", 1, "--output", path, *options]
    assert code_eval_solve("--solver", "gold", *PROBLEMS, *WALL, *arguments).exit_code == 0
    attempts = [line["sample_id"] for line in read_run_log(path) if line["record_type"] == "match"]
    numbers = [name.rpartition(".")[2] for name in attempts]
    assert numbers == (["0", "1"] * 12 if by_question else ["0"] * 12 + ["1"] * 12)


@pytest.mark.slow
def test_lines_for_people(tmp_path):
    """--record-pretty gives each message a line, and --log-at-end the grader's text."""
    path = tmp_path / "run.jsonl"
    options = ["--record-pretty", "--log-at-end", "--output", path]
    assert code_eval_solve("--solver", "gold", *PROBLEMS, *WALL, *options).exit_code == 0
    parts = Counter(line.get("part") for line in read_run_log(path) if line["record_type"] == "sampling")
    assert parts == {"message": 24, "grader_log": 12, None: 12}
