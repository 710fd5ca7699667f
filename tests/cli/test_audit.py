"""The command `code-eval audit`."""

import json

import pytest

from support.metric_and_command import code_eval, lines_of

pytestmark = pytest.mark.slow

GOOD = {
    "task_id": "t/0",
    "prompt": "def add(a, b):\n",
    "test": "def check(candidate):\n    assert candidate(2, 3) == 5 and candidate(0, 9) == 9\n",
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
}
CONSTANT = {**GOOD, "task_id": "t/1", "test": "def check(candidate):\n    assert candidate(0, 0) == 0\n"}


@pytest.fixture
def audit(tmp_path):
    """Return a function that writes problems, and audits them with the command."""

    def run(records, *options):
        path = tmp_path / "problems.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return code_eval("audit", "--problems", path, *options)

    return run


def test_good_problems(audit, tmp_path):
    """The status is 0 if nothing grave was found, and --output has a record of each problem."""
    done = audit([GOOD], "--output", tmp_path / "audit.jsonl", "--benchmark", "humaneval")
    assert (done.returncode, done.stderr) == (0, "")
    assert "canonical solutions that pass             1 of 1" in done.stdout
    [record] = lines_of(tmp_path / "audit.jsonl")
    assert record["outcomes"] == ["passed"] * 3
    assert record["killed_share"] == 1


@pytest.mark.parametrize(
    ("options", "status"),
    [([], 1), (["--fail-on", "none"], 0), (["--fail-on", "slow", "--fail-on", "fails"], 0), (["--repeats", 1], 1)],
)
def test_status(audit, options, status):
    """The status is 1 if a finding of --fail-on was found; a stub that passes is one of them by default."""
    assert audit([GOOD, CONSTANT], "--mutants", 0, *options).returncode == status


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-on", "all"], "--fail-on must be one of fails, flaky, stub, mutant, slow, missing, none, not 'all'"),
        (["--mutants", -1], "'--mutants': must be at least 0"),
        (["--repeats", 0], "'--repeats': must be at least 1"),
        (["--sandbox", "dokcer"], "unknown sandbox 'dokcer'"),
        (["--benchmark", "humaneval", "--strict-official"], "--strict-official is for code-eval run"),
    ],
)
def test_usage_errors(audit, options, message):
    """Invalid options are usage errors."""
    done = audit([GOOD], *options)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_json(audit):
    """`audit --json` prints one object to stdout, with counts and the problems of each finding."""
    done = audit([GOOD, CONSTANT], "--json", "--mutants", 1, "--repeats", 1, "--fail-on", "none")
    data = json.loads(done.stdout)
    assert (data["command"], data["counts"]["problems"], data["counts"]["passed"]) == ("audit", 2, 2)
    assert (data["findings"]["stub"], data["settings"]["repeats"]) == (["t/1"], 1)
    assert "canonical solutions that pass" in done.stderr


def test_a_file_that_is_read(audit, tmp_path):
    """The problems are never overwritten."""
    assert audit([GOOD], "--output", tmp_path / "problems.jsonl").returncode == 2


def test_invalid_problems(audit):
    """A record that is no problem ends the command with status 2 and its place."""
    done = audit([{"task_id": "t/0"}])
    assert done.returncode == 2
    assert "problems.jsonl:1: missing key 'test'" in done.stderr
