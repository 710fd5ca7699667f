"""An invalid value of an option is an error with the option's name, and without words of Python's."""

import json
import re

import pytest
from typer.testing import CliRunner

from code_tasks.cli.lazy_commands import LazyCommand
from code_tasks.cli.main import COMMANDS, app
from code_tasks.cli.settings_values import option_keys

BAD = {int: ("x", "-3", "1.5"), float: ("x", "nan", "-1", "inf")}
WORDS_OF_PYTHON = re.compile(
    r"Input should|Value error|NoneType|\bNone\b|Traceback|TypeError|<class|\bdict\b|\bstr\b|\bint\b|pydantic"
)
ARGUMENTS = {
    "run": ("samples.jsonl", "--problems", "problems.jsonl"),
    "solve": ("--solver", "gold", "--problems", "problems.jsonl"),
    "audit": ("--problems", "problems.jsonl"),
    "correctness": ("records.jsonl",),
    "compare": ("a.jsonl", "b.jsonl"),
}
ANY_NUMBER = {("seed", "-3"), ("top-p", "inf")}
"""Numbers that an option accepts, where others of its kind do not."""


def cases():
    """Yield (command, key, value) for each option that is a number."""
    for name in COMMANDS:
        lazy = LazyCommand(name, f"code_tasks.cli.{COMMANDS[name][0]}", "", "")
        if not callable(lazy.part) or not lazy.keys:
            continue
        for key, option in option_keys(lazy.part).items():
            for value in BAD.get(option.kind, ()):
                if len(key) > 1 and not option.is_list and (key, value) not in ANY_NUMBER:
                    yield name, key, value


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Return a function that gives a command an option, and returns its status and what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")

    def run(command, *options):
        done = CliRunner().invoke(app, ["--no-config", command, *ARGUMENTS.get(command, ()), *options])
        return done.exit_code, " ".join(done.output.replace("│", " ").split())

    return run


@pytest.mark.parametrize(("command", "key", "value"), list(cases()))
def test_a_number_that_is_none(told, command, key, value):
    """The message about an invalid number names the option and the value, and has none of Python's words."""
    status, text = told(command, f"--{key}={value}")
    assert (status, f"--{key}" in text) == (2, True), text
    assert re.search(rf"not '?{re.escape(value)}| is an option of | is for --solver ", text), text
    assert not WORDS_OF_PYTHON.search(text)


TEXTS = {
    "a sandbox": ("--sandbox", "x", "--sandbox: unknown sandbox 'x'"),
    "a grading": ("--grading", "x", "--grading must be one of"),
    "an isolation": ("--isolation", "x", "--isolation must be one of"),
    "a checker": ("--checker", "x", "sandbox-fusion or MODULE:NAME, not 'x'"),
    "no checker's module": ("--checker", "no_such:name", "--checker 'no_such:name' can't be imported"),
    "a language": ("--language", "x", "--language: unknown language 'x'"),
    "a benchmark": ("--benchmark", "x", "--benchmark: unknown benchmark 'x'"),
    "an extractor": ("--extract", "x", "--extract must be one of auto, last, all, defining, none, not 'x'"),
    "a variable": ("--env", "x", "--env must be NAME=VALUE"),
    "a k": ("-k", "0", "'-k': must be whole numbers of at least 1"),
    "a day": ("--since", "x", "'--since': must be a day, such as 2025-01-31, not 'x'"),
    "a share": ("--fail-under", "2", "'--fail-under': must be at most 1, not '2'"),
    "a cluster": ("--cluster", "x", '--cluster must be "auto"'),
    "a sandbox's own": ("--allowed-import", "re", "--allowed-import is an option of --sandbox restricted"),
}


@pytest.mark.parametrize(("option", "value", "message"), TEXTS.values(), ids=TEXTS)
def test_a_text_that_is_none(told, option, value, message):
    """The message about an invalid text names the option or the value's kind, and has none of Python's words."""
    status, text = told("run", option, value)
    assert (status, message in text) == (2, True), text
    assert not WORDS_OF_PYTHON.search(text)


WITH_OTHERS = {
    "a format": (("--format", "x", "--output", "new.jsonl"), "--format: unknown format 'x'; choose one of evalplus"),
    "builtins": (
        ("--sandbox", "restricted", "--custom-builtins", "x"),
        "must be the MODULE:NAME of a mapping, not 'x'",
    ),
    "a policy": (
        ("--sandbox", "restricted", "--policy", "x"),
        "--policy must be strict, original or the MODULE:CLASS of a policy whose module can be imported, not 'x'",
    ),
    "two networks": (("--network", "--loopback"), "--network and --loopback exclude each other"),
}


@pytest.mark.parametrize(("options", "message"), WITH_OTHERS.values(), ids=WITH_OTHERS)
def test_a_text_among_other_options(told, options, message):
    """The message about an option that depends on another one names it, and has none of Python's words."""
    status, text = told("run", *options)
    assert (status, message in text) == (2, True), text
    assert not WORDS_OF_PYTHON.search(text)


def test_an_unknown_solver(told):
    """The message about a solver that there is not names the option."""
    status, text = told("solve", "--solver", "x")
    assert (status, "--solver: unknown solver 'x'; choose one of gold" in text) == (2, True), text


PROBLEM = {"task_id": "a", "prompt": "def f():\n", "test": "assert f() == 1", "entry_point": "f"}
SAMPLE = {"task_id": "a", "completion": "    return 1"}
CASES = {"inputs": ["1"], "outputs": ["1"]}
RECORDS = {
    "an id": ({"task_id": None}, {}, "'task_id' is not a string, but null"),
    "a prompt": ({"prompt": ["x"]}, {}, "'prompt' is not a string, but [\"x\"]"),
    "tests": ({"test": None}, {}, "'test' is neither code nor a list of objects with input and output, but null"),
    "a list of tests": ({"test": ["x"]}, {}, 'neither code nor a list of objects with input and output, but ["x"]'),
    "a case": ({"test": {"inputs": [{"a": True}], "outputs": ["1"]}}, {}, 'a text or a list of lines, not {"a": true}'),
    "a mode": ({"test": {**CASES, "input_mode": None}}, {}, "input_mode must be one of stdio, file, not null"),
    "a checker": (
        {"test": {**CASES, "checker": None}},
        {},
        "checker must be a name, or an object with 'source', not null",
    ),
    "a completion": ({}, {"completion": None}, "'completion' is not a string, but null"),
    "a sample's id": ({}, {"task_id": True}, "'task_id' is neither a number nor a string, but true"),
}


@pytest.mark.parametrize(("problem", "sample", "message"), RECORDS.values(), ids=RECORDS)
def test_a_value_of_a_record(told, tmp_path, problem, sample, message):
    """A message about a record shows its value as the file has it, in JSON, and not as Python prints it."""
    (tmp_path / "problems.jsonl").write_text(json.dumps(PROBLEM | problem))
    (tmp_path / "samples.jsonl").write_text(json.dumps(SAMPLE | sample))
    status, text = told("run")
    assert (status, message in text) == (2, True), text
    assert not WORDS_OF_PYTHON.search(text)
