"""`code-eval run --resume` continues a run that was killed."""

import json
import signal
import subprocess
import sys

import pytest

from code_tasks.scoring.trusted_files import partial_path
from support.metric_and_command import PROBLEM, ROOT, SECONDS, code_eval, environment, results_of
from support.observers import wait_until
from support.run_files import read_summary

pytestmark = pytest.mark.slow

COUNT = 120
SLOW = "    import time\n    time.sleep(0.1)\n    return {number} % 3 and a + b\n"


@pytest.fixture
def arguments(files, tmp_path):
    """Return the arguments of a run that takes some seconds, without --output."""
    problems = [PROBLEM, {**PROBLEM, "task_id": "t/1"}]
    samples = [{"task_id": f"t/{number % 2}", "completion": SLOW.format(number=number)} for number in range(COUNT)]
    return files(samples, problems)


def killed(arguments, output, results=20):
    """Start a run, and kill it when it has some results. Return its partial file."""
    partial = partial_path(output)
    command = [sys.executable, "-m", "code_tasks.cli", *arguments, "--output", output]
    process = subprocess.Popen([str(each) for each in command], cwd=ROOT, env=environment())
    try:
        assert wait_until(lambda: partial.exists() and partial.read_bytes().count(b"\n") > results, SECONDS)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return partial


def outcomes(output):
    """Return the fields that are equal in two runs of the same samples."""
    names = ("task_id", "completion", "completion_id", "passed", "result")
    return [[each[name] for name in names] for each in results_of(output)]


def test_a_killed_run_is_resumed(arguments, tmp_path):
    """A resumed run after kill -9 runs only the rest, and its file equals that of an uninterrupted run."""
    undisturbed, output = tmp_path / "undisturbed.jsonl", tmp_path / "results.jsonl"
    assert code_eval(*arguments, "--output", undisturbed).returncode == 0
    there = killed(arguments, output).read_bytes().count(b"\n") - 1
    done = code_eval(*arguments, "--output", output, "--resume")
    assert done.returncode == 0, done.stderr
    assert outcomes(output) == outcomes(undisturbed)
    assert len(outcomes(output)) == COUNT
    summary = read_summary(output)
    assert summary["samples"] == COUNT
    assert summary["samples_run"] <= COUNT - there + 1
    assert f"{COUNT} samples of 2 tasks" in done.stdout
    assert not partial_path(output).exists()


def test_a_killed_run_is_not_overwritten(arguments, tmp_path):
    """Without --resume, an error names the partial file and says what to do."""
    partial = killed(arguments, tmp_path / "results.jsonl")
    left = partial.read_bytes()
    done = code_eval(*arguments, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 2
    assert "--resume" in done.stderr
    assert partial.read_bytes() == left


def test_other_settings_are_refused(arguments, tmp_path):
    """A resumed run with other settings is refused, and the error names the difference."""
    killed(arguments, tmp_path / "results.jsonl")
    done = code_eval(*arguments, "--output", tmp_path / "results.jsonl", "--resume", "--grading", "separate")
    assert done.returncode == 2
    assert "grading was 'auto' and is 'separate'" in done.stderr


def test_a_complete_file_is_left_alone(files, tmp_path):
    """A file that has all results stays unchanged."""
    arguments = [*files(["    return a + b\n"]), "--output", tmp_path / "results.jsonl"]
    assert code_eval(*arguments).returncode == 0
    written = (tmp_path / "results.jsonl").read_bytes()
    done = code_eval(*arguments, "--resume")
    assert (done.returncode, (tmp_path / "results.jsonl").read_bytes()) == (0, written)
    assert "is complete" in done.stdout


def test_resume_without_output(files):
    """--resume needs --output."""
    done = code_eval(*files(["    return a + b\n"]), "--resume")
    assert done.returncode == 2
    assert "--output" in done.stderr


def test_the_summary_says_what_the_run_cost(files, tmp_path):
    """The last line of the file has the run's speed, the utilization of its workers, and its memory."""
    assert code_eval(*files(["    return a + b\n"] * 5), "--output", tmp_path / "results.jsonl").returncode == 0
    summary = read_summary(tmp_path / "results.jsonl")
    assert summary["samples"] == 5
    assert summary["samples_per_second"] > 0
    assert 0 < summary["worker_utilisation"] <= 1
    assert (summary["restarts"], summary["retries"], summary["lost_seconds"]) == (0, 0, 0)
    assert summary["peak_memory_bytes"] > 1 << 20
    assert summary["caller_peak_memory_bytes"] > 1 << 20


def test_samples_from_a_pipe(files, tmp_path):
    """Samples can be read from a pipe."""
    command, path, *rest = files(["    return a + b\n"] * 3)
    script = [sys.executable, "-m", "code_tasks.cli", command, "/dev/stdin", *rest]
    done = subprocess.run(
        [str(each) for each in script], input=path.read_bytes(), cwd=ROOT, env=environment(), capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert b"3 samples of 1 task" in done.stdout


def test_a_pipe_is_named_in_errors(files):
    """Errors in samples from a pipe have the name that the user gave."""
    command, _, *rest = files(["    return a + b\n"])
    script = [sys.executable, "-m", "code_tasks.cli", command, "/dev/stdin", *rest]
    bad = json.dumps({"task_id": "t/9", "completion": ""}).encode()
    done = subprocess.run([str(each) for each in script], input=bad, cwd=ROOT, env=environment(), capture_output=True)
    assert done.returncode == 2
    assert done.stderr.startswith(b"/dev/stdin:1: there is no problem")
