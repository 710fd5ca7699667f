"""A candidate and an interactor while they talk with each other, and the watch over both.

The candidate's output comes through the supervisor, which counts and keeps it, and goes on to the interactor. The
interactor writes to the candidate directly. The supervisor holds an end of each pipe. Neither side can therefore notice
that the other one has ended before the supervisor has decided what that means.
"""

from __future__ import annotations

import contextlib
import os
import select
import time

from .conversation_watches import CandidateWatch, InteractorWatch
from .execution import MEMORY_CHECK_INTERVAL_SECONDS, Execution
from .program_pipes import MAX_CHUNK_BYTES, Pipe, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .fork_server_process import ForkServerProcess
    from .request_reader import RequestReader

# The causes of a conversation's end: a side that did not do well, both sides, or the caller.
CANDIDATE, INTERACTOR, BOTH, ABANDONED = "candidate", "interactor", "both", "abandoned"
# A candidate is read no further while the interactor has so many bytes to read.
MAX_PENDING_BYTES = 1 << 16
# Two sides that have used less than this fraction of the candidate's seconds have waited for each other.
WAITING_FRACTION = 0.5


class RelayedStream(Stream):
    """The bytes that a candidate writes, which an interactor is to get."""

    def __init__(self, pipe: Pipe, kept_bytes: int) -> None:
        """Begin with nothing. The arguments are those of `Stream`."""
        super().__init__(pipe, kept_bytes)
        self.pending = b""
        self.has_reader = True

    def take(self) -> None:
        """Take some of the bytes in the pipe, and relay them. What was never flushed is kept, and not relayed."""
        chunk = self.pipe.read_now()
        self.add(chunk)
        if self.has_reader:
            self.pending += chunk


class TalkingCandidate(Execution):
    """A candidate that talks with an interactor."""

    def __init__(self, fork_server: ForkServerProcess, limits: dict[str, Any]) -> None:
        """Prepare an execution. The arguments are those of `Execution`."""
        super().__init__(fork_server, limits)
        self.stdout = self.relayed = RelayedStream(fork_server.stdout, limits["kept_bytes"])
        self.streams = (self.stdout, self.stderr, self.report)


class Conversation:
    """A candidate and an interactor, joined by two pipes."""

    def __init__(self, candidate: TalkingCandidate, interactor: Execution) -> None:
        """Prepare a conversation of two executions that have not begun."""
        self.candidate, self.interactor = candidate, interactor
        self.relayed = candidate.relayed
        # One of the constants above, once the conversation has ended.
        self.ended_by = ""
        # Whether the candidate was ended while both sides waited.
        self.has_stalled = False
        to_interactor, self.relay_end = os.pipe()
        # Only the supervisor has this open file, so that the flag concerns nobody else.
        os.set_blocking(self.relay_end, False)
        self.candidate_input, self.interactor_output = os.pipe()
        self.fds = {to_interactor, self.relay_end, self.candidate_input, self.interactor_output}
        self.interactor_input = to_interactor

    def begin(self, candidate: bytes, interactor: bytes) -> None:
        """Start both sides, which are steps as `encode_step` returns them."""
        for fd in (self.interactor_input, self.candidate_input):
            # Both sides, which may be two users, can then open /dev/stdin and /dev/stdout. Nobody else sees the pipes.
            os.fchmod(fd, 0o666)
        self.interactor.begin_joined(interactor, (self.interactor_input, self.interactor_output))
        self.candidate.begin_joined(candidate, (self.candidate_input,))
        self.close(self.interactor_input)

    def close(self, *fds: int) -> None:
        """Close ends of pipes that are still open, by default all."""
        for fd in self.fds.intersection(fds) if fds else tuple(self.fds):
            self.fds.remove(fd)
            os.close(fd)

    def hold(
        self,
        does_well: Callable[[], bool],
        accepts: Callable[[], bool],
        requests: RequestReader,
        request_id: int,
        on_waiting: Callable[[], None],
    ) -> None:
        """Relay and watch until the conversation has ended, and end both sides.

        Args:
            does_well: tells, once the candidate has ended, whether nothing but the interactor can fail it.
            accepts: tells, once the interactor has ended, whether it accepts the conversation.
            requests: from the caller, who may go away, or cancel this one.
            request_id: the caller's, of this request.
            on_waiting: called from time to time.
        """
        self.does_well, self.accepts = does_well, accepts
        self.watch = CandidateWatch(self.candidate, self.interactor, requests, request_id, on_waiting)
        self.interactor_watch = InteractorWatch(self.interactor, requests, request_id, on_waiting)
        self.poller = select.poll()
        self.poller.register(requests.fd, select.POLLIN)
        self.handlers: dict[int, Callable[[], None]] = {requests.fd: self.hear_caller}
        self.handle(self.candidate.message_fd, self.receive_candidate)
        self.handle(self.interactor.message_fd, self.receive_interactor)
        self.handle(self.relayed.pipe.read_end, self.relay)
        for stream in (*self.candidate.streams[1:], *self.interactor.streams):
            self.handle(stream.pipe.read_end, stream.take)
        for side in (self.candidate, self.interactor):
            side.accounting.find_process()
        # A cancellation may have come while an earlier program ran, and nothing more comes for it.
        self.hear_caller()
        next_check = 0.0
        while not self.ended_by:
            for fd, _ in self.poller.poll(MEMORY_CHECK_INTERVAL_SECONDS * 1000):
                # A handler may have removed others.
                self.handlers.get(fd, int)()
            if not self.ended_by and time.monotonic() >= next_check:
                self.check_limits()
                next_check = time.monotonic() + MEMORY_CHECK_INTERVAL_SECONDS
        self.end()

    def handle(self, fd: int, handler: Callable[[], None], events: int = select.POLLIN) -> None:
        """Have a function called when a descriptor is ready."""
        self.handlers[fd] = handler
        self.poller.register(fd, events)

    def ignore(self, fd: int) -> None:
        """Have nothing called for a descriptor any longer."""
        if self.handlers.pop(fd, None):
            self.poller.unregister(fd)

    def hear_caller(self) -> None:
        """End the conversation if the caller has gone, or does not wait for it any more."""
        requests = self.watch.requests
        news = requests.news_of(self.watch.request_id)
        if news:
            self.candidate.reason, self.ended_by = news, ABANDONED
        elif requests.is_full:
            # No events are asked for: only the caller's end matters.
            self.poller.modify(requests.fd, 0)

    def relay(self) -> None:
        """Take bytes of the candidate, and write them to the interactor."""
        self.relayed.take()
        if self.relayed.total > self.candidate.limits["output_bytes"]:
            self.check_limits()
        elif self.relayed.has_reader:
            self.forward()

    def forward(self) -> None:
        """Write to the interactor as much as its pipe takes, and read the candidate only as far as that is written."""
        relayed, stdout = self.relayed, self.relayed.pipe.read_end
        try:
            while relayed.pending:
                relayed.pending = relayed.pending[os.write(self.relay_end, relayed.pending[:MAX_CHUNK_BYTES]) :]
        except BlockingIOError:
            self.handle(self.relay_end, self.forward, select.POLLOUT)
            if len(relayed.pending) >= MAX_PENDING_BYTES:
                self.ignore(stdout)
            return
        except BrokenPipeError:
            # It reads no more, and may still decide.
            self.stop_relaying()
            return
        self.ignore(self.relay_end)
        if self.candidate.ended_at is not None:
            self.stop_relaying()
        elif stdout not in self.handlers:
            self.handle(stdout, self.relay)

    def stop_relaying(self) -> None:
        """Close the interactor's input. More output of the candidate is counted, and goes nowhere."""
        self.relayed.has_reader, self.relayed.pending = False, b""
        self.ignore(self.relay_end)
        self.close(self.relay_end)
        if self.candidate.ended_at is None:
            self.handle(self.relayed.pipe.read_end, self.relay)

    def receive_candidate(self) -> None:
        """Receive a message of the candidate's fork server. After the candidate's end, go on with the interactor."""
        self.candidate.receive()
        if self.candidate.ended_at is None:
            return
        self.ignore(self.candidate.message_fd)
        self.ignore(self.relayed.pipe.read_end)
        if not self.does_well():
            self.ended_by = self.ended_by or CANDIDATE
        elif self.interactor.ended_at is not None:
            self.ended_by = self.ended_by or BOTH
        else:
            if self.relayed.has_reader:
                self.forward()
            # Otherwise an interactor that still writes would wait for a reader, or be ended by a signal.
            os.set_blocking(self.candidate_input, False)
            self.handle(self.candidate_input, self.discard)
            self.interactor_watch.begin_clock()

    def discard(self) -> None:
        """Read what the interactor writes to a candidate that has ended."""
        # The interactor can read its own pipe, and be faster.
        with contextlib.suppress(BlockingIOError):
            os.read(self.candidate_input, MAX_CHUNK_BYTES)

    def receive_interactor(self) -> None:
        """Receive a message of the interactor's fork server. After its end, go on only if it accepts."""
        self.interactor.receive()
        if self.interactor.ended_at is None:
            return
        self.ignore(self.interactor.message_fd)
        if not self.accepts():
            self.ended_by = self.ended_by or INTERACTOR
        elif self.candidate.ended_at is not None:
            self.ended_by = self.ended_by or BOTH
        else:
            self.stop_relaying()
            # The candidate reads to its end.
            self.close(self.interactor_output)

    def check_limits(self) -> None:
        """End a side that has exceeded a limit, and the conversation with it."""
        sides = ((self.candidate, self.watch, CANDIDATE), (self.interactor, self.interactor_watch, INTERACTOR))
        for side, watch, name in sides:
            if not self.ended_by and side.ended_at is None and (reason := watch.reason_to_stop()):
                self.has_stalled = reason == "timed_out" and name == CANDIDATE and self.is_stalled()
                side.stop(reason)
                self.ended_by = name

    def is_stalled(self) -> bool:
        """Return whether both sides run and have hardly computed."""
        used = sum(side.accounting.sample()[0] for side in (self.candidate, self.interactor))
        return self.interactor.ended_at is None and used < self.candidate.limits["wall_seconds"] * WAITING_FRACTION

    def end(self) -> None:
        """End the sides that still run."""
        reason = self.candidate.reason if self.ended_by == ABANDONED else None
        for side in (self.candidate, self.interactor):
            if side.ended_at is None:
                side.stop(reason)
