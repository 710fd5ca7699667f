"""BigCodeBench's own command, unchanged, with the server and the Space in the place of its Gradio Space."""

import json
import os
import re
import subprocess
import sys

import pytest

from support.frameworks import framework

framework("bigcodebench", "bigcodebench")

from sandboxes.workers.messages import GuestBroken  # noqa: E402
from support.bigcodebench_records import HANGING, HOSTILE, RIGHT, WRONG, record_of, samples_of, write_records  # noqa: E402
from support.metric_and_command import ROOT  # noqa: E402
from support.server_client import serving  # noqa: E402
from support.space_server import serving as serving_space  # noqa: E402

pytestmark = pytest.mark.slow
COMPLETIONS = [RIGHT, WRONG, HANGING, *HOSTILE.values()]
EXPECTED = [["pass"], ["fail"], ["timeout"], *[["fail"]] * len(HOSTILE)]
# Far more than the client needs, so that a busy machine fails no test. Most of its time goes into imports.
SECONDS = 300


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """Return the file of a problem for each of COMPLETIONS."""
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    return write_records(path, [record_of(number) for number in range(len(COMPLETIONS))])


@pytest.fixture(scope="module")
def server(problems):
    """Return the address of a server that offers them. Candidates have a few seconds."""
    with serving(
        benchmarks=(f"bigcodebench={problems}",), max_benchmark_timeout=5.0, max_benchmark_memory_mb=1024
    ) as client:
        yield str(client.base_url)


@pytest.fixture(scope="module")
def space_url(problems):
    """Return the address of a Space that offers them, with the same limits."""
    limits = {"CODE_EVAL_MAX_TIMEOUT": "5", "CODE_EVAL_BENCHMARKS": f"bigcodebench={problems}"}
    with serving_space(**limits) as space:
        yield space.url


def evaluate(folder, completions, problems, *options, execution="gradio", check=True):
    """Run the client in a folder, and return (results, pass_at_k), which it writes there, and its output.

    Args:
        folder: is made.
        completions: one for each problem.
        problems: file of the problems, for executions on this machine.
        *options: of its command line.
        execution: "gradio" or "local".
        check: whether it has to end well.
    """
    folder.mkdir()
    samples = write_records(folder / "model--bigcodebench-complete.jsonl", samples_of(*completions))
    command = [sys.executable, "-m", "bigcodebench.evaluate", "--split", "complete", "--subset", "full"]
    command += ["--samples", str(samples), "--execution", execution, *options]
    # `local` keeps the times of canonical solutions in the user's folder.
    own = {
        "BIGCODEBENCH_OVERRIDE_PATH": str(problems),
        "XDG_CACHE_HOME": str(folder),
        "GRADIO_ANALYTICS_ENABLED": "False",
    }
    done = subprocess.run(
        command, env={**os.environ, **own}, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL
    )
    if not check:
        return done
    assert done.returncode == 0, done.stderr
    files = [samples.with_name(f"{samples.stem}_{name}.json") for name in ("eval_results", "pass_at_k")]
    return (*[json.loads(file.read_text()) for file in files], done.stdout)


@pytest.mark.parametrize("where", ["server", "space_url"])
def test_verdicts(where, problems, request, tmp_path):
    """The right candidate passes; the wrong one, each hostile one and the one that hangs do not."""
    url = request.getfixturevalue(where)
    results, pass_at_k, shown = evaluate(tmp_path / "x", COMPLETIONS, problems, "--gradio_endpoint", url)
    by_number = sorted(results["eval"].items(), key=lambda item: int(item[0].rpartition("/")[2]))
    assert [[entry["status"] for entry in entries] for _, entries in by_number] == EXPECTED
    assert pass_at_k["pass@1"] == pytest.approx(1 / len(COMPLETIONS))
    assert (pass_at_k["gt_pass_rate"], pass_at_k["failed_tasks"], pass_at_k["model"]) == (1, [], "model")
    assert "Groundtruth pass rate: 1.000" in shown


@pytest.mark.parametrize("calibrated", [True, False])
def test_files_are_those_of_a_local_execution(server, problems, tmp_path, calibrated):
    """The client writes the same as after an execution of its own, but for the date and the messages."""
    chosen = ["--selective_evaluate", "BigCodeBench/0,BigCodeBench/1", "--pass_k", "1,2", f"--calibrated={calibrated}"]
    answers = {}
    for execution, more in (("gradio", ["--gradio_endpoint", server]), ("local", [])):
        answers[execution] = evaluate(
            tmp_path / execution, [RIGHT, WRONG], problems, *chosen, *more, execution=execution
        )[:2]
    for results, pass_at_k in answers.values():
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", results.pop("date"))
        for [entry] in results["eval"].values():
            entry["details"] = {name: type(message) for name, message in entry["details"].items()}
        assert list(pass_at_k)[0] == "pass@1"
    assert answers["gradio"] == answers["local"]
    assert list(answers["gradio"][1]) == list(answers["local"][1])


def test_a_check_alone(server, problems, tmp_path):
    """The canonical solutions can be checked without samples of all tasks."""
    results, pass_at_k, _ = evaluate(tmp_path / "x", [RIGHT], problems, "--check_gt_only", "--gradio_endpoint", server)
    assert (results["eval"], pass_at_k["gt_pass_rate"]) == ({}, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--subset", "hard"], "does not offer the subset 'hard'"),
        (["--max_stack_limit", "20"], "max_stack_limit is 20"),
        ([], "Missing problems in samples. Expected"),
    ],
)
def test_refusals(server, problems, tmp_path, options, message):
    """A parameter that can't be honoured ends the client with the reason, and it writes no file."""
    done = evaluate(tmp_path / "x", [RIGHT], problems, *options, "--gradio_endpoint", server, check=False)
    assert done.returncode != 0
    assert message in done.stderr
    assert not list((tmp_path / "x").glob("*.json"))


def test_a_broken_sandbox(problems, tmp_path, monkeypatch):
    """A sandbox that can't run a program ends the client with the reason, and it writes no file."""
    with serving(benchmarks=(f"bigcodebench={problems}",), options={"num_workers": 1}) as client:

        def receive(worker):
            raise GuestBroken("the disk is full")

        monkeypatch.setattr("sandboxes.workers.worker.Worker.receive", receive)
        done = evaluate(tmp_path / "x", COMPLETIONS, problems, "--gradio_endpoint", str(client.base_url), check=False)
        monkeypatch.undo()
    assert done.returncode != 0
    assert "could not run a program, so that there are no verdicts" in done.stderr
    assert not list((tmp_path / "x").glob("*.json"))


def test_the_example():
    """The example runs by itself."""
    example = ROOT / "examples" / "integrations" / "bigcodebench_remote.py"
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=SECONDS, check=True)
    assert done.stdout.splitlines()[-1] == "['pass', 'fail']"
