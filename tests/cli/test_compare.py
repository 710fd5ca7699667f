"""The command `code-eval compare`."""

import json

import pytest

from support.metric_and_command import code_eval, python
from support.run_files import FAILED, PASSED, results, write_lines


@pytest.fixture
def runs(tmp_path):
    """Write the results of two runs with three tasks, and return their paths."""
    for name, verdicts in (("a", [PASSED, FAILED, FAILED]), ("b", [PASSED, PASSED, FAILED])):
        write_lines(tmp_path / f"{name}.jsonl", results({f"t/{n}": [one] for n, one in enumerate(verdicts)}))
    return [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]


def test_text(runs):
    """The command prints the comparison, and writes no file."""
    done = code_eval("compare", *runs, "-k", "1", "-k", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 3 verdicts flipped: 1 passed only in B, 0 only in A" in done.stdout
    assert "pass@2 is left out: fewer than 2 samples for 3 tasks, such as t/0" in done.stdout
    assert sorted(path.name for path in runs[0].parent.iterdir()) == ["a.jsonl", "b.jsonl"]


def test_json_and_page(runs, tmp_path):
    """With --json, standard output is JSON alone; --html writes the page beside it."""
    done = code_eval("compare", *runs, "--json", "--html", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert [flip["task_id"] for flip in json.loads(done.stdout)["others"][0]["flips"]] == ["t/1"]
    assert "B against A" in (tmp_path / "page.html").read_text()
    assert str(tmp_path / "page.html") in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't read"),
        ("", "there is nothing in it to report"),
        ('{"a": 1}\n', "b.jsonl:1: missing key 'task_id'"),
        ("x\n{}\n", "b.jsonl:1: not JSON"),
        (json.dumps({"settings": {}}), "b.jsonl:1: these are partial results of an interrupted run"),
        (2 * (json.dumps(results({"t/0": [PASSED]})[0]) + "\n"), "b.jsonl:2: task 't/0' had a sample 0 before"),
        (json.dumps(results({"t/7": [PASSED]})[0]), "has no task in common with"),
    ],
)
def test_bad_files(runs, content, message):
    """A file that can't be compared is one error with its line."""
    runs[1].unlink() if content is None else runs[1].write_text(content)
    done = code_eval("compare", *runs)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert message in line


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_inputs_are_not_overwritten(runs, number):
    """The page never replaces one of the runs."""
    before = runs[number].read_bytes()
    done = code_eval("compare", *runs, "--html", runs[number])
    assert done.returncode == 2
    assert "would overwrite" in done.stderr
    assert runs[number].read_bytes() == before


def test_one_run(runs):
    """One run can't be compared."""
    done = code_eval("compare", runs[0])
    assert done.returncode == 2
    assert "give a baseline and from 1 to 25 runs" in done.stderr


@pytest.mark.slow
def test_without_jinja2(runs, tmp_path):
    """Without Jinja2 the text works, and the page names the extra to install."""
    start = "import sys; sys.modules['jinja2'] = None; from code_tasks.cli.main import app; app()"
    assert python("-c", start, "compare", *runs).returncode == 0
    done = python("-c", start, "compare", *runs, "--html", tmp_path / "page.html")
    assert done.returncode == 2
    assert "pip install 'code-eval-sandboxes[report]'" in done.stderr
    assert not (tmp_path / "page.html").exists()
