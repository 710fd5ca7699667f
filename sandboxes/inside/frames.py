"""Messages between caller, supervisor and fork server."""

import json
import os
import struct

# From supervisor to fork server: tests_bytes (-1: as before), candidate_bytes, and the limits: memory bytes, CPU
# seconds, file bytes, open files, processes.
JOB = struct.Struct("=7q")
# Back: the child's state and process id, and if it has ended, its status, CPU seconds and peak memory bytes. The first
# of these for a job brings the read ends of its stdout, stderr and report along.
STATE = struct.Struct("=Biidq")
# RUNNING is left out for a child that ends at once. After LEFT_SOME another word follows, when they are ended.
RUNNING, ENDED, LEFT_SOME = range(3)
ALL_ENDED = b"all ended"
READY = b"ready"

# A child's report begins with one of these. When it is set up: the time on the monotonic clock follows, then, at the
# program's end, what became of it. If it can't be set up: why.
STARTED, BROKEN = b"S", b"B"
START = struct.Struct("=cd")


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


def read_frame(fd):
    head = read_exact(fd, 4)
    return json.loads(read_exact(fd, struct.unpack(">I", head)[0])) if head else None


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data) :]


def write_frame(fd, message):
    body = json.dumps(message).encode()
    write_all(fd, struct.pack(">I", len(body)) + body)
