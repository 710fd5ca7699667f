"""The command `code-eval solve`: solvers by name, a run log that can be resumed, and statuses."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from code_tasks.cli.main import app
from code_tasks.solvers.options import Backoff
from code_tasks.solvers.record.format import read_run_log
from code_tasks.solvers.record.reader import read_run_state
from support.chat_server import Reply, chat_server

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PROBLEMS = ["--problems", EXAMPLES / "problems.jsonl"]
REPLAY = ["--solver", "replay", "--samples", EXAMPLES / "samples.jsonl", *PROBLEMS]
WALL = ["--timeout", "20"]


def code_eval_solve(*arguments):
    """Run the command, and return its result with `exit_code`, `stdout` and `stderr`."""
    return CliRunner().invoke(app, ["solve", *map(str, arguments)])


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    """Provide the finished command for the gold solver, and its run log."""
    path = tmp_path_factory.mktemp("gold") / "run.jsonl"
    return code_eval_solve("--solver", "gold", *PROBLEMS, *WALL, "--tries", 2, "--output", path), path


def test_gold(gold):
    """The canonical solutions of the examples score 1.0, and the status is 0."""
    ended, path = gold
    assert ended.exit_code == 0, ended.stderr
    assert "24 attempts at 12 tasks: 24 correct, 0 incorrect, 0 system errors" in ended.stdout
    assert re.search(r"accuracy +100.0 %", ended.stdout) and "pass^2" in ended.stdout
    *_, report = read_run_log(path)
    assert report["summary"]["accuracy"] == 1.0


def test_cache(tmp_path):
    """With --cache-dir, a second run takes verdicts from the cache; --partial-credit adds the share to each verdict."""
    options = ["--cache-dir", tmp_path / "cache", "--partial-credit"]
    cached = []
    for number in range(2):
        record = tmp_path / f"run{number}.jsonl"
        done = code_eval_solve("--solver", "gold", *PROBLEMS, *WALL, *options, "--output", record)
        assert done.exit_code == 0, done.stderr
        verdicts = [line["result"] for line in read_run_log(record) if line["record_type"] == "match"]
        assert {verdict["partial_credit"] for verdict in verdicts} == {1.0}
        cached.append({verdict["cached"] for verdict in verdicts})
    assert cached == [{False}, {True}]


@pytest.mark.parametrize(
    ("sandbox", "body", "allowing"),
    [
        ("subprocess", "    import os\n    return len(os.listdir('FOLDER'))\n", ["--read-only-path", "FOLDER"]),
        ("restricted", "    import math\n    return math.floor(0.5)\n", ["--allowed-import", "math"]),
        ("restricted", "    _zero = 0\n    return _zero\n", ["--allow-underscore-variable-names"]),
        ("restricted", "    return int('{}'.format(0))\n", ["--allow-str-format"]),
    ],
    ids=["read-only-path", "allowed-import", "allow-underscore-variable-names", "allow-str-format"],
)
def test_what_candidates_may_do(tmp_path, sandbox, body, allowing):
    """Sandbox options work as for `run`: candidates may do something with the option, and not without it."""
    # Programs run as another user, who must be able to read this folder.
    tmp_path.chmod(0o755)
    (tmp_path / "empty").mkdir()
    body, allowing = (
        body.replace("FOLDER", f"{tmp_path}/empty"),
        [each.replace("FOLDER", f"{tmp_path}/empty") for each in allowing],
    )
    problem = {"task_id": "t/0", "prompt": "def zero():\n", "canonical_solution": body, "entry_point": "zero"}
    problem["test"] = "def check(candidate):\n    assert candidate() == 0\n"
    (tmp_path / "problems.jsonl").write_text(json.dumps(problem))
    arguments = ["--solver", "gold", "--problems", tmp_path / "problems.jsonl", *WALL, "--sandbox", sandbox]
    accuracies = []
    for more in ([], allowing):
        ended = code_eval_solve(*arguments, *more)
        assert ended.exit_code == 0, ended.stderr
        accuracies.append(re.search(r"accuracy +(\S+) %", ended.stdout)[1])
    assert accuracies == ["0.0", "100.0"]


def test_resume(gold):
    """A run log that was cut in its middle can be resumed: only the missing attempts run, and the score is the same."""
    ended, path = gold
    lines = path.read_bytes().splitlines(keepends=True)
    cut = path.with_name("cut.jsonl")
    cut.write_bytes(b"".join(lines[:21]) + lines[21][:30])
    resumed = code_eval_solve("--solver", "gold", *PROBLEMS, *WALL, "--tries", 2, "--output", cut, "--resume")
    assert (resumed.exit_code, resumed.stdout) == (0, ended.stdout), resumed.stderr
    matches = [line["sample_id"] for line in read_run_log(cut) if line["record_type"] == "match"]
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
    """A run log with other settings is refused with status 2, and stays as it is."""
    _, path = gold
    before = path.read_bytes()
    ended = code_eval_solve(*arguments, *PROBLEMS, *WALL, "--output", path, "--resume")
    assert ended.exit_code == 2 and said in ended.stderr and "Traceback" not in ended.stderr
    assert path.read_bytes() == before


def test_replay():
    """A replay of the examples' samples has the score of `code-eval run`. More tries than samples are refused."""
    ended = code_eval_solve(*REPLAY)
    assert ended.exit_code == 0, ended.stderr
    assert "63 attempts at 12 tasks: 27 correct, 36 incorrect" in ended.stdout
    ended = code_eval_solve(*REPLAY, "--tries", 9)
    assert ended.exit_code == 2 and "--tries 9 needs as many samples of each task" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--solver", "golden", *PROBLEMS],
            "unknown solver 'golden'; choose one of gold, dummy, failing, replay",
        ),
        (["--solver", "gold"], "give either --problems FILE or --dataset NAME"),
        (["--solver", "replay", *PROBLEMS], "--samples FILE goes with --solver replay"),
        (["--solver", "chat", *PROBLEMS], "--solver chat needs --model NAME"),
        (["--solver", "gold", *PROBLEMS, "--model", "m"], "--model is for --solver chat and agent, not gold"),
        (["--solver", "gold", *PROBLEMS, "--sandbox", "dokcer"], "unknown sandbox 'dokcer'"),
        (["--solver", "gold", *PROBLEMS, "--grading", "apart"], "grading must be one of"),
        (["--solver", "gold", *PROBLEMS, "--retry-errors"], "--retry-errors goes with --resume"),
        (["--solver", "gold", *PROBLEMS, "--on-solver-error", "no"], "--on-solver-error must be one of"),
        (["--solver", "gold", *PROBLEMS, "--order", "no"], "order must be one of interleaved, by_question, not 'no'"),
        (["--solver", "gold", *PROBLEMS, "--record-pretty"], "--record-pretty needs --output FILE"),
        (["--solver", "gold", *PROBLEMS, "--log-at-end"], "--log-at-end needs --output FILE"),
    ],
)
def test_arguments_that_cant_be_right(arguments, said):
    """An invalid argument is one message that gives the reason, without a traceback."""
    ended = code_eval_solve(*arguments)
    assert ended.exit_code in (1, 2) and "Traceback" not in ended.stderr
    assert said in re.sub(r"[\s│]+", " ", ended.stderr)


def test_a_record_that_is_there(gold):
    """--output never overwrites a run log."""
    _, path = gold
    ended = code_eval_solve("--solver", "gold", *PROBLEMS, "--output", path)
    assert ended.exit_code == 2 and "already exists; --resume continues it" in ended.stderr


RIGHT, WRONG = (f"```python\ndef add(a, b):\n    return a {sign} b\n```" for sign in "+*")


@pytest.mark.parametrize(("solver", "options", "right"), [("chat", [], 2), ("agent", ["--max-steps", "2"], 4)])
def test_models(tmp_path, monkeypatch, solver, options, right):
    """A model's server is asked with the given options, asked again after 429 and 500, and shown the failures."""
    from support.metric_and_command import PROBLEM

    monkeypatch.setenv("OPENAI_API_KEY", "key")
    problems, template = tmp_path / "problems.jsonl", tmp_path / "template.txt"
    problems.write_text("".join(json.dumps(PROBLEM | {"task_id": f"t/{n}"}) + "\n" for n in range(2)))
    template.write_text("Solve it: {prompt}")
    asked = {}

    def reply(request, number):
        if number in (0, 1):
            return Reply(status=(429, 500)[number])
        # Every other first answer is wrong, and every second answer is right.
        first = len(request["messages"]) == 1
        with lock:
            asked["first"] = asked.get("first", 0) + first
        return Reply(WRONG if first and asked["first"] % 2 else RIGHT)

    lock = threading.Lock()
    with chat_server(reply) as server:
        model = ["--model", "tiny", "--base-url", server.url, "--temperature", 0, "--max-tokens", 99, "--stop", "END"]
        ended = code_eval_solve(
            "--solver", solver, "--problems", problems, "--tries", 2, "--template", template, *model, *options, *WALL,
            "--output", tmp_path / "run.jsonl", "--concurrency", 1,
        )  # fmt: skip
    assert ended.exit_code == 0, ended.output
    assert f"4 attempts at 2 tasks: {right} correct, {4 - right} incorrect, 0 system errors" in ended.stdout
    _, headers, request = server.requests[-1]
    assert headers["authorization"] == "Bearer key"
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("tiny", 0, 99)
    assert request["stop"] == ["END"] and request["messages"][0]["content"].startswith("Solve it: def add")
    errors = [line for line in read_run_log(tmp_path / "run.jsonl") if line["record_type"] == "error"]
    assert [line["is_system_error"] for line in errors] == [True, True]


def test_a_server_that_refuses(tmp_path):
    """A server that refuses, for example a wrong key, leads to one line and status 2, and no wrong answer."""
    with chat_server(lambda request, number: Reply(status=401)) as server:
        ended = code_eval_solve("--solver", "chat", "--model", "tiny", "--base-url", server.url, *PROBLEMS)
    assert ended.exit_code == 2 and "Traceback" not in ended.stderr
    assert "answered 401" in ended.stderr and "OPENAI_API_KEY" in ended.stderr


def test_a_server_that_stays_broken(tmp_path, monkeypatch):
    """A task without a valid attempt is named with status 2. --retry-errors runs it again when the server works."""
    from support.metric_and_command import PROBLEM

    monkeypatch.setattr(Backoff, "seconds", lambda self, retry_idx: 0.0)
    problems, record = tmp_path / "problems.jsonl", tmp_path / "run.jsonl"
    problems.write_text(json.dumps(PROBLEM) + "\n")
    works = False
    with chat_server(lambda request, number: Reply(RIGHT) if works else Reply(status=503)) as server:
        run = ["--solver", "chat", "--model", "tiny", "--base-url", server.url, "--problems", problems, *WALL]
        ended = code_eval_solve(*run, "--output", record)
        assert ended.exit_code == 2 and "0 correct, 0 incorrect, 1 system errors" in ended.stdout
        assert f"not valid: no attempt worked at 1 task(s): {PROBLEM['task_id']}" in ended.stderr
        assert len(server.requests) == 17
        works = True
        assert code_eval_solve(*run, "--output", record, "--resume").exit_code == 2
        assert len(server.requests) == 17
        ended = code_eval_solve(*run, "--output", record, "--resume", "--retry-errors")
    assert ended.exit_code == 0 and "1 correct, 0 incorrect, 0 system errors" in ended.stdout
    *_, match, _ = read_run_log(record)
    assert (match["record_type"], match["retry_idx"]) == ("match", 17)


def test_interrupted(tmp_path):
    """Ctrl-C ends the command with status 130 and a line that says how to continue, and leaves no process."""
    samples = tmp_path / "samples.jsonl"
    problems = [json.loads(line)["task_id"] for line in (EXAMPLES / "problems.jsonl").read_text().splitlines()]
    quick, slow = "    pass\n", "    while True: pass\nwhile True: pass\n"
    lines = [{"task_id": name, "completion": body} for name in problems for body in (quick, *[slow] * 9)]
    samples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    record = tmp_path / "run.jsonl"
    arguments = ["--solver", "replay", "--samples", samples, *PROBLEMS, "--timeout", 30, "--output", record]
    command = [sys.executable, "-m", "code_tasks.cli", "solve", *map(str, arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        while not (record.exists() and b'"match"' in record.read_bytes()):
            time.sleep(0.05)
            assert process.poll() is None
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert said.endswith("interrupted; the same command with --resume continues\n") and "Traceback" not in said
    assert children
    _, left = psutil.wait_procs(children, timeout=30)
    assert not left
    assert read_run_state(record).attempts
