"""The messages between a caller and the guest of its session: frames that bytes follow, and checked results.

`guest/common/session_frames.py` describes them. A guest is not trusted: an invalid field raises GuestBroken.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import Any

from sandboxes.contract import Outcome
from sandboxes.guest.common.session_frames import MAX_CHUNK_BYTES, STDERR, STDOUT
from sandboxes.process_result import ProcessResult
from sandboxes.sessions.results import PROCESS_ENDED, CellError, CellResult
from sandboxes.validation import printable
from sandboxes.workers.messages import MAX_TEXT_CHARS, FrameReader, GuestBroken

LIMITS = {None: None, "timed_out": Outcome.TIMED_OUT, "out_of_memory": Outcome.OUT_OF_MEMORY}
"""{limit of a reply: the outcome that results name}"""

MAX_SIGNAL_CHARS, MAX_PATH_CHARS = 20, 4096

Outputs = Mapping[str, bytes]
"""{STDOUT or STDERR: the bytes that a call wrote}"""


class SessionFrameReader(FrameReader):
    """Splits a session guest's output into frames and the bytes that follow them."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        super().__init__()
        self._frame: dict[str, Any] | None = None

    def next_message(self) -> tuple[dict[str, Any], bytes] | None:
        """Return the next complete frame with its bytes, or None if they have not arrived yet.

        Raises:
            GuestBroken: if the frame is invalid.
        """
        frame = self._frame or self.next_frame()
        if frame is None:
            return None
        size = frame.get("bytes", 0)
        if type(size) is not int or not 0 <= size <= MAX_CHUNK_BYTES:
            raise GuestBroken(f"the guest announced {str(size)[:80]} bytes")
        data = self.take(size)
        self._frame = frame if data is None else None
        return None if data is None else (frame, data)


def parse_error(fields: Mapping[str, Any], path: str) -> OSError | None:
    """Return the error that kept a call from being made; None if there was none.

    Args:
        fields: of the ended call.
        path: the command or file of the call.

    Raises:
        GuestBroken: if the error is invalid.
    """
    if fields.get("error") is None:
        return None
    try:
        number, inner_path = fields["error"]
        if type(number) is not int or not isinstance(inner_path, str):
            raise TypeError(number)
    except (TypeError, ValueError) as error:
        raise GuestBroken(f"the guest's error is invalid: {error}") from error
    number = number if number in errno.errorcode else errno.EIO
    return OSError(number, os.strerror(number), printable(inner_path[:MAX_PATH_CHARS]) or path)


def parse_process(fields: Mapping[str, Any], outputs: Outputs) -> ProcessResult:
    """Return the result of a command that has ended.

    Raises:
        GuestBroken: if a field is missing or has the wrong type.
    """
    try:
        status = fields["status"]
        cut = cut_streams(fields)
        return ProcessResult(
            exit_status=None if status is None else int(status),
            signal=printable(text(fields, "signal")[:MAX_SIGNAL_CHARS]),
            limit=LIMITS[fields["limit"]],
            detail=printable(text(fields, "detail")),
            stdout=outputs.get(STDOUT, b""),
            stderr=outputs.get(STDERR, b""),
            stdout_is_cut=STDOUT in cut,
            stderr_is_cut=STDERR in cut,
            wall_seconds=float(fields["wall_seconds"]),
            cpu_seconds=float(fields["cpu_seconds"]),
            peak_memory_bytes=int(fields["peak_memory_bytes"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise GuestBroken(f"the guest's result of a command is invalid: {error}") from error


def parse_cell(fields: Mapping[str, Any], outputs: Outputs) -> CellResult:
    """Return the result of a cell that has ended.

    Raises:
        GuestBroken: if a field is missing or has the wrong type.
    """
    try:
        value, cut = fields.get("value"), cut_streams(fields)
        detail = text(fields, "detail")
        error = None
        if fields.get("error_name") is not None:
            error = CellError(*(text(fields, name) for name in ("error_name", "error_message", "traceback")))
        elif "value" not in fields:
            error = CellError(PROCESS_ENDED, detail)
        return CellResult(
            stdout=outputs.get(STDOUT, b"").decode("utf-8", "replace"),
            stderr=outputs.get(STDERR, b"").decode("utf-8", "replace"),
            value=None if value is None else text(fields, "value"),
            error=error,
            limit=LIMITS[fields.get("limit")],
            state_lost=fields.get("state_lost") is True,
            detail=detail,
            number=int(fields.get("number", 0)),
            stdout_is_cut=STDOUT in cut,
            stderr_is_cut=STDERR in cut,
            wall_seconds=float(fields.get("wall_seconds", 0)),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise GuestBroken(f"the guest's result of a cell is invalid: {error}") from error


def text(fields: Mapping[str, Any], name: str) -> str:
    """Return a field that is a text; "" if it is None or missing.

    Raises:
        TypeError: if it is anything else.
    """
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}")
    return value[:MAX_TEXT_CHARS]


def cut_streams(fields: Mapping[str, Any]) -> list[Any]:
    """Return the names of the streams that were cut.

    Raises:
        TypeError: if they are no list.
    """
    cut = fields.get("cut", [])
    if not isinstance(cut, list):
        raise TypeError(f"cut is {str(cut)[:80]}")
    return cut
