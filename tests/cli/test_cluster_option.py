"""The option --cluster of `code-eval solve` and `correctness`, on a Ray that the command starts."""

import importlib.util
import json

import pytest

from code_tasks.solvers.record.format import read_run_log
from support.metric_and_command import PROBLEM, lines_of, python
from support.requirements import unavailable

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

# Only a command that uses a cluster imports Ray.
SCRIPT = """
import atexit, sys
atexit.register(lambda: print("USED RAY", "ray" in sys.modules))
from code_tasks.cli.main import app
app()
"""
GOLD = {**PROBLEM, "canonical_solution": "    return a + b\n"}
INPUTS = {"focal_code": "def f():\n    return 1\n", "lang": "Python"}
TEST = "from a.b import f\n\ndef test_f():\n    assert f() == {value}\n"


@pytest.fixture(autouse=True)
def ray():
    """Skip these tests if Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        unavailable('Ray is not installed: pip install "code-eval-sandboxes[ray]"')


def on_a_cluster(*arguments):
    """Run a command with --cluster local, and return the finished process, which has used Ray."""
    done = python("-c", SCRIPT, *arguments, "--cluster", "local")
    assert done.returncode == 0, done.stderr
    assert "USED RAY True" in done.stdout
    return done


def test_solve(tmp_path):
    """`solve --cluster local` grades attempts on the cluster, and a second run takes the verdicts from --cache-dir."""
    (tmp_path / "problems.jsonl").write_text(json.dumps(GOLD))
    arguments = ["solve", "--solver", "gold", "--problems", tmp_path / "problems.jsonl"]
    cached = []
    for log in (tmp_path / "first.jsonl", tmp_path / "second.jsonl"):
        done = on_a_cluster(*arguments, "--cache-dir", tmp_path / "cache", "--output", log)
        assert "1 attempts at 1 tasks: 1 correct, 0 incorrect, 0 system errors" in done.stdout
        [match] = [line for line in read_run_log(log) if line["record_type"] == "match"]
        cached.append(match["result"]["cached"])
    assert cached == [False, True]


def test_correctness(tmp_path):
    """`correctness --cluster local` runs records on the cluster."""
    data, output = tmp_path / "data.jsonl", tmp_path / "results.jsonl"
    labels = {1: "success", 2: "failed"}
    data.write_text(
        "".join(
            json.dumps(
                {"inputs": {**INPUTS, "test_code": TEST.format(value=value)}, "outputs": label, "meta": {"id": value}}
            )
            + "\n"
            for value, label in labels.items()
        )
    )
    on_a_cluster("correctness", data, "--repeats", 1, "--output", output)
    assert {int(line["id"]): line["label"] for line in lines_of(output)} == labels
