"""Defines the messages of sessions: between caller and supervisor, supervisor and session server, and with cells.

A frame is as in `frames.py`, except that `"bytes": n` in its object says that n bytes follow.

- Caller: ``{"id", "call": kind, "seconds", ...}`` for each call, with the fields of its kind:
  CELL (the source follows), COMMAND ("argv", "cwd", "env", "max_bytes" of each stream; its standard input follows),
  READ ("path", "max_bytes") and WRITE ("path"; the data follow). ``{"stop": id}`` ends a call, and
  ``{"interrupt": true}`` interrupts a cell.
- Supervisor: ``{"id", "stream": STDOUT or STDERR}``, followed by output, and ``{"id", "ended": {...}}`` once.
- Supervisor to session server: ``{"start": id, "kind", "limits", ...}``, ``{"signal": id}``, ``{"kill": id}`` and
  ``{"kill_all": true}``.
- Session server: ``{"started": id}`` with the descriptors of PIPES, ``{"failed": id, "error": [errno, path]}``, and
  ``{"ended": id, "status", "cpu_seconds", "peak_memory_bytes"}``.
"""

from __future__ import annotations

import json
import struct

from .frames import HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CELL, COMMAND, READ, WRITE = "cell", "command", "read", "write"
STDOUT, STDERR = "stdout", "stderr"
# The supervisor's ends of the pipes of one process, in the order in which their descriptors come.
PIPES = ("input", STDOUT, STDERR, "report")
MAX_CHUNK_BYTES = 1 << 16

# To the process of cells: a cell's number and the size of its source, which follows.
CELL_HEAD = struct.Struct("=QI")
# Back: that a cell has begun, or that it has ended with texts of these sizes, which follow. A size of -1 means None.
CELL_REPLY = struct.Struct("=cQ4i")
BEGUN, DONE = b"B", b"D"
CELL_TEXTS = ("value", "error_name", "error_message", "traceback")
MAX_CELL_TEXT_BYTES = 1 << 20
# From a command that could not be started, or from work on a file that failed: errno. The path may follow.
ERROR = struct.Struct("=i")
MAX_ERROR_BYTES = 1 << 12


def encode_message(message: dict[str, Any], data: bytes = b"") -> bytes:
    """Return a frame. Its object says how many bytes follow.

    Args:
        message: the object, without "bytes".
        data: the bytes that follow.
    """
    body = json.dumps({**message, "bytes": len(data)} if data else message).encode()
    return b"".join((HEAD.pack(len(body)), body, data))


def encode_error(error: OSError) -> bytes:
    """Return what a process writes to its report pipe about an error."""
    name = error.filename if isinstance(error.filename, str) else ""
    return (ERROR.pack(error.errno or 0) + name.encode("utf-8", "replace"))[:MAX_ERROR_BYTES]


def decode_error(report: bytes) -> tuple[int, str] | None:
    """Return (errno, path) of a report; None if it holds no error."""
    if len(report) < ERROR.size:
        return None
    return ERROR.unpack_from(report)[0], report[ERROR.size :].decode("utf-8", "replace")
