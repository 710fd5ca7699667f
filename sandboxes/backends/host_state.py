"""The state of this machine that decides verdicts beside the programs: visible files, packages and tools."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator

from sandboxes.backends.import_paths import site_folders
from sandboxes.errors import NotCacheable

PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin"
"""PATH of programs that see this machine's files."""

# With more files nothing is cached, because every call inspects all of them.
MAX_FILES = 20_000
LINKER = "ld"
"""The command that links all programs that are compiled here, whatever their compiler is."""

QUICK_FOLDERS = "code-eval-quick-"
"""Beginning of the names of folders whose files let compilers start faster. They decide no verdict, and grow."""

FileState = tuple[str, int, int]
"""(path, size in bytes, time of the last change in nanoseconds)"""


def file_states(paths: list[str]) -> Iterator[FileState]:
    """Yield the state of files and folders, and of all that the folders contain.

    Raises:
        NotCacheable: if there are more than MAX_FILES.
    """
    pending, count = sorted(paths, reverse=True), 0
    while pending:
        path = pending.pop()
        count += 1
        if count > MAX_FILES:
            raise NotCacheable(f"programs see more than {MAX_FILES} files in {', '.join(paths)}")
        try:
            state = os.stat(path)
            yield path, state.st_size, state.st_mtime_ns
            if os.path.isdir(path) and (path in paths or not os.path.islink(path)):
                pending += sorted((entry.path for entry in os.scandir(path)), reverse=True)
        except OSError:
            yield path, -1, -1


def installed_packages() -> list[list[str]]:
    """Return the entries of each folder of installed packages. The names of `.dist-info` folders hold the versions."""
    return [sorted(name for name in os.listdir(folder) if name != "__pycache__") for folder in site_folders()]


def tool_states(tools: Iterable[str]) -> list[FileState]:
    """Return the state of commands of this machine, and of its linker.

    Args:
        tools: names of compilers and interpreters that programs can run.
    """
    paths = [path for name in (*tools, LINKER) if (path := shutil.which(name, path=PROGRAM_PATH))]
    return [state for path in paths for state in file_states([os.path.realpath(path)])]
