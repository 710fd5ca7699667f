"""One program while it runs in one fork server, and the watchdog over its clock and its output."""

from __future__ import annotations

import os
import select
import signal
import time

from ..common.frames import LEFT_SOME, NONCE_BYTES, RUNNING
from ..common.processes import END_TIMEOUT_SECONDS
from .cpu_time import RECHECK_SECONDS, CpuAccounting, extended_wall_seconds
from .memory import is_container_full, uses_more_than
from .program_pipes import MAX_REPORT_BYTES, Stream, parse_start_time
from .verdicts import verdict_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from collections.abc import Callable, Sequence
    from typing import Any

    from .fork_server_process import ForkServerProcess, State
    from .request_reader import RequestReader
    from .verdicts import Reply

MEMORY_CHECK_INTERVAL_SECONDS = 0.05
# The waits of a process are sampled this often, because the kernel forgets them when the process ends.
CPU_SAMPLE_INTERVAL_SECONDS = 0.1
# The caller hears from the guest this often. A compiler may run for longer than a caller trusts a silent guest.
NOTIFY_INTERVAL_SECONDS = 5
# Most programs end so quickly that they need not be watched.
UNWATCHED_SECONDS = 0.01
# A program that is to end is looked for this often.
STOP_INTERVAL_SECONDS = 0.05
# Upper bound for a fork server to fork a child and set it up, on the busiest machine.
START_TIMEOUT_SECONDS = 60


class Execution:
    """One program in one fork server, while it runs."""

    def __init__(self, fork_server: ForkServerProcess, limits: dict[str, Any], nonce: bytes = b"") -> None:
        """Prepare an execution.

        Args:
            fork_server: that runs the program.
            limits: the request's.
            nonce: of a program that was sent already; b"" for a new one.
        """
        self.fork_server, self.limits = fork_server, limits
        kept = limits["kept_bytes"]
        self.stdout, self.stderr = Stream(fork_server.stdout, kept), Stream(fork_server.stderr, kept)
        self.report = Stream(fork_server.report, MAX_REPORT_BYTES)
        self.streams = (self.stdout, self.stderr, self.report)
        # The child puts these random bytes before its report, so that nothing else in the pipe counts as one.
        self.nonce = nonce or os.urandom(NONCE_BYTES)
        # The child's message before its program began.
        self.setup = b""
        self.accounting = CpuAccounting(fork_server.pid)
        self.sent_at = 0.0
        self.ended_at: float | None = None
        self.cpu_seconds, self.status, self.peak_memory_bytes = 0.0, 0, 0
        # Why the supervisor ended it; None if it did not.
        self.reason: str | None = None

    @property
    def output_bytes(self) -> int:
        """Number of bytes that the program wrote."""
        return self.stdout.total + self.stderr.total

    def begin(self, tests_bytes: int, candidate_bytes: int, texts: bytes, peer: _socket.socket | None = None) -> None:
        """Send the program to the fork server.

        Args:
            tests_bytes: size of the tests; -1 for the same tests as last time, STEP for a step.
            candidate_bytes: size of the candidate.
            texts: the tests, unless they are the same, and then the candidate.
            peer: the program's socket to another program; None if it has none.
        """
        self.sent_at = time.monotonic()
        self.fork_server.send(self.limits, tests_bytes, candidate_bytes, peer, texts, self.nonce)

    def begin_joined(self, step: bytes, fds: Sequence[int]) -> None:
        """Send the fork server a step whose standard input, or input and output, are descriptors of the caller's."""
        self.sent_at = time.monotonic()
        self.fork_server.send_joined(self.limits, len(step), fds, step, self.nonce)

    @property
    def message_fd(self) -> int:
        """A descriptor that can be read when there is a message to receive."""
        return self.fork_server.channel.fileno()

    def has_message(self, seconds: float) -> bool:
        """Return whether a message arrives within a number of seconds."""
        return self.fork_server.has_message(seconds)

    def receive(self) -> None:
        """Receive the fork server's message: the program runs, or it has ended."""
        state = self.fork_server.receive_state()
        if state is None:
            return
        if state[0] == RUNNING:
            self.accounting.pid = state[1]
        else:
            self.take_end(state, time.monotonic())

    def receive_end(self, seconds: float) -> None:
        """Receive messages for a number of seconds at most, if the program does not end before."""
        end = self.fork_server.receive_end(seconds)
        if end is not None:
            self.take_received(*end)
        # Without the extension, or for an end of another kind.
        elif self.has_message(0 if self.fork_server.receives_ends else seconds):
            self.receive()

    def take_received(self, state: State, ended_at: float, setup: bytes, report: bytes, has_more: bool) -> None:
        """Take what the fork server's `receive_end` returned."""
        self.setup = setup
        self.report.add(report)
        self.take_end(state, ended_at, has_more)

    def take_end(self, state: State, ended_at: float, has_more: bool = True) -> None:
        """Take the state of a program that has ended, and all that it wrote if there may be more than was received."""
        phase, _, self.cpu_seconds, self.status, self.peak_memory_bytes = state
        self.ended_at = ended_at
        if phase == LEFT_SOME:
            self.fork_server.wait_until_all_ended()
        was_killed = os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL
        # Asked after each program, so that none has the reason of the one before.
        has_exceeded_memory = self.fork_server.memory.was_exceeded()
        if self.reason is None and has_exceeded_memory:
            self.reason = "out_of_memory"
        elif self.reason is None and was_killed and self.fork_server.memory.kills.has_increased():
            self.reason = "memory_kill"
        self.read_setup()
        if has_more:
            for stream in self.fork_server.readable(*self.streams):
                stream.take_all()
        self.stdout.add(self.fork_server.unflushed.read())

    def read_setup(self) -> None:
        """Read the child's message before its program began, if it is there."""
        self.setup = self.setup or self.fork_server.setup.read_now()

    def started_at(self) -> float | None:
        """Return when the program began; None if it has not begun, as far as is known."""
        self.read_setup()
        return parse_start_time(self.setup)

    def authentic_report(self) -> bytes:
        """Return the child's report; b"" if there is none behind the nonce."""
        report = self.report.kept
        return report[NONCE_BYTES:] if report.startswith(self.nonce) else b""

    def costs(self) -> dict[str, float]:
        """Return what the program used, once it has ended."""
        started_at = parse_start_time(self.setup)
        wall_seconds = 0.0 if started_at is None or self.ended_at is None else self.ended_at - started_at
        costs: dict[str, float] = {
            "wall_seconds": wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
        }
        # Threads that wait at the same time add up.
        if waited := min(self.accounting.waited_seconds, wall_seconds):
            costs["waited_seconds"] = waited
        return costs

    def reply(self) -> Reply:
        """Return the program's verdict."""
        report = self.authentic_report()
        reply = verdict_for(
            self.reason, self.status, self.cpu_seconds, self.setup, report, self.limits, self.output_bytes
        )
        reply.update(self.costs())
        for name, stream in (("stdout", self.stdout), ("stderr", self.stderr)):
            if stream.buffer:
                reply[name] = stream.text
        return reply

    def stop(self, reason: str | None) -> None:
        """End the program, and wait for its end.

        Args:
            reason: as `verdict_for` takes it; None if the program did nothing wrong.

        Raises:
            TimeoutError: if the fork server doesn't report the end.
        """
        self.reason = reason
        must_end_by = time.monotonic() + 2 * END_TIMEOUT_SECONDS
        while self.ended_at is None:
            # A child that has not begun may still have to read its program. If that child were ended, its fork server
            # would take the program for the next request.
            if self.started_at() is not None:
                self.fork_server.stop_program(self.accounting.find_process())
            if self.has_message(STOP_INTERVAL_SECONDS):
                self.receive()
            elif time.monotonic() > must_end_by:
                raise TimeoutError("the fork server does not answer")

    def begin_accounting(self) -> None:
        """Find the program's first process, whose CPU time is counted from its beginning."""
        self.accounting.find_process()

    def tidy(self) -> None:
        """Make the fork server ready for the next program."""
        self.fork_server.surroundings.tidy()


class Watchdog:
    """The supervisor's watch over programs that run together."""

    def __init__(
        self, executions: Sequence[Execution], requests: RequestReader, request_id: int, on_waiting: Callable[[], None]
    ) -> None:
        """Prepare to watch.

        Args:
            executions: when the first of them ends, all are to end.
            requests: from the caller, who may go away, or cancel this one.
            request_id: the caller's, of this request.
            on_waiting: called from time to time while the programs run.
        """
        self.executions, self.requests, self.on_waiting = executions, requests, on_waiting
        self.request_id = request_id
        self.first, self.limits = executions[0], executions[0].limits
        self.deadline = self.first.sent_at + self.limits["wall_seconds"]
        self.next_notification = self.first.sent_at + NOTIFY_INTERVAL_SECONDS
        self.next_sample = self.first.sent_at + CPU_SAMPLE_INTERVAL_SECONDS

    def wait(self) -> None:
        """Wait until the first program ends, or end all of them."""
        if self.first.ended_at is None and self.first.has_message(UNWATCHED_SECONDS):
            self.first.receive()
        if self.first.ended_at is None:
            self.wait_closely()

    def wait_closely(self) -> None:
        """Wait likewise for programs that take longer than UNWATCHED_SECONDS."""
        streams = {stream.pipe.read_end: stream for execution in self.executions for stream in execution.streams}
        running = {execution.message_fd: execution for execution in self.executions}
        poller = select.poll()
        poller.register(self.requests.fd, select.POLLIN)
        for fd in (*running, *streams):
            poller.register(fd, select.POLLIN)
        for execution in self.executions:
            execution.begin_accounting()
        # A cancellation may have come while an earlier program ran, and nothing more comes for it.
        reason = self.requests.news_of(self.request_id)
        while self.first.ended_at is None:
            seconds = 0.0 if reason else min(max(0, self.deadline - time.monotonic()), MEMORY_CHECK_INTERVAL_SECONDS)
            for fd, _ in poller.poll(seconds * 1000):
                if fd == self.requests.fd:
                    reason = self.requests.news_of(self.request_id)
                    if self.requests.is_full:
                        # No events are asked for: only the caller's end matters.
                        poller.modify(fd, 0)
                elif fd in streams:
                    streams[fd].take()
                else:
                    running[fd].receive()
                    if running[fd].ended_at is not None:
                        poller.unregister(fd)
            if self.first.ended_at is None and (reason := reason or self.reason_to_stop()):
                for execution in reversed(self.executions):
                    if execution.ended_at is None:
                        execution.stop(reason)

    def reason_to_stop(self) -> str | None:
        """Return why the programs must be stopped; None if they may run on."""
        if sum(execution.output_bytes for execution in self.executions) > self.limits["output_bytes"]:
            return "output_limit"
        memory_bytes, is_limited_alone = self.limits["memory_bytes"], self.limits.get("address_space", True)
        servers = [execution.fork_server for execution in self.executions]
        if any(uses_more_than(memory_bytes, server.pid, is_limited_alone) for server in servers):
            return "out_of_memory"
        if self.first.fork_server.in_container and is_container_full():
            return "memory_kill"
        now = time.monotonic()
        if now >= self.next_sample:
            self.next_sample = now + CPU_SAMPLE_INTERVAL_SECONDS
            for execution in self.executions:
                execution.accounting.sample()
        if now >= self.deadline:
            self.deadline = self.next_deadline(now)
            # Compared with the time of the question: this process may have had no CPU itself until the answer came.
            if self.deadline <= now:
                return "timed_out"
        if time.monotonic() >= self.next_notification:
            self.next_notification += NOTIFY_INTERVAL_SECONDS
            self.on_waiting()
        return None

    def next_deadline(self, now: float) -> float:
        """Return until when the programs may run.

        Args:
            now: time of the monotonic clock, which is past the present deadline.
        """
        starts = [execution.started_at() for execution in self.executions]
        if None in starts and now < self.first.sent_at + START_TIMEOUT_SECONDS:
            return now + RECHECK_SECONDS
        started_at = max(filter(None, starts), default=self.first.sent_at)
        accountings = [execution.accounting for execution in self.executions if execution.ended_at is None]
        return started_at + extended_wall_seconds(accountings, now - started_at, self.limits)
