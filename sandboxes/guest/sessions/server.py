"""The session server: inside the sandbox, forks each process of a session, and reports its end.

It runs no code of the session itself and reads nothing that a process writes, so that no process can hold it up. Its
pipes belong to the session's user, who can therefore open /dev/stdout.
"""

from __future__ import annotations

import _signal
import _socket
import os
import select
import signal
import time

from ..common.processes import END_GRACE_SECONDS, signal_quietly, stop_descendants
from ..common.session_frames import PIPES
from ..forkserver.limits import resource_limits
from ..isolation.syscalls import LINUX
from .channel import SessionChannel
from .child import run_child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..isolation.privileges import Privileges

# Upper bound for stopping all that a process has started, however quickly it starts more.
STOP_TIMEOUT_SECONDS = 2


class SessionServer:
    """Forks processes for the supervisor, one for each request, and several at once."""

    def __init__(self, channel: _socket.socket, privileges: Privileges, workplace: str) -> None:
        """Begin without processes.

        Args:
            channel: to the supervisor.
            privileges: of the session's processes.
            workplace: the session's folder, which is there when the first request comes.
        """
        self.channel = SessionChannel(channel)
        self.privileges, self.workplace = privileges, workplace
        # Held open, because a process of the same user can rename the folder.
        self.workplace_fd: int | None = None
        # {process id: the supervisor's number of the process}
        self.numbers: dict[int, int] = {}
        self.child_ended, wakeup = os.pipe()
        for fd in (self.child_ended, wakeup):
            os.set_blocking(fd, False)
        _signal.signal(_signal.SIGCHLD, lambda number, frame: None)
        _signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Serve requests until the supervisor closes its end."""
        poller = select.poll()
        poller.register(self.channel.socket, select.POLLIN)
        poller.register(self.child_ended, select.POLLIN)
        while True:
            for fd, _ in poller.poll():
                if fd == self.child_ended:
                    os.read(self.child_ended, 1 << 12)
                    self.report_ended()
                    continue
                try:
                    for message in self.channel.receive():
                        self.handle(message)
                except EOFError:
                    # The supervisor ends this process. If it was killed, the kernel says so a moment later.
                    time.sleep(END_GRACE_SECONDS)
                    return

    def handle(self, message: dict[str, Any]) -> None:
        """Do what the supervisor asks for."""
        if "start" in message:
            self.start(message)
        elif "kill_all" in message:
            self.kill_all()
        else:
            number = message.get("signal", message.get("kill"))
            for pid in [pid for pid, known in self.numbers.items() if known == number]:
                if "signal" in message:
                    signal_quietly(os.killpg, pid, signal.SIGINT)
                else:
                    self.kill_tree(pid)

    def start(self, request: dict[str, Any]) -> None:
        """Fork a process, and send the supervisor its pipes."""
        number: int = request["start"]
        fds: list[int] = []
        if self.workplace_fd is None:
            self.workplace_fd = os.open(self.workplace, os.O_RDONLY | os.O_DIRECTORY)
        limits = resource_limits(request["limits"], self.privileges.has_own_user, self.privileges.guest_processes)
        try:
            for _ in PIPES:
                fds += os.pipe()
            pid = os.fork()
        except OSError as error:
            self.channel.send({"failed": number, "error": [error.errno, ""]})
            close_all(fds)
            return
        # The process reads the first pipe, and writes to the others.
        inner, outer = [fds[0], *fds[3::2]], [fds[1], *fds[2::2]]
        if pid == 0:
            run_child(request, inner, self.workplace_fd, self.privileges, limits)
        self.numbers[pid] = number
        self.channel.send({"started": number}, outer)
        close_all(fds)

    def report_ended(self) -> None:
        """Reap all processes that have ended, and report those that were asked for."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            number = self.numbers.pop(pid, None)
            if number is not None:
                costs = {
                    "cpu_seconds": usage.ru_utime + usage.ru_stime,
                    "peak_memory_bytes": usage.ru_maxrss * (1024 if LINUX else 1),
                }
                self.channel.send({"ended": number, "status": status, **costs})

    def kill_tree(self, pid: int) -> None:
        """End a process with all that it has started, but for what it has left to this process."""
        signal_quietly(os.kill, pid, signal.SIGSTOP)
        stopped = stop_descendants(time.monotonic() + STOP_TIMEOUT_SECONDS, pid)
        signal_quietly(os.killpg, pid)
        for each in (pid, *stopped):
            signal_quietly(os.kill, each)

    def kill_all(self) -> None:
        """End all processes of the session."""
        if self.privileges.is_pid_1:
            # All at once, so that none can start another.
            signal_quietly(os.kill, -1)
            return
        for pid in stop_descendants(time.monotonic() + STOP_TIMEOUT_SECONDS):
            signal_quietly(os.kill, pid)


def close_all(fds: list[int]) -> None:
    """Close descriptors."""
    for fd in fds:
        os.close(fd)
