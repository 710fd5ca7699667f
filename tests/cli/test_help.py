"""What `code-eval` says about itself: panels, examples, version, and words for values."""

import re
import shlex
from importlib.metadata import version

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from code_tasks.cli.examples import EXAMPLES
from code_tasks.cli.lazy_commands import LazyCommand
from code_tasks.cli.main import COMMANDS, DISTRIBUTION, app

LINES = [line for examples in EXAMPLES.values() for _, line in examples]
WIDE = {"COLUMNS": "200", "TERMINAL_WIDTH": "200"}


def said(*arguments):
    """Return what the command prints. It has to end well."""
    done = CliRunner().invoke(app, arguments, env=WIDE)
    assert done.exit_code == 0, done.output
    return done.output


def test_version():
    """`--version` prints the version of the installed package."""
    assert said("--version") == f"code-eval {version(DISTRIBUTION)}\n"


def test_panels_of_commands():
    """`--help` lists each command in the panel of its kind."""
    panels = {}
    for line in said("--help").splitlines():
        if title := re.match(r"╭─ (.+?) ─+╮", line):
            panels[title[1]] = []
        elif row := re.match(r"│ ([a-z]+) ", line):
            panels[[*panels][-1]].append(row[1])
    assert {name: panel for panel, names in panels.items() for name in names} == {
        name: panel for name, (_, _, panel) in COMMANDS.items()
    }


@pytest.mark.parametrize("line", LINES)
def test_examples_are_valid(line):
    """Each example in a help names a command and options that it has, with values of their types."""
    name, command, *arguments = shlex.split(line)
    group = get_command(app)
    assert name == "code-eval"
    with group.make_context("code-eval", [command, *arguments]) as context:
        loaded = group.get_command(context, command)
        assert loaded.make_context(command, arguments, parent=context).params


@pytest.mark.parametrize("command", EXAMPLES)
def test_examples_end_the_help(command):
    """The help of a command ends with its examples."""
    end = said(*command.split(), "--help").rpartition("Examples")[2]
    assert [line for _, line in EXAMPLES[command] if line not in " ".join(end.split())] == []


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("cache", "docker", "install")])
def test_values_have_words(command):
    """The help of an option says what its value is in words, and never with a type of Python."""
    text = said(command, "--help")
    assert re.search(r"^│ --[a-z]", text, re.MULTILINE)
    assert re.findall(r"<(?:int|float|str|path|list|bool)", text) == []
    assert re.findall(r"default: \(?(?:True|False|None)", text) == []


@pytest.mark.parametrize("arguments", [["--help"], ["cache", "--help"], ["cache"], ["install"]], ids=str)
def test_lists_of_commands_have_words_for_values(arguments):
    """The help of a group of commands has no type of Python either, also where a command is missing."""
    assert "<bool>" not in CliRunner().invoke(app, arguments, env=WIDE).output


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("cache", "docker", "install")])
def test_names_are_whole_in_80_columns(command):
    """The help shows each option's whole name, and no text is cut, on a terminal of the usual width."""
    done = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    names = {
        f"--{key}" for key in LazyCommand(command, f"code_tasks.cli.{COMMANDS[command][0]}", "", "").keys if key[1:]
    }
    assert names <= set(re.findall(r"--[a-z][a-z0-9-]*", done.output))
    assert "…" not in done.output


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("code-eval run --grading s", ["shared", "separate"]),
        ("code-eval audit --benchmark mbpp", ["mbpp", "mbppplus"]),
        ("code-eval doctor --sandbox d", ["docker"]),
        ("code-eval cache cl", ["clear"]),
    ],
)
def test_values_are_completed(words, values):
    """A shell completes values that are known, and the commands of a group."""
    place = str(words.count(" "))
    variables = {"_CODE_EVAL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
    done = CliRunner().invoke(app, [], prog_name="code-eval", env=variables)
    assert (done.exit_code, done.stdout.split()) == (0, values)


def test_completion_can_be_installed(monkeypatch):
    """`--show-completion` prints a script for a shell, which `--install-completion` would install."""
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    done = CliRunner().invoke(app, ["--show-completion"], prog_name="code-eval")
    assert "--install-completion" in said("--help")
    assert done.exit_code == 0 and "_CODE_EVAL_COMPLETE" in done.stdout
