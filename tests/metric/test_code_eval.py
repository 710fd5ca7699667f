"""The metric for users of code_eval: the same call gives the same answer."""

import json
import threading
import types
import warnings

import evaluate
import numpy as np
import pytest

import code_eval
from sandboxes import Outcome, SandboxUnavailable, Verdict
from sandboxes.backends.local_process import SubprocessSandbox
from support.metric_and_command import ROOT, TESTS, TWO_TASKS, WRONG, load_metric, python, texts

UPSTREAM_KEYS = {"task_id", "passed", "result", "completion_id"}


@pytest.fixture
def metric():
    """Provide a newly loaded metric."""
    return load_metric()


def test_load_from_another_folder(tmp_path, monkeypatch):
    """`evaluate.load` finds the metric by its path from any folder, offline."""
    monkeypatch.chdir(tmp_path)
    assert load_metric().compute(**TWO_TASKS, k=1)[0] == {"pass@1": 0.5}
    assert evaluate.load(code_eval.PATH).compute(**TWO_TASKS, k=1)[0] == {"pass@1": 0.5}


def test_shape(metric):
    """The answer is (pass_at_k, {task_id: [(completion_id, result), ...]})."""
    pass_at_k, results = metric.compute(**TWO_TASKS, k=[1, 2])
    assert pass_at_k == {"pass@1": 0.5, "pass@2": 1.0}
    assert {task_id: [number for number, _ in task] for task_id, task in results.items()} == {0: [0, 1], 1: [0, 1]}
    assert all(type(entry) is tuple for task in results.values() for entry in task)


def test_upstream_keys(metric):
    """A result has upstream's values under upstream's keys."""
    _, results = metric.compute(**TWO_TASKS, k=1)
    ours = [{name: result[name] for name in UPSTREAM_KEYS} for _, result in results[1]]
    assert ours == [
        {"task_id": 1, "passed": False, "result": "failed: not the sum", "completion_id": 0},
        {"task_id": 1, "passed": True, "result": "passed", "completion_id": 1},
    ]


@pytest.mark.parametrize(
    ("candidate", "text"),
    [
        ("x = 1", "passed"),
        ("raise ValueError('two words')", "failed: two words"),
        ("raise ValueError('two\\nlines ')", "failed: two lines"),
        ("raise KeyError('key')", "failed: 'key'"),
        ("1 / 0", "failed: division by zero"),
        ("y", "failed: name 'y' is not defined"),
        ("x = (", "failed: '(' was never closed (candidate.py, line 1)"),
        ("raise ValueError", "failed: ValueError"),
        ("assert 1 == 2", "failed: AssertionError: 1 == 2"),
    ],
)
def test_texts(metric, candidate, text):
    """A failure's text is upstream's "failed: " and the exception's message, or the reason if it has none."""
    _, results = metric.compute(predictions=[[candidate]], references=["assert True"], k=1)
    assert texts(results) == [[text]]


@pytest.mark.parametrize("candidate", ["while True:\n    pass", "import time\ntime.sleep(1000)"])
def test_timed_out(metric, candidate):
    """A candidate that exceeds its time has upstream's text "timed out"."""
    _, results = metric.compute(predictions=[[candidate]], references=["assert True"], k=1, timeout=0.2)
    assert texts(results) == [["timed out"]]


def test_verdict_fields(metric):
    """A result also has the outcome, the output and the candidate's own traceback."""
    [(_, result)] = metric.compute(predictions=[["print('hello')\n1 / 0"]], references=["assert True"], k=1)[1][0]
    assert (result["outcome"], result["exception_type"], result["stdout"]) == ("failed", "ZeroDivisionError", "hello\n")
    assert 'File "candidate.py", line 2' in result["traceback"]


def test_results_are_in_order(metric):
    """Results have the order of the predictions, in whatever order the candidates end."""
    waits = [0.4, 0.0, 0.2, 0.0]
    candidates = [f"import time\ntime.sleep({wait})\nraise ValueError({place})" for place, wait in enumerate(waits)]
    _, results = metric.compute(
        predictions=[candidates, candidates[::-1]], references=["assert True", "assert True"], k=1, num_workers=3
    )
    expected = [f"failed: {place}" for place in range(len(waits))]
    assert texts(results) == [expected, expected[::-1]]


@pytest.mark.parametrize(
    "k", [1, np.int64(1), [1], (1,), np.array([1]), [np.int32(1)]], ids=lambda k: f"{type(k).__name__}-{k}"
)
def test_kinds_of_k(metric, k):
    """A k may be any kind of integer, alone or in a list, tuple or array."""
    assert metric.compute(**TWO_TASKS, k=k)[0] == {"pass@1": 0.5}


def test_default_k(metric):
    """The default ks are upstream's 1, 10 and 100."""
    predictions = [["x = 1"] * 10]
    with pytest.warns(UserWarning, match="pass@100 is left out"):
        pass_at_k, _ = metric.compute(predictions=predictions, references=["assert True"])
    assert pass_at_k == {"pass@1": 1.0, "pass@10": 1.0}


def test_too_large_k(metric):
    """A k above some tasks' number of candidates is left out, with a warning that names the tasks. Other ks stay."""
    predictions = [["x = 1"] * 3, ["x = 1"], ["x = 1"] * 3, ["x = 1"] * 2]
    with pytest.warns(UserWarning, match=r"pass@3 .* task\(s\) 1, 3$") as caught:
        pass_at_k, _ = metric.compute(predictions=predictions, references=["assert True"] * 4, k=[1, 3])
    assert pass_at_k == {"pass@1": 1.0}
    assert caught[0].filename == __file__


def test_numbers_are_plain(metric):
    """Every score is a Python float, and the whole answer passes through JSON unchanged."""
    pass_at_k, results = metric.compute(**TWO_TASKS, k=[np.int64(1), 2])
    assert {type(score) for score in pass_at_k.values()} == {float}
    assert json.loads(json.dumps(pass_at_k)) == pass_at_k
    through = json.loads(json.dumps(results))
    assert [[number, result] for number, result in results[0]] == through["0"]


@pytest.mark.slow
def test_four_threads(metric):
    """Threads that share a metric each get the answer to their own samples."""
    answers = {}

    def score(number):
        candidates = [f"raise ValueError('{number} {place}')" for place in range(12)]
        answers[number] = metric.compute(predictions=[candidates], references=["assert True"], k=1, num_workers=2)

    threads = [threading.Thread(target=score, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: texts(results) for number, (_, results) in answers.items()} == {
        number: [[f"failed: {number} {place}" for place in range(12)]] for number in range(4)
    }


class FakePool:
    """A pool that returns the verdicts it was made with."""

    sandbox = SubprocessSandbox()

    def __init__(self, *ended):
        self.ended = list(ended)

    def cpus(self):
        """Return the number of CPUs of this machine."""
        return 2

    def run(self, programs, controls, on_result):
        """Report the verdicts, whatever the programs."""
        assert (len(programs), controls.on_sandbox_error) == (len(self.ended), "exclude")
        for index, ended in enumerate(self.ended):
            on_result(index, ended)


def test_excluded(metric, monkeypatch):
    """Excluded candidates have `passed` None, count neither as passed nor as failed, and are named in a warning."""
    ended = [Verdict(Outcome.PASSED), SandboxUnavailable("it broke"), SandboxUnavailable("so did this")]
    monkeypatch.setattr("sandboxes.blocking_evaluator.warm_pool", lambda *_: FakePool(*ended, Verdict(Outcome.FAILED)))
    with pytest.warns(UserWarning, match=r"2 candidate\(s\) could not be run .*: 0/1, 1/0 \("):
        pass_at_k, results = metric.compute(**TWO_TASKS, k=1, on_sandbox_error="exclude", dedupe=False)
    assert pass_at_k == {"pass@1": 0.5}
    assert [result["passed"] for task in results.values() for _, result in task] == [True, None, None, False]
    assert results[0][1][1]["result"] == "excluded: it broke"


def test_all_of_a_task_excluded(metric, monkeypatch):
    """A task whose candidates are all excluded does not count."""
    ended = [Verdict(Outcome.PASSED), Verdict(Outcome.PASSED), SandboxUnavailable("broke"), SandboxUnavailable("broke")]
    monkeypatch.setattr("sandboxes.blocking_evaluator.warm_pool", lambda *_: FakePool(*ended))
    with pytest.warns(UserWarning, match="1/0, 1/1"):
        assert metric.compute(**TWO_TASKS, k=1, on_sandbox_error="exclude", dedupe=False)[0] == {"pass@1": 1.0}


def test_broken_sandbox_is_no_score(metric, monkeypatch):
    """A sandbox that can't run candidates is an error, and never a score of 0."""

    def broken(*_):
        raise SandboxUnavailable("no room")

    monkeypatch.setattr("sandboxes.blocking_evaluator.warm_pool", broken)
    with pytest.raises(SandboxUnavailable, match="no room"):
        metric.compute(**TWO_TASKS, k=1)


def test_windows(monkeypatch):
    """On Windows the subprocess sandbox is a NotImplementedError that points to WSL and Docker."""
    monkeypatch.setattr("sandboxes.backends.local_process.os", types.SimpleNamespace(name="nt"))
    with pytest.raises(NotImplementedError, match=r"WSL.*Docker"):
        SubprocessSandbox()


SCRIPT = f"""
import evaluate
metric = evaluate.load({str(ROOT / "code_eval.py")!r})
print(metric.compute(predictions=[["x = 1", "x = 2"]], references=["assert x == 1"], k=1)[0])
"""
THREADS = f"""
import threading
for _ in range(8):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
{SCRIPT}"""


@pytest.mark.slow
@pytest.mark.parametrize("script", [SCRIPT, THREADS], ids=["no guard", "running threads"])
def test_scripts(tmp_path, script):
    """The metric works in a script without a `__main__` guard, and in a script with running threads."""
    file = tmp_path / "score.py"
    file.write_text(script)
    done = python("-W", "error", file, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("{'pass@1': 0.5}\n", "")


@pytest.mark.slow
def test_python_dash_c(tmp_path):
    """The metric works under `python -c`."""
    done = python("-W", "error", "-c", SCRIPT, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("{'pass@1': 0.5}\n", "")


def test_standard_streams_are_left_alone(metric, capfd):
    """The output of candidates does not reach the caller's streams."""
    metric.compute(
        predictions=[["import subprocess\nprint('loud')\nsubprocess.run(['sh', '-c', 'echo louder >&2'])"]],
        references=["assert True"],
        k=1,
    )
    assert capfd.readouterr() == ("", "")


def test_quiet_when_nothing_is_left_out(metric):
    """A run without a problem gives no warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric.compute(predictions=[[WRONG]], references=[TESTS], k=1)
    assert caught == []
