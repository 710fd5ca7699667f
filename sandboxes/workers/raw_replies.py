"""The reply to a raw run as checked values: how its processes ended, and the files that it left."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandboxes.contract import Outcome, Verdict
from sandboxes.process_result import ProcessResult
from sandboxes.validation import printable

LIMITS = {outcome.value: outcome for outcome in (Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.OUTPUT_LIMIT)}
"""Outcomes of processes that a limit ended, by their names in replies."""

SIGNAL = re.compile(r"SIG[A-Z0-9]+(\+\d+)?|")
MAX_DETAIL_CHARS = 2000


@dataclass(frozen=True)
class RawVerdict(Verdict):
    """The verdict of a raw run, which says how its processes ended. Its outcome is for statistics."""

    compile: ProcessResult | None = None
    """The end of the compiler. None if there is none."""

    run: ProcessResult | None = None
    """The end of the program. None if it could not be compiled."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    """Contents of the files that were asked for, by name."""

    missing: Mapping[str, str] = field(default_factory=dict)
    """Reasons by the name of a file that was asked for and can't be returned."""


def parse_raw_verdict(frame: Mapping[str, Any], layers: Sequence[str]) -> RawVerdict:
    """Return the verdict of a reply to a raw run.

    Raises:
        KeyError, TypeError, ValueError, OverflowError, AttributeError: if a field is missing or invalid.
    """
    raw = frame["raw"]
    compiled, run = (None if raw[name] is None else parse_process(raw[name]) for name in ("compile", "run"))
    return RawVerdict(
        outcome=Outcome(frame["outcome"]),
        detail=parse_text(frame["detail"]),
        wall_seconds=parse_number(frame["wall_seconds"]),
        cpu_seconds=parse_number(frame["cpu_seconds"]),
        waited_seconds=parse_number(frame["waited_seconds"]),
        peak_memory_bytes=int(parse_number(frame["peak_memory_bytes"])),
        isolation=tuple(layers),
        compile=compiled,
        run=run,
        files={str(name): parse_bytes(content) for name, content in raw["files"].items()},
        missing={str(name): parse_text(reason) for name, reason in raw["missing"].items()},
    )


def parse_process(ended: Mapping[str, Any]) -> ProcessResult:
    """Return the end of one process. Raise as `parse_raw_verdict`."""
    status, name, limit = ended["exit_status"], ended["signal"], ended["limit"]
    if status is not None and (type(status) is not int or not 0 <= status <= 255):
        raise ValueError(f"an exit status is {status!r}")
    if not SIGNAL.fullmatch(name):
        raise ValueError(f"a signal is {name!r}")
    if [status is not None, name != "", limit is not None].count(True) != 1:
        raise ValueError(f"a process ended by {status!r}, {name!r} and {limit!r}")
    cut = ended["stdout_is_cut"], ended["stderr_is_cut"]
    if not all(isinstance(each, bool) for each in cut):
        raise TypeError(f"stdout_is_cut and stderr_is_cut are {cut!r}")
    return ProcessResult(
        exit_status=status,
        signal=name,
        limit=None if limit is None else LIMITS[limit],
        detail=parse_text(ended["detail"]),
        stdout=parse_bytes(ended["stdout"]),
        stderr=parse_bytes(ended["stderr"]),
        stdout_is_cut=cut[0],
        stderr_is_cut=cut[1],
        wall_seconds=parse_number(ended["wall_seconds"]),
        cpu_seconds=parse_number(ended["cpu_seconds"]),
        waited_seconds=parse_number(ended.get("waited_seconds", 0)),
        peak_memory_bytes=int(parse_number(ended["peak_memory_bytes"])),
    )


def parse_bytes(text: Any) -> bytes:
    """Return bytes from their base64."""
    return base64.b64decode(text, validate=True)


def parse_text(text: Any) -> str:
    """Return one printable line of a text.

    Raises:
        TypeError: if it is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"a text is {text!r}")
    return printable(text[:MAX_DETAIL_CHARS])


def parse_number(number: Any) -> float:
    """Return a finite number that is not negative.

    Raises:
        TypeError, ValueError: if it is anything else.
    """
    value = float(number)
    if not 0 <= value < math.inf:
        raise ValueError(f"a number is {number!r}")
    return value
