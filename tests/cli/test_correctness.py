"""The command `code-eval correctness`."""

import json

import pytest

from support.metric_and_command import ROOT, code_eval, lines_of

pytestmark = pytest.mark.slow

FOCAL = "def f():\n    return 1\n"
PASSES, FAILS = (
    "from a.b import f\n\ndef test_f():\n    assert f() == 1\n",
    "from a.b import f\n\ndef test_f():\n    assert f() == 2\n",
)
# Half of the runs pass.
FLAKY = "import os\nfrom a.b import f\n\ndef test_f():\n    assert os.urandom(1)[0] < 128\n"


def record(number, test_code, label, **inputs):
    """Return a record's line."""
    inputs = {"focal_code": FOCAL, "test_code": test_code, "lang": "Python", **inputs}
    return json.dumps({"inputs": inputs, "outputs": label, "meta": {"id": number}}) + "\n"


@pytest.fixture
def data(tmp_path):
    """Return a function that writes lines to a file and returns its path."""

    def write(*lines):
        path = tmp_path / "data.jsonl"
        path.write_text("".join(lines))
        return path

    return write


def test_agreement(data):
    """The command prints how many labels the runs agree with, and each record whose label they contradict."""
    path = data(record(1, PASSES, "success"), record(2, FAILS, "failed"), record("x", FAILS, "success"))
    done = code_eval("correctness", path, "--repeats", 1)
    assert done.returncode == 0, done.stderr
    assert ["python", "3", "66.7", "%", "(2", "of", "3)"] in [line.split() for line in done.stdout.splitlines()]
    [line] = [line for line in done.stdout.splitlines() if "data.jsonl:" in line]
    assert f"{path}:3: id x: labelled success, its runs: 1 failed (AssertionError: 1 failed: test_f" in line


def test_flaky(data):
    """Records whose runs differ are named, and count neither as agreement nor as contradiction."""
    done = code_eval("correctness", data(record(1, FLAKY, "success"), record(2, PASSES, "success")), "--repeats", 30)
    assert done.returncode == 0, done.stderr
    assert ["python", "2", "100.0", "%", "(1", "of", "1)"] in [line.split() for line in done.stdout.splitlines()]
    assert "flaky records" in done.stdout
    assert "id 1: labelled success" in done.stdout


def test_records_that_say_nothing(data):
    """A record that could not be judged is named with the reason."""
    done = code_eval("correctness", data(record(5, "def test(:\n", "failed")), "--repeats", 1)
    assert done.returncode == 0, done.stderr
    assert "id 5: its test is not valid Python" in done.stdout
    assert "100.0" not in done.stdout


def test_labels(data, tmp_path):
    """--labels writes the records as they were, with the label of their runs where there was none."""
    lines = [
        record(1, PASSES, None),
        record(2, FAILS, ""),
        record(3, FAILS, "success"),
        record(4, "def test(:\n", None),
        json.dumps({"instruction": "{lang}?", "inputs": {"focal_code": FOCAL, "test_code": FAILS, "lang": "python"}}),
    ]
    labels = tmp_path / "labels.jsonl"
    output = tmp_path / "output.jsonl"
    done = code_eval("correctness", data(*lines), "--labels", labels, "--output", output, "--repeats", 1)
    assert done.returncode == 0, done.stderr
    written = lines_of(labels)
    assert [line["outputs"] for line in written] == ["success", "failed", "success", None, "failed"]
    assert [{**line, "outputs": 0} for line in written] == [{**json.loads(line), "outputs": 0} for line in lines]
    assert [(line["outputs"], line["label"]) for line in lines_of(output)] == [
        (None, "success"),
        (None, "failed"),
        ("success", "failed"),
        (None, None),
        (None, "failed"),
    ]
    assert "3 of 4 records without a label have one from their runs: 1 success, 2 failed" in done.stdout
    assert ["python", "5", "0.0", "%", "(0", "of", "1)"] in [line.split() for line in done.stdout.splitlines()]
    assert "id 4: its test is not valid Python" in done.stdout


def test_flaky_records_without_labels(data, tmp_path):
    """A record whose runs differ gets no label, and is named as one without a label."""
    path, labels = data(record(1, FLAKY, None)), tmp_path / "labels.jsonl"
    done = code_eval("correctness", path, "--labels", labels, "--repeats", 30)
    assert done.returncode == 0, done.stderr
    assert [line["outputs"] for line in lines_of(labels)] == [None]
    assert "id 1: without a label, its runs: " in done.stdout


def test_labels_and_output_are_two_files(data, tmp_path):
    """One file can't be both the labelled records and the runs."""
    both = tmp_path / "both.jsonl"
    done = code_eval("correctness", data(record(1, PASSES, None)), "--output", both, "--labels", both)
    assert done.returncode == 2
    assert "would overwrite" in done.stderr


def test_syntax_errors_as_mera(data, tmp_path):
    """With --syntax-errors-fail a test that is not a valid program is failed, as MERA defines it."""
    path = data(record(4, "def test(:\n", None), record(5, PASSES, "success"))
    labels = tmp_path / "labels.jsonl"
    done = code_eval("correctness", path, "--labels", labels, "--repeats", 1, "--syntax-errors-fail")
    assert done.returncode == 0, done.stderr
    assert [line["outputs"] for line in lines_of(labels)] == ["failed", "success"]
    assert "1 of 1 records without a label have one from their runs: 0 success, 1 failed" in done.stdout


def test_three_runs_each(data, tmp_path):
    """Each record is run three times by default, and --output has every run."""
    done = code_eval("correctness", data(record(1, PASSES, "success")), "--output", tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    [line] = lines_of(tmp_path / "out.jsonl")
    assert (line["id"], line["label"], line["flaky"], line["fault"]) == ("1", "success", False, "")
    assert [run["outcome"] for run in line["runs"]] == ["passed"] * 3


def test_wrong_lines(data):
    """Every line without a record is named with file and line, and nothing runs."""
    path = data(record(1, PASSES, "success"), "{\n", record(2, PASSES, "perhaps"))
    done = code_eval("correctness", path)
    assert done.returncode == 2
    assert f"{path}:2: not JSON" in done.stderr
    assert f"{path}:3: outputs must be success or failed, not 'perhaps'" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sandbox", "restricted"], 'choose "subprocess" or "docker"'),
        (["--sandbox", "dokcer"], "unknown sandbox 'dokcer'"),
        (["--timeout", "0"], "--timeout must be"),
        (["--image", "python:3.11"], "--image is an option of --sandbox docker"),
        (["--repeats", "0"], "--repeats"),
    ],
)
def test_options_that_can_not_be_right(data, options, said):
    """An invalid option is a usage error that names it."""
    done = code_eval("correctness", data(record(1, PASSES, "success")), *options)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_help():
    """`correctness --help` names every option."""
    said = code_eval("correctness", "--help").stdout
    options = (
        "--repeats",
        "--timeout",
        "--num-workers",
        "--sandbox",
        "--image",
        "--package",
        "--output",
        "--labels",
        "--prompts",
    )
    assert [option for option in options if option not in said] == []


def test_examples_are_data_sets():
    """The example for Python is a dataset that the command takes as it is."""
    path = ROOT / "examples" / "correctness" / "python.jsonl"
    done = code_eval("correctness", path, "--repeats", 1)
    assert done.returncode == 0, done.stderr
    assert ["all", "22", "100.0", "%", "(22", "of", "22)"] in [line.split() for line in done.stdout.splitlines()]
