"""Uploads of results: huggingface_hub sends its real requests to a server on loopback that answers as the Hub does."""

import io
import json
import re

import huggingface_hub
import pyarrow.parquet
import pytest
import yaml
from huggingface_hub import constants

from code_tasks.scoring import HubUploadError, Results
from code_tasks.scoring.dataset_card import TAG, escaped
from support.hub_uploads import USER, upload_hub
from support.metric_and_command import ROOT, TWO_TASKS, load_metric, python
from support.run_files import results, write_lines

pytestmark = [
    pytest.mark.slow,
    # huggingface_hub sends large files in a way that its HTTP client would like to be another.
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),
]

TOKEN = "hf_" + "t0k3n" * 6
READER = "hf_" + "r3ad3r" * 5
ACCOUNTS = {
    TOKEN: {**USER, "auth": {"accessToken": {"role": "write"}}},
    READER: {**USER, "auth": {"accessToken": {"role": "read"}}},
}
HOSTILE = (
    "</td><script>alert(1)</script> [x](javascript:alert(1)) ![](https://evil.example/p.png) | a\n\n# b `c` *d* "
    "www.evil.example"
)
FOREIGN = {"ada/corpus": {"main": {"README.md": b"---\ntags: [text]\n---\n", "data.csv": b"a\n1\n"}}}
LIMITS = {"wall_seconds": 3.0, "cpu_seconds": None, "memory_bytes": 1 << 30}


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """Start a Hub, and let huggingface_hub of this process find it and the token."""
    with upload_hub(ACCOUNTS, FOREIGN) as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield server


@pytest.fixture
def run(tmp_path):
    """Return the results of a run, as a file has them."""
    settings = {"limits": LIMITS, "env": {"SECRET": "swordfish"}}
    return Results.read(write_lines(tmp_path / "results.jsonl", [*results(), {"summary": {"settings": settings}}]))


def files_of(hub, repo_id):
    """Return the files of a dataset."""
    return hub.data_sets[repo_id]["main"]


def card_of(hub, repo_id):
    """Return (metadata, text) of a dataset's card."""
    _, metadata, text = files_of(hub, repo_id)["README.md"].decode().split("---\n", 2)
    return yaml.safe_load(metadata), text


def test_upload(hub, run, tmp_path):
    """A run becomes a private dataset that `datasets` loads, with a card for the Hub and for people."""
    assert run.push_to_hub("ada/run-1", model="org/model-7b", benchmark="humaneval") == f"{hub.url}/datasets/ada/run-1"
    assert hub.private == {"ada/run-1": True}
    rows = pyarrow.parquet.read_table(io.BytesIO(files_of(hub, "ada/run-1")["results.parquet"])).to_pylist()
    assert [row["outcome"] for row in rows] == [record.get("outcome") for record in results()]
    assert rows[0]["completion"] == results()[0]["completion"]
    metadata, text = card_of(hub, "ada/run-1")
    assert metadata["tags"][0] == TAG
    assert metadata["code_eval"] == {
        "model": "org/model-7b",
        "benchmark": "humaneval",
        "metrics": {"pass@1": round((1 / 3 + 0 + 1) / 3, 6)},
    }
    assert "| model | org/model-7b |" in text and "| pass@1 | 44.4 ± 29.4 % |" in text
    assert "| samples | 9 of 3 tasks |" in text and "| not run | 1 |" in text
    assert "wall&#95;seconds 3.0, memory&#95;bytes 1073741824" in text
    assert "code-eval-sandboxes" in text and "can forge its own pass" in text
    summary = json.loads(files_of(hub, "ada/run-1")["summary.json"])
    assert (summary["samples"], summary["limits"]) == (9, LIMITS)
    loads = "import datasets; print(datasets.load_dataset('ada/run-1', split='results')['outcome'][:3])"
    variables = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "HF_TOKEN": TOKEN}
    variables |= {"HF_HUB_OFFLINE": "0", "HF_DATASETS_OFFLINE": "0"}
    done = python("-c", loads, **variables)
    assert done.stdout == "['passed', 'failed', 'timed_out']\n", done.stderr


def test_results_of_the_metric(hub):
    """Results of `compute` can be uploaded, too."""
    computed = load_metric().compute(**TWO_TASKS, k=[1, 2], timeout=20.0)
    Results.of(computed).push_to_hub("lovelace/metric", private=False, k=[1, 2])
    assert hub.private == {"lovelace/metric": False}
    assert card_of(hub, "lovelace/metric")[0]["code_eval"] == {"metrics": {"pass@1": 0.5, "pass@2": 1.0}}
    assert "| limits |" not in card_of(hub, "lovelace/metric")[1]


def test_token_and_settings_stay(hub, run):
    """The token goes to the Hub's headers alone, and no setting but the limits goes anywhere."""
    run.push_to_hub("ada/run-1")
    written = b"".join(files_of(hub, "ada/run-1").values())
    assert TOKEN.encode() not in written and b"swordfish" not in written
    assert all(TOKEN not in path for _, path in hub.requests)
    assert TOKEN not in repr(vars(run))


def test_without_programs(hub, run):
    """Without programs, nothing is left that candidates or tests wrote."""
    run.push_to_hub("ada/run-1", programs=False)
    data = files_of(hub, "ada/run-1")["results.parquet"]
    table = pyarrow.parquet.read_table(io.BytesIO(data))
    assert {"task_id", "outcome", "passed", "isolation", "wall_seconds"} <= {*table.column_names}
    assert not {"completion", "solution", "stdout", "detail", "tests", "traceback", "result"} & {*table.column_names}
    assert b"def add" not in data and b"AssertionError" not in data and b"test_large" not in data


def test_card_of_hostile_texts(hub, tmp_path):
    """No text becomes Markdown, HTML or YAML of the card, and nothing that a candidate wrote is in it."""
    records = [{**each, "task_id": HOSTILE, "detail": HOSTILE, "stdout": HOSTILE} for each in results()]
    records = [{**each, "isolation": [HOSTILE]} if each["passed"] is not None else each for each in records]
    run = Results.read(write_lines(tmp_path / "hostile.jsonl", records))
    run.push_to_hub("ada/run-1", model=f"m\n---\ntags: [{HOSTILE}]", benchmark=HOSTILE)
    metadata, text = card_of(hub, "ada/run-1")
    assert metadata["tags"] == [TAG, "code", "evaluation"] and metadata["configs"][0]["config_name"] == "default"
    assert not re.search(r"<|\]\(|!\[|`|\*|www|://", text.replace("`shared`", ""))
    assert len(text.splitlines()) < 30 and max(map(len, text.splitlines())) < 4000


@pytest.mark.parametrize("text", ["a|b", "a\nb", "<b>", "[a](b)", "a_b_", "`a`", "http://a.b", "\x1b[31m", "\u202eabc"])
def test_escaped(text):
    """A text in a table is one cell, and has no character with a meaning."""
    assert not re.search(r"[|\n<>\[\]_`\x1b\u202e]|://", escaped(text))


def test_an_own_data_set_is_replaced_if_told(hub, run):
    """Results that are there stay, unless they may be replaced. The commit names the one that it replaces."""
    run.push_to_hub("ada/run-1")
    with pytest.raises(HubUploadError, match=r"ada/run-1 has results already; .*overwrite=True"):
        run.push_to_hub("ada/run-1", programs=False)
    assert b"def add" in files_of(hub, "ada/run-1")["results.parquet"]
    run.push_to_hub("ada/run-1", programs=False, overwrite=True)
    assert b"def add" not in files_of(hub, "ada/run-1")["results.parquet"]


def test_other_data_sets_are_never_replaced(hub, run):
    """A dataset that this project did not write is refused, also with overwrite."""
    with pytest.raises(HubUploadError, match="ada/corpus is a dataset that code-eval did not write"):
        run.push_to_hub("ada/corpus", overwrite=True, private=False)
    assert set(files_of(hub, "ada/corpus")) == {"README.md", "data.csv"}


def test_private_results_do_not_become_public(hub, run):
    """Private results don't go into a dataset that everybody sees."""
    run.push_to_hub("ada/run-1", private=False)
    with pytest.raises(HubUploadError, match=r"ada/run-1 is public, .*private=False"):
        run.push_to_hub("ada/run-1", overwrite=True)


@pytest.mark.parametrize(
    ("token", "repo_id", "message"),
    [
        (None, "ada/run", "there is no token for the Hub; set HF_TOKEN"),
        ("hf_unknown", "ada/run", r"can't upload to ada/run: the Hub does not accept the token; .*\(401\)"),
        (READER, "ada/run", "the token may only read"),
        (TOKEN, "grace/run", "the token is for 'ada', 'lovelace', and grace/run belongs to 'grace'"),
    ],
)
def test_tokens_that_do_not_fit(hub, run, monkeypatch, token, repo_id, message):
    """A token that is missing, unknown, too weak or somebody else's is told before anything is created."""
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(HubUploadError, match=message):
        run.push_to_hub(repo_id, token=token)
    assert {*hub.data_sets} == {*FOREIGN}


@pytest.mark.parametrize(
    ("fault", "status", "message"),
    [
        ("repos/create", 403, r"can't create ada/run: the token may not write there; .*\(403\)$"),
        ("repos/create", 409, r"can't create ada/run: somebody else .*\(409\)$"),
        ("repos/create", 500, r"can't create ada/run: the Hub has a problem; try again later \(500\)$"),
        ("/commit/", 403, r"can't write the results to ada/run: .*\(403\); the dataset is there, and still empty"),
        ("/commit/", 412, r"somebody else has changed this dataset meanwhile \(412\)"),
        ("/commit/", 500, r"the Hub has a problem; try again later \(500\)"),
        ("/preupload/", 401, r"does not accept the token; .*\(401\)"),
        ("PUT /large", 403, r"\(403\)"),
        ("whoami", 429, r"too many requests; try again later \(429\)"),
    ],
)
def test_errors_of_the_hub(hub, run, fault, status, message):
    """An error of the Hub says what was done, what its status means, and what is left."""
    hub.faults[fault] = status
    with pytest.raises(HubUploadError, match=message) as caught:
        run.push_to_hub("ada/run")
    assert TOKEN not in str(caught.value) and caught.value.__suppress_context__
    hub.faults.clear()
    assert run.push_to_hub("ada/run").endswith("/datasets/ada/run")


def test_no_hub(hub, run, monkeypatch):
    """A Hub that nobody answers for is an error of the same type."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubUploadError, match="can't upload to ada/run: ConnectError"):
        run.push_to_hub("ada/run")


def test_tokens_in_errors_of_others(hub, run, monkeypatch):
    """A token that an error of another library repeats is taken out."""

    def fails(*args, **kwargs):
        raise RuntimeError(f"headers: Bearer {TOKEN}\x1b[31m")

    monkeypatch.setattr(huggingface_hub.HfApi, "whoami", fails)
    with pytest.raises(HubUploadError, match=r"Bearer \*\*\*") as caught:
        run.push_to_hub("ada/run")
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("repo_id", ["run", "a/b/c", "", "ada/", "../run", "ada/r n", "https://hub/ada/run", None])
def test_names(run, repo_id):
    """A name that is none is told at once."""
    with pytest.raises(ValueError, match="a dataset on the Hub is named OWNER/NAME, not"):
        run.push_to_hub(repo_id)


def test_example(hub, tmp_path):
    """The example scores, uploads, and prints the URL."""
    variables = {"HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": "0", "HF_TOKEN": TOKEN}
    done = python(ROOT / "examples" / "integrations" / "push_to_hub.py", "ada/two", **variables)
    assert done.stdout == f"{hub.url}/datasets/ada/two\n", done.stderr
    assert card_of(hub, "ada/two")[0]["code_eval"]["metrics"] == {"pass@1": 0.5, "pass@2": 1.0}
