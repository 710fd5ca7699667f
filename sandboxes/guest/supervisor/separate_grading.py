"""The supervisor's part of separate grading: the tests run in one process and the candidate in another."""

from __future__ import annotations

import _socket
import os
import select
import signal
import struct
import time

from ..common.frames import TESTS_HEAD, FrameReader
from ..common.processes import END_TIMEOUT_SECONDS
from ..remote.tests_end import ADVICE
from .execution import Execution
from .program_pipes import parse_start_time
from .verdicts import GONE, output_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .fork_server_process import ForkServerProcess
    from .verdicts import Reply

# A candidate gets this time once its tests have ended or have lost it. On a busy machine it is late to write the rest
# of its output, and to end.
LEAVE_TIMEOUT_SECONDS = 0.5
# Limits of a process that outlives one candidate's tests. The watchdog holds each of these tests to its own limits.
TESTS_PROCESS_LIMITS = {"wall_seconds": 0, "cpu_seconds": 1 << 20, "output_bytes": 0, "kept_bytes": 0}


class SeparateGrading:
    """Runs candidates apart from their tests, in two fork servers. A fork server's memory may hold all that it read."""

    def __init__(self, tests_server: ForkServerProcess, candidate_server: ForkServerProcess) -> None:
        """Run nothing yet."""
        self.tests_server, self.candidate_server = tests_server, candidate_server
        self.process: TestsProcess | None = None
        self.tests, self.is_repeatable = b"", True

    def start(
        self, request: dict[str, Any], tests_bytes: int, tests: bytes, candidate: bytes
    ) -> tuple[TestsExecution, Execution]:
        """Start a candidate and its tests.

        Args:
            request: the caller's.
            tests_bytes: size of the tests, -1 for the same tests as last time.
            tests: their source; b"" for the same tests.
            candidate: its source.

        Returns:
            (execution of the tests, execution of the candidate).
        """
        limits = request["limits"]
        near, far = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        candidate_execution = Execution(self.candidate_server, limits)
        candidate_execution.begin(-1, len(candidate), candidate, far)
        if tests_bytes >= 0:
            self.tests = tests
        process_limits = {**limits, **TESTS_PROCESS_LIMITS}
        if self.process and (self.process.has_ended or self.process.limits != process_limits):
            self.end_process()
        if not self.process:
            self.process = TestsProcess(self.tests_server, process_limits)
        self.is_repeatable = request["alike"]
        # A candidate could stop a process that it can signal, so that the next candidate's tests time out.
        stays = self.is_repeatable and self.tests_server.is_out_of_reach_of(self.candidate_server)
        tests_execution = TestsExecution(self.process, limits, self.tests, stays)
        tests_execution.start(near)
        near.close()
        far.close()
        return tests_execution, candidate_execution

    def end_process(self) -> None:
        """End the tests' process, if there is one, so that their fork server can run something else."""
        if self.process:
            self.process.end()
            self.tests_server.surroundings.tidy()
            self.process = None

    def finish(self, tests: TestsExecution, candidate: Execution) -> Reply:
        """End a candidate whose tests have ended, and return the verdict.

        Args:
            tests: execution of the tests.
            candidate: execution of the candidate.
        """
        reply = tests_reply = tests.reply()
        if candidate.ended_at is None:
            candidate.receive_end(LEAVE_TIMEOUT_SECONDS)
        was_stopped = candidate.ended_at is None
        if was_stopped:
            candidate.stop(tests.reason)
            # A candidate that had begun to end by itself has another status than one that was killed from outside.
            was_stopped = os.WIFSIGNALED(candidate.status) and os.WTERMSIG(candidate.status) == signal.SIGKILL
        if tests.reason or tests_reply.get("outcome") == GONE:
            # The kernel may have ended the candidate alone, because memory ran out.
            candidate.reason = tests.reason or candidate.reason
            reply = {**candidate.reply(), "record": tests_reply.get("record", "")}
            if reply.get("outcome") == "passed" or (was_stopped and not tests.reason):
                # It ended like one that its tests have left, or was stopped here because it did not end.
                reply.update(outcome="exited", detail="left before its tests were done: " + tests_reply["detail"])
        elif tests.output_bytes + candidate.output_bytes > candidate.limits["output_bytes"]:
            # The watchdog does not see what they wrote last.
            reply = {**output_verdict(candidate.limits), "record": tests_reply.get("record", "")}
        if not self.is_repeatable and reply.get("outcome") == "failed" and ADVICE not in reply["detail"]:
            reply["detail"] += f" (these tests may look into the candidate's process; {ADVICE})"
        # The watchdog has waited for it.
        assert tests.ended_at is not None
        reply["wall_seconds"] = tests.ended_at - (parse_start_time(candidate.setup) or tests.sent_at)
        reply["cpu_seconds"] = tests.cpu_seconds + candidate.cpu_seconds
        waited = tests.accounting.waited_seconds + candidate.accounting.waited_seconds
        if waited := max(0.0, min(waited, reply["wall_seconds"])):
            reply["waited_seconds"] = waited
        reply["peak_memory_bytes"] = candidate.peak_memory_bytes
        for name in ("stdout", "stderr"):
            if text := getattr(candidate, name).text + getattr(tests, name).text:
                reply[name] = text
        reply["grading"] = "separate"
        return reply


class TestsProcess:
    """A process of the tests' fork server, which runs the tests of one candidate after the other."""

    def __init__(self, fork_server: ForkServerProcess, limits: dict[str, Any]) -> None:
        """Start the process.

        Args:
            fork_server: the tests'.
            limits: those of the process.
        """
        self.limits = limits
        # The tests that it ran last, and whether it may run others after them.
        self.tests: bytes | None = None
        self.stays = True
        self.control, far = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self.execution = Execution(fork_server, limits)
        self.execution.begin(-1, 0, b"", far)
        far.close()
        self.frames = FrameReader(self.control.fileno())
        self.listener = select.poll()
        self.listener.register(self.control, select.POLLIN)
        self.has_ended = False

    def has_message(self, seconds: float) -> bool:
        """Return whether a message of the process arrives within a number of seconds."""
        return bool(self.listener.poll(seconds * 1000))

    def run_tests(self, tests: bytes, stays: bool, peer: _socket.socket) -> None:
        """Have the process run tests of a candidate.

        Args:
            tests: source.
            stays: whether the process may run other tests afterwards, because these leave no trace in it.
            peer: a socket to the candidate's process.
        """
        text = b"" if tests is self.tests else tests
        head = TESTS_HEAD.pack(-1 if tests is self.tests else len(tests))
        self.tests, self.stays = tests, stays
        ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", peer.fileno()))]
        self.control.sendmsg([head], ancillary)
        self.control.sendall(text)

    def receive_result(self) -> dict[str, Any] | None:
        """Return the frame with the tests' report; None if the process has ended instead."""
        frame: dict[str, Any] | None = self.frames.frame()
        if frame is None:
            self.wait_for_end()
        elif frame["last"] or not self.stays:
            self.has_ended = True
        return frame

    def wait_for_end(self) -> None:
        """Wait until the process has ended.

        Raises:
            TimeoutError: if it does not end.
        """
        self.has_ended = True
        while self.execution.ended_at is None:
            if not self.execution.has_message(2 * END_TIMEOUT_SECONDS):
                raise TimeoutError("the tests' process does not end")
            self.execution.receive()

    def reply_for(self, tests: TestsExecution) -> Reply:
        """Return the verdict for tests that ended the process, or that were ended with it."""
        own = self.execution
        own.limits, own.stdout, own.stderr = tests.limits, tests.stdout, tests.stderr
        return own.reply()

    def end(self) -> None:
        """End the process, because there are no more candidates for it."""
        self.control.close()
        fork_server = self.execution.fork_server
        if self.execution.ended_at is None and not fork_server.has_own_pids:
            # A candidate may have stopped the process.
            fork_server.stop_program(self.execution.accounting.pid)
        self.wait_for_end()


class TestsExecution(Execution):
    """The tests of one candidate, while they run in a TestsProcess."""

    def __init__(self, process: TestsProcess, limits: dict[str, Any], tests: bytes, stays: bool) -> None:
        """Prepare to run tests.

        Args:
            process: that runs them.
            limits: the request's.
            tests: as `TestsProcess.run_tests` takes them.
            stays: likewise.
        """
        super().__init__(process.execution.fork_server, limits)
        self.process, self.tests, self.stays = process, tests, stays
        self.result: dict[str, Any] | None = None
        # Whether the process has run other tests before.
        self.has_predecessor = False

    def begin_accounting(self) -> None:
        """Count CPU time from now on, and not that of earlier tests."""
        if self.has_predecessor:
            self.accounting.start_from_now(self.process.execution.accounting.find_process())
        else:
            self.accounting.find_process()

    def start(self, peer: _socket.socket) -> None:
        """Have the process run the tests.

        Args:
            peer: a socket to the candidate's process.
        """
        self.has_predecessor = self.process.tests is not None
        self.sent_at = time.monotonic()
        self.process.run_tests(self.tests, self.stays, peer)

    def started_at(self) -> float | None:
        """Return when the tests began; None if their process has not begun."""
        started_at = self.process.execution.started_at()
        return started_at and max(started_at, self.sent_at)

    @property
    def message_fd(self) -> int:
        """A descriptor that can be read when there is a message to receive."""
        return self.process.control.fileno()

    def has_message(self, seconds: float) -> bool:
        """Return whether a message arrives within a number of seconds."""
        return self.process.has_message(seconds)

    def receive(self) -> None:
        """Receive the tests' report, or notice that their process has ended."""
        self.result = self.process.receive_result()
        self.ended_at = time.monotonic()
        self.cpu_seconds = self.result["cpu_seconds"] if self.result else self.process.execution.cpu_seconds
        for stream in self.fork_server.readable(self.stdout, self.stderr):
            stream.take_all()
        if self.result is None:
            self.stdout.add(self.fork_server.unflushed.read())

    def stop(self, reason: str | None) -> None:
        """End the process, whatever it may have reported meanwhile."""
        self.reason = reason
        self.fork_server.stop_program(self.accounting.pid)
        self.process.wait_for_end()
        self.ended_at, self.cpu_seconds = time.monotonic(), self.process.execution.cpu_seconds
        self.stdout.add(self.fork_server.unflushed.read())

    def reply(self) -> Reply:
        """Return the verdict that the tests reported."""
        if self.result is None:
            return self.process.reply_for(self)
        report: Reply | None = self.result["report"]
        return report or {"outcome": "passed"}

    def tidy(self) -> None:
        """Do nothing: the folders are the process's until it ends."""
