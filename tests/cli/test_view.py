"""The command `code-eval view`."""

import os
import re
import shlex
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from code_tasks.cli import view
from support.metric_and_command import code_eval
from support.run_files import results, write_lines

# A browser that writes down what it was asked to open.
BROWSER = "import sys; open({log!r}, 'w').write(sys.argv[1])"


@pytest.fixture
def folder(tmp_path):
    """Provide an empty folder for temporary files."""
    path = tmp_path / "tmp"
    path.mkdir()
    return path


@pytest.fixture
def run(tmp_path):
    """Write results, and return their path."""
    return write_lines(tmp_path / "results #1.jsonl", results())


@pytest.mark.slow
def test_page_is_opened(run, folder, tmp_path):
    """The browser is asked for the page, which is a file that only its user can read; the command says where it is."""
    log = tmp_path / "opened"
    script = write_script(tmp_path / "browser.py", BROWSER.format(log=str(log)))
    done = code_eval("view", run, TMPDIR=folder, BROWSER=f"{shlex.join([sys.executable, str(script)])} %s")
    assert (done.returncode, done.stderr) == (0, "")
    [page] = folder.glob("*/*")
    assert page.name == "results #1.html"
    assert log.read_text() == page.as_uri()
    assert done.stdout.startswith(f"{page}: 9 samples of 3 tasks, 4.")
    assert f"Remove the folder {page.parent} when" in done.stdout
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700


def write_script(path, text):
    """Write a file, and return its path."""
    path.write_text(text)
    return path


@pytest.mark.slow
def test_no_browser(run, folder, tmp_path):
    """If no browser can be opened, the command says where the page is, and succeeds."""
    done = code_eval("view", run, TMPDIR=folder, BROWSER=tmp_path / "no-such-browser", PATH=tmp_path, DISPLAY="")
    assert (done.returncode, done.stderr) == (0, "")
    [path] = re.findall(r"^(.*?): 9 samples", done.stdout)
    assert Path(path).exists()
    assert "No browser could be opened here" in done.stdout


def test_a_file_that_is_no_run(folder, tmp_path):
    """A file without results is an error of one line, and leaves no folder behind."""
    done = code_eval("view", write_lines(tmp_path / "x.jsonl", [{}]), TMPDIR=folder)
    assert done.returncode == 2
    assert "x.jsonl:1: missing key" in done.stderr
    assert list(folder.iterdir()) == []


def test_no_temporary_folder(run, monkeypatch, capsys):
    """A temporary folder that can't be made is an error of one line."""
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: os.mkdir("/no/such/folder"))
    monkeypatch.setattr(view, "made_page", lambda *files: ("", ""))
    with pytest.raises(SystemExit):
        view.view(run)
    assert capsys.readouterr().err.startswith("can't make a temporary folder: ")


def test_nothing_is_left_if_the_page_cannot_be_written(run, folder, monkeypatch):
    """If the page can't be written, its folder is removed."""
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(view, "made_page", lambda *files: ("\ud800", ""))
    with pytest.raises(UnicodeEncodeError):
        view.view(run)
    assert list(folder.iterdir()) == []
