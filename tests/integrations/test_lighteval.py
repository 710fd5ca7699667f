"""lighteval runs LiveCodeBench's candidates through the adapter, and its own grader agrees."""

import json
import pickle
import re
import warnings
from base64 import b64encode
from types import SimpleNamespace
from zlib import compress

import pytest

import sandboxes
from support.frameworks import framework
from support.lighteval_programs import (
    ADD,
    HOSTILE_CALLS,
    HOSTILE_SCRIPTS,
    PROBLEMS,
    SUM,
    SUM_CANDIDATES,
    samples_of,
)
from support.metric_and_command import ROOT, python
from support.pages import blocks_of

with warnings.catch_warnings():
    # The imports of lighteval and its packages warn of each other.
    warnings.simplefilter("ignore")
    framework("lighteval", "frameworks")
    from code_tasks.adapters import lighteval as adapter

pytestmark = pytest.mark.slow

# The imports of lighteval take half a minute on a busy machine.
SECONDS = 600
OFFLINE = ROOT / "tests" / "support" / "lighteval_offline.py"
RIGHT_CALL = "def add(a, b):\n    return a + b"

BOTH = """
import json, sys
from code_tasks.adapters import lighteval as adapter
from lighteval.tasks.tasks.lcb.codegen_metrics import codegen_metrics
from support.lighteval_programs import PROBLEMS, samples_of

problems, candidates = zip(*PROBLEMS)
arguments = dict(k_list=[1, 5, 20], num_process_evaluate=2, timeout=5)
found = [grade(samples_of(problems), candidates, **arguments) for grade in (adapter.codegen_metrics, codegen_metrics)]
print("FOUND", json.dumps([[metrics, dict(sorted(results.items()))] for metrics, results in found]))
"""

MODEL = """
import json
from pathlib import Path

from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.utils.cache_management import SampleCache


class Answers(LightevalModel):
    tokenizer, add_special_tokens, max_length = None, False, 2048

    def __init__(self, config):
        config.cache_dir = str(Path(__file__).parent / "cache")
        self.config, self._cache = config, SampleCache(config)

    def greedy_until(self, docs):
        answers = json.loads((Path(__file__).parent / "answers.json").read_text())
        assert all(doc.num_samples == 2 for doc in docs)
        return [ModelResponse(text=answers[int(doc.id)]) for doc in docs]

    def loglikelihood(self, docs):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood
"""

TASKS = """
from dataclasses import replace
from code_tasks.adapters.lighteval import codegen_tasks

tasks = codegen_tasks(n=2, timeout=3, **OPTIONS)[:1]
TASKS_TABLE = [replace(task, name="local", hf_repo=FOLDER, hf_subset="default") for task in tasks]
"""


@pytest.fixture(autouse=True)
def consent(monkeypatch):
    """Allow programs to run."""
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


def found_in(done):
    """Return the findings that a script printed."""
    said = re.search(r"^FOUND (.*)$", done.stdout, re.MULTILINE)
    assert said, done.stdout + done.stderr
    return json.loads(said[1])


def test_beside_its_own_grader():
    """40 pairs have the same codes and the same scores from both, in the same shape."""
    done = python("-c", BOTH, timeout=SECONDS, PYTHONPATH=f"{ROOT}:{ROOT / 'tests'}", HF_ALLOW_CODE_EVAL="1")
    ours, theirs = found_in(done)
    assert ours == theirs
    assert sum(len(candidates) for _, candidates in PROBLEMS) == 40
    codes = [candidate[-1] for problem in ours[1].values() for candidate in problem]
    assert {repr(code) for code in codes} == {"True", "False", "-2", "-3", "-4"}


def test_hostile_calls():
    """No candidate forges a pass of a call, and an honest one beside them passes."""
    _, results = adapter.codegen_metrics(samples_of([ADD]), [[*HOSTILE_CALLS, RIGHT_CALL]], timeout=3)
    assert results[0].pop() == [True, True]
    assert [codes for codes in results[0] if all(code is True for code in codes)] == []


def test_hostile_scripts():
    """No script passes by ending early, by flooding its output or the memory, or by ending other processes."""
    _, results = adapter.codegen_metrics(samples_of([SUM]), [[*HOSTILE_SCRIPTS, SUM_CANDIDATES[0]]], timeout=3)
    assert results[0].pop() == [True] * 3
    assert [codes for codes in results[0] if codes[-1] is True] == []


def test_broken_sandbox(monkeypatch):
    """A candidate that the sandbox could not run is an error, and never a code."""
    broken = sandboxes.SandboxUnavailable("the disk is full")
    pool = sandboxes.warm_pool(adapter.codegen_metrics.config.sandbox)

    def failing(programs, controls, on_result):
        """Fail as a pool does whose workers die."""
        raise broken

    monkeypatch.setattr(pool, "run", failing)
    with pytest.raises(sandboxes.SandboxUnavailable, match="the disk is full"):
        adapter.codegen_metrics(samples_of([ADD]), [[RIGHT_CALL, f"{RIGHT_CALL}\n\nassert True"]])


def test_memory_limit():
    """`memory_mb` replaces the 4 GiB of the benchmark."""
    hungry = "kept = bytearray(1 << 29)\n" + SUM_CANDIDATES[0]
    for options, code in (({}, True), ({"memory_mb": 256}, -4)):
        _, results = adapter.CodegenMetrics(**options)(samples_of([SUM]), [[hungry]])
        assert results[0][0][-1] == code


def test_no_consent(monkeypatch):
    """Nothing runs without consent, and a task's prompts are not made either."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL"):
        adapter.codegen_metrics(samples_of([ADD]), [[RIGHT_CALL]])
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL"):
        adapter.codegen_prompt(record())


@pytest.mark.parametrize(
    ("samples", "generations", "message"),
    [
        ([], [["x"]], "1 lists of generations, but 0 samples"),
        ([{"input_output": "?"}], [["x"]], r"samples\[0\] has no valid 'input_output': JSONDecodeError"),
        ([{}], [["x"]], r"samples\[0\] has no valid 'input_output': KeyError: 'input_output'"),
        (samples_of([{**SUM, "outputs": []}]), [["x"]], "there are 3 inputs, but 0 outputs"),
        (samples_of([{**ADD, "fn_name": "a b"}]), [["x"]], "fn_name must be the name of a function"),
        (samples_of([SUM]), ["print(3)"], r"generations\[0\] must be a list of texts, not 'print\(3\)'"),
        (samples_of([SUM]), [[None]], r"generations\[0\] must be a list of texts, not \[None\]"),
    ],
    ids=str,
)
def test_bad_input(samples, generations, message):
    """Invalid samples and generations are an error that names them."""
    with pytest.raises((ValueError, TypeError), match=message):
        adapter.codegen_metrics(samples, generations)


def test_bad_options():
    """An option that the benchmark decides, or that there is not, is an error that names it."""
    for name in ("checker", "language", "on_sandbox_error", "timeout", "seconds"):
        with pytest.raises(TypeError, match=f"there is no option '{name}'"):
            adapter.CodegenMetrics(**{name: "x"})
    with pytest.raises(ValueError, match="k must be from 1 to n, which is 1, not 5"):
        adapter.codegen_metric(k=5)


def answer(text):
    """Return a model's answers as the metric gets them."""
    return SimpleNamespace(text=text, final_text=text)


def test_too_few_answers():
    """A sample with fewer than k answers, or without tests, is an error, because it has no pass@k."""
    metric = adapter.codegen_metric(k=2, n=2).sample_level_fn
    with pytest.raises(ValueError, match="has 1 answers, and k is 2"):
        metric.compute([answer(["x"])], [SimpleNamespace(id="7", specific=SUM)])
    with pytest.raises(ValueError, match="the sample '7' has no 'specific'"):
        metric.compute([answer(["x"] * 2)], [SimpleNamespace(id="7", specific=None)])


def record(**fields):
    """Return a record of LiveCodeBench, whose private cases are packed as in the dataset."""
    case = {"input": "4 4\n", "output": "8", "testtype": "stdin"}
    packed = b64encode(compress(pickle.dumps(json.dumps([case])))).decode()
    first = {"input": "1 2\n", "output": "3\n", "testtype": "stdin"}
    return {
        "question_id": "sum",
        "question_content": "Add two numbers.",
        "starter_code": "",
        "metadata": "{}",
        "public_test_cases": json.dumps([first]),
        "private_test_cases": packed,
    } | fields


class RunsCode:
    """An object whose pickle calls a function when it is loaded."""

    def __reduce__(self):
        """Return the call."""
        return print, ("the pickle ran",)


def test_prompt(capsys):
    """The prompt is lighteval's own, and private cases that are no text are refused, not unpickled."""
    doc = adapter.codegen_prompt(record(), "task")
    assert doc.specific == {"inputs": ["1 2\n", "4 4\n"], "outputs": ["3\n", "8"], "fn_name": None}
    assert doc.query == adapter.lcb.lcb_codegeneration_prompt_fn(record(), "task").query
    hostile = b64encode(compress(pickle.dumps(RunsCode()))).decode()
    with pytest.raises(ValueError, match="it names builtins.print, and only a text is read"):
        adapter.codegen_prompt(record(private_test_cases=hostile))
    assert "the pickle ran" not in capsys.readouterr().out


def fenced(code):
    """Return an answer of a chat model."""
    return f"<think>```python\nprint(0)\n```</think>Here it is.\n```python\n{code}\n```\n"


def run_lighteval(folder, answers, **options):
    """Run lighteval's command on a local dataset with such answers, two for each record."""
    (folder / "data").mkdir()
    lines = [json.dumps(record(question_id=str(number))) for number in range(len(answers))]
    (folder / "data" / "test.jsonl").write_text("\n".join(lines))
    (folder / "answers.json").write_text(json.dumps([[fenced(code) for code in pair] for pair in answers]))
    (folder / "model.py").write_text(MODEL)
    tasks = TASKS.replace("OPTIONS", repr(options)).replace("FOLDER", repr(str(folder / "data")))
    (folder / "tasks.py").write_text(tasks)
    command = [OFFLINE, "-m", "lighteval", "custom", "answers", folder / "model.py", "local|0"]
    given = ["--custom-tasks", folder / "tasks.py", "--output-dir", folder / "output"]
    variables = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home"), "HF_ALLOW_CODE_EVAL": "1"}
    return python(*command, *given, cwd=folder, timeout=SECONDS, **variables)


def test_pipeline(tmp_path):
    """The command of lighteval scores right, wrong, slow and hostile candidates, and no hostile one passes."""
    right, slow = SUM_CANDIDATES[0], "while True:\n    pass"
    answers = [[right, right], [right, "print(3)"], [slow, "no code"], HOSTILE_SCRIPTS[:2], HOSTILE_SCRIPTS[2:4]]
    done = run_lighteval(tmp_path, answers)
    assert done.returncode == 0, done.stdout + done.stderr
    [path] = (tmp_path / "output").rglob("results_*.json")
    scores = json.loads(path.read_text())["results"]["local|0" if "local|0" in path.read_text() else "local:0"]
    assert scores["codegen_pass@k:k=1&n=2"] == pytest.approx(1.5 / 5)


def test_pipeline_without_sandbox(tmp_path):
    """The command ends with the sandbox's error, and writes no score, if candidates can't be run."""
    done = run_lighteval(tmp_path, [[SUM_CANDIDATES[0]] * 2], sandbox="docker", docker_host="unix:///nowhere.sock")
    assert done.returncode != 0
    assert "SandboxUnavailable" in done.stdout + done.stderr
    assert not list((tmp_path / "output").rglob("results_*.json"))


def test_page():
    """The Python code of the page runs."""
    page = (ROOT / "docs" / "integrations" / "lighteval.md").read_text(encoding="utf-8")
    blocks = blocks_of(page, "python")
    assert len(blocks) == 2
    for block in blocks:
        exec(block.code, {})


def test_example(tmp_path):
    """The example runs by itself: one of its two answers is right."""
    example = ROOT / "examples" / "integrations" / "lighteval_livecodebench.py"
    variables = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "HF_ALLOW_CODE_EVAL": "1", "TMPDIR": str(tmp_path)}
    done = python(OFFLINE, example, cwd=tmp_path, timeout=SECONDS, **variables)
    assert "'codegen_pass@k:k=1&n=1': 0.5" in done.stdout.replace("np.float64(0.5)", "0.5"), done.stdout + done.stderr
