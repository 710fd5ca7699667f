"""Files that commands write or resume: never through a link, and never another user's.

Partial files, run logs and results are opened here. Everybody can write to a folder such as /tmp, and the score of a
resumed command depends on the file that it continues. The file must therefore be this user's own.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from sandboxes.validation import system_reason

OWN_MODE = 0o644
"""Mode of a new partial file or run log. No other user can write to it, whatever the umask."""

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class UntrustedFileError(ValueError):
    """A file that a command must not continue. The message names the file and says what to do."""


def open_own(path: Path, flags: int, may_create: bool) -> int:
    """Open one of this user's own files, and return its descriptor.

    Args:
        path: the file's path.
        flags: as `os.open` takes them, without those that create a file.
        may_create: whether a missing file is created.

    Raises:
        UntrustedFileError: if the file is a link, a pipe or a device, if it is another user's, or if others can write
            to it.
        OSError: if the file can't be opened.
    """
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC
    if may_create:
        try:
            return os.open(path, flags | os.O_CREAT | os.O_EXCL, OWN_MODE)
        except FileExistsError:
            pass
    try:
        # Without O_NONBLOCK this would wait for the writer of a pipe.
        fd = os.open(path, flags | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UntrustedFileError(
                f"{path} is a symbolic link; give the file's own name, or remove the link"
            ) from error
        raise
    try:
        check_own(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def try_lock(fd: int) -> bool:
    """Lock an open file; return False if another process has it locked.

    The lock belongs to the open file, so it ends with this process, even if the process is killed.

    Raises:
        OSError: if the file system has no locks.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def check_own(path: Path, status: os.stat_result) -> None:
    """Raise UntrustedFileError unless the file is regular, and this user's own, and no other user can write to it."""
    if not stat.S_ISREG(status.st_mode):
        raise UntrustedFileError(f"{path} is not a regular file; remove it, or choose another name")
    if status.st_uid != os.geteuid():
        raise UntrustedFileError(
            f"{path} belongs to another user (uid {status.st_uid}), who can have written anything there; "
            "remove it, or continue with a copy of your own if you trust it"
        )
    if status.st_mode & WRITABLE_BY_OTHERS:
        raise UntrustedFileError(
            f"others can write to {path}, so they can have changed it; "
            f"remove it, or, if you trust the file, make it yours alone: chmod go-w {path}"
        )


def partial_path(path: Path) -> Path:
    """Return the path of the partial file, which a run writes before the results file."""
    return path.parent / f"{path.name}.partial"


def whole_path(path: Path) -> Path:
    """Return the temporary path at which a file is written before it is renamed in one step."""
    return path.parent / f"{path.name}.whole"


def cant_write(path: Path, error: OSError) -> str:
    """Return the message of a file that can't be written, in words without Python's."""
    if isinstance(error, FileNotFoundError):
        return f"can't write {path}: there is no folder {path.parent}"
    return f"can't write {path}: {system_reason(error)}"


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file in one step, so that a reader never sees half of it.

    Raises:
        OSError: if the file can't be written.
    """
    whole = whole_path(path)
    # A killed command may have left this file, or somebody may have put a link there.
    whole.unlink(missing_ok=True)
    try:
        with open(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
            file.writelines(parts)
        whole.replace(path)
    except BaseException:
        whole.unlink(missing_ok=True)
        raise


def check_replaceable(path: Path) -> None:
    """Raise OSError if `write_whole` can't write a file to this path."""
    if path.is_dir():
        raise IsADirectoryError("it is a directory")
    if path.exists() and not path.is_file():
        raise OSError("it is not a regular file, and would be replaced by one")
    whole = whole_path(path)
    whole.unlink(missing_ok=True)
    os.close(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
    whole.unlink()


def check_apart(option: str, output: Path, inputs: Mapping[str, Path | None]) -> None:
    """Raise ValueError if a command would overwrite one of its inputs.

    Args:
        option: the option that names the output, for the message.
        output: its path. The partial file beside it counts too.
        inputs: the paths of the inputs, by their names in messages; None for an input that is not given.
    """
    for written in (output, partial_path(output), whole_path(output)):
        for name, path in inputs.items():
            if path is not None and is_same_file(written, path):
                raise ValueError(f"{option} {output} would overwrite {path}, {name}; choose another name for {option}")


def is_same_file(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to one file, also through links. If no file exists, compare the names."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
