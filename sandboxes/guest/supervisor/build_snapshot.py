"""Keeps the compiled program for every case: in its folder, where it must not change, or out of reach."""

from __future__ import annotations

import base64
import os
import stat

from ..common.files import remove_tree
from ..common.frames import read_exact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
    Snapshot = dict[str, tuple[tuple[int, ...], Any]]
    """{name: (fingerprint, Snapshot of what is in it, or None if it is no folder)}"""
    StoredFiles = dict[str, tuple[int, str]]
    """{path: (mode, content in base64)}, as a step's child writes them."""

    from .fork_server_process import ForkServerProcess


class KeptBuild:
    """A program that stays in the folder that it was built in."""

    stored: StoredFiles | None = None

    def __init__(self, fork_server: ForkServerProcess) -> None:
        """Take the folder's content. The build has just ended."""
        self.fork_server = fork_server
        self.state: Snapshot = fork_server.surroundings.call_in_workplace(snapshot)

    def clear(self) -> None:
        """Remove the files that a run left."""
        self.fork_server.surroundings.tidy(self.state)

    def restore(self) -> bool:
        """Remove the files that a run left. Return whether the built program is still there and unchanged."""
        self.clear()
        return self.fork_server.surroundings.call_in_workplace(is_unchanged, self.state)


class StoredBuild:
    """A program that is written anew for each run, and is in no folder between runs.

    A program that no compiler made is written by its steps, and has nothing stored.
    """

    def __init__(self, fork_server: ForkServerProcess, stored: StoredFiles | None) -> None:
        """Take the program's files.

        Args:
            fork_server: that runs the program.
            stored: its files; None if it is written by its steps.
        """
        self.fork_server, self.stored = fork_server, stored

    def clear(self) -> None:
        """Remove all files."""
        self.fork_server.surroundings.tidy()

    def restore(self) -> bool:
        """Remove all files. Return True, because the next run gets the program as it was built."""
        self.clear()
        return True


def read_files(folder: int, prefix: str = "") -> StoredFiles:
    """Return all files below a folder.

    Args:
        folder: a descriptor. Only compilers have written there.
        prefix: of the paths.
    """
    files: StoredFiles = {}
    for name in os.listdir(folder):
        mode = os.lstat(name, dir_fd=folder).st_mode
        if stat.S_ISDIR(mode):
            files.update(call_in_subfolder(folder, name, read_files, prefix + name + "/"))
        elif stat.S_ISREG(mode):
            content = read_file(folder, name)
            files[prefix + name] = (stat.S_IMODE(mode), base64.b64encode(content or b"").decode())
    return files


def take_folder(folder: int, name: str) -> StoredFiles:
    """Return all files of a folder in a folder, and remove them. The arguments are those of `call_in_subfolder`."""
    files = call_in_subfolder(folder, name, read_files)
    remove_tree(folder, name)
    return files


def remove_files(folder: int, ends: tuple[str, ...]) -> None:
    """Remove the files below a folder whose names have one of these ends.

    Args:
        folder: a descriptor. Only compilers have written there.
        ends: of names.
    """
    for name in os.listdir(folder):
        if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            call_in_subfolder(folder, name, remove_files, ends)
        elif name.endswith(ends):
            os.unlink(name, dir_fd=folder)


def read_file(folder: int, name: str, limit: int = 1 << 62) -> bytes | None:
    """Return the beginning of a plain file; None if there is none that can be read. A program may have made it.

    Args:
        folder: a descriptor.
        name: of the file in the folder. A link is no plain file.
        limit: bytes to read.
    """
    try:
        fd = open_file(folder, name)
    except OSError:
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return None
        return read_exact(fd, min(limit, status.st_size))
    finally:
        os.close(fd)


def open_file(folder: int, name: str) -> int:
    """Return a descriptor of a file in a folder, for reading. A program may have made the file. No link is followed.

    Raises:
        OSError: if there is no such file, or it is a link or can't be read.
    """
    # Without waiting: a named pipe would block.
    return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)


def snapshot(folder: int) -> Snapshot:
    """Return the state of everything in a folder.

    Args:
        folder: a descriptor. Only compilers have written there, so the folder is not deep.
    """
    state: Snapshot = {}
    for name in os.listdir(folder):
        status = os.lstat(name, dir_fd=folder)
        below = None
        if stat.S_ISDIR(status.st_mode):
            below = call_in_subfolder(folder, name, snapshot)
        state[name] = (fingerprint(status), below)
    return state


def is_unchanged(folder: int, state: Snapshot) -> bool:
    """Return whether a folder still holds everything of a snapshot, unchanged. New files don't matter.

    Args:
        folder: a descriptor. A program may have done anything there.
        state: as `snapshot` gave it.
    """
    for name, (expected, below) in state.items():
        try:
            if fingerprint(os.lstat(name, dir_fd=folder)) != expected:
                return False
        except OSError:
            return False
        if below is not None and not call_in_subfolder(folder, name, is_unchanged, below):
            return False
    return True


def fingerprint(status: os.stat_result) -> tuple[int, ...]:
    """Return the parts of a file's status that any change changes. Nobody can set the time of a file's last change."""
    if stat.S_ISDIR(status.st_mode):
        return (status.st_ino, status.st_mode)
    return (status.st_ino, status.st_mode, status.st_size, status.st_ctime_ns)


def call_in_subfolder(folder: int, name: str, function: Callable[..., T], *arguments: Any) -> T:
    """Return the result of a function that is called with a descriptor of a folder in a folder."""
    below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        return function(below, *arguments)
    finally:
        os.close(below)
