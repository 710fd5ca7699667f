"""The interpreter's own work around a script: its main module, its end, and the status that it ends with."""

from __future__ import annotations

import atexit
import linecache
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def read_source(path: str) -> str:
    """Return the source of a script's file, and have tracebacks show its lines, whatever becomes of the file.

    Raises:
        OSError, UnicodeDecodeError: if it can't be read.
    """
    with open(path, "rb") as file:
        source = file.read().decode("utf-8", "surrogatepass")
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    return source


def new_main_module(path: str) -> ModuleType:
    """Return a new main module for a script's file, whose standard input is the present one."""
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    module = type(sys)("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    # The script imports the files beside it. The fork server has looked there when there was no file, or no folder.
    sys.path_importer_cache.pop(sys.path[0], None)
    return module


def end_interpreter() -> None:
    """Do what the interpreter does at its end: wait for threads, and call exit handlers."""
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()


def exit_status(code: Any) -> int:
    """Return the status of an interpreter that `sys.exit(code)` ends. Anything but a number is written to stderr."""
    if code is None:
        return 0
    if issubclass(type(code), int):
        # A bool, or another subclass, counts as its number.
        number = int.__index__(code)
        return number & 255 if -1 << 63 <= number < 1 << 63 else 255
    if sys.stderr is not None:
        sys.stderr.write(f"{code}\n")
    return 1
