"""The metric under lm-evaluation-harness, whose tasks humaneval and mbpp, on local data, load ours."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from support.metric_and_command import DATA, ROOT, code_eval, python
from support.requirements import unavailable

pytestmark = pytest.mark.slow

# The imports of lm-evaluation-harness take half a minute on a busy machine.
SECONDS = 600
PROBLEMS = DATA / "HumanEval.jsonl.gz"
EXAMPLE = ROOT / "examples" / "integrations" / "lm_eval_humaneval.py"
NO_ENGINE = ["--sandbox", "docker", "--docker-host", "unix:///nowhere.sock"]

SCRIPT = """
import json, sys

import datasets
import evaluate
import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class Author(LM):
    '''A model that answers with the field "answer", or with the canonical solutions of all but some problems.'''

    def generate_until(self, requests, disable_tqdm=False):
        return [self.answer(request.doc) for request in requests]

    def answer(self, doc):
        if "answer" in doc:
            return doc["answer"]
        return "    pass\\n" if doc["task_id"].endswith(("0", "4", "8")) else doc["canonical_solution"]

    def loglikelihood(self, requests, disable_tqdm=False): raise NotImplementedError
    loglikelihood_rolling = loglikelihood


# Thousands of tasks come with the library, and their files take long to read.
tasks = TaskManager(include_path="tasks", include_defaults=False)
scores, passed = {}, {}
for name, model, task in json.loads(sys.argv[1]):
    model = Author() if model == "author" else model
    found = lm_eval.simple_evaluate(
        model=model, tasks=[task], task_manager=tasks, limit=20, confirm_run_unsafe_code=True, log_samples=True
    )
    metric = "pass@1" if task.startswith("humaneval") else "pass_at_1"
    scores[name] = next(value for key, value in found["results"][task].items() if key.startswith(metric + ","))
    passed[name] = {sample["doc"]["task_id"]: sample[metric] for sample in found["samples"][task]}
one = {"predictions": [["def add(a, b): return a + b"]], "references": ["assert add(2, 3) == 5"]}
_, results = evaluate.load("code_eval").compute(**one, k=[1])
found = {"scores": scores, "passed": passed, "result": results[0][0][1], "torch": "torch" in sys.modules}
print("FOUND", json.dumps(found))
"""

PROMPT, CHECK = "def add(a, b):\n", "def check(candidate):\n    assert candidate(2, 3) == 5\n"
ANSWERS = {
    "right": "    return a + b\n",
    "wrong": "    return a * b\n",
    "slow": "    import time\n    time.sleep(1000)\n",
    "equals everything": "    return type('Same', (), {'__eq__': lambda *_: True})()\n",
    "ends early": "    import os\n    os._exit(0)\n",
    "ends its parents": "    import os\n    os.kill(os.getppid(), 9)\n    os.kill(-1, 9)\n",
    "fills the memory": "    kept = []\n    while True:\n        kept.append(bytearray(1 << 28))\n",
}
ONLY_RIGHT = {name: float(name == "right") for name in ANSWERS}
MBPP_TESTS = ["assert add(2, 3) == 5", "assert add(0, 0) == 0", "assert add(-1, 1) == 0"]


def add_task(folder, name, packaged, data):
    """Write a packaged task of the harness, with its functions and stop words, for local data."""
    (folder / "tasks" / f"{name}.yaml").write_text(
        f"include: {packaged}\ntask: {name}\ndataset_path: json\ndataset_name: null\n"
        f"dataset_kwargs:\n  data_files:\n    test: {data}\n"
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a function that installs the metric in a new folder with tasks on local data, and returns the folder."""
    if (spec := importlib.util.find_spec("lm_eval")) is None:
        unavailable('lm-evaluation-harness is not installed: pip install "code-eval-sandboxes[test]"')
    packaged = Path(spec.origin).parent / "tasks"

    def install(*options):
        folder = tmp_path_factory.mktemp("harness")
        done = code_eval("install", "lm-eval", "--folder", folder, *options)
        assert done.returncode == 0, done.stderr
        (folder / "tasks").mkdir()
        records = [
            {"task_id": name, "answer": answer, "prompt": PROMPT, "test": CHECK, "entry_point": "add"}
            for name, answer in ANSWERS.items()
        ]
        words = [
            {**record, "text": "Add.", "test_list": MBPP_TESTS, "answer": PROMPT + record["answer"]}
            for record in records
        ]
        for name, lines in (("humaneval", records), ("mbpp", words)):
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        add_task(folder, "humaneval_published", packaged / "humaneval" / "humaneval.yaml", PROBLEMS)
        add_task(folder, "humaneval_own", packaged / "humaneval" / "humaneval.yaml", folder / "humaneval.jsonl")
        add_task(folder, "mbpp_own", packaged / "mbpp" / "mbpp.yaml", folder / "mbpp.jsonl")
        return folder

    return install


def run_harness(folder, runs, **variables):
    """Run the harness in a folder: (name, model, task) for each run. Return the finished process."""
    given = {"HF_ALLOW_CODE_EVAL": "1", "HF_HUB_OFFLINE": "1", **variables}
    return python("-c", SCRIPT, json.dumps(runs), cwd=folder, timeout=SECONDS, **given)


@pytest.fixture(scope="module")
def found(installed):
    """Provide the findings of the harness with all tasks."""
    runs = [
        ("dummy", "dummy", "humaneval_published"),
        ("author", "author", "humaneval_published"),
        ("humaneval", "author", "humaneval_own"),
        ("mbpp", "author", "mbpp_own"),
    ]
    done = run_harness(installed("--grading", "separate", "--memory-mb", "512"), runs)
    said = re.search(r"^FOUND (.*)$", done.stdout, re.MULTILINE)
    assert said, done.stdout + done.stderr
    return json.loads(said[1])


def test_it_loads_ours(found):
    """`evaluate.load("code_eval")` in that folder loads this metric, with the options that were installed."""
    assert (found["result"]["outcome"], found["result"]["grading"]) == ("passed", "separate")


def test_scores(found):
    """The harness's dummy model solves nothing. An author who gives up on 6 of 20 problems solves the other 14."""
    assert (found["scores"]["dummy"], found["scores"]["author"]) == (0.0, 0.7)


def test_no_torch(found):
    """Neither the harness nor the metric imports torch here."""
    assert not found["torch"]


@pytest.mark.parametrize("task", ["humaneval", "mbpp"])
def test_verdicts(found, task):
    """Wrong, slow and hostile candidates score 0, and end nothing but themselves."""
    assert found["passed"][task] == ONLY_RIGHT


def test_broken_sandbox(installed):
    """The harness ends with the sandbox's error, before a model is asked, if candidates can't be run."""
    done = run_harness(installed(*NO_ENGINE), [("author", "author", "humaneval_own")])
    assert done.returncode != 0 and "FOUND" not in done.stdout
    assert "SandboxUnavailable" in done.stderr


def test_example(tmp_path):
    """The example runs by itself: one of its two answers is right."""
    variables = {"HF_ALLOW_CODE_EVAL": "1", "HF_HUB_OFFLINE": "1", "TMPDIR": str(tmp_path)}
    done = python(EXAMPLE, cwd=tmp_path, timeout=SECONDS, **variables)
    assert "pass@1: 0.5\n" in done.stdout, done.stdout + done.stderr
