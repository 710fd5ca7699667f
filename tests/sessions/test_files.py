"""Files of a session, read and written with its processes' own rights."""

import errno
import os

import pytest

from sandboxes import SessionLimits
from support.requirements import unavailable


@pytest.mark.parametrize("data", [b"", b"\xc3\x28\x00", b"x" * 5_000_000], ids=["empty", "binary", "large"])
def test_a_file_comes_back_as_it_was_written(session, data):
    """Files hold any bytes."""
    session.write_file("written", data)
    assert session.read_file("written") == data


def test_a_text_becomes_utf8(session):
    """A text is written in UTF-8."""
    session.write_file("text", "ä☽")
    assert session.read_file("text") == "ä☽".encode()


@pytest.mark.parametrize("path", ["new/folders/file", "{}/other/folders/file", "with space", "-dash", "ä"])
def test_paths_are_relative_to_the_folder_or_absolute(session, path):
    """The folders above a file are made."""
    path = path.format(session.run_command("pwd").stdout.decode().strip())
    session.write_file(path, "here")
    assert session.run_command(["cat", "--", path]).stdout == b"here"


def test_a_file_is_overwritten(session):
    """Nothing of a longer file stays."""
    session.write_file("twice", "a long text")
    session.write_file("twice", "short")
    assert session.read_file("twice") == b"short"


@pytest.mark.parametrize(
    ("setup", "path", "error"),
    [
        ("true", "missing", FileNotFoundError),
        ("true", "https:/host/missing", FileNotFoundError),
        ("mkdir -p folder", "folder", IsADirectoryError),
        ("true", "/usr", IsADirectoryError),
        ("touch secret; chmod 0 secret", "secret", PermissionError),
        ("ln -sf loop loop", "loop", OSError),
        ("rm -f pipe; mkfifo pipe", "pipe", OSError),
        ("true", "/dev/zero", OSError),
        ("touch plain", "plain/below", NotADirectoryError),
        ("true", "x" * 300, OSError),
    ],
)
def test_a_file_that_can_not_be_read_is_an_error(session, setup, path, error):
    """The error is the system's, names the path, and comes at once."""
    if error is PermissionError and os.geteuid() == 0 and "user" in session.isolation.missing:
        # Root's programs read all files where no other user can read the interpreter.
        unavailable(f"the user layer is not on here: {session.isolation.missing['user']}")
    session.run_command(setup)
    with pytest.raises(error) as caught:
        session.read_file(path)
    assert caught.value.filename == path


@pytest.mark.parametrize(
    ("setup", "path", "error"),
    [
        ("mkdir -p folder", "folder", IsADirectoryError),
        ("rm -f fixed; echo fixed > fixed; chmod -w fixed", "fixed", PermissionError),
        ("true", "/usr/new", OSError),
        ("touch plain", "plain/below", OSError),
        ("rm -f pipe; mkfifo pipe", "pipe", OSError),
        ("true", "/dev/null", OSError),
    ],
)
def test_a_file_that_can_not_be_written_is_an_error(session, setup, path, error):
    """The error is the system's, and what was there stays."""
    session.run_command(setup)
    with pytest.raises(error):
        session.write_file(path, "x")
    assert path != "fixed" or session.read_file(path) == b"fixed\n"


def test_a_file_that_is_too_large_is_an_error(session):
    """A file above the limit is not read, whatever its size says."""
    session.run_command("head -c 2000 /dev/zero > large")
    with pytest.raises(OSError, match="larger than 1999 bytes") as caught:
        session.read_file("large", max_bytes=1999)
    assert caught.value.errno == errno.EFBIG
    assert len(session.read_file("large", max_bytes=2000)) == 2000
    with pytest.raises(OSError, match="larger than 10 bytes"):
        # Its size is 0.
        session.read_file("/proc/self/status", max_bytes=10)


def test_a_file_that_is_too_large_is_not_written(open_session):
    """The session's limit holds for files in both directions."""
    small = open_session(SessionLimits(file_bytes=1000))
    with pytest.raises(OSError, match="larger than 1000 bytes"):
        small.write_file("large", b"x" * 1001)
    small.write_file("large", b"x" * 1000)


def test_a_full_disk_is_an_error(own_session):
    """The session's disk is bounded, and the session goes on."""
    if "mount" not in own_session.isolation.layers and "container" not in own_session.isolation.layers:
        pytest.skip("files are in a folder of the machine")
    with pytest.raises(OSError) as caught:
        for number in range(3):
            own_session.write_file(f"part{number}", b"x" * (16 << 20))
    assert caught.value.errno == errno.ENOSPC
    own_session.run_command("rm part*")
    own_session.write_file("small", "fits")


@pytest.mark.parametrize(
    ("path", "error"), [("", ValueError), ("a\0b", ValueError), (5, TypeError), (b"bytes", TypeError)]
)
def test_an_invalid_path_is_refused(session, path, error):
    """A path is a text that is not empty."""
    with pytest.raises(error, match="path"):
        session.read_file(path)
    with pytest.raises(error, match="path"):
        session.write_file(path, "x")


def test_a_swapped_file_gives_no_access(session):
    """A link leads only to what the session's processes can read themselves."""
    session.run_command("ln -sf /proc/1/environ link")
    with pytest.raises(OSError):
        session.read_file("link")
