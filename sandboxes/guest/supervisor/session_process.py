"""One process of a session as the supervisor sees it: its pipes, its end, and why it ended."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from functools import partial

from ..common.frames import write_all, write_frame
from ..common.processes import END_TIMEOUT_SECONDS
from ..common.session_frames import MAX_ERROR_BYTES, PIPES, READ, STDERR, STDOUT, WRITE, decode_error, encode_message
from .session_pipes import Input, Output, Poller
from .verdicts import signal_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..sessions.channel import SessionChannel
    from .memory import EventCounter

# A process that is to end is ended by force. The session server is broken if it doesn't report the end by then.
MAX_KILL_SECONDS = 4 * END_TIMEOUT_SECONDS
# Output streams of ended calls that are read on, because something may still write to them.
MAX_LEFT_OPEN = 32


class Relay:
    """The session's processes, and what they share: the session server, the caller and the poller."""

    def __init__(
        self, server: SessionChannel, replies: int, limits: dict[str, Any], memory_kills: EventCounter
    ) -> None:
        """Begin without processes.

        Args:
            server: channel to the session server.
            replies: descriptor of the pipe to the caller.
            limits: the session's.
            memory_kills: counter of processes that the kernel killed.
        """
        self.server, self.replies, self.limits, self.memory_kills = server, replies, limits, memory_kills
        self.poller = Poller()
        # {number: process}, for those that have not ended.
        self.processes: dict[int, SessionProcess] = {}
        self.left_open: deque[Output] = deque()

    def pass_on(self, number: int, name: str, chunk: bytes) -> None:
        """Pass output of a call on to the caller."""
        write_all(self.replies, encode_message({"id": number, "stream": name}, chunk))

    def send_ended(self, number: int, fields: dict[str, Any]) -> None:
        """Tell the caller that a call has ended."""
        write_frame(self.replies, {"id": number, "ended": fields})

    def leave_open(self, outputs: Iterable[Output]) -> None:
        """Go on reading output of ended calls, and drop it. Give up the oldest if there are too many."""
        for output in outputs:
            output.max_early_bytes = 0
            self.left_open.append(output)
        self.left_open = deque(output for output in self.left_open if not output.is_closed)
        while len(self.left_open) > MAX_LEFT_OPEN:
            self.left_open.popleft().close()


class SessionProcess:
    """A process that the session server was asked to start, until it has ended."""

    def __init__(self, relay: Relay, number: int) -> None:
        """Prepare a process.

        Args:
            relay: of the session.
            number: by which the session server knows the process.
        """
        self.relay, self.number = relay, number
        self.started_at: float | None = None
        self.outputs: dict[str, Output] = {}
        # Why the supervisor ended it: "timed_out", "out_of_memory", "stopped", "interrupted"; "" if it did not.
        self.reason = ""
        self.must_end_by: float | None = None

    def start(self, kind: str, memory_bytes: int, **fields: Any) -> None:
        """Ask the session server to start the process.

        Args:
            kind: one of the kinds of calls.
            memory_bytes: limit of its address space; -1 for none.
            fields: of its kind.
        """
        limits = self.relay.limits
        resources = [limits[name] for name in ("cpu_seconds", "file_bytes", "open_files", "processes")]
        self.relay.processes[self.number] = self
        message = {"start": self.number, "kind": kind, "limits": [memory_bytes, *resources, -1], **fields}
        self.relay.server.send(message)

    def on_started(self, fds: list[int]) -> None:
        """Take the process's pipes."""
        poller = self.relay.poller
        self.started_at = time.monotonic()
        pipes = dict(zip(PIPES, fds))
        self.input = Input(pipes["input"], poller)
        self.outputs = {name: Output(pipes[name], poller) for name in (STDOUT, STDERR)}
        self.report = Output(pipes["report"], poller)

    def kill(self, reason: str) -> None:
        """End the process, with all that it has started."""
        self.reason = self.reason or reason
        if self.must_end_by is None:
            self.must_end_by = time.monotonic() + MAX_KILL_SECONDS
            self.relay.server.send({"kill": self.number})

    def on_ended(self, message: dict[str, Any]) -> None:
        """Take the end of the process, or that it could not be started. Its pipes are closed by a subclass."""
        raise NotImplementedError

    def ending(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the fields of an ended process for the caller.

        Args:
            message: the session server's.
            seconds: that the call may take.
        """
        status = message["status"]
        fields: dict[str, Any] = {"status": None, "signal": "", "limit": None, "detail": ""}
        fields.update({name: message[name] for name in ("cpu_seconds", "peak_memory_bytes")})
        killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        limits = self.relay.limits
        if self.reason == "timed_out":
            fields.update(limit="timed_out", detail=f"ran for more than {seconds:g} s")
        elif self.reason == "out_of_memory":
            megabytes = limits["memory_bytes"] >> 20
            detail = f"all processes of the session together used more than {megabytes} MiB"
            fields.update(limit="out_of_memory", detail=detail)
        elif self.reason:
            fields.update(detail=f"was {self.reason} by the caller")
        elif killer == signal.SIGKILL and self.relay.memory_kills.has_increased():
            fields.update(limit="out_of_memory", detail="killed, because the system had no more memory for it")
        elif killer == signal.SIGXCPU:
            fields.update(limit="timed_out", detail=f"used more than {limits['cpu_seconds']} s of CPU time")
        elif killer:
            name = signal_name(killer)
            fields.update(signal=name, detail=f"killed by signal {killer} ({name})")
        else:
            code = os.WEXITSTATUS(status)
            fields.update(status=code, detail=f"ended with status {code}" if code else "")
        return fields


class CallProcess(SessionProcess):
    """A command, or work on a file: a process that is one call."""

    def __init__(self, relay: Relay, request: dict[str, Any], data: bytes) -> None:
        """Prepare a call.

        Args:
            relay: of the session.
            request: the caller's.
            data: its standard input.
        """
        super().__init__(relay, request["id"])
        self.request, self.data = request, data
        self.kind, self.seconds = request["call"], request["seconds"]
        fields = {name: request[name] for name in ("argv", "cwd", "env", "path", "max_bytes") if name in request}
        # Runtimes such as Node's reserve far more addresses than they use memory.
        self.start(self.kind, -1, **fields)

    @property
    def deadline(self) -> float:
        """Time of the monotonic clock at which the call is stopped."""
        return float("inf") if self.started_at is None or self.reason else self.started_at + self.seconds

    def on_started(self, fds: list[int]) -> None:
        """Feed the process, and pass on what it writes."""
        super().on_started(fds)
        self.input.send(self.data, is_all=True)
        self.data = b""
        max_bytes = self.request.get("max_bytes", self.relay.limits["output_bytes"])
        for name, output in self.outputs.items():
            output.begin(partial(self.relay.pass_on, self.number, name), max_bytes)
        self.report.max_early_bytes = MAX_ERROR_BYTES

    def on_ended(self, message: dict[str, Any]) -> None:
        """Tell the caller how the call ended."""
        self.relay.processes.pop(self.number)
        if "error" in message:
            self.relay.send_ended(self.number, {"error": message["error"]})
            return
        for output in (*self.outputs.values(), self.report):
            output.end()
        fields = self.ending(message, self.seconds)
        fields["wall_seconds"] = time.monotonic() - (self.started_at or 0)
        fields["cut"] = [name for name, output in self.outputs.items() if output.is_cut]
        error = decode_error(self.report.early)
        if error is not None:
            fields["error"] = error
        elif self.kind in (READ, WRITE) and fields["status"] != 0 and not fields["limit"]:
            # Another process of the session interfered.
            fields["error"] = (0, fields["detail"])
        self.report.close()
        self.input.close()
        # Processes that the call has left in the background may write on, and are not held up.
        self.relay.leave_open(self.outputs.values())
        self.relay.send_ended(self.number, fields)
