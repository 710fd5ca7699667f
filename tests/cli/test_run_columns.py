"""`code-eval run` on samples whose columns have other names, and on its own results."""

import json

import pytest

from support.metric_and_command import code_eval, lines_of, results_of

pytestmark = pytest.mark.slow
BODY = "    return a + b\n"


@pytest.fixture
def renamed(files, tmp_path):
    """Return the arguments for samples whose fields are called otherwise."""
    arguments = files([BODY, BODY.replace("+", "-")])
    path = tmp_path / "samples.jsonl"
    records = [{"id": each["task_id"], "response": each["completion"]} for each in lines_of(path)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return arguments


def test_mapped_columns(renamed, tmp_path):
    """Mapped columns are scored, and the results are judged again with the same verdicts."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    done = code_eval(*renamed, "--map", "completion=response,task_id=id", "--output", first)
    assert done.returncode == 0, done.stderr
    done = code_eval("run", first, *renamed[2:], "--output", second)
    assert done.returncode == 0, done.stderr
    assert "these are results: their samples are judged again" in done.stderr
    assert [[each["passed"] for each in results_of(path)] for path in (first, second)] == [[True, False]] * 2


def test_an_unknown_column(renamed):
    """A column that is not there is an error with those that are."""
    done = code_eval(*renamed, "--map", "completion=answer,task_id=id")
    assert done.returncode == 2
    assert "there is no column 'answer', which is to be completion; there are 'id', 'response'" in done.stderr


def test_an_invalid_mapping(renamed):
    """A mapping that can't be meant is an error of usage."""
    done = code_eval(*renamed, "--map", "answer=response")
    assert done.returncode == 2
    assert "samples have no field 'answer' to map" in " ".join(done.stderr.replace("│", "").split())
