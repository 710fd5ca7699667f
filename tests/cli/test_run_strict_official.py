"""`code-eval run --strict-official` gives the official grader's verdict, with ours beside it."""

import json

import pytest

from support.metric_and_command import code_eval, results_of

pytestmark = pytest.mark.slow

ADD = "a, b = map(int, input().split())\n"
APPS = {"problem_id": 1, "question": "", "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]})}
SAMPLES = [f"{ADD}print(a + b)", f"{ADD}if __name__ == '__main__':\n    print(a + b)", f"{ADD}print(a)"]
MBPP = {"task_id": 2, "code": "", "test_list": ["assert f(1) == 2"], "test_setup_code": ""}


@pytest.fixture
def run(files, tmp_path):
    """Return a function that scores completions of a record of a benchmark, and returns (what it printed, results)."""

    def score(benchmark, record, task_id, completions, *options):
        arguments = files(completions, [record], task_id=task_id)
        output = tmp_path / "results.jsonl"
        done = code_eval(*arguments, "--benchmark", benchmark, *options, "--output", output)
        assert done.returncode == 0, done.stderr
        return done, results_of(output)

    return score


def test_both_verdicts(run):
    """A result is the official grader's, which does not run a `__main__` block, and ours is beside it."""
    done, results = run("apps", APPS, "1", SAMPLES, "--strict-official")
    assert [(each["passed"], each["our_passed"]) for each in results] == [(True, True), (False, True), (False, False)]
    assert [(each["grading"], each["our_grading"]) for each in results] == [("shared", "separate")] * 3
    assert results[1]["our_outcome"] == "passed"
    assert "1 sample would have another verdict without --strict-official" in done.stdout
    assert "33.3" in done.stdout


def test_without_the_option(run):
    """Without the option a result has our verdict alone."""
    _, results = run("apps", APPS, "1", SAMPLES)
    assert [each["passed"] for each in results] == [True, True, False]
    assert "our_passed" not in results[0]


def test_benchmark_without_official_verdicts(run):
    """For a benchmark without official verdicts, the option says so, and both verdicts are ours."""
    done, results = run("mbpp", MBPP, "2", ["def f(x): return x + 1", "def f(x): return x"], "--strict-official")
    assert [(each["passed"], each["our_passed"]) for each in results] == [(True, True), (False, False)]
    assert "mbpp has no official verdicts here" in done.stderr


def test_sandbox_with_a_policy(files):
    """The official form of CRUXEval needs what the sandbox `restricted` refuses, and the option says so."""
    record = {"id": "sample_0", "code": "def f(n):\n    return n", "input": "1", "output": "1"}
    arguments = files(["f(1)"], [record], task_id="sample_0")
    done = code_eval(*arguments, "--benchmark", "cruxeval-input", "--sandbox", "restricted", "--strict-official")
    assert (done.returncode, "the official verdicts of cruxeval-input need" in done.stderr) == (2, True)


def test_needs_a_benchmark(files):
    """The option is an error without --benchmark."""
    done = code_eval(*files(["x"], [MBPP], task_id="2"), "--strict-official")
    assert (done.returncode, "--strict-official goes with --benchmark" in done.stderr) == (2, True)
