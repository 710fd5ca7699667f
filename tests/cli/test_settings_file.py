"""Settings in a file: `[tool.code-eval]` of a project, and `--config FILE`."""

import os
import re
from pathlib import Path

import pytest

from code_tasks.cli.lazy_commands import LazyCommand
from code_tasks.cli.main import COMMANDS
from code_tasks.cli.project_settings import ANY_VALUE, AT_MOST, ONE_OF, OWN_FILES
from code_tasks.cli.settings_file import SettingsError, read_settings, settings_of_command
from support.metric_and_command import ROOT

LAZY = {name: LazyCommand(name, f"code_tasks.cli.{source}", "", "") for name, (source, *_) in COMMANDS.items()}
REFUSED = """
isolation = "off"
grading = "shared"
checker = "module:name"
network = true
loopback = true
shell = true
env = { A = "1" }
read-only-path = ["/"]
preload = ["module"]
cluster = "ray://example.org:10001"
cache-dir = "cache"
memory-mb = 1000000
max-processes = 100000
max-output-bytes = 10000000000
policy = "module:Class"
custom-builtins = "module:name"
trusted-globals = true
allowed-import = ["os"]
image = "someone/else"
package = ["anything"]
volume = ["/"]
runtime = "runc"
docker-host = "tcp://example.org:2375"
output = "results.jsonl"
resume = true
strict-official = true
push-to-hub = "someone/else"
num-workers = 1000
dataset = "pandas"
problems = "/etc/passwd"
references = "../references.jsonl"
"""


@pytest.fixture
def values(tmp_path, monkeypatch):
    """Return a function that reads a project's file, or a named one: (text, command, *, named, given) -> values."""
    monkeypatch.chdir(tmp_path)

    def read(text, command="run", *, named=False, given=()):
        path = tmp_path / ("own.toml" if named else "pyproject.toml")
        path.write_text(text)
        found = settings_of_command(command, LAZY, lambda name: LAZY[name].keys, path if named else None, given)
        return {name: value.value for name, value in found.items()}

    return read


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("timeout = 10", "timeout", 10),
        ("cpu-seconds = 2", "cpu_seconds", 2),
        ("cpu_seconds = 2", "cpu_seconds", 2),
        ("k = [1, 10]", "k", ["1", "10"]),
        ("k = 1", "k", ["1"]),
        ('k = "1,10"', "k", ["1,10"]),
        ("stop-at-first-failure = false", "stop_at_first_failure", False),
        ("since = 2025-01-31", "since", "2025-01-31"),
        ('format = ["csv"]', "formats", ["csv"]),
        ('task = "t/1"', "task", ["t/1"]),
    ],
)
def test_values(values, line, name, value):
    """A key is a long option without its dashes, and its value has TOML's type for it."""
    assert values(f"[tool.code-eval]\n{line}\n") == {name: value}


def test_pairs_are_tables(values):
    """Pairs, such as environment variables, may be a table."""
    text = 'env = { A = "1" }\npackage = { cv2 = "opencv-python" }\n'
    assert values(text, named=True) == {"env": ["A=1"], "packages": ["cv2:opencv-python"]}


def test_paths_begin_at_the_file(values, tmp_path, monkeypatch):
    """A relative path of a project's file begins at that file, which may be above the working directory."""
    text = '[tool.code-eval.run]\nproblems = "data/problems.jsonl"\n'
    for name in ("below", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "problems.jsonl").touch()
    values(text)
    monkeypatch.chdir(tmp_path / "below")
    found = settings_of_command("run", LAZY, lambda name: LAZY[name].keys, None, ())
    assert found["problems"].value == str(tmp_path / "data" / "problems.jsonl")


def test_table_of_the_command_wins(values):
    """The command's own table wins over the common one, and other commands' tables count for them alone."""
    text = "[tool.code-eval]\ntimeout = 1\n[tool.code-eval.run]\ntimeout = 2\n[tool.code-eval.solve]\ntimeout = 3\n"
    assert [values(text, command)["timeout"] for command in ("run", "solve", "audit")] == [2, 3, 1]


def test_common_keys_of_other_commands(values):
    """A common key that only another command has is left out."""
    assert values("[tool.code-eval]\nmutants = 3\n") == {}


def test_command_line_wins(values, tmp_path):
    """An option of the command line, and a source of problems there, replace what the file has."""
    (tmp_path / "own.jsonl").touch()
    text = '[tool.code-eval]\ntimeout = 1\nk = 2\nproblems = "own.jsonl"\nsplit = "test"\n'
    assert values(text, given={"k", "benchmark"}) == {"timeout": 1}


@pytest.mark.parametrize("text", ["timeout = 3\n", "[run]\ntimeout = 3\n", "[tool.code-eval]\ntimeout = 3\n"])
def test_named_file(values, text):
    """A file of --config has its settings at the top, or in the table that a project's file has."""
    assert values(text, named=True) == {"timeout": 3}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("time-out = 1", "time-out: unknown key; near it are timeout"),
        ("zzz = 1", "zzz: unknown key; `code-eval run --help` lists the options"),
        ('timeout = "soon"', "timeout: must be a number, not 'soon'"),
        ("timeout = true", "timeout: must be a number, not true"),
        ("timeout = -1", "timeout: must be a finite number of seconds above 0"),
        ("max-processes = 1.5", "max-processes: must be a whole number, not 1.5"),
        ("partial-credit = 1", "partial-credit: must be true or false, not 1"),
        ("problems = 5", "problems: must be a path in quotation marks, not 5"),
        ("benchmark = ['humaneval']", 'benchmark: must be a text in quotation marks, not ["humaneval"]'),
        ("k = { a = 1 }", 'k: must be a text or number, or an array, not {"a": 1}'),
        ("run = 3", "run: must be a table, [tool.code-eval.run], not 3"),
    ],
)
def test_invalid_settings(values, tmp_path, line, message):
    """An unknown key, or a value of another type, is an error that names file, table, key and what is accepted."""
    with pytest.raises(SettingsError) as raised:
        values(f"[tool.code-eval]\n{line}\n")
    assert str(raised.value).startswith(f"{tmp_path / 'pyproject.toml'}: [tool.code-eval] {message}")


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\ncode-eval = 3\n", "[tool.code-eval\n", "\0"], ids=ascii)
def test_files_that_are_damaged(values, tmp_path, text):
    """A file that is no TOML, or has something else in the table's place, is an error that names it."""
    with pytest.raises(SettingsError, match=re.escape(str(tmp_path / "pyproject.toml"))):
        values(text)


def test_missing_file(tmp_path):
    """A named file that can't be read is an error that names it."""
    with pytest.raises(SettingsError, match="can't read .*nothing.toml: No such file"):
        read_settings(tmp_path / "nothing.toml", tmp_path)


def test_projects_without_the_table(tmp_path):
    """A pyproject.toml without the table is passed over, and the next one above it counts."""
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.code-eval]\ntimeout = 3\n")
    (below / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n")
    assert read_settings(None, below).path == tmp_path / "pyproject.toml"


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_a_project_may_not_set(values, line):
    """A project's file can't loosen isolation, run code in this process, or choose files and machines."""
    key = line.partition(" ")[0]
    with pytest.raises(SettingsError, match=f"{key}: .* is not taken from a file that you have not named"):
        values(f"[tool.code-eval]\n{line}\n")


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_a_named_file_may_set(values, line):
    """A file that the user named may set every option."""
    assert len(values(line, named=True)) == 1


MODELS = ['base-url = "http://example.org"', 'template = "t.txt"', 'solver = "chat"', 'model = "dear"', "tries = 1000"]


@pytest.mark.parametrize("line", MODELS)
def test_models_of_a_project(values, line):
    """A project's file chooses neither a server, nor a file that is sent to it, nor how much is spent there."""
    with pytest.raises(SettingsError, match="is not taken from a file"):
        values(f"[tool.code-eval.solve]\n{line}\n", "solve")


@pytest.mark.parametrize("line", ['host = "0.0.0.0"', "no-auth = true", "max-timeout = 1e9", 'token = "x"'])
def test_server_of_a_project(values, line):
    """A project's file can't open the server to other machines, nor lift its limits."""
    with pytest.raises(SettingsError, match="is not taken from a file"):
        values(f"[tool.code-eval.serve]\n{line}\n", "serve")


def test_a_project_may_protect_better(values):
    """A project's file may choose a stricter isolation and grading, and lower limits."""
    text = '[tool.code-eval]\nisolation = "strict"\ngrading = "separate"\nsandbox = "docker"\nmemory-mb = 100\n'
    assert len(values(text)) == 4


def test_what_is_taken_is_printed(values, capsys):
    """What a project's file sets is printed to stderr, without characters that move a terminal's cursor."""
    values('[tool.code-eval]\ntimeout = 3\nseed = 1\n"task" = ["\\u001b[2J"]\n')
    assert "pyproject.toml: timeout = 3, task = " in (said := capsys.readouterr().err)
    assert "\033" not in said


def test_keys_are_options():
    """Each key that a project may set is an option of a command, and the page names it."""
    page = (ROOT / "docs" / "command.md").read_text(encoding="utf-8").partition("### What a project's file may set")[2]
    rows = "".join(line.rpartition(" | ")[0] for line in page.splitlines() if line.startswith("| `"))
    keys = {key: option.name for each in LAZY.values() for key, option in each.keys.items()}
    assert {keys[key] for key in re.findall(r"`([a-z-]+)`", rows)} == ANY_VALUE | AT_MOST | OWN_FILES | {*ONE_OF}


def test_problems_of_a_project(values, tmp_path):
    """A project's file may name a regular file of its own as problems, also through a link, and no pipe."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "own.jsonl").touch()
    (tmp_path / "inside").symlink_to("data/own.jsonl")
    (tmp_path / "outside").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    for path in ("data/own.jsonl", "inside"):
        assert values(f'[tool.code-eval]\nproblems = "{path}"\n') == {"problems": str(tmp_path / path)}
    for path in ("outside", "pipe", "data", "missing", "a\\u0000b"):
        with pytest.raises(SettingsError, match="is not taken from a file"):
            values(f'[tool.code-eval]\nproblems = "{path}"\n')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.code-eval]\nx = " + "[" * 3000, "nested too deeply"),
        ("[tool.code-eval]\nisolation." + ".".join("a" * 3000) + " = 1", "nested too deeply"),
        ("[tool.code-eval]\nisolation" + '."a. \\""' * 100_000 + " = 1", "nested too deeply"),
        ("[tool.code-eval." + " . ".join(["'a b'"] * 100_000) + "]\nx = 1", "nested too deeply"),
        ("#" * (2 << 20), "larger than 1 MiB"),
        ("[tool.code-eval", "is not TOML"),
    ],
    ids=["arrays", "tables", "quoted", "header", "size", "syntax"],
)
def test_files_that_are_not_read(values, text, message):
    """A project's file that can't be read as TOML is one error, which names it."""
    with pytest.raises(SettingsError, match=f"pyproject.toml.* {message}"):
        values(text)


def test_no_working_folder(values, tmp_path, monkeypatch):
    """Without a working directory there is no project's file."""
    monkeypatch.setattr(Path, "cwd", lambda: open(tmp_path / "missing"))
    assert values("[tool.code-eval]\ntimeout = 3\n") == {}


@pytest.mark.parametrize(
    "setting", ["tolerance = inf", 'format = "x"', 'language = "x"', 'extract = "x"', "timeout = -1", "limit = 1.5"]
)
def test_an_invalid_value_is_named_with_its_place(values, tmp_path, setting):
    """An invalid value is an error with the file and the key."""
    with pytest.raises(SettingsError, match=re.escape(f"own.toml: [tool.code-eval] {setting.split()[0]}: ")):
        values(setting, named=True)


def test_a_pipe_is_no_settings_file(tmp_path):
    """A pipe, to which nobody may ever write, is refused and not waited for."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError, match="pipe is not a regular file"):
        read_settings(tmp_path / "pipe", tmp_path)
