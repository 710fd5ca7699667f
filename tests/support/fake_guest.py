"""A guest that needs no fork, and sends whatever invalid reply a candidate's first line asks for.

Run as a script, the file is the guest. Imported, it gives `FakeSandbox`, a backend of such guests.
"""

import json
import os
import struct
import sys
import tempfile
import time

HEAD = struct.Struct(">I")
HELLO = {
    "ready": True,
    "python": "3.11.7",
    "layers": ["fake"],
    "missing": {"memory": "a fake has no limits"},
    "modules": [],
    "forked_in_python": "",
    "memory_not_held": "",
}


class FakeSandbox:
    """A backend whose guests pass every program, except the canaries and programs that ask for nonsense."""

    name = "fake"

    def __init__(self, hello=HELLO, wrong_canary="", deadly_canary="", max_ready=None):
        """Store the faults that the guests have.

        Args:
            hello: what a guest says first; None if it ends at once, "silent" if it says nothing.
            wrong_canary: a canary that it reports as "exited".
            deadly_canary: a canary at which it ends.
            max_ready: the number of guests that get ready, before others that say nothing; None for all.
        """
        self.max_ready = max_ready
        self.options = {"hello": hello, "wrong_canary": wrong_canary, "deadly_canary": deadly_canary}
        self.workers = []

    @property
    def canaries(self):
        """The canaries of any sandbox."""
        from sandboxes.workers.canaries import CANARIES

        return CANARIES

    def start_worker(self):
        """Start this file as a guest."""
        from sandboxes.workers.worker import Worker, start_process

        is_ready = self.max_ready is None or len(self.workers) < self.max_ready
        options = self.options if is_ready else {**self.options, "hello": "silent"}
        command = [sys.executable, __file__, json.dumps(options)]
        process = start_process(command, environment={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
        self.workers.append(Worker(process, tempfile.mkdtemp(prefix="code-eval-fake-")))
        return self.workers[-1]

    def accept(self, isolation):
        """Accept a guest whatever it enforces."""


def framed(message):
    """Return a message with its length before it."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return HEAD.pack(len(body)) + body


def nonsense(reply):
    """Return bytes that a guest may send in place of a reply, by the name that candidates ask for them with."""
    without = {name: {key: value for key, value in reply.items() if key != name} for name in reply}
    return {
        "a length that is too large": HEAD.pack((1 << 32) - 1) + b"x" * 1000,
        "a length that is too small": HEAD.pack(5) + json.dumps(reply).encode(),
        "text": framed(b"not JSON"),
        "bytes": framed(b"\xff\xfe\x00"),
        "nothing": framed(b""),
        "a list": framed([reply]),
        "a number": framed(5),
        "nested lists": framed(b"[" * 100_000),
        "an endless number": framed(b'{"id": ' + b"1" * 10_000 + b"}"),
        "another id": framed({**reply, "id": reply["id"] + 1}),
        "an id that is text": framed({**reply, "id": str(reply["id"])}),
        "no id": framed(without["id"]),
        "another outcome": framed({**reply, "outcome": "splendid"}),
        "an outcome that is a list": framed({**reply, "outcome": ["passed"]}),
        "no outcome": framed(without["outcome"]),
        "detail that is a number": framed({**reply, "detail": 5}),
        "stdout that is null": framed({**reply, "stdout": None}),
        "output that is data": framed({**reply, "output": [5, []]}),
        "seconds that are text": framed({**reply, "wall_seconds": "long"}),
        "seconds that are null": framed({**reply, "cpu_seconds": None}),
        "no seconds": framed(without["wall_seconds"]),
        "infinite memory": framed(
            b'{"id": %d, "outcome": "passed", "wall_seconds": 1, "cpu_seconds": 1, '
            b'"peak_memory_bytes": 1e999}' % reply["id"]
        ),
        "broken": framed({"id": reply["id"], "broken": "no more sandboxes"}),
        "half a reply": framed(reply)[:-5],
        "half a length": b"\0\0",
    }


NONSENSE = tuple(nonsense({"id": 0, "outcome": "passed", "wall_seconds": 0.0}))


def read_exactly(size):
    """Read bytes from the caller; exit when the caller has gone."""
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        sys.exit(0)
    return data


def say(data):
    """Write bytes to the caller."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def be_silent():
    """Send nothing until the caller has gone."""
    while sys.stdin.buffer.read(1):
        continue
    sys.exit(0)


def main():
    """Answer requests as a guest does, except those that ask for nonsense."""
    from sandboxes.guest.common.frames import decode_request
    from sandboxes.workers.canaries import CANARIES

    options = json.loads(sys.argv[1])
    if options["hello"] is None:
        sys.exit("a fake ends at once")
    if options["hello"] == "silent":
        be_silent()
    say(framed(options["hello"]))
    canaries = {canary.program.candidate: canary for canary in CANARIES}
    while True:
        request = decode_request(read_exactly(HEAD.unpack(read_exactly(HEAD.size))[0]), {})
        read_exactly(max(0, request["tests_bytes"]))
        candidate = read_exactly(request["candidate_bytes"]).decode()
        reply = {"id": request["id"], "outcome": "passed", "wall_seconds": 0.0, "cpu_seconds": 0.0}
        reply["peak_memory_bytes"] = 1
        wanted = candidate.partition("\n")[0].removeprefix("# say ")
        if candidate in canaries:
            canary = canaries[candidate]
            reply["outcome"] = "exited" if canary.name == options["wrong_canary"] else canary.outcome.value
            if canary.name == options["deadly_canary"]:
                os._exit(7)
        if wanted == "passed, slowly":
            time.sleep(0.5)
        if wanted == "nothing more":
            be_silent()
        elif wanted == "goodbye":
            sys.exit("goodbye")
        elif wanted.startswith("goodbye until ") and not os.path.exists(wanted[14:]):
            with open(wanted[14:], "w"):
                sys.exit("goodbye for now")
        elif wanted in NONSENSE:
            say(nonsense(reply)[wanted])
            if wanted.startswith("half"):
                sys.exit(0)
        else:
            say(framed(reply))


if __name__ == "__main__":
    main()
