"""The supervisor of a session: speaks with the caller, watches clocks and memory, and relays input and output."""

from __future__ import annotations

import os
import select
import time

from ..common.frames import SESSION, FrameReader, write_frame
from ..common.processes import children
from ..common.session_frames import CELL, PIPES
from ..sessions.channel import SessionChannel
from .execution import NOTIFY_INTERVAL_SECONDS
from .guest_process import PARENT_CHECK_INTERVAL_SECONDS, GuestProcess
from .memory import is_container_full, uses_more_than
from .session_cells import Cell, CellQueue
from .session_process import CallProcess, Relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEMORY_CHECK_INTERVAL_SECONDS, IDLE_MEMORY_CHECK_INTERVAL_SECONDS = 0.05, 1


class SessionSupervisor(GuestProcess):
    """Gives the calls of one session to its session server, and tells the caller how they end."""

    def __init__(self, requests: int, replies: int, options: dict[str, Any], guest_file: str) -> None:
        """Start the session server. The arguments are those of `GuestProcess`."""
        super().__init__(requests, replies, options, guest_file, (SESSION,))
        self.reader = FrameReader(requests)
        self.server = SessionChannel(self.first.channel)
        self.relay = Relay(self.server, self.replies, options["session"], self.first.memory.kills)
        self.first.memory.limit(self.relay.limits["memory_bytes"])
        self.poller, self.processes = self.relay.poller, self.relay.processes
        self.cells = CellQueue(self.relay)
        self.is_served = True
        self.next_memory_check = self.next_notification = 0.0

    def serve(self) -> None:
        """Serve calls until the caller closes its end.

        Raises:
            EOFError: if the session server has ended.
            TimeoutError: if it does not answer.
        """
        write_frame(self.replies, self.hello())
        self.poller.watch(self.requests, select.POLLIN, self.receive_call)
        self.poller.watch(self.first.channel.fileno(), select.POLLIN, self.receive_report)
        while self.is_served:
            self.poller.wait(self.seconds_to_wait())
            self.check_clocks()
            self.check_memory()
            self.notify()
            # A process that the caller forked may hold the pipe open after the caller's end.
            if os.getppid() != self.parent:
                return

    def receive_call(self) -> None:
        """Read what the caller wants."""
        while True:
            request = self.reader.frame()
            size = 0 if request is None else request.get("bytes", 0)
            data = self.reader.exactly(size)
            if request is None or len(data) < size:
                self.is_served = False
                return
            self.handle(request, data)
            if not self.reader.buffer:
                return

    def handle(self, request: dict[str, Any], data: bytes) -> None:
        """Do what the caller wants."""
        if "interrupt" in request:
            if self.cells.process is not None:
                self.cells.process.interrupt("interrupted")
        elif "stop" in request:
            process = self.processes.get(request["stop"])
            if process is not None:
                process.kill("stopped")
            else:
                self.cells.stop(request["stop"])
        elif request["call"] == CELL:
            self.cells.add(Cell(request, data))
        else:
            CallProcess(self.relay, request, data)

    def receive_report(self) -> None:
        """Read what the session server reports."""
        try:
            messages = list(self.server.receive())
        except EOFError as error:
            raise EOFError("the session server ended: " + self.first.last_words()) from error
        for message in messages:
            if "started" in message:
                self.processes[message["started"]].on_started(self.server.take_fds(len(PIPES)))
            else:
                number = message["failed"] if "failed" in message else message["ended"]
                self.processes[number].on_ended(message)

    def check_clocks(self) -> None:
        """Stop what takes too long.

        Raises:
            TimeoutError: if the session server can't end a process.
        """
        now = time.monotonic()
        for process in list(self.processes.values()):
            if process.must_end_by is not None and now > process.must_end_by:
                raise TimeoutError("a process of the session could not be ended")
            if isinstance(process, CallProcess) and now >= process.deadline:
                process.kill("timed_out")
        if self.cells.process is not None:
            self.cells.process.check(now)

    def check_memory(self) -> None:
        """End all processes if they use too much memory together."""
        now = time.monotonic()
        if now < self.next_memory_check:
            return
        self.next_memory_check = now + self.memory_check_interval()
        is_full = self.first.in_container and is_container_full()
        if is_full or uses_more_than(self.relay.limits["memory_bytes"], self.first.pid, False):
            self.server.send({"kill_all": True})
            for process in self.processes.values():
                process.kill("out_of_memory")

    def notify(self) -> None:
        """Let the caller of a long call hear from the guest."""
        now = time.monotonic()
        if now >= self.next_notification:
            self.next_notification = now + NOTIFY_INTERVAL_SECONDS
            if self.is_busy:
                write_frame(self.replies, {"waiting": True})

    @property
    def is_busy(self) -> bool:
        """True if a call is running."""
        has_calls = any(isinstance(process, CallProcess) for process in self.processes.values())
        return has_calls or (self.cells.process is not None and self.cells.process.cell is not None)

    def memory_check_interval(self) -> float:
        """Return the seconds between two looks at the memory."""
        return MEMORY_CHECK_INTERVAL_SECONDS if self.is_busy else IDLE_MEMORY_CHECK_INTERVAL_SECONDS

    def seconds_to_wait(self) -> float:
        """Return after how many seconds to look at clocks and memory again."""
        seconds: float = PARENT_CHECK_INTERVAL_SECONDS
        if self.processes or children(self.first.pid):
            seconds = self.memory_check_interval()
        now = time.monotonic()
        deadlines = [process.deadline for process in self.processes.values() if isinstance(process, CallProcess)]
        if self.cells.process is not None and self.cells.process.cell is not None:
            deadlines.append(self.cells.process.cell.deadline)
        return min([seconds, *(deadline - now for deadline in deadlines)])
