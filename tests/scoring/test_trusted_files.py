"""Files that commands resume or write: files of others are refused, and no input is overwritten."""

import json
import os
import stat

import pytest

from code_tasks.scoring.results_file import PartialResults, PartialResultsError
from code_tasks.scoring.trusted_files import check_apart, is_same_file, partial_path, whole_path, write_whole
from code_tasks.solvers.record.format import RunLogError
from code_tasks.solvers.record.writer import JsonlRecorder
from support.metric_and_command import PROBLEM, code_eval, lines_of
from support.run_files import results, write_lines, write_record

pytestmark = pytest.mark.slow

SETTINGS = {"samples": "abc"}
ANOTHER_USER = 12345


def begun(path):
    """Leave the partial file of a run with one result, and return its path."""
    with PartialResults(path, 3, SETTINGS, resume=False) as partial:
        partial.write(1, results()[0])
    return partial_path(path)


def go_on(path, resume=True):
    """Resume a partial file, and return the indices of its results."""
    with PartialResults(path, 3, SETTINGS, resume) as partial:
        return [index for index, _ in partial.records()]


def given_to_another_user(path):
    """Give a file to another user."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    os.chown(path, ANOTHER_USER, ANOTHER_USER)


def linked(path):
    """Replace a file by a link to it."""
    os.rename(path, path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def dangling(path):
    """Replace a file by a link to nothing."""
    path.unlink()
    path.symlink_to(path.with_name("nothing"))


def piped(path):
    """Replace a file by a pipe that nobody writes to."""
    path.unlink()
    os.mkfifo(path)


UNTRUSTED = {
    "another user's": (given_to_another_user, "belongs to another user"),
    "writable by a group": (lambda path: path.chmod(0o664), "others can write to"),
    "writable by all": (lambda path: path.chmod(0o646), "others can write to"),
    "a link": (linked, "is a symbolic link"),
    "a link to nothing": (dangling, "is a symbolic link"),
    "a pipe": (piped, "is not a regular file"),
}


@pytest.mark.parametrize("kind", UNTRUSTED)
def test_an_untrusted_partial_file(tmp_path, kind):
    """A partial file that others may have written is neither resumed nor overwritten, and the error names it."""
    change, message = UNTRUSTED[kind]
    partial = begun(tmp_path / "results.jsonl")
    change(partial)
    for resume in (True, False):
        with pytest.raises(PartialResultsError, match=message) as caught:
            go_on(tmp_path / "results.jsonl", resume)
        assert str(partial) in str(caught.value) and "remove" in str(caught.value)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("kind", UNTRUSTED)
def test_an_untrusted_run_log(tmp_path, kind):
    """A run log that others may have written is neither resumed nor overwritten."""
    change, message = UNTRUSTED[kind]
    record = write_record(tmp_path / "run.jsonl")
    change(record)
    for resume in (True, False):
        with pytest.raises(RunLogError, match=message):
            JsonlRecorder(record, resume)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_an_own_file_is_trusted_whatever_the_umask(tmp_path, umask):
    """The same user can resume a run with any umask, even one that lets the group write to new files."""
    before = os.umask(umask)
    try:
        partial = begun(tmp_path / "results.jsonl")
        record = write_record(tmp_path / "run.jsonl")
        assert go_on(tmp_path / "results.jsonl") == [1]
        JsonlRecorder(record, resume=True).close()
        write_whole(tmp_path / "whole", [b"all"])
    finally:
        os.umask(before)
    assert stat.S_IMODE(partial.stat().st_mode) == 0o644 & ~umask
    assert stat.S_IMODE((tmp_path / "whole").stat().st_mode) == 0o666 & ~umask


def test_a_planted_link_is_not_written_through(tmp_path):
    """Results are written to a new file, and not through a link that somebody put in its place."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    output = tmp_path / "results.jsonl"
    whole_path(output).symlink_to(victim)
    write_whole(output, [b"one ", b"two"])
    assert (victim.read_text(), output.read_text(), whole_path(output).exists()) == ("mine", "one two", False)


def test_a_file_that_can_not_be_written_leaves_nothing(tmp_path):
    """If writing fails, the old file stays, and no other file is left."""
    (tmp_path / "out").write_text("before")

    def parts():
        yield b"begin"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_whole(tmp_path / "out", parts())
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_text() == "before"


def test_a_page_leaves_a_partial_file_alone(tmp_path):
    """A command that writes a file does not remove the partial file beside it."""
    run = write_lines(tmp_path / "results.jsonl", results())
    page = tmp_path / "results.html"
    partial_path(page).write_text("of a run")
    done = code_eval("report", run)
    assert done.returncode == 0, done.stderr
    assert partial_path(page).read_text() == "of a run"


def same_path(path, name):
    """Return the path itself."""
    return path


def by_a_link(path, name):
    """Return a link to a file."""
    name.symlink_to(path)
    return name


def by_a_hard_link(path, name):
    """Return another name of a file."""
    name.hardlink_to(path)
    return name


def by_dots(path, name):
    """Return the path in another spelling."""
    return path.parent / "." / ".." / path.parent.name / path.name


def by_its_partial_file(path, name):
    """Return a name whose partial file is the file."""
    partial_path(name).hardlink_to(path)
    return name


WAYS = (same_path, by_a_link, by_a_hard_link, by_dots, by_its_partial_file)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", ["samples", "problems"])
def test_run_does_not_overwrite_its_inputs(files, tmp_path, way, name):
    """An --output that leads to the samples or the problems, by any name, is an error before anything runs."""
    arguments = files(["    return a + b\n"])
    before = (tmp_path / f"{name}.jsonl").read_bytes()
    for more in ((), ("--resume",)):
        output = way(tmp_path / f"{name}.jsonl", tmp_path / f"other{len(more)}")
        done = code_eval(*arguments, "--output", output, *more)
        assert done.returncode == 2, (done.stdout, done.stderr)
        assert f"the {name}; choose another name for --output" in " ".join(done.stderr.replace("│", " ").split())
    assert (tmp_path / f"{name}.jsonl").read_bytes() == before


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    "command",
    [
        ["report", "{file}", "--output", "{output}"],
        ["correctness", "{file}", "--output", "{output}"],
        ["correctness", "{file}", "--labels", "{output}"],
        ["correctness", "{file}", "--prompts", "{output}"],
        ["solve", "--solver", "gold", "--problems", "{file}", "--output", "{output}"],
        ["solve", "--solver", "gold", "--problems", "{file}", "--output", "{output}", "--resume"],
        ["solve", "--solver", "replay", "--problems", "p", "--samples", "{file}", "--output", "{output}"],
        ["solve", "--solver", "chat", "--problems", "p", "--template", "{file}", "--output", "{output}", "--resume"],
    ],
    ids=lambda command: " ".join(command[:3:2] + command[-4:-3] + command[-2:-1]),
)
def test_no_command_overwrites_its_inputs(tmp_path, way, command):
    """The outputs of other commands can't overwrite their inputs either."""
    file = write_lines(tmp_path / "file.jsonl", results())
    before = file.read_bytes()
    output = way(file, tmp_path / "other")
    done = code_eval(*(part.format(file=file, output=output) for part in command))
    assert (done.returncode, file.read_bytes()) == (2, before), done.stderr
    assert "would overwrite" in done.stderr


def test_files_that_differ_are_not_confused(tmp_path):
    """A copy of an input and a name without a file are valid outputs."""
    (tmp_path / "samples").write_text("one")
    (tmp_path / "copy").write_text("one")
    check_apart("--output", tmp_path / "copy", {"the samples": tmp_path / "samples", "the problems": None})
    check_apart("--output", tmp_path / "new", {"the samples": tmp_path / "samples"})
    assert not is_same_file(tmp_path / "new", tmp_path / "newer")
    assert is_same_file(tmp_path / "new", tmp_path / "." / "new")


@pytest.mark.parametrize("command", ["report", "run"])
def test_a_device_is_not_replaced(files, tmp_path, command):
    """An output that is not a regular file is refused before anything runs, and stays."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    arguments = files(["    return a + b\n"])
    if command == "report":
        arguments = ["report", write_lines(tmp_path / "results.jsonl", results())]
    done = code_eval(*arguments, "--output", pipe)
    assert (done.returncode, stat.S_ISFIFO(pipe.stat().st_mode)) == (2, True)
    assert "it is not a regular file" in done.stderr


@pytest.mark.parametrize("content", [json.dumps(PROBLEM), json.dumps(PROBLEM) + "\n{", "text\nmore", "\n\nx"])
def test_another_file_is_not_repaired(tmp_path, content):
    """A file that is given as a run log by mistake stays as it is, with its last line."""
    other = tmp_path / "other.jsonl"
    other.write_text(content)
    with pytest.raises(RunLogError, match="is not a run log of `code-eval solve`"):
        JsonlRecorder(other, resume=True)
    assert other.read_text() == content


@pytest.mark.parametrize("content", ["text without an end", '{"setting', '{"settings": {"samples": "abc"}', ""])
def test_a_wrong_partial_file_is_not_emptied(tmp_path, content):
    """Only an incomplete beginning of a partial file is started over; any other file stays as it is."""
    partial = partial_path(tmp_path / "results.jsonl")
    partial.write_text(content)
    if content.startswith("text"):
        with pytest.raises(PartialResultsError, match="partial:1: .*remove the file to start over"):
            go_on(tmp_path / "results.jsonl")
        assert partial.read_text() == content
    else:
        assert go_on(tmp_path / "results.jsonl") == []


def test_an_output_is_written_whole_beside_other_files(files, tmp_path):
    """A run with --output writes its results, and leaves no other file."""
    done = code_eval(*files(["    return a + b\n"]), "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"samples.jsonl", "problems.jsonl", "results.jsonl"}
    assert lines_of(tmp_path / "results.jsonl")[0]["passed"]
