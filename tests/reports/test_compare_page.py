"""The page docs/compare.md: its commands print what it says, and its examples run."""

import shlex

import pytest

from support.metric_and_command import ROOT, python
from support.pages import blocks_of, run_blocks
from support.run_files import FAILED, HANGING, PASSED, results, write_lines

PAGE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
VERDICTS = {"P": PASSED, "F": FAILED, "T": HANGING}
RUNS = {
    "small.jsonl": "PF FF FF PP FF PP FT PF FF PP".split(),
    "large.jsonl": "PP PF FF PP PP PP PF FP PT PP".split(),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Provide the working directory of the examples, with the results of two runs."""
    for seconds, (name, tasks) in enumerate(RUNS.items(), start=3):
        attempts = {f"HumanEval/{n}": [VERDICTS[each] for each in task] for n, task in enumerate(tasks)}
        limits = {"wall_seconds": float(seconds)}
        summary = {"wall_seconds": seconds / 2, "settings": {"samples": name, "limits": limits}}
        write_lines(tmp_path / name, [*results(attempts), {"summary": summary}])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_commands(folder):
    """Each command on the page prints what stands below it."""
    shown = [block.code.partition("\n") for block in blocks_of(PAGE, "console")]
    assert shown
    for line, _, output in shown:
        program, *arguments = shlex.split(line.removeprefix("$ "))
        assert program == "code-eval"
        done = python("-m", "code_tasks.cli", *arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout == output


@pytest.mark.slow
def test_examples(folder):
    """The page's Python examples run in turn, and print what they say."""
    assert run_blocks(PAGE, "compare.md") > 0
