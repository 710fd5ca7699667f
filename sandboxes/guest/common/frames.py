"""Defines the messages between caller, supervisor and fork server, and reads and writes them."""

from __future__ import annotations

import json
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# From supervisor to fork server: tests_bytes, candidate_bytes, and the limits. tests_bytes is -1 for the same tests as
# before, STEP or JOINED_STEP for a step, which is all in the candidate's bytes. The limits are memory bytes (-1: the
# address space is not limited), CPU seconds, file bytes, open files, processes, stack bytes (-1: as it is). The tests
# follow, and then for the child the candidate and the nonce.
FORK_REQUEST = struct.Struct("=8q")
STEP = -2
# A step whose bytes come with one or two descriptors, for its standard input and its standard output.
JOINED_STEP = -3
# A fork server compiles tests of up to this size at once, and longer ones when they are used again: until then, other
# requests wait.
MAX_COMPILED_BYTES = 1 << 14
# Back: the child's state and process id. If it has ended, also its CPU seconds, status and peak memory bytes.
STATE = struct.Struct("=Bidiq")
# RUNNING is sent only if the supervisor can't see for itself. After LEFT_SOME, ALL_ENDED follows when they are ended.
RUNNING, ENDED, LEFT_SOME = range(3)
ALL_ENDED = b"all ended"

# To a fork server that is in a new user namespace: whether it has users there.
MAPPED, NOT_MAPPED = b"mapped", b"failed"

# From a child, on the pipe that it closes before the program begins. It sends the time when it began, on the monotonic
# clock, or the reason why it could not be set up.
STARTED, BROKEN = b"S", b"B"
START = struct.Struct("=cd")

# Random bytes that stand before a child's report, so that nothing else that a program writes to its pipe is one.
NONCE_BYTES = 16
# The first byte of a report. After PASSED_REPORT may come the program's output variable, as `encode_output` gives it.
# After OTHER_REPORT comes JSON: the fields below, and more.
PASSED_REPORT, OTHER_REPORT = b"P", b"O"
REPORT_FIELDS = ("outcome", "detail", "exception_type", "exception_message", "traceback")
# Outcomes that a program's own process may report. The supervisor sees all others itself.
REPORTED_OUTCOMES = ("failed", "compile_error", "out_of_memory", "exited")

# Roles of fork servers: their children run a candidate and its tests, or one of the two with a socket to the other.
SHARED, CANDIDATE, TESTS = "shared", "candidate", "tests"
# The role of a session's server, whose children are commands and cells.
SESSION = "session"
# The fork server of compilers that stay for many programs. It is of the role SHARED, and runs no candidate.
COMPILERS = "compilers"
# The kinds of a request, besides "shared" and "separate", for a program that has steps, and for a raw run.
STEPS, RAW = "steps", "raw"
# The descriptor of that socket comes with the request. A tests' process gets one with this for each candidate: how many
# bytes of tests follow, -1 for the same as last time.
TESTS_HEAD = struct.Struct("=q")

# Descriptors of a fork server; a child keeps those up to REPORT_FD, and in SETUP_FD's place the socket, if it has one.
REPORT_FD, SETUP_FD, CHANNEL_FD, UNFLUSHED_FD, FIRST_FREE_FD = 3, 4, 5, 6, 64
# The file without a name at UNFLUSHED_FD: which process writes there, how many bytes it has printed and not flushed,
# and these bytes.
UNFLUSHED_BYTES = 8192
UNFLUSHED_HEAD = struct.Struct("=iI")
HEAD = struct.Struct(">I")
MAX_READ_BYTES = 1 << 20
MAX_KNOWN_SETTINGS = 64

# The ordinary reply, to a program that has passed and written nothing, is no JSON object: a letter for its grading, the
# request's id, wall seconds, CPU seconds, peak memory bytes.
ORDINARY_REPLY = struct.Struct("=cqddq")
ORDINARY_FIELDS = {"id", "outcome", "grading", "wall_seconds", "cpu_seconds", "peak_memory_bytes"}
GRADING_LETTERS = {"shared": b"H", "separate": b"P"}


class FrameReader:
    """A pipe of frames: a JSON object with a length before it each, and the bytes that follow some."""

    def __init__(self, fd: int) -> None:
        """Take the descriptor to read from."""
        self.fd = fd
        self.buffer = b""

    def frame(self) -> Any:
        """Return the next frame's object; None if the writer has gone."""
        body = self.body()
        return json.loads(body) if body else None

    def body(self) -> bytes:
        """Return the next frame's body; b"" if the writer has gone."""
        head = self.exactly(HEAD.size)
        return self.exactly(HEAD.unpack(head)[0]) if head else b""

    def exactly(self, size: int) -> bytes:
        """Return the next `size` bytes; b"" if the writer has gone."""
        chunks = [self.buffer]
        missing = size - len(self.buffer)
        while missing > 0:
            # Each read takes as much memory as it asks for, and a pipe gives 64 KiB.
            try:
                chunk = os.read(self.fd, min(max(missing, 1 << 16), MAX_READ_BYTES))
            except ConnectionResetError:
                # The writer of a socket has gone and left something unread.
                return b""
            if not chunk:
                return b""
            chunks.append(chunk)
            missing -= len(chunk)
        data = b"".join(chunks)
        self.buffer = data[size:]
        return data[:size]


def read_exact(fd: int, size: int) -> bytes:
    """Read `size` bytes and no more, because the bytes after them belong to another reader.

    Returns:
        The bytes; b"" if the writer has gone.
    """
    chunks = []
    while size:
        chunk = os.read(fd, min(size, MAX_READ_BYTES))
        if not chunk:
            return b""
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def read_options(fd: int) -> Any:
    """Return the first frame that a guest or a fork server is sent: an object.

    Raises:
        EOFError: if the writer has gone.
    """
    (size,) = HEAD.unpack(read_exact(fd, HEAD.size) or HEAD.pack(0))
    if size == 0:
        raise EOFError("the process that started this one has gone")
    return json.loads(read_exact(fd, size))


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes, in as many calls as that takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def write_frame(fd: int, message: Any) -> None:
    """Write an object as a frame."""
    write_body(fd, json.dumps(message).encode())


def write_body(fd: int, body: bytes) -> None:
    """Write the body of a frame, with its length before it."""
    write_all(fd, HEAD.pack(len(body)) + body)


def write_reply(fd: int, reply: dict[str, Any]) -> None:
    """Write a reply as a frame: an ordinary one in the few bytes of ORDINARY_REPLY."""
    if reply.keys() == ORDINARY_FIELDS and reply["outcome"] == "passed":
        costs = reply["wall_seconds"], reply["cpu_seconds"], reply["peak_memory_bytes"]
        write_body(fd, ORDINARY_REPLY.pack(GRADING_LETTERS[reply["grading"]], reply["id"], *costs))
    else:
        write_frame(fd, reply)


def encode_request(settings: bytes, request_id: int, candidate_bytes: int, tests_bytes: int) -> bytes:
    """Return the frame of a request. Its numbers are no part of the JSON, which most requests share.

    Args:
        settings: JSON of the object with "grading", "alike" and "limits".
        request_id: the number that the reply carries.
        candidate_bytes: size of the candidate, which follows the tests.
        tests_bytes: size of the tests, which follow the frame; -1 for the same tests as last time.
    """
    body = b"%b\n%d %d %d" % (settings, request_id, candidate_bytes, tests_bytes)
    return HEAD.pack(len(body)) + body


def decode_request(body: bytes, known: dict[bytes, Any]) -> dict[str, Any]:
    """Return a request from the body of its frame, with the numbers as "id", "candidate_bytes" and "tests_bytes".

    Args:
        body: from `encode_request`, or a JSON object without numbers after it.
        known: the settings that were decoded before. At most MAX_KNOWN_SETTINGS are kept there.
    """
    settings, separator, numbers = body.rpartition(b"\n")
    if not separator:
        request: dict[str, Any] = json.loads(body)
        return request
    if settings not in known:
        if len(known) >= MAX_KNOWN_SETTINGS:
            known.clear()
        known[settings] = json.loads(settings)
    request_id, candidate_bytes, tests_bytes = map(int, numbers.split())
    return {**known[settings], "id": request_id, "candidate_bytes": candidate_bytes, "tests_bytes": tests_bytes}
