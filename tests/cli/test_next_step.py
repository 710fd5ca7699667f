"""The step that comes next is shown to people at a terminal, and to nobody else."""

import os
import subprocess
import sys

import pytest

from support.metric_and_command import ROOT, SECONDS, code_eval, environment

pytestmark = pytest.mark.slow

RIGHT, WRONG = "    return a + b\n", "    return a * b\n"


def said_at_a_terminal(arguments):
    """Return what a command writes to stderr, which is a terminal."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "code_tasks.cli", *map(str, arguments)]
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        done = subprocess.run(
            command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=theirs, timeout=SECONDS
        )
        os.close(theirs)
        text = b""
        # Linux reports the end of a terminal as an error.
        try:
            while part := terminal.read(4096):
                text += part
        except OSError:
            assert text
    assert done.returncode == 0, text
    return text.decode()


@pytest.mark.parametrize(
    ("completion", "step"),
    [(WRONG, "shows the failing samples with their code"), (RIGHT, "shows the run")],
)
def test_after_a_run(files, tmp_path, completion, step):
    """After a run comes its report, and the line names the file."""
    output = tmp_path / "my results.jsonl"
    said = said_at_a_terminal([*files([completion]), "--output", output])
    assert f"next: `code-eval report '{output}'` {step}" in said


def test_without_results(files):
    """A run that keeps no results says how to keep them."""
    assert "next: the same command with --output FILE keeps the results" in said_at_a_terminal(files([WRONG]))


def test_programs_do_not_get_it(files):
    """Without a terminal there is no such line."""
    done = code_eval(*files([WRONG]))
    assert (done.returncode, done.stderr) == (0, "")
