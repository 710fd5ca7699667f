"""`code-eval run --push-to-hub`: results are uploaded when the run has ended."""

import json

import pytest
import yaml

from support.hub_uploads import USER, upload_hub
from support.metric_and_command import PROBLEM, code_eval

pytestmark = pytest.mark.slow

TOKEN = "hf_" + "c0mm4nd" * 5
RIGHT, WRONG = "    return a + b\n", "    return a * b\n"


@pytest.fixture
def run(tmp_path):
    """Return a function that runs the command with a Hub, and the Hub."""
    samples = [{"task_id": "t/0", "completion": each} for each in (RIGHT, WRONG)]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    (tmp_path / "problems.jsonl").write_text(json.dumps(PROBLEM) + "\n")
    files = [tmp_path / "samples.jsonl", "--problems", tmp_path / "problems.jsonl"]
    with upload_hub({TOKEN: {**USER}}) as hub:
        variables = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1"}

        def command(*options, **others):
            return code_eval("run", *files, *options, **{**variables, "HF_HOME": str(tmp_path / "home"), **others})

        yield command, hub


def test_push(run, tmp_path):
    """A finished run is uploaded, with the model's name and the limits, and the URL is told."""
    command, hub = run
    output = tmp_path / "results.jsonl"
    done = command("--output", output, "--push-to-hub", "ada/run", "--hub-model", "org/m", "--timeout", 7)
    assert done.returncode == 0, done.stderr
    assert f"private dataset: {hub.url}/datasets/ada/run" in done.stderr
    files = hub.data_sets["ada/run"]["main"]
    assert {*files} == {".gitattributes", "README.md", "results.parquet", "summary.json"}
    card = files["README.md"].decode()
    assert yaml.safe_load(card.split("---\n")[1])["code_eval"]["model"] == "org/m"
    assert "pass@1 | 50.0 %" in card and "seconds 7.0" in card
    assert TOKEN not in done.stdout + done.stderr + output.read_text() + card

    again = command("--output", output, "--resume", "--push-to-hub", "ada/run")
    assert again.returncode == 2 and "ada/run has results already" in again.stderr
    assert "(--hub-overwrite)" in again.stderr
    replaced = command("--output", output, "--resume", "--push-to-hub", "ada/run", "--hub-overwrite", "--timeout", 7)
    assert replaced.returncode == 0 and "is complete" in replaced.stdout


def test_what_the_hub_would_refuse_is_told_before_the_run(run, tmp_path):
    """Without a token, or with a name that is none, no sample is run."""
    command, hub = run
    output = tmp_path / "results.jsonl"
    done = command("--output", output, "--push-to-hub", "ada/run", HF_TOKEN="")
    assert done.returncode == 2 and "there is no token for the Hub; set HF_TOKEN" in done.stderr
    done = command("--output", output, "--push-to-hub", "grace/run")
    assert done.returncode == 2 and "grace/run belongs to 'grace'" in done.stderr
    assert not output.exists() and not hub.data_sets


def test_a_hub_that_breaks_leaves_the_results(run, tmp_path):
    """A run whose upload fails has its results in the file, and the message says how to try again."""
    command, hub = run
    hub.faults["/commit/"] = 503
    output = tmp_path / "results.jsonl"
    done = command("--output", output, "--push-to-hub", "ada/run", HF_HUB_ETAG_TIMEOUT="1")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "the Hub has a problem; try again later (503)" in done.stderr
    assert f"the results are in {output}, and --resume with the same options tries again" in done.stderr
    assert len(output.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--push-to-hub", "ada/run"], "--push-to-hub uploads what is in --output, which is missing"),
        (["--hub-public"], "--hub-public goes with --push-to-hub"),
        (["--hub-model", "m"], "--hub-model goes with --push-to-hub"),
        (["--output", "r.jsonl", "--push-to-hub", "run"], "is named OWNER/NAME, not 'run'"),
    ],
)
def test_usage(run, options, message):
    """Options that don't fit are usage errors."""
    done = run[0](*options)
    assert done.returncode == 2 and message in " ".join(done.stderr.replace("│", " ").split())
