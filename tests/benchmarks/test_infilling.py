"""HumanEval's infilling: completions stand between prompt and suffix, as in its own grader, which runs beside ours."""

import json
import os
import random
import subprocess
import sys

import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.readers import InputError
from sandboxes import Evaluator
from support.infilling_records import KINDS, infilling_completions, infilling_record
from support.judged_records import loaded_records
from support.metric_and_command import ROOT, SECONDS
from support.published_records import read

SAMPLE = 12
RECORD = {
    "task_id": "SingleLineInfilling/HumanEval/0/L0",
    "prompt": "def add(a, b):\n    total = a",
    "suffix": "\n    return total\n",
    "canonical_solution": " + b",
    "entry_point": "add",
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
}
OFFICIAL = """
import json, sys
from support.infilling_records import official_verdict
for record, completion in json.load(sys.stdin):
    print(json.dumps(official_verdict(record, completion)), flush=True)
"""


@pytest.fixture(scope="module")
def pairs():
    """Return (record, completion) pairs of a few problems of each kind. Another CODE_EVAL_SEED chooses others."""
    seed = os.environ.get("CODE_EVAL_SEED", "0")
    chosen = random.Random(seed).sample(read("HumanEval.jsonl.gz"), SAMPLE)
    records = [infilling_record(record, kind, seed) for record in chosen for kind in KINDS]
    return [(record, completion) for record in records for completion in infilling_completions(record)]


@pytest.mark.slow
def test_verdicts_are_the_graders(pairs):
    """The verdict on each completion, read as an answer, is that of `exec` on the text of human-eval-infilling."""
    command = [sys.executable, "-c", OFFICIAL]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    options = {"input": json.dumps(pairs), "capture_output": True, "text": True, "timeout": SECONDS}
    done = subprocess.run(command, env=environment, **options)
    expected = [json.loads(line) for line in done.stdout.splitlines() if line in ("true", "false")]
    assert len(expected) == len(pairs), done.stderr
    assert judged(pairs) == expected


def judged(pairs):
    """Return our verdicts on (record, completion) pairs, with the default extraction."""
    records = list({record["task_id"]: record for record, _ in pairs}.values())
    loaded = loaded_records("humaneval-infilling", *records)
    config = loaded.benchmark.eval_config({"num_workers": 2, "extract": "auto"})
    answers = {record["task_id"]: [] for record in records}
    for record, completion in pairs:
        answers[record["task_id"]].append(read_as_program(loaded.problems[record["task_id"]], completion, config))
    tasks = [loaded.problems[task_id].task(programs, config.limits) for task_id, programs in answers.items()]
    with Evaluator(config) as evaluator:
        results = list(evaluator.run(tasks))
    return [result.passed for result in results]


def read_as_program(problem, answer, config):
    """Return the program of an answer."""
    return problem.extracted(answer, "python", config.tasks.extract)


FENCED = "The line is:\n```python\n + b\n```\nIt adds."
WHOLE = "```python\ndef add(a, b):\n    return a + b\n```"


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        (" + b", "def add(a, b):\n    total = a + b\n    return total\n"),
        ("", "def add(a, b):\n    total = a\n    return total\n"),
        ("<think>\nWhat lacks?\n</think> + b", "def add(a, b):\n    total = a + b\n    return total\n"),
        (FENCED, "def add(a, b):\n    total = a + b\n\n    return total\n"),
        (WHOLE, "def add(a, b):\n    return a + b\n"),
        ("I can't.", "def add(a, b):\n    total = aI can't.\n    return total\n"),
    ],
)
def test_answers(answer, program):
    """A completion is taken as it is. Of a chat answer a block is taken that fits, or that has the whole function."""
    [problem] = loaded_records("humaneval-infilling", RECORD).problems.values()
    config = load_config()
    assert read_as_program(problem, answer, config).code == program


def load_config():
    """Return the configuration of a run with the default extraction."""
    return loaded_records("humaneval-infilling", RECORD).benchmark.eval_config({"extract": "auto"})


def test_a_record_needs_a_suffix():
    """A record without a suffix is HumanEval's, and an error here."""
    with pytest.raises(InputError, match="missing key 'suffix'"):
        loaded_records("humaneval-infilling", {name: RECORD[name] for name in RECORD if name != "suffix"})


def test_configs(tmp_path):
    """In a clone of the dataset, a config is one of its files."""
    (tmp_path / "data").mkdir()
    for number, kind in enumerate(("SingleLine", "MultiLine")):
        record = json.dumps({**RECORD, "task_id": str(number)})
        (tmp_path / "data" / f"HumanEval-{kind}Infilling.jsonl").write_text(record)
    assert [*load_benchmark("humaneval-infilling", tmp_path).problems] == ["0"]
    assert [*load_benchmark("humaneval_infilling", tmp_path, config="HumanEval-MultiLineInfilling").problems] == ["1"]
    with pytest.raises(ValueError, match="not 'test' of 'single'"):
        load_benchmark("humaneval-infilling", tmp_path, config="single")
