"""The folder in which libraries are kept that were compiled once, for all programs of a language."""

from __future__ import annotations

import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from sandboxes.errors import SandboxUnavailable

logger = logging.getLogger("code_eval")

COMPILE_TIMEOUT_SECONDS = 600


def cache_folder() -> Path:
    """Return the folder of all that is kept between runs, such as a folder for each set of libraries."""
    # Programs of another user than root can't read root's home.
    home = "/var/cache" if os.geteuid() == 0 else Path.home() / ".cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home, "code-eval")


def kept_folder(name: str, compile_into: Callable[[Path, Path], None]) -> Path:
    """Return the folder of a set of libraries. They are compiled if the folder is missing.

    Args:
        name: of the folder. It depends on all that the compiled files depend on.
        compile_into: (folder to write into, the folder's path when it is finished). It writes files and folders.

    Raises:
        SandboxUnavailable: if the folder can't be made.
    """
    cache = cache_folder()
    folder = cache / name
    if folder.is_dir():
        return folder
    try:
        cache.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix="partial-", dir=cache))
    except OSError as error:
        raise SandboxUnavailable(
            f"can't keep compiled libraries in {cache}: {error}; set XDG_CACHE_HOME to a folder to write to"
        ) from error
    logger.info("making %s, once for all programs", folder)
    try:
        compile_into(partial, folder)
        for path in partial.rglob("*"):
            # A file may be a command.
            path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
            flush(path)
        partial.chmod(0o755)
        partial.rename(folder)
    except OSError:
        # Another process may have made the folder first.
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def flush(path: Path) -> None:
    """Write a file or folder to the disk. A machine that loses its power must not leave a part under a final name."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
