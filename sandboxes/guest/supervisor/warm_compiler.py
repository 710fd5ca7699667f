"""A compiler that stays for many programs, in a fork server of its own, where no candidate runs.

Most of the time of some compilers goes into their start. A warm compiler reads one candidate after the other, and runs
none. It says what the command of a build would say, or it is ended, and the command decides.
"""

from __future__ import annotations

import os
import select
import struct
import time

from .build_snapshot import read_files
from .cpu_time import CpuAccounting
from .execution import NOTIFY_INTERVAL_SECONDS, Execution
from .memory import resident_bytes, uses_more_than
from .program_pipes import MAX_CHUNK_BYTES
from .step_runner import encode_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .build_snapshot import StoredFiles
    from .fork_server_process import ForkServerProcess
    from .request_reader import RequestReader
    from .verdicts import Reply

# The command has its own time after that, because the warm compiler may be at fault.
MAX_COMPILE_SECONDS = 10
CHECK_INTERVAL_SECONDS = 0.25
MAX_MESSAGE_BYTES = 1 << 20
# It writes this once it is ready. After a program come its exit status and the size of its messages, and then these.
READY = b"R"
ANSWER_HEAD = struct.Struct(">iI")
# A program is numbers of this kind and texts, each behind its size: the number of files, their paths and contents, the
# number of arguments, the arguments.
NUMBER = struct.Struct(">I")
# The exit statuses of a compiler that has done its work. With the last one it leaves a program to the command. With any
# other it has failed itself.
COMPILED, REFUSED, UNDECIDED = 0, 1, 3


class CompilerLost(Exception):
    """The warm compiler has ended, was too slow, or does not speak as it should."""


class WarmCompiler:
    """One compiler, from its start to its end."""

    def __init__(self, fork_server: ForkServerProcess, request: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        """Start the compiler, and do not wait for it. The arguments are those of `WarmCompilers.build`."""
        # The clock of each program limits its time.
        limits = {**request["limits"], **step["limits"], "cpu_seconds": 1 << 20, "address_space": False}
        self.execution = Execution(fork_server, limits)
        own_input, self.to_compiler = os.pipe()
        self.from_compiler, own_output = os.pipe()
        for fd in (self.to_compiler, self.from_compiler):
            os.set_blocking(fd, False)
        start = {"argv": step["warm"]["argv"], "needs": ()}
        asked = {"files": step["warm"]["files"], "stored": {}, "stdin": None}
        self.execution.begin_joined(encode_step(start, asked), (own_input, own_output))
        os.close(own_input)
        os.close(own_output)
        self.received = b""
        self.has_begun = False

    def is_ready(self) -> bool:
        """Return whether the compiler has been started.

        Raises:
            CompilerLost: if it can't be.
        """
        if not self.has_begun:
            self.read()
            if self.received and self.received != READY:
                raise CompilerLost
            self.has_begun = self.received == READY
            self.received = b""
            if self.has_begun:
                # It has read its own files. The next program must find nothing but its own.
                self.execution.tidy()
        return self.has_begun

    def build(
        self,
        request: Mapping[str, Any],
        step: Mapping[str, Any],
        files: Mapping[str, str],
        requests: RequestReader,
        notify: Callable[[], None],
    ) -> tuple[Reply, StoredFiles] | None:
        """Build a program. The arguments are those of `WarmCompilers`, and of its `build`, and so is what it returns.

        Raises:
            CompilerLost: if the compiler decides nothing.
        """
        accounting = CpuAccounting(self.execution.fork_server.pid)
        accounting.find_process()
        cpu_before, waited_before = accounting.sample()
        began = time.monotonic()
        seconds = min(MAX_COMPILE_SECONDS, step["limits"]["wall_seconds"])
        self.exchange(encode_program(files, step["warm"]["arguments"]), request, requests, seconds, notify)
        wall_seconds = time.monotonic() - began
        status, _ = ANSWER_HEAD.unpack_from(self.received)
        message = self.received[ANSWER_HEAD.size :].decode("utf-8", "replace")
        self.received = b""
        if status not in (COMPILED, REFUSED, UNDECIDED):
            raise CompilerLost
        if status == UNDECIDED:
            self.execution.tidy()
            return None
        stored = self.execution.fork_server.surroundings.call_in_workplace(read_files)
        self.execution.tidy()
        cpu_after, waited_after = accounting.sample()
        result: Reply = {"outcome": "passed", "stdout": "", "stderr": message, "cpu_seconds": cpu_after - cpu_before}
        result.update(wall_seconds=wall_seconds, peak_memory_bytes=resident_bytes(accounting.pid))
        result["waited_seconds"] = max(0.0, min(waited_after - waited_before, wall_seconds))
        if status == REFUSED:
            result.update(outcome="failed", detail="ended with status %d" % status)
        return result, stored

    def exchange(
        self,
        program: bytes,
        request: Mapping[str, Any],
        requests: RequestReader,
        seconds: float,
        notify: Callable[[], None],
    ) -> None:
        """Send a program, and receive the whole answer to it.

        Args:
            program: as the compiler reads it.
            request: the caller's.
            requests: from the caller.
            seconds: that the compiler may take.
            notify: tells the caller to wait on.

        Raises:
            CompilerLost: if there is no answer.
        """
        now = time.monotonic()
        deadline, next_notification = now + seconds, now + NOTIFY_INTERVAL_SECONDS
        poller = select.poll()
        poller.register(self.to_compiler, select.POLLOUT)
        poller.register(self.from_compiler, select.POLLIN)
        while not self.has_answer():
            for fd, _ in poller.poll(CHECK_INTERVAL_SECONDS * 1000):
                if fd == self.from_compiler:
                    self.read()
                    continue
                program = program[self.write(program[:MAX_CHUNK_BYTES]) :]
                if not program:
                    poller.unregister(fd)
            self.check(request, requests, deadline)
            if time.monotonic() > next_notification:
                next_notification += NOTIFY_INTERVAL_SECONDS
                notify()

    def has_answer(self) -> bool:
        """Return whether an answer is there.

        Raises:
            CompilerLost: if there is more, or messages are too long.
        """
        if len(self.received) < ANSWER_HEAD.size:
            return False
        size: int = ANSWER_HEAD.unpack_from(self.received)[1]
        if size > MAX_MESSAGE_BYTES or len(self.received) > ANSWER_HEAD.size + size:
            raise CompilerLost
        return len(self.received) == ANSWER_HEAD.size + size

    def check(self, request: Mapping[str, Any], requests: RequestReader, deadline: float) -> None:
        """Raise CompilerLost if the compiler may not go on, or the caller does not wait for the program any more."""
        for stream in self.execution.fork_server.readable(*self.execution.streams):
            # Otherwise a compiler that writes much would wait for a reader.
            stream.take()
        server, limits = self.execution.fork_server.pid, self.execution.limits
        if time.monotonic() > deadline or requests.news_of(request["id"]):
            raise CompilerLost
        if uses_more_than(limits["memory_bytes"], server, is_limited_alone=False):
            raise CompilerLost

    def read(self) -> None:
        """Read what the compiler has written, if it has.

        Raises:
            CompilerLost: if it has ended.
        """
        try:
            chunk = os.read(self.from_compiler, MAX_CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            raise CompilerLost
        self.received += chunk

    def write(self, chunk: bytes) -> int:
        """Write bytes to the compiler. Return the number of those that were written.

        Raises:
            CompilerLost: if it has ended.
        """
        try:
            return os.write(self.to_compiler, chunk)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise CompilerLost from None

    def end(self) -> None:
        """End the compiler, and remove what it has left."""
        os.close(self.to_compiler)
        os.close(self.from_compiler)
        if self.execution.ended_at is None:
            self.execution.stop(None)
        self.execution.tidy()


def encode_program(files: Mapping[str, str], arguments: list[str]) -> bytes:
    """Return a program as a warm compiler reads it.

    Args:
        files: {path: text}.
        arguments: of the compiler.
    """
    texts = [text for pair in files.items() for text in pair]
    parts = [
        NUMBER.pack(len(files)),
        *map(encode_text, texts),
        NUMBER.pack(len(arguments)),
        *map(encode_text, arguments),
    ]
    return b"".join(parts)


def encode_text(text: str) -> bytes:
    """Return a text behind its size."""
    data = text.encode("utf-8", "surrogatepass")
    return NUMBER.pack(len(data)) + data
