"""The command `code-eval run` on generations and references of bigcode-evaluation-harness."""

import json

import pytest

from support.metric_and_command import TESTS, TWO_TASKS, code_eval, results_of


@pytest.fixture
def arguments(tmp_path):
    """Return a function that writes generations and references, and returns the command's arguments."""

    def write(generations, references):
        (tmp_path / "generations.json").write_text(json.dumps(generations))
        (tmp_path / "references.json").write_text(json.dumps(references))
        return ["run", tmp_path / "generations.json", "--references", tmp_path / "references.json"]

    return write


def usage_of(done):
    """Return what a command printed on stderr, without its frame."""
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.slow
def test_generations_and_references(arguments, tmp_path):
    """The lists of programs belong to the references in their order."""
    output = tmp_path / "results.jsonl"
    done = code_eval(*arguments(TWO_TASKS["predictions"], TWO_TASKS["references"]), "--output", output)
    assert done.returncode == 0, done.stderr
    found = [(each["task_id"], each["completion_id"], each["passed"]) for each in results_of(output)]
    assert found == [("0", 0, True), ("0", 1, False), ("1", 0, False), ("1", 1, True)]


def test_different_lengths(arguments):
    """Lists and references that can't belong together are an error with both numbers."""
    done = code_eval(*arguments([["a = 1"]], [TESTS, TESTS]))
    assert done.returncode == 2
    assert "there are 1 lists of programs, but 2 problems" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "other"),
    [
        (["--benchmark", "humaneval"], "benchmark"),
        (["--problems", "x.jsonl"], "problems"),
        (["--dataset", "owner/set"], "dataset"),
        (["--strict-official"], "strict-official"),
    ],
)
def test_references_beside_another_source(arguments, options, other):
    """References are the only source of tests, and an option for another one is a usage error."""
    done = code_eval(*arguments(*TWO_TASKS.values()), *options)
    assert done.returncode == 2
    assert f"--references has the tests; give it without --{other}" in usage_of(done)


def test_output_over_the_references(arguments):
    """Results are not written over the references."""
    given = arguments(*TWO_TASKS.values())
    done = code_eval(*given, "--output", given[-1])
    assert done.returncode == 2
    assert json.loads(given[-1].read_text()) == TWO_TASKS["references"]


def test_no_source_of_tests(tmp_path):
    """The error of a command without problems names every option that gives them."""
    usage = usage_of(code_eval("run", tmp_path / "samples.jsonl"))
    assert all(f"--{name}" in usage for name in ("problems", "dataset", "benchmark", "references"))
