"""`code-eval run` with settings of a file."""

import pytest
from typer.testing import CliRunner

from code_tasks.cli.main import app
from support.metric_and_command import PROBLEM

RIGHT = "    return a + b\n"


@pytest.fixture
def score(files, tmp_path, monkeypatch):
    """Return a function that scores two samples in a folder with a pyproject.toml: (text, before=(), after=())."""
    monkeypatch.chdir(tmp_path)
    files([RIGHT, RIGHT], [PROBLEM])

    def run(text, before=(), after=()):
        (tmp_path / "pyproject.toml").write_text(text)
        return CliRunner().invoke(app, [*before, "run", "samples.jsonl", *after])

    return run


PROJECT = '[tool.code-eval]\nk = 2\n[tool.code-eval.run]\nproblems = "problems.jsonl"\n'


def test_project(score):
    """The settings of a project count, and are printed."""
    done = score(PROJECT)
    assert done.exit_code == 0, done.stderr
    assert "pass@2" in done.stdout and "pass@1" not in done.stdout
    assert 'pyproject.toml: k = 2, problems = "problems.jsonl"\n' in done.stderr


def test_command_line(score):
    """An option of the command line replaces that of the file."""
    done = score(PROJECT, after=["-k", "1"])
    assert "pass@1" in done.stdout and "pass@2" not in done.stdout


def test_without_settings(score):
    """With --no-config, no file is read."""
    done = score("[tool.code-eval\n", ["--no-config"], ["--problems", "problems.jsonl"])
    assert (done.exit_code, done.stderr) == (0, "")


def test_isolation_stays_on(score):
    """A project that turns isolation off ends the command before anything runs, with the way out."""
    done = score(PROJECT + 'isolation = "off"\n')
    assert done.exit_code != 0 and done.stdout == ""
    assert "[tool.code-eval.run] isolation: 'off' is not taken from a file that you have not named" in done.stderr
    assert "code-eval --config" in done.stderr and "--no-config" in done.stderr


def test_values_that_the_command_refuses(score):
    """A value that the command itself refuses is an error that names the file and the key."""
    done = score(PROJECT + "limit = 0\n")
    assert done.exit_code == 2
    assert "pyproject.toml:[tool.code-eval.run]limit:" in "".join(done.stderr.replace("│", "").split())


def test_help_reads_no_file(score):
    """Help is shown whatever the file has, and tells of the tables."""
    done = score("[tool.code-eval\n", after=["--help"])
    assert done.exit_code == 0
    assert "tool.code-eval.run" in done.stdout


def test_file_after_the_command(score):
    """A file of settings in the place of a benchmark's configuration is an error that says where it goes."""
    done = score("", after=["--benchmark", "humaneval", "--config", "own.toml"])
    assert done.exit_code == 2
    assert "settings go before the command: code-eval --config own.toml" in " ".join(
        done.stderr.replace("│", "").split()
    )
