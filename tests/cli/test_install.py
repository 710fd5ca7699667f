"""The command `code-eval install lm-eval` writes one file, and touches nothing else."""

import os
import sys

import pytest
from typer.testing import CliRunner

from code_tasks.adapters import lm_eval
from code_tasks.cli import install as command
from code_tasks.cli.main import app
from support.metric_and_command import RIGHT, TESTS, python


@pytest.fixture(autouse=True)
def harness(monkeypatch, tmp_path):
    """Stand in a folder of its own, with the harness installed as far as the command can tell."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: object())


def run(*arguments):
    """Run the command. Return (status, what it printed)."""
    done = CliRunner(env={"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}).invoke(
        app, ["install", "lm-eval", *map(str, arguments)]
    )
    return done.exit_code, " ".join(done.output.replace("│", " ").split())


def files(folder):
    """Return the texts of all files below a folder by their paths."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_install(tmp_path):
    """The command writes one file, and shows its path, its text and the next step."""
    status, said = run("--grading", "separate", "--env", "A=it's", "--timeout", "10")
    assert status == 0
    [(path, text)] = files(tmp_path).items()
    assert path == "code_eval/code_eval.py"
    assert f"wrote {path}" in said and " ".join(text.split()) in said and f"Start the harness in {tmp_path}" in said
    assert """metric_with({'env': {'A': "it's"}, 'grading': 'separate', 'timeout': 10.0})""" in text


def test_again(tmp_path):
    """The same command changes nothing. Other options replace the file."""
    assert run()[0] == 0
    path = tmp_path / "code_eval" / "code_eval.py"
    before = path.stat()
    status, said = run()
    assert (status, "is there already" in said, path.stat().st_mtime_ns) == (0, True, before.st_mtime_ns)
    assert run("--grading", "separate")[0] == 0
    assert "separate" in path.read_text()


def test_a_damaged_file(tmp_path):
    """A file that the command wrote is written anew, whatever bytes have got into it since."""
    assert run()[0] == 0
    [(path, text)] = files(tmp_path).items()
    (tmp_path / path).write_bytes(text.encode() + b"\xff")
    assert run()[0] == 0
    assert files(tmp_path) == {path: text}


def test_uninstall(tmp_path):
    """--uninstall leaves nothing behind, and can be repeated, also without the harness."""
    assert run("--folder", tmp_path)[0] == 0
    assert run("--uninstall") == (0, "removed code_eval/code_eval.py")
    assert list(tmp_path.iterdir()) == []
    assert run("--uninstall") == (0, "there is nothing to remove at code_eval/code_eval.py")


def test_uninstall_beside_other_files(tmp_path):
    """Files that somebody has put beside the metric stay."""
    assert run()[0] == 0
    (tmp_path / "code_eval" / "notes.txt").write_text("mine")
    assert run("--uninstall")[0] == 0
    assert files(tmp_path) == {"code_eval/notes.txt": "mine"}


def prepare_file(folder):
    """Put somebody's metric in the place."""
    (folder / "code_eval").mkdir()
    (folder / "code_eval" / "code_eval.py").write_text("mine")


def prepare_package(folder):
    """Put somebody's package in the place."""
    (folder / "code_eval").mkdir()
    (folder / "code_eval" / "__init__.py").write_text("mine")


def prepare_plain_file(folder):
    """Put a file in the place of the folder."""
    (folder / "code_eval").write_text("mine")


def prepare_folder_link(folder):
    """Put a link to another folder in the place of the folder."""
    (folder / "other").mkdir()
    (folder / "code_eval").symlink_to("other")


def prepare_dangling_link(folder):
    """Put a link to nothing in the place of the folder."""
    (folder / "code_eval").symlink_to("nowhere")


def prepare_file_link(folder):
    """Put a link to a file that looks like ours in the place of the file."""
    (folder / "code_eval").mkdir()
    (folder / "other.py").write_text(lm_eval.text_with({}))
    (folder / "code_eval" / "code_eval.py").symlink_to("../other.py")


PLACES = [prepare_file, prepare_package, prepare_plain_file, prepare_folder_link, prepare_dangling_link]


@pytest.mark.parametrize("arguments", [["--grading", "separate"], ["--uninstall"]], ids=["install", "uninstall"])
@pytest.mark.parametrize("prepare", [*PLACES, prepare_file_link], ids=lambda prepare: prepare.__name__)
def test_not_ours(tmp_path, prepare, arguments):
    """A file that the command did not write is neither replaced nor removed, and no link is followed."""
    prepare(tmp_path)
    before = files(tmp_path)
    status, said = run(*arguments)
    assert status == 2
    assert "move it away, or choose another --folder" in said
    assert files(tmp_path) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_folder_of_another_user(tmp_path):
    """A folder of another user is refused, because that user could change what the harness runs."""
    (tmp_path / "code_eval").mkdir()
    os.chown(tmp_path / "code_eval", 12345, -1)
    status, said = run()
    assert (status, "belongs to another user" in said) == (2, True)


def test_no_harness(monkeypatch, tmp_path):
    """Without the harness nothing is written, and the error has the command that installs it."""
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: None)
    status, said = run()
    assert (status, files(tmp_path)) == (2, {})
    assert f"{sys.executable} -m pip install lm-eval" in said


def test_write_error(monkeypatch, tmp_path):
    """A folder that can't be written to is one clear error, and nothing is left there."""

    def failing(path, parts):
        """Fail as on a file system that is mounted read-only."""
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(lm_eval, "write_whole", failing)
    assert run() == (2, "can't change code_eval/code_eval.py: Read-only file system")
    assert list(tmp_path.iterdir()) == []


def test_folder_without_rights():
    """A folder that this user can't write to is the system's own error."""
    script = (
        "import os\nfrom pathlib import Path\nfrom code_tasks.adapters import lm_eval\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "try: lm_eval.install(Path('/'), {})\n"
        "except PermissionError as error: print(error.strerror)\n"
    )
    assert python("-c", script).stdout == "Permission denied\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--grading", "x"], "--grading must be one of"),
        (["--timeout", "-1"], "--timeout"),
        (["--k", "1"], "No such option"),
        (["--on-sandbox-error", "exclude"], "No such option"),
        (["--uninstall", "--grading", "separate"], "give it alone"),
        (["--folder", "missing"], "does not exist"),
    ],
    ids=str,
)
def test_usage_errors(tmp_path, arguments, message):
    """Options that can't hold are usage errors before anything is written."""
    status, said = run(*arguments)
    assert (status, files(tmp_path)) == (2, {})
    assert message in said


@pytest.mark.slow
def test_import_in_the_folder(tmp_path):
    """A program that is started in the folder finds the metric, although the folder has the module's name."""
    assert run("--grading", "separate")[0] == 0
    script = (
        "import evaluate\n"
        f"one = {{'predictions': [[{RIGHT!r}]], 'references': [{TESTS!r}], 'k': [1]}}\n"
        "metric = evaluate.load('code_eval')\n"
        "print([metric.compute(**one, **given)[1][0][0][1]['grading'] for given in ({}, {'grading': 'auto'})])"
    )
    (tmp_path / "script.py").write_text(script)
    done = python("script.py", cwd=tmp_path, HF_ALLOW_CODE_EVAL="1")
    assert done.stdout == "['separate', 'separate']\n", done.stderr


def test_options_of_compute(tmp_path):
    """An installed option that is none is an error of `compute` that names it."""
    metric = lm_eval.metric_with({"gradign": "separate"})()
    with pytest.raises(TypeError, match="there is no option 'gradign'"):
        metric.compute(predictions=[[RIGHT]], references=[TESTS], k=[1])
