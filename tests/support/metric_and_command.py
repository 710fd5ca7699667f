"""The metric as evaluate loads it, the command `code-eval`, and a few samples that several test files score."""

import json
import os
import subprocess
import sys
from pathlib import Path

import evaluate

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
METRIC = str(ROOT / "code_eval.py")
# Far more than anything here needs, so that a busy machine fails no test.
SECONDS = 120

RIGHT = "def add(a, b):\n    return a + b"
WRONG = "def add(a, b):\n    return a * b"
TESTS = "assert add(2, 3) == 5, 'not the sum'"
PROBLEM = {
    "task_id": "t/0",
    "prompt": "def add(a, b):\n",
    "test": "def check(candidate):\n    assert candidate(2, 3) == 5\n",
    "entry_point": "add",
}
TWO_TASKS = {"predictions": [[RIGHT, WRONG], [WRONG, RIGHT]], "references": [TESTS, TESTS]}


def load_metric(*args, **kwargs):
    """Return the metric, loaded as a user loads it."""
    return evaluate.load(METRIC, *args, **kwargs)


def texts(results):
    """Return the "result" of every candidate, task by task."""
    return [[result["result"] for _, result in results[task_id]] for task_id in results]


def environment(**variables):
    """Return the environment of a process that has to find the code."""
    values = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1", **variables}
    # Under a CI service typer would otherwise assume a terminal with colours.
    return {name: value for name, value in values.items() if name not in ("FORCE_COLOR", "GITHUB_ACTIONS")}


def python(*args, cwd=ROOT, timeout=SECONDS, **variables):
    """Run Python with these arguments. Return the finished process, whose output is text."""
    return subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def code_eval(*args, **variables):
    """Run the `code-eval` command."""
    return python("-m", "code_tasks.cli", *args, **variables)


def results_of(path):
    """Return the samples with their results that `code-eval run` wrote. The last line is the summary."""
    *results, last = lines_of(path)
    assert list(last) == ["summary"]
    return results


def report_of(verdicts):
    """Return the report of `code-eval run` for the outcomes of each task's samples, within a second."""
    from code_tasks.scoring.summary import Tally, as_text
    from sandboxes import result_dict

    tally = Tally()
    for task_id, samples in verdicts.items():
        for number, verdict in enumerate(samples):
            tally.add(task_id, result_dict(task_id, number, verdict, sample_ids=[(task_id, number)]))
    return as_text(tally, None, 1.0)


def lines_of(path):
    """Return the objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
