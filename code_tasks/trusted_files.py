"""Files that commands write, or go on with: never through a link, and never another user's.

Partial files, run logs and results are opened here. A folder such as /tmp is open to everybody, and what a command goes
on with decides on its score: so it must be this user's own.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

OWN_MODE = 0o644
"""Mode of a new partial file or run log: nobody else can write to it, whatever the umask."""

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class UntrustedFile(ValueError):
    """A file that a command must not go on with. The message names the file and the way out."""


def open_own(path: Path, flags: int, may_create: bool) -> int:
    """Opens a file of this user's, and returns its descriptor.

    Args:
        path: of the file.
        flags: as `os.open` takes them, without those that create a file.
        may_create: whether a file that is not there is created.

    Raises:
        UntrustedFile: if it is a link, a pipe or a device, another user's, or one that others can write to.
        OSError: if it can't be opened.
    """
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC
    if may_create:
        try:
            return os.open(path, flags | os.O_CREAT | os.O_EXCL, OWN_MODE)
        except FileExistsError:
            pass
    try:
        # A pipe without a writer would be waited for.
        fd = os.open(path, flags | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UntrustedFile(f"{path} is a symbolic link; give the file's own name, or remove the link") from error
        raise
    try:
        check_own(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def check_own(path: Path, found: os.stat_result) -> None:
    """Raises UntrustedFile unless this is a regular file of this user's that nobody else can write to."""
    if not stat.S_ISREG(found.st_mode):
        raise UntrustedFile(f"{path} is no regular file; remove it, or choose another name")
    if found.st_uid != os.geteuid():
        raise UntrustedFile(
            f"{path} belongs to another user (number {found.st_uid}), who can have written anything there; "
            "remove it, or go on with a copy of your own if you believe it"
        )
    if found.st_mode & WRITABLE_BY_OTHERS:
        raise UntrustedFile(
            f"others can write to {path}, so they can have changed it; "
            f"remove it, or take that right away if you believe the file: chmod go-w {path}"
        )


def partial_path(path: Path) -> Path:
    """Returns where results are written while a run goes on."""
    return path.with_name(path.name + ".partial")


def whole_path(path: Path) -> Path:
    """Returns where a file is written before it gets its name in one step."""
    return path.with_name(path.name + ".whole")


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Writes a file in one step, so that no half of it is ever there.

    Raises:
        OSError: if it can't be written.
    """
    whole = whole_path(path)
    # One may be left of a command that was killed, or be a link that somebody put there.
    whole.unlink(missing_ok=True)
    try:
        with open(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
            file.writelines(parts)
        whole.replace(path)
    except BaseException:
        whole.unlink(missing_ok=True)
        raise


def check_replaceable(path: Path) -> None:
    """Raises OSError if a file can't be written there in one step."""
    if path.is_dir():
        raise IsADirectoryError("it is a folder")
    if path.exists() and not path.is_file():
        raise OSError("it is no regular file, and would be replaced by one")
    whole = whole_path(path)
    whole.unlink(missing_ok=True)
    os.close(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
    whole.unlink()


def check_apart(option: str, output: Path, inputs: Mapping[str, Path | None]) -> None:
    """Raises ValueError if a command would overwrite what it reads.

    Args:
        option: that says where the command writes, for the message.
        output: the path given with it; the partial file beside it counts too.
        inputs: what the command reads, by what messages call it; None for what is not given.
    """
    for written in (output, partial_path(output), whole_path(output)):
        for name, path in inputs.items():
            if path is not None and is_same_file(written, path):
                raise ValueError(f"{option} {output} would overwrite {path}, {name}; choose another name for {option}")


def is_same_file(one: Path, other: Path) -> bool:
    """Returns whether two paths lead to one file, also through links; if neither is there, to one name."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
