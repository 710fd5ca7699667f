"""The caller's end of one guest: sends programs, receives verdicts, and cleans up its process and folder at the end."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandboxes.contract import Isolation, Program, Verdict
from sandboxes.errors import RunCancelled, SandboxUnavailable
from sandboxes.guest.common.files import remove_folder
from sandboxes.guest.common.frames import HEAD
from sandboxes.validation import printable
from sandboxes.workers.messages import (
    MAX_TEXT_CHARS,
    FrameReader,
    GuestBroken,
    encode_cancellation,
    encode_request,
    judge_error,
    parse_isolation,
    parse_reply,
    parse_verdict,
)

MAX_LAST_WORDS_CHARS = 1000
START_TIMEOUT_SECONDS = 60.0
"""The time that a guest may take to be ready."""

SILENCE_TIMEOUT_SECONDS = 20.0
"""The time that a guest may be silent, beyond a program's wall seconds."""

END_TIMEOUT_SECONDS = 3.0
"""The time that a guest may take to end after its pipes have closed, and again after SIGTERM."""


def start_process(
    command: Sequence[str], folder: str | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a process for a `Worker`, in a session of its own, so that a Ctrl-C on the terminal does not reach it.

    Args:
        command: what to run.
        folder: the working directory; None for the one of this process.
        environment: all environment variables; None to inherit this process's.
    """
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder,
        start_new_session=True,
        bufsize=0,
    )


class Worker:
    """One guest: a process that speaks the frames of `guest/common/frames.py` on its standard input and output.

    Two threads must not use a worker at once. The caller waits for `replies_fd` to be readable, then calls `receive`.
    """

    max_programs: int | None = None
    """Number of programs that the guest may run; None if there is no limit."""

    def __init__(self, process: subprocess.Popen[bytes], scratch: str):
        """Take over the process that `start_process` has just started, and its scratch folder."""
        assert process.stdin and process.stdout and process.stderr  # noqa: S101 (for the type checker)
        self.process = process
        self.scratch = scratch
        self.requests_fd = process.stdin.fileno()
        self.replies_fd = process.stdout.fileno()
        self.isolation: Isolation | None = None
        self.in_flight: deque[int] = deque()
        self.heard_at = time.monotonic()
        self._unsent = bytearray()
        self._sent = 0
        self._frames = FrameReader()
        self._last_tests: dict[str, str] = {}
        self.cancelled_at: dict[int, float] = {}
        """Programs in flight that are to be ended, with the times on the monotonic clock when the guest was told so."""
        for fd in (self.requests_fd, self.replies_fd, process.stderr.fileno()):
            os.set_blocking(fd, False)

    def send_options(self, options: dict[str, Any]) -> None:
        """Send a guest its options. They are not arguments, which all users of a machine can read."""
        body = json.dumps(options).encode()
        frame = HEAD.pack(len(body)) + body
        os.set_blocking(self.requests_fd, True)
        try:
            while frame:
                frame = frame[os.write(self.requests_fd, frame) :]
        except BrokenPipeError:
            # The guest has ended. The run that waits for its first frame reports it.
            return
        finally:
            os.set_blocking(self.requests_fd, False)

    @property
    def has_unsent(self) -> bool:
        """True if `flush` has something left to write."""
        return bool(self._unsent)

    def enqueue(self, data: bytes) -> None:
        """Queue bytes, which are written when the guest takes them."""
        self._unsent += data

    def isolation_of(self, frame: dict[str, Any]) -> Isolation:
        """Return the isolation that the guest's first frame reports."""
        return parse_isolation(frame)

    @property
    def is_spent(self) -> bool:
        """True if the guest has had all the programs that it may have."""
        return self.max_programs is not None and self._sent >= self.max_programs

    def cancel(self, index: int) -> None:
        """Tell the guest to end a program in flight. Its reply says that the program was cancelled, or is its verdict.

        Raises:
            GuestBroken: if the guest has ended.
        """
        if index not in self.cancelled_at:
            self.cancelled_at[index] = time.monotonic()
            self._unsent += encode_cancellation(index)
            self.flush()

    @property
    def is_cancelling(self) -> bool:
        """True if the guest has been told to end the program that it runs."""
        return bool(self.in_flight) and self.in_flight[0] in self.cancelled_at

    def send(self, index: int, program: Program) -> None:
        """Queue a program; its verdict comes back under `index`.

        Raises:
            GuestBroken: if the guest has ended.
        """
        same_tests = program.tests == self._last_tests.get(program.grading)
        self._last_tests[program.grading] = program.tests
        request = encode_request(index, program, same_tests)
        if not self.in_flight:
            self.heard_at = time.monotonic()
        self.in_flight.append(index)
        self._sent += 1
        self._unsent += request
        self.flush()

    def flush(self) -> None:
        """Write as many of the queued bytes as the pipe takes now.

        Raises:
            GuestBroken: if the guest has ended.
        """
        try:
            while self._unsent:
                # In place: a copy of the rest for each 64 KiB that a pipe holds takes the square of the size.
                del self._unsent[: os.write(self.requests_fd, self._unsent)]
                # A guest that reads is not silent, however long the program is.
                self.heard_at = time.monotonic()
        except BlockingIOError:
            return
        except OSError as error:
            raise GuestBroken(self.last_words()) from error

    def receive(self) -> Iterator[tuple[int, Verdict | SandboxUnavailable]]:
        """Yield the verdicts that have arrived, with their indices: also those before an invalid reply.

        An error in place of a verdict says that a program's tests can't be run, on any worker.

        Raises:
            GuestBroken: if the guest has ended, or sent an invalid reply.
        """
        try:
            chunk = os.read(self.replies_fd, 1 << 18)
        except BlockingIOError:
            return
        except ConnectionResetError:
            # A guest that ended before it had read everything.
            chunk = b""
        if not chunk:
            raise GuestBroken(self.last_words())
        self.heard_at = time.monotonic()
        self._frames.feed(chunk)
        while (body := self._frames.next_body()) is not None:
            frame = parse_reply(body)
            if self.isolation is None:
                self.isolation = self.isolation_of(frame)
            elif "waiting" not in frame:
                yield self._verdict(frame)

    def _verdict(self, frame: dict[str, Any]) -> tuple[int, Verdict | SandboxUnavailable]:
        if not self.in_flight or frame.get("id") != self.in_flight[0]:
            raise GuestBroken(f"the guest answered {frame.get('id')!r}, which it was not asked")
        if "broken" in frame:
            raise GuestBroken(printable(str(frame["broken"])[:MAX_TEXT_CHARS]))
        if self.cancelled_at.pop(self.in_flight[0], None) is not None and "cancelled" in frame:
            return self.in_flight.popleft(), RunCancelled()
        if "unusable" in frame:
            error = judge_error(self.in_flight[0], frame)
            return self.in_flight.popleft(), error
        assert self.isolation is not None  # noqa: S101 (for the type checker)
        verdict = parse_verdict(frame, self.isolation.layers)
        return self.in_flight.popleft(), verdict

    def last_words(self) -> str:
        """Return what is known about why the guest ended: its exit status, and its errors on standard error."""
        try:
            status = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return "the guest closed its output"
        try:
            stderr = os.read(self.process.stderr.fileno(), 1 << 16) if self.process.stderr else b""
        except (OSError, ValueError):
            stderr = b""
        lines = stderr.decode("utf-8", "replace").splitlines()
        # Each process may print a traceback; only the line that names the exception counts.
        errors = "; ".join(line for line in lines if line and not line.startswith((" ", "Traceback")))
        reason = f": {printable(errors[:MAX_LAST_WORDS_CHARS])}" if errors else ""
        return f"the guest ended with status {status}{reason}"

    def ran_out_of_memory(self) -> bool:
        """Return whether a guest that has ended had used all the memory that it may have."""
        return False

    def wait(self) -> None:
        """Wait for the end of a guest whose pipes are closed, and clean up after it. Kill it if it does not end."""
        # SIGTERM: the supervisor then ends the fork server, and all that programs left.
        for insist in (self.process.terminate, self.process.kill):
            try:
                self.process.wait(END_TIMEOUT_SECONDS)
                break
            except subprocess.TimeoutExpired:
                insist()
        self.process.wait()
        self.cleanup()

    def cleanup(self) -> None:
        """Remove what a guest that has ended may have left."""
        # A guest with a root of its own has removed its folder itself, and another process may have the name by now.
        if self.isolation is None or "mount" not in self.isolation.layers:
            remove_folder(self.scratch)

    def close_pipes(self) -> None:
        """Close this process's ends of the pipes, so that the guest ends. Return without waiting for it."""
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def disown(self) -> None:
        """Close the inherited pipes in a process forked from the owner, and leave the guest to the owner."""
        self.close_pipes()
        # Otherwise Popen warns that a process is still running, which is the owner's.
        self.process.returncode = 0


def close_workers(workers: Sequence[Worker]) -> None:
    """End guests and all that runs in them, and remove their scratch folders."""
    for worker in workers:
        worker.close_pipes()
    for worker in workers:
        worker.wait()
