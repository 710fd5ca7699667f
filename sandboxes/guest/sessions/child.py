"""A process of a session, right after its fork: becomes a command or the process of cells, or works on a file."""

from __future__ import annotations

import _signal
import errno
import gc
import os
import resource
import stat

from ..common.frames import REPORT_FD, SETUP_FD, write_all
from ..common.session_frames import CELL, COMMAND, READ, encode_error
from .cells import CellLoop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from ..forkserver.server_state import ResourceLimits
    from ..isolation.privileges import Privileges

# Above all descriptors that the session server has open.
MAX_SERVER_FD = 256
CHUNK_BYTES = 1 << 16
# Cells are read from this descriptor: their standard input is empty.
CELLS_FD = SETUP_FD
FILE_MODE = 0o644


def run_child(
    request: dict[str, Any], fds: Sequence[int], workplace: int, privileges: Privileges, limits: ResourceLimits
) -> NoReturn:
    """Turn this fork of the session server into the process that a request asks for.

    Args:
        request: the supervisor's.
        fds: descriptors of the process's ends of its pipes.
        workplace: descriptor of the session's folder.
        privileges: of the process.
        limits: as `resource_limits` returns them.
    """
    leave = os._exit
    status = 1
    try:
        enter(request["kind"], fds, workplace, privileges, limits)
        if request["kind"] == CELL:
            CellLoop(CELLS_FD, REPORT_FD, os.getcwd()).serve()
        elif request["kind"] == COMMAND:
            run_command(request["argv"], request["cwd"], request["env"])
        elif request["kind"] == READ:
            read_file(request["path"], request["max_bytes"])
        else:
            write_file(request["path"])
        status = 0
    except OSError as error:
        os.write(REPORT_FD, encode_error(error))
    finally:
        leave(status)


def enter(kind: str, fds: Sequence[int], workplace: int, privileges: Privileges, limits: ResourceLimits) -> None:
    """Give a new process its descriptors, folder, user and limits."""
    _signal.set_wakeup_fd(-1)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    os.setsid()
    source, *outputs = fds
    os.dup2(source, CELLS_FD if kind == CELL else 0, inheritable=kind != CELL)
    for number, fd in enumerate(outputs, 1):
        os.dup2(fd, number, inheritable=number != REPORT_FD)
    os.fchdir(workplace)
    if privileges.changes_children:
        privileges.enter_child(True)
    # Only now, because Landlock's ruleset is one of these descriptors.
    os.closerange(CELLS_FD + (kind == CELL), MAX_SERVER_FD)
    for name, pair in limits:
        resource.setrlimit(name, pair)
    os.umask(0o022)
    gc.enable()


def run_command(argv: list[str], folder: str | None, variables: dict[str, str]) -> None:
    """Become a command.

    Args:
        argv: the command and its arguments.
        folder: to begin in; None for the session's.
        variables: environment variables that are added.

    Raises:
        OSError: if there is no such folder, or the command can't be run.
    """
    if folder is not None:
        os.chdir(folder)
        variables = {"PWD": os.getcwd(), **variables}
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        # Python ignores them, and a command would inherit that.
        _signal.signal(number, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    os.execvpe(argv[0], argv, {**os.environ, **variables})


def read_file(path: str, max_bytes: int) -> None:
    """Write a file's content to standard output.

    Raises:
        OSError: if the file can't be read, is no regular file, or is larger than `max_bytes`.
    """
    # Otherwise a pipe without a writer would hold this process up.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if require_regular(fd) > max_bytes:
        raise OSError(errno.EFBIG, "")
    while chunk := os.read(fd, CHUNK_BYTES):
        # A file of /proc has no size, and a file may grow.
        max_bytes -= len(chunk)
        if max_bytes < 0:
            raise OSError(errno.EFBIG, "")
        write_all(1, chunk)


def write_file(path: str) -> None:
    """Write standard input to a file, and make the folders above it.

    Raises:
        OSError: if the file can't be written, or is no regular file.
    """
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, FILE_MODE)
    require_regular(fd)
    os.ftruncate(fd, 0)
    while chunk := os.read(0, CHUNK_BYTES):
        write_all(fd, chunk)


def require_regular(fd: int) -> int:
    """Return the size of a regular file.

    Raises:
        OSError: if the descriptor is of a folder or of anything else.
    """
    status = os.fstat(fd)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "")
    return status.st_size
