"""Benchmarks from the Hugging Face Hub: `datasets` asks a server on loopback that answers as the Hub does."""

import io
import json
import os
import socket
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.readers import InputError
from support.hub_server import hub_server
from support.metric_and_command import ROOT, SECONDS
from support.published_records import read

pytestmark = pytest.mark.slow

LOADS = """
import json, sys
from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.readers import InputError
from code_tasks.benchmarks.readers import InputError
for name, options in json.loads(sys.argv[1]):
    try:
        print(json.dumps([*load_benchmark(name, **options).problems]))
    except (InputError, ValueError) as error:
        print(json.dumps([type(error).__name__, str(error)]))
"""
"""A program that loads benchmarks, and prints a line for each: the ids of its problems, or its error."""


def parquet(*rows):
    """Return a Parquet file."""
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), file)
    return file.getvalue()


def lines(*rows):
    """Return a file of JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def card(**folders):
    """Return a README with a configuration for each folder."""
    configs = "".join(
        f"- config_name: {name}\n  data_files:\n  - split: test\n    path: {path}\n" for name, path in folders.items()
    )
    return f"---\nconfigs:\n{configs}---\n# A dataset\n".encode()


def humaneval(number):
    """Return a problem in the shape of HumanEval."""
    check = f"def check(candidate):\n    assert candidate() == {number}\n"
    return {"task_id": f"HumanEval/{number}", "prompt": "def f():\n", "test": check, "entry_point": "f"}


def mbpp(number):
    """Return a problem in the shape of MBPP."""
    return {"task_id": number, "text": "f", "code": "", "test_list": ["assert f() == 1"], "test_setup_code": ""}


CASES = {"problem_id": 7, "input_output": json.dumps({"inputs": ["1\n"], "outputs": ["1\n"]})}
DATA_SETS = {
    "openai/openai_humaneval": {
        "main": {"README.md": card(openai_humaneval="all/test-*"), "all/test-0.parquet": parquet(humaneval(0))},
        "v2": {"data/test.jsonl": lines(humaneval(2))},
    },
    "google-research-datasets/mbpp": {
        "main": {
            "README.md": card(full="full/test-*", sanitized="sanitized/test-*"),
            "full/test-0.parquet": parquet(mbpp(1)),
            "sanitized/test-0.parquet": parquet(mbpp(2)),
        }
    },
    "codeparrot/apps": {"main": {"apps.py": b"", "test.jsonl": lines(CASES)}, "old": {"test.jsonl": lines(CASES) * 2}},
    "BAAI/TACO": {"main": {"TACO.py": b"", "ALL/test-0.parquet": parquet(CASES), "ALL/test-1.parquet": parquet(CASES)}},
    "zai-org/humaneval-x": {
        "main": {"humaneval-x.py": b"", "data/java/data/humaneval.jsonl": lines(*read("humaneval_x_java.jsonl.gz")[:2])}
    },
    "owner/script": {"main": {"script.py": b"", "test.jsonl": lines(humaneval(0))}},
    "owner/damaged": {"main": {"test.jsonl": b'{"task_id": \n}}'}},
}


def load(url, folder, calls):
    """Load benchmarks in a process that knows this Hub. Return what LOADS prints of each."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_ENDPOINT": url, "HF_HOME": str(folder)}
    # The process of the tests itself is offline.
    environment |= {name: "0" for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")}
    command = [sys.executable, "-c", LOADS, json.dumps(calls)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


CALLS = [
    ("humaneval", {}),
    ("humaneval", {"revision": "v2"}),
    ("humaneval", {"revision": "v3"}),
    ("humaneval", {"split": "train"}),
    ("humaneval", {"config": "other"}),
    (None, {"path_or_hub_id": "openai/openai_humaneval"}),
    ("mbpp", {}),
    ("mbpp", {"config": "sanitized"}),
    ("apps", {}),
    ("apps", {"revision": "old"}),
    ("apps", {"split": "dev"}),
    ("taco", {}),
    ("taco", {"config": "EASY"}),
    ("taco", {"split": "dev"}),
    ("humaneval-x", {"config": "java"}),
    ("humaneval-x", {"config": "rust"}),
    ("humaneval", {"path_or_hub_id": "owner/none"}),
    ("humaneval", {"path_or_hub_id": "owner/script"}),
    ("humaneval", {"path_or_hub_id": "owner/damaged"}),
    ("apps", {"path_or_hub_id": "owner/damaged"}),
]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """Return a function that returns what was loaded from the Hub: (name, **options) -> ids, or (error, message)."""
    with hub_server(DATA_SETS) as server:
        answers = load(server.url, tmp_path_factory.mktemp("hub"), CALLS)
    by_call = {json.dumps(call): answer for call, answer in zip(CALLS, answers, strict=True)}
    return lambda name, **options: by_call[json.dumps((name, options))]


def test_own_data_set(loaded):
    """Without a path, a benchmark comes from its own dataset."""
    assert loaded("humaneval") == ["HumanEval/0"]


def test_id_without_a_name(loaded):
    """The id of a benchmark's own dataset names the benchmark."""
    assert loaded(None, path_or_hub_id="openai/openai_humaneval") == ["HumanEval/0"]


def test_revision(loaded):
    """A revision may have other files."""
    assert loaded("humaneval", revision="v2") == ["HumanEval/2"]


def test_configurations(loaded):
    """A configuration is chosen by its name, and the benchmark has one by default."""
    assert loaded("mbpp") == ["1"]
    assert loaded("mbpp", config="sanitized") == ["2"]


def test_data_sets_with_scripts(loaded):
    """The files of a dataset with a loading script are read without it."""
    assert loaded("apps") == ["7"]
    assert loaded("taco") == ["0", "1"]
    assert loaded("humaneval-x", config="java") == ["Java/0", "Java/1"]


def test_clone_of_a_data_set(tmp_path):
    """A folder with the files of the Hub is read as the dataset is."""
    for name in ("test", "train"):
        (tmp_path / "ALL").mkdir(exist_ok=True)
        (tmp_path / "ALL" / f"{name}-0.parquet").write_bytes(parquet(CASES))
    assert [*load_benchmark("taco", tmp_path).problems] == ["0"]


def test_revision_of_files(loaded):
    """A revision holds for files that are named, too."""
    assert "duplicate task_id '7'" in loaded("apps", revision="old")[1]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("humaneval", {"revision": "v3"}, "Revision 'v3' doesn't exist"),
        ("humaneval", {"split": "train"}, "Should be one of ['test']"),
        ("humaneval", {"config": "other"}, "Available: ['openai_humaneval']"),
        ("humaneval", {"path_or_hub_id": "owner/none"}, "'owner/none' doesn't exist on the Hub"),
        ("humaneval", {"path_or_hub_id": "owner/script"}, "Dataset scripts are no longer supported"),
        ("humaneval", {"path_or_hub_id": "owner/damaged"}, "JSON parse error"),
        ("apps", {"path_or_hub_id": "owner/damaged"}, "JSON parse error"),
        ("apps", {"split": "dev"}, "dev.jsonl"),
        ("taco", {"split": "dev"}, "can't load split 'dev' of dataset 'BAAI/TACO'"),
    ],
)
def test_data_sets_that_can_not_be_loaded(loaded, name, options, message):
    """The error says what was asked for, what is wrong, and that local files can be given."""
    kind, text = loaded(name, **options)
    assert kind == "InputError"
    assert message in text
    assert "a local copy of its files can be given in its place (--problems, or --benchmark NAME=FILE of serve)" in text


@pytest.mark.parametrize(("name", "config"), [("taco", "EASY"), ("humaneval-x", "rust")])
def test_unknown_configurations_of_files(loaded, name, config):
    """A configuration that a benchmark's files don't have is an error with those that there are."""
    kind, text = loaded(name, config=config)
    assert (kind, "config" in text, repr(config) in text) == ("ValueError", True, True)


@pytest.fixture
def closed_port():
    """Provide a port of loopback that refuses connections."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def test_no_network(tmp_path, closed_port):
    """Without a connection there is an error with the way out, also where the HTTP client has one of its own."""
    [[kind, text]] = load(f"http://127.0.0.1:{closed_port}", tmp_path, [("apps", {})])
    assert kind == "InputError"
    assert "refused" in text and "(--problems, or " in text


def test_a_folder_is_not_read_in_place_of_the_hub(tmp_path, monkeypatch):
    """A folder with the name of a benchmark's dataset is an error: `datasets` would read it in place of the Hub."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openai" / "openai_humaneval").mkdir(parents=True)
    with pytest.raises(InputError, match="openai/openai_humaneval is a path here"):
        load_benchmark("humaneval")
