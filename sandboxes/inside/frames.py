"""Messages between caller, supervisor and fork server."""

import json
import os
import struct

# From supervisor to fork server: tests_bytes (-1: as before; STEP: a step, which is all in the candidate's bytes),
# candidate_bytes, and the limits: memory bytes (-1: the address space is not limited), CPU seconds, file bytes, open
# files, processes. The tests follow, then for the child the candidate and a seal.
JOB = struct.Struct("=7q")
STEP = -2
# Back: the child's state and process id, and if it has ended, its CPU seconds, status and peak memory bytes.
STATE = struct.Struct("=Bidiq")
# RUNNING is said only where the supervisor can't see for itself. After LEFT_SOME another word follows, when they are
# ended.
RUNNING, ENDED, LEFT_SOME = range(3)
ALL_ENDED = b"all ended"

# To a fork server that is in a new user namespace: whether it has users there.
MAPPED, NOT_MAPPED = b"mapped", b"failed"

# What a child says on the pipe that it closes before the program begins: when it began, on the monotonic clock, or why
# it could not be set up.
STARTED, BROKEN = b"S", b"B"
START = struct.Struct("=cd")

# Random bytes that stand before a child's report, so that nothing else which a program writes to its pipe is one.
SEAL_BYTES = 16
# A report is one of these; after the first may come the program's output variable, as `output_of` gives it, and after
# the second comes JSON: what went wrong.
PASSED_REPORT, OTHER_REPORT = b"P", b"O"

# What a fork server's children do: run a candidate and its tests, or one of the two, with a socket to the other.
SHARED, CANDIDATE, TESTS = "shared", "candidate", "tests"
# Of a request, besides "shared" and "separate": a program that has steps.
STEPS = "steps"
# That socket's descriptor comes with the job; to a tests' process, with this for each candidate: how many bytes of
# tests follow, -1 for the same as last time.
TESTS_HEAD = struct.Struct("=q")

# Descriptors of a fork server; a child keeps those up to REPORT_FD, and in SETUP_FD's place the socket, if it has one.
REPORT_FD, SETUP_FD, CHANNEL_FD, FIRST_FREE_FD = 3, 4, 5, 64
HEAD = struct.Struct(">I")
MOST_READ_BYTES = 1 << 20


class FrameReader:
    """Reads frames from a pipe, a JSON object with a length before it each, and the bytes that follow some."""

    def __init__(self, fd):
        self.fd = fd
        self.buffer = b""

    def frame(self):
        """The next frame's object. None if the writer has gone."""
        head = self.exactly(HEAD.size)
        return json.loads(self.exactly(HEAD.unpack(head)[0])) if head else None

    def exactly(self, size):
        """The next `size` bytes. b"" if the writer has gone."""
        chunks = [self.buffer]
        missing = size - len(self.buffer)
        while missing > 0:
            # As much memory is taken for each read as it asks for, and a pipe gives 64 KiB.
            chunk = os.read(self.fd, min(max(missing, 1 << 16), MOST_READ_BYTES))
            if not chunk:
                return b""
            chunks.append(chunk)
            missing -= len(chunk)
        found = b"".join(chunks)
        self.buffer = found[size:]
        return found[:size]


def read_exact(fd, size):
    """Reads `size` bytes and no more: what follows belongs to another reader. b"" if the writer has gone."""
    chunks = []
    while size:
        chunk = os.read(fd, min(size, 1 << 20))
        if not chunk:
            return b""
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def read_options(fd):
    """The first frame that a guest or a fork server is sent: an object."""
    (size,) = HEAD.unpack(read_exact(fd, HEAD.size) or HEAD.pack(0))
    if size == 0:
        raise EOFError("who started this has gone")
    return json.loads(read_exact(fd, size))


def write_all(fd, data):
    data = memoryview(data)
    while data:
        data = data[os.write(fd, data) :]


def write_frame(fd, message):
    body = json.dumps(message).encode()
    write_all(fd, HEAD.pack(len(body)) + body)
