"""The process of a session's cells as the supervisor sees it: cells in their order, replies, interrupts."""

from __future__ import annotations

import time
from collections import deque
from functools import partial

from ..common.session_frames import (
    BEGUN,
    CELL,
    CELL_HEAD,
    CELL_REPLY,
    CELL_TEXTS,
    DONE,
    MAX_CELL_TEXT_BYTES,
)
from .session_process import SessionProcess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .session_process import Relay

# A cell that has not ended so long after an interrupt is ended by force, with its process.
INTERRUPT_GRACE_SECONDS = 3
INVALID_REPLY = "the Python process sent an invalid reply"
MAX_REPLY_BYTES = CELL_REPLY.size + len(CELL_TEXTS) * MAX_CELL_TEXT_BYTES


class Cell:
    """One cell, from the caller's request to its reply."""

    def __init__(self, request: dict[str, Any], source: bytes) -> None:
        """Take a request."""
        self.id, self.seconds, self.source = request["id"], request["seconds"], source
        self.number = 0
        self.sent_at = 0.0
        self.has_begun = False
        # Why it was interrupted, as `SessionProcess.reason`, or "interrupted".
        self.reason = ""
        self.kill_at = float("inf")

    @property
    def deadline(self) -> float:
        """Time of the monotonic clock at which something must be done about the cell."""
        return self.kill_at if self.reason else self.sent_at + self.seconds


class CellProcess(SessionProcess):
    """The process that runs cells. It is started for the first cell, and again for the first cell after its end."""

    def __init__(self, cells: CellQueue, number: int) -> None:
        """Ask the session server for the process."""
        super().__init__(cells.relay, number)
        self.cells = cells
        self.cell: Cell | None = None
        self.has_run = False
        # Why it was ended, if its own behaviour was the reason.
        self.fault = ""
        self.start(CELL, self.relay.limits["memory_bytes"])

    def on_started(self, fds: list[int]) -> None:
        """Send the first cell."""
        super().on_started(fds)
        self.report.begin(self.receive, MAX_REPLY_BYTES)
        self.replies = bytearray()
        self.cells.send_next()

    def send(self, cell: Cell) -> None:
        """Have the process run a cell."""
        self.cell, cell.sent_at = cell, time.monotonic()
        self.has_run = True
        self.report.bytes_left, self.report.is_cut = MAX_REPLY_BYTES + CELL_REPLY.size, False
        for name, output in self.outputs.items():
            output.begin(partial(self.relay.pass_on, cell.id, name), self.relay.limits["output_bytes"])
        self.input.send(CELL_HEAD.pack(cell.number, len(cell.source)) + cell.source, is_all=False)
        cell.source = b""

    def receive(self, chunk: bytes) -> None:
        """Take bytes of replies. The process may send anything, at any time."""
        if self.fault:
            return
        self.replies += chunk
        while len(self.replies) >= CELL_REPLY.size:
            kind, number, *sizes = CELL_REPLY.unpack_from(self.replies)
            is_valid = self.cell is not None and number == self.cell.number and kind in (BEGUN, DONE)
            if not is_valid or any(not -1 <= size <= MAX_CELL_TEXT_BYTES for size in sizes):
                self.fail()
                return
            end = CELL_REPLY.size + sum(max(0, size) for size in sizes)
            if len(self.replies) < end:
                return
            texts = bytes(self.replies[CELL_REPLY.size : end])
            del self.replies[:end]
            if kind == BEGUN:
                self.on_begun()
            else:
                self.on_done(sizes, texts)

    def fail(self) -> None:
        """End the process, because it breaks the rules."""
        self.fault = INVALID_REPLY
        self.kill("")

    def on_begun(self) -> None:
        """Deliver an interrupt that came too early."""
        assert self.cell is not None  # noqa: S101 (for the type checker)
        self.cell.has_begun = True
        if self.cell.reason:
            self.relay.server.send({"signal": self.number})

    def on_done(self, sizes: list[int], texts: bytes) -> None:
        """Tell the caller the result of the cell."""
        fields: dict[str, Any] = {}
        for name, size in zip(CELL_TEXTS, sizes):
            fields[name] = None if size < 0 else texts[:size].decode("utf-8", "replace")
            texts = texts[max(0, size) :]
        self.finish_cell(fields)

    def finish_cell(self, fields: dict[str, Any]) -> None:
        """Tell the caller the end of the present cell."""
        cell, self.cell = self.cell, None
        assert cell is not None  # noqa: S101 (for the type checker)
        for output in self.outputs.values():
            output.end()
        if cell.reason == "timed_out":
            fields.update(limit="timed_out", detail=f"ran for more than {cell.seconds:g} s")
        fields["cut"] = [name for name, output in self.outputs.items() if output.is_cut]
        fields["wall_seconds"] = time.monotonic() - cell.sent_at
        self.cells.finish(cell, fields)

    def interrupt(self, reason: str) -> None:
        """Interrupt the present cell, and end the process if it does not react."""
        cell = self.cell
        if cell is None or cell.reason:
            return
        cell.reason, cell.kill_at = reason, time.monotonic() + INTERRUPT_GRACE_SECONDS
        if cell.has_begun:
            self.relay.server.send({"signal": self.number})

    def check(self, now: float) -> None:
        """Interrupt a cell that takes too long, or end it."""
        if self.cell is None or now < self.cell.deadline:
            return
        if self.cell.reason:
            self.cell.kill_at = float("inf")
            self.kill(self.cell.reason)
        else:
            self.interrupt("timed_out")

    def on_ended(self, message: dict[str, Any]) -> None:
        """Tell the caller that the state is lost."""
        self.relay.processes.pop(self.number)
        cells = self.cells
        cells.process, cells.has_lost_state = None, cells.has_lost_state or self.has_run
        if "error" in message:
            for cell in [self.cell, *cells.waiting]:
                if cell is not None:
                    self.relay.send_ended(cell.id, {"error": message["error"]})
            cells.waiting.clear()
            return
        if not self.report.is_closed:
            # A reply that was sent just before the end counts.
            self.report.end()
        if self.cell is not None:
            fields = self.ending(message, self.cell.seconds)
            fields["detail"] = self.fault or fields["detail"] or "the Python process ended"
            self.finish_cell(fields)
        self.report.close()
        self.input.close()
        for output in self.outputs.values():
            output.end()
        self.relay.leave_open(self.outputs.values())
        cells.send_next()


class CellQueue:
    """The cells of a session, which run one after the other."""

    def __init__(self, relay: Relay) -> None:
        """Begin without a process."""
        self.relay = relay
        self.process: CellProcess | None = None
        self.waiting: deque[Cell] = deque()
        self.next_number = 1
        # Whether variables were lost since the last cell that was told so.
        self.has_lost_state = False
        self.started_processes = 0

    def add(self, cell: Cell) -> None:
        """Queue a cell."""
        self.waiting.append(cell)
        if self.process is None:
            self.start_process()
        else:
            self.send_next()

    def start_process(self) -> None:
        """Start a process. Its number is below those of all calls."""
        self.started_processes += 1
        self.process = CellProcess(self, -self.started_processes)

    def send_next(self) -> None:
        """Have the next cell run, if none does."""
        if not self.waiting:
            return
        if self.process is None:
            self.start_process()
        elif self.process.started_at is not None and self.process.cell is None and self.process.must_end_by is None:
            cell = self.waiting.popleft()
            cell.number, self.next_number = self.next_number, self.next_number + 1
            self.process.send(cell)

    def stop(self, number: int) -> None:
        """Interrupt a cell whose caller no longer waits for it, or take it out of the queue."""
        for cell in list(self.waiting):
            if cell.id == number:
                self.waiting.remove(cell)
                self.relay.send_ended(number, {"detail": "was stopped by the caller", "cut": []})
        if self.process is not None and self.process.cell is not None and self.process.cell.id == number:
            self.process.interrupt("stopped")

    def finish(self, cell: Cell, fields: dict[str, Any]) -> None:
        """Tell the caller the end of a cell."""
        fields["number"] = cell.number
        fields["state_lost"], self.has_lost_state = self.has_lost_state, False
        self.relay.send_ended(cell.id, fields)
        self.send_next()
