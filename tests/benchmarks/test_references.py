"""References without problems: a JSON array of texts, as bigcode-evaluation-harness saves it."""

import gzip
import json

import pytest

from code_tasks.benchmarks.references import read_references
from support.human_eval_records import faults_of

CHECK = "\ndef check(candidate):\n    assert candidate(1) == 1\n\ncheck(same)"
ASSERTS = "assert same(1) == 1\nassert same(2) == 2"


@pytest.fixture
def references(tmp_path):
    """Return a function that writes references, and returns their path."""

    def write(value, name="references.json"):
        path = tmp_path / name
        data = json.dumps(value).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.mark.parametrize("name", ["references.json", "references.json.gz"])
def test_problems_of_references(references, name):
    """Each text is a problem without a prompt, whose id is its position."""
    problems = read_references(references([CHECK, ASSERTS], name))
    assert {task_id: (each.prompt, each.tests) for task_id, each in problems.items()} == {
        "0": ("", CHECK),
        "1": ("", ASSERTS),
    }


def test_references_that_are_cases(references):
    """A text may hold cases as JSON."""
    cases = json.dumps({"inputs": ["1\n"], "outputs": ["2\n"]})
    assert json.loads(read_references(references([cases]))["0"].tests)["inputs"] == ["1\n"]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ([ASSERTS, ["a", ASSERTS]], 'item 1: not a text with tests, but ["a", "assert same'),
        ([{"test": ASSERTS}], 'item 0: not a text with tests, but {"test"'),
        ([ASSERTS, None], "item 1: null, so the tests are not in this file; --benchmark NAME takes"),
        ([], "there are no references in it"),
        ({"0": ASSERTS}, 'not a text with tests, but {"0"'),
    ],
)
def test_invalid_references(references, value, fault):
    """Anything else than texts with tests is an error with its place."""
    assert fault in "\n".join(faults_of(read_references, references(value)))


def test_missing_references(tmp_path):
    """A file that is not there is an error with its name."""
    [fault] = faults_of(read_references, tmp_path / "none.json")
    assert fault == f"can't read {tmp_path / 'none.json'}: there is no such file"
