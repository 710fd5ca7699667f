"""Messages between caller, supervisor and fork server."""

import json
import os
import struct

# Between supervisor and fork server. To it: tests_bytes (-1: as before), candidate_bytes, and the limits: memory bytes,
# CPU seconds, file bytes, open files, processes. Back, with the pipes' read ends: the child's process id. Then, of the
# ended child: whether it left processes that still have to be ended (another word follows when they are), its status,
# CPU seconds and peak memory bytes.
JOB = struct.Struct("=7q")
BEGUN = struct.Struct("=i")
ENDED = struct.Struct("=?idq")
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
