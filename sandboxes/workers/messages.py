"""The messages between a caller and a guest: requests as bytes, and replies as checked values.

`Worker` sends and receives them; `guest/common/frames.py` is the other end. A guest is not trusted: every field of a
reply is checked, and an invalid one raises GuestBroken.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from typing import Any

from sandboxes.contract import Isolation, Limits, Outcome, Program, TestResult, Verdict, changed_verdict
from sandboxes.errors import SandboxUnavailable
from sandboxes.guest.common import frames
from sandboxes.guest.common.frames import GRADING_LETTERS, HEAD, ORDINARY_REPLY
from sandboxes.guest.common.output_value import decode_output
from sandboxes.guest.common.test_log import decode_test_log
from sandboxes.validation import printable
from sandboxes.workers.raw_replies import parse_raw_verdict

MAX_FRAME_BYTES = 80 << 20
"""Largest reply. Only a raw run can have one of more than 16 MiB: `raw_runs` limits what it may ask for."""

MAX_TEXT_CHARS = 2 << 20
"""Length to which each text of a reply is cut."""

MAX_REASON_CHARS = 1000
"""Length to which the reason is cut for which a program can't be judged."""

MAX_DIGITS = 9
"""Length of the number of a line."""

JUDGES = ("checker program", "interactor")
"""Programs of tasks that decide, as replies name them."""

GRADINGS = {letter: grading for grading, letter in GRADING_LETTERS.items()}

MAX_LIMIT = (1 << 62) - 1
"""Largest number that a guest is sent as a limit."""


class GuestBroken(Exception):
    """The guest died, went silent or sent an invalid reply."""


class FrameReader:
    """Splits a guest's output into frames."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        self._received = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Append what was read from the guest."""
        self._received += chunk

    def take(self, size: int, after: int = 0) -> bytes | None:
        """Return the next bytes, or None if they have not arrived yet.

        Args:
            size: number of bytes to return.
            after: number of bytes to drop before them.
        """
        if len(self._received) < after + size:
            return None
        taken = bytes(self._received[after : after + size])
        del self._received[: after + size]
        return taken

    def next_body(self) -> bytes | None:
        """Return the body of the next complete frame, or None if it has not arrived yet.

        Raises:
            GuestBroken: if the frame is too long.
        """
        if len(self._received) < HEAD.size:
            return None
        (size,) = HEAD.unpack_from(self._received)
        if size > MAX_FRAME_BYTES:
            raise GuestBroken(f"the guest announced a reply of {size} bytes")
        return self.take(size, HEAD.size)

    def next_frame(self) -> dict[str, Any] | None:
        """Return the next complete frame, or None if it has not arrived yet.

        Raises:
            GuestBroken: if the frame is too long, or is not a JSON object.
        """
        body = self.next_body()
        return None if body is None else parse_object(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the object of a frame.

    Raises:
        GuestBroken: if the body is not a JSON object.
    """
    try:
        frame = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise GuestBroken(f"the guest's reply is not JSON: {body[:80]!r}") from error
    if not isinstance(frame, dict):
        raise GuestBroken(f"the guest's reply is not an object: {body[:80]!r}")
    return frame


def parse_reply(body: bytes) -> dict[str, Any]:
    """Return the reply in a frame's body: an ordinary one, or an object.

    Raises:
        GuestBroken: if it is neither.
    """
    if len(body) != ORDINARY_REPLY.size or body[:1] not in GRADINGS:
        return parse_object(body)
    letter, index, *costs = ORDINARY_REPLY.unpack(body)
    # No JSON object holds a tuple.
    return {"id": index, "ordinary": (GRADINGS[letter], *costs)}


def encode_text(text: str) -> bytes:
    """Return a candidate or tests in UTF-8. Lone surrogates are allowed."""
    return text.encode("utf-8", "surrogatepass")


def encode_request(index: int, program: Program, same_tests: bool) -> bytes:
    """Return the request to run a program.

    Args:
        index: the id that the reply carries.
        program: what to run.
        same_tests: whether the guest has the tests already, from its last program with this grading.
    """
    encoded = program.encoded
    candidate = encoded.candidate if encoded else encode_text(program.candidate)
    tests, tests_bytes = b"", -1
    if not same_tests:
        tests = encoded.tests if encoded else encode_text(program.tests)
        tests_bytes = len(tests)
    settings = encode_settings(program.grading, bool(program.tests_are_repeatable), program.limits)
    return frames.encode_request(settings, index, len(candidate), tests_bytes) + tests + candidate


def encode_cancellation(index: int) -> bytes:
    """Return the request to end a program that was sent before."""
    body = json.dumps({"cancel": index}).encode()
    return HEAD.pack(len(body)) + body


@functools.lru_cache(maxsize=256)
def encode_limits(limits: Limits) -> str:
    """Return a request's limits as JSON."""
    return json.dumps(guest_limits(limits))


@functools.lru_cache(maxsize=256)
def encode_settings(grading: str, alike: bool, limits: Limits) -> bytes:
    """Return the JSON that requests share: {"grading", "alike", "limits"}."""
    return f'{{"grading":"{grading}","alike":{json.dumps(alike)},"limits":{encode_limits(limits)}}}'.encode()


def guest_limits(limits: Limits) -> dict[str, Any]:
    """Return limits as a guest reads them: each is a number that fits into 64 bits."""
    fields = dict(vars(limits))
    if limits.cpu_seconds is None:
        fields["cpu_seconds"] = limits.wall_seconds * (os.cpu_count() or 1) + 1
    return {name: min(value, MAX_LIMIT) for name, value in fields.items()}


def parse_isolation(frame: dict[str, Any]) -> Isolation:
    """Return the isolation that a guest's first frame reports.

    Raises:
        GuestBroken: if the frame is invalid.
    """
    try:
        if frame["ready"] is not True:
            raise ValueError(frame["ready"])
        missing = {str(layer): str(reason) for layer, reason in frame["missing"].items()}
        layers, modules = (tuple(map(str, frame[name])) for name in ("layers", "modules"))
        reasons = str(frame["forked_in_python"]), str(frame["memory_not_held"])
        return Isolation(layers, missing, str(frame["python"]), modules, *reasons)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GuestBroken(f"the guest's first frame is invalid: {str(frame)[:200]}") from error


def parse_verdict(frame: dict[str, Any], layers: Sequence[str]) -> Verdict:
    """Return the verdict of a reply.

    Raises:
        GuestBroken: if a field is missing or has the wrong type.
    """

    def text(name: str) -> str:
        value = frame.get(name, "")
        if not isinstance(value, str):
            raise TypeError(f"{name} is {value!r}")
        return value[:MAX_TEXT_CHARS]

    if isinstance(ordinary := frame.get("ordinary"), tuple):
        grading, wall_seconds, cpu_seconds, peak_memory_bytes = ordinary
        costs = {"wall_seconds": wall_seconds, "cpu_seconds": cpu_seconds, "peak_memory_bytes": peak_memory_bytes}
        return changed_verdict(passed_verdict(tuple(layers), grading), **costs)
    try:
        if "raw" in frame:
            return parse_raw_verdict(frame, layers)
        output, test_log = text("output"), text("record")
        tests = frame.get("tests") or (logged_tests(decode_test_log(test_log)) if test_log else ())
        return Verdict(
            outcome=Outcome(frame["outcome"]),
            detail=text("detail"),
            exception_type=text("exception_type"),
            exception_message=text("exception_message"),
            traceback=text("traceback"),
            values=text("values"),
            stdout=text("stdout"),
            stderr=text("stderr"),
            wall_seconds=float(frame["wall_seconds"]),
            cpu_seconds=float(frame["cpu_seconds"]),
            waited_seconds=float(frame.get("waited_seconds", 0)),
            peak_memory_bytes=int(frame["peak_memory_bytes"]),
            isolation=tuple(layers),
            grading="separate" if frame.get("grading") == "separate" else "shared",
            output=decode_output(output) if output else None,
            test_lines=parse_lines(text("lines")),
            decided_by_candidate=int(frame.get("decided_by_candidate", 0)),
            tests=tuple(map(parse_test_result, tests)),
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise GuestBroken(f"the guest's verdict is invalid: {error}") from error


def parse_lines(text: str) -> tuple[int, ...]:
    """Return the lines that a report names. A candidate may have written anything there."""
    return tuple(int(line) for line in text.split() if line.isdecimal() and len(line) <= MAX_DIGITS)


@functools.lru_cache(maxsize=64)
def passed_verdict(layers: tuple[str, ...], grading: str) -> Verdict:
    """Return the verdict of a program that has passed, without what it cost."""
    return Verdict(Outcome.PASSED, isolation=layers, grading=grading)


def judge_error(index: int, frame: dict[str, Any]) -> SandboxUnavailable:
    """Return the error of a program that can't be judged, whatever the candidate does.

    Args:
        index: of the program.
        frame: the reply: "judge", the part that does not work, and "unusable", the reason or the layer that is missing.

    Raises:
        GuestBroken: if the reply names another part.
    """
    judge, reason = frame.get("judge"), printable(str(frame["unusable"])[:MAX_REASON_CHARS])
    if judge == "layer":
        problem = (
            f"program {index} is interactive, and its two sides could see each other without the layer {reason}; "
            'choose sandbox="subprocess" where `code-eval doctor` lists this layer'
        )
    elif judge == "library":
        problem = f"program {index} can't be tested: {reason}"
    elif judge in JUDGES:
        problem = f"the {judge} of program {index} does not work: {reason}; mend it"
    else:
        raise GuestBroken(f"the guest names the judge {judge!r:.80}")
    return SandboxUnavailable(
        f'{problem}, or pass on_sandbox_error="exclude" to leave such candidates out of the score'
    )


def logged_tests(test_log: list[list[Any]]) -> list[dict[str, Any]]:
    """Return the entries of a log that tests kept of themselves, as replies have tests."""
    return [dict(zip(("name", "outcome", "message", "seconds"), entry, strict=True)) for entry in test_log]


def parse_test_result(fields: Any) -> TestResult:
    """Return the result of one test in a reply.

    Raises:
        TypeError, KeyError, ValueError: if a field is missing or has the wrong type.
    """
    name, message, stdout = (fields[key] if key in fields else "" for key in ("name", "message", "stdout"))
    if not all(isinstance(value, str) for value in (name, message, stdout)):
        raise TypeError(f"a test is {str(fields)[:200]}")
    return TestResult(name, Outcome(fields["outcome"]), message, float(fields["seconds"]), stdout)
