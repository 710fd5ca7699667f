"""What `code-eval solve` promises: solvers by name, a record that is gone on with, and statuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from code_tasks.cli import app
from code_tasks.recording import read_record

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
PROBLEMS = ["--problems", EXAMPLES / "problems.jsonl"]
REPLAY = ["--solver", "replay", "--samples", EXAMPLES / "samples.jsonl", *PROBLEMS]
WALL = ["--timeout", "20"]


def code_eval_solve(*arguments):
    """What the command said: `exit_code`, `stdout` and `stderr`."""
    return CliRunner().invoke(app, ["solve", *map(str, arguments)])


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    """The ended command for the gold solver, and its record."""
    path = tmp_path_factory.mktemp("gold") / "run.jsonl"
    return code_eval_solve("--solver", "gold", *PROBLEMS, *WALL, "--tries", 2, "--output", path), path


def test_gold(gold):
    """The canonical solutions of the examples score 1.0, and the status is 0."""
    ended, path = gold
    assert ended.exit_code == 0, ended.stderr
    assert "24 attempts at 12 questions: 24 correct, 0 incorrect, 0 system errors" in ended.stdout
    assert re.search(r"accuracy +100.0 %", ended.stdout) and "pass^2" in ended.stdout
    *_, report = read_record(path)
    assert report["summary"]["accuracy"] == 1.0


def test_resume(gold):
    """A record that was cut in its middle is gone on with: the same score, and only what was missing is run."""
    ended, path = gold
    lines = path.read_bytes().splitlines(keepends=True)
    cut = path.with_name("cut.jsonl")
    cut.write_bytes(b"".join(lines[:21]) + lines[21][:30])
    resumed = code_eval_solve("--solver", "gold", *PROBLEMS, *WALL, "--tries", 2, "--resume", cut)
    assert (resumed.exit_code, resumed.stdout) == (0, ended.stdout), resumed.stderr
    matches = [line["sample_id"] for line in read_record(cut) if line["record_type"] == "match"]
    assert len(matches) == len(set(matches)) == 24


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--solver", "gold", "--tries", 3], "tries was 2 and is 3"),
        (["--solver", "gold", "--tries", 2, "--memory-mb", 2048], "memory_mb was 1024 and is 2048"),
        (["--solver", "dummy", "--tries", 2], "solver was 'gold' and is 'dummy'"),
    ],
)
def test_other_settings(gold, arguments, said):
    """A record of other settings is refused with status 1, and stays as it is."""
    _, path = gold
    before = path.read_bytes()
    ended = code_eval_solve(*arguments, *PROBLEMS, *WALL, "--resume", path)
    assert ended.exit_code == 1 and said in ended.stderr and "Traceback" not in ended.stderr
    assert path.read_bytes() == before


def test_replay():
    """Replaying the examples' samples scores what `code-eval run` gives them; more tries than samples are refused."""
    ended = code_eval_solve(*REPLAY)
    assert ended.exit_code == 0, ended.stderr
    assert "60 attempts at 12 questions: 26 correct, 34 incorrect" in ended.stdout
    ended = code_eval_solve(*REPLAY, "--tries", 9)
    assert ended.exit_code == 1 and "--tries 9 needs as many samples of each task" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--solver", "golden", *PROBLEMS], "unknown solver 'golden'; choose one of gold, dummy, replay, chat, agent"),
        (["--solver", "gold"], "give either --problems FILE or --dataset NAME"),
        (["--solver", "replay", *PROBLEMS], "--samples FILE goes with --solver replay"),
        (["--solver", "chat", *PROBLEMS], "--solver chat needs --model NAME"),
        (["--solver", "gold", *PROBLEMS, "--model", "m"], "--model is for --solver chat and agent, not gold"),
        (["--solver", "gold", *PROBLEMS, "--sandbox", "dokcer"], "unknown sandbox 'dokcer'"),
        (["--solver", "gold", *PROBLEMS, "--grading", "apart"], "grading must be one of"),
        (["--solver", "gold", *PROBLEMS, "--retry-errors"], "--retry-errors needs --resume RECORD"),
        (["--solver", "gold", *PROBLEMS, "--on-solver-error", "no"], "on_solver_error must be one of"),
    ],
)
def test_arguments_that_cant_be_right(arguments, said):
    """What can't be right is one message that says why, and no traceback."""
    ended = code_eval_solve(*arguments)
    assert ended.exit_code in (1, 2) and "Traceback" not in ended.stderr
    assert said in re.sub(r"[\s│]+", " ", ended.stderr)


def test_a_record_that_is_there(gold):
    """--output never overwrites a record."""
    _, path = gold
    ended = code_eval_solve("--solver", "gold", *PROBLEMS, "--output", path)
    assert ended.exit_code == 1 and "is there already; --resume goes on with it" in ended.stderr


def test_readme_example(tmp_path):
    """The commands of README's section on solvers run, in their order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## Solvers\n")[1].split("\n## ")[0]
    [block] = [each for each in re.findall(r"```bash\n(.*?)```", text, re.S) if "--solver replay" in each]
    script = block.replace("code-eval ", f"{sys.executable} -m code_tasks.cli ")
    script = script.replace("RUN.", f"{tmp_path}/RUN.")
    ended = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    assert "26 correct" in ended.stdout
    assert json.loads((tmp_path / "RUN.jsonl").read_text().splitlines()[0])["record_type"] == "spec"
