"""The supervisor's end of a fork server: its process, the pipes of its programs, and their folders."""

from __future__ import annotations

import _socket
import fcntl
import json
import os
import select
import struct
import sys
import time

from ..common.frames import (
    ALL_ENDED,
    CHANNEL_FD,
    FIRST_FREE_FD,
    FORK_REQUEST,
    HEAD,
    JOINED_STEP,
    MAPPED,
    NOT_MAPPED,
    REPORT_FD,
    SETUP_FD,
    STATE,
    UNFLUSHED_FD,
)
from ..common.processes import children, end_descendants, signal_quietly
from ..common.user_ids import draw_uid
from ..forkserver.extension import forking
from ..isolation.privileges import die_with_parent, hide_memory
from ..isolation.root_filesystem import scratch_bytes
from .control_group import MemoryControl
from .program_pipes import OpenFile, Pipe
from .scratch import SCRATCH_MODE, MountedScratch, PlainScratch
from .sockets import SocketWatch
from .surroundings import Surroundings
from .unflushed_output import UnflushedOutput
from .user_mapping import map_users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

    from .program_pipes import Stream

    State = tuple[int, int, float, int, int]
    """The fields of STATE."""

MAX_FOLDERS = 8
# Upper bound for a fork server to send a message while it starts, on the busiest machine.
START_TIMEOUT_SECONDS = 60
# While a fork server starts, the caller hears from the guest this often.
NOTIFY_INTERVAL_SECONDS = 1
# As -I, but for the variables of `environment`: no packages of the user, and from 3.11 on not the script's folder.
PYTHON = [sys.executable, "-s", "-S", *(["-P"] if sys.version_info >= (3, 11) else []), "-X", "utf8"]


def environment(hash_seed: int | None) -> dict[str, str]:
    """Return the variables of a fork server: the guest's, but for those that change how Python works.

    Args:
        hash_seed: on which the order of sets depends. None: a random one.
    """
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**variables, "PYTHONHASHSEED": "random" if hash_seed is None else str(hash_seed)}


class ForkServerProcess:
    """One fork server, in namespaces of its own where that is possible."""

    def __init__(self, options: dict[str, Any], role: str, guest_file: str, name: str = "") -> None:
        """Fork the process that `open` turns into the fork server, so that others can know its number before.

        Args:
            options: the guest's, and "caller" and "announces".
            role: SHARED, CANDIDATE or TESTS.
            guest_file: the program to start.
            name: of its folder, unless that is the role.
        """
        self.role, self.guest_file = role, guest_file
        # Programs can signal those of their own user, and the kernel counts the processes of each user.
        own = {"user": draw_uid(), "scratch": os.path.join(options["scratch"], name or role)}
        self.options = {**options, **own}
        self.stdout, self.stderr, self.report, self.setup = Pipe(), Pipe(), Pipe(), Pipe()
        self.unflushed = UnflushedOutput()
        # All processes of a guest share their standard input.
        self.stdin = OpenFile(0)
        self.files = (self.stdin, self.stdout, self.stderr, self.report)
        self.poller = select.poll()
        for pipe in (self.stdout, self.stderr, self.report):
            self.poller.register(pipe.read_end, select.POLLIN)
        self.is_open, self.in_container = False, bool(options["folders"])
        self.memory = MemoryControl(options["caller"], scratch_bytes(options), self.in_container)
        self.layers: list[str] = []
        # {layer: why programs are without it}
        self.missing: dict[str, str] = {}
        # Modules of harnesses that programs can import.
        self.modules: list[str] = []
        # The user id of programs, as this process knows it; None if they have its own.
        self.user: int | None = None
        # Whether a program's signals reach only what it started.
        self.confines_signals = False
        self.fork()

    def fork(self) -> None:
        """Fork a process that waits for its settings, and then becomes the fork server."""
        self.channel, far_end = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        pipes = {1: self.stdout, 2: self.stderr, REPORT_FD: self.report, SETUP_FD: self.setup}
        passed = {UNFLUSHED_FD: self.unflushed.fd, **{fd: pipe.write_end for fd, pipe in pipes.items()}}
        parent = os.getpid()
        # The process forked here stays outside of the sandbox if the fork server has a PID namespace, as its parent.
        self.outer_pid = self.pid = os.fork()
        if self.outer_pid == 0:
            self.become_fork_server({CHANNEL_FD: far_end.fileno(), **passed}, far_end, parent)
        far_end.close()

    def open(self, others: Sequence[int], on_waiting: Callable[[], None]) -> None:
        """Start the fork server, without the layers that turn out to be impossible here.

        Args:
            others: process ids of the guest's other fork servers, which programs may not signal.
            on_waiting: called from time to time until the fork server is ready.
        """
        folder = self.options["scratch"]
        os.mkdir(folder, SCRATCH_MODE)
        without: dict[str, str] = {}
        while True:
            self.memory.add(self.outer_pid)
            message, fds = self.start(without, others, on_waiting)
            if "failed" not in message:
                break
            without[message["failed"]] = message["reason"]
            self.channel.close()
            os.waitpid(self.outer_pid, 0)
            self.fork()
        self.is_open = True
        self.layers, self.missing, self.modules = message["layers"], message["missing"], message["modules"]
        self.confines_signals = message["confines_signals"]
        # In a user namespace the fork server knows its programs' user by another number.
        is_mapped = self.mapped_user is not None and message["owner"] is not None
        self.user = self.mapped_user if is_mapped else message["owner"]
        # Process 1 ends all others of its namespace when it ends.
        self.has_own_pids = "pid" in self.layers
        # Output of preloaded modules is no program's output.
        for pipe in (self.stdout, self.stderr):
            while pipe.read_now():
                continue
        sockets = SocketWatch(self.pid) if "loopback" in self.layers else None
        self.surroundings = Surroundings(self.files, self.unflushed, self.open_scratch(folder, fds), sockets)

    def is_out_of_reach_of(self, other: ForkServerProcess) -> bool:
        """Return whether no program of another fork server can signal a program of this one."""
        has_other_user = None not in (self.user, other.user) and self.user != other.user
        return self.has_own_pids or other.confines_signals or has_other_user

    def open_scratch(self, folder: str, fds: list[int]) -> MountedScratch | PlainScratch:
        """Return the programs' folders.

        Args:
            folder: the one that was made for them.
            fds: descriptors of mounted folders, if the fork server has a root of its own.
        """
        if fds:
            # The new root was mounted over this folder. In a container programs would see its name.
            os.rmdir(folder)
            return MountedScratch(fds)
        return PlainScratch(folder, self.user)

    def start(
        self, without: dict[str, str], others: Sequence[int], on_waiting: Callable[[], None]
    ) -> tuple[dict[str, Any], list[int]]:
        """Send the fork server its settings and answer it until it is ready or has failed.

        Args:
            without: layers to leave out, {layer: reason}.
            others: as `open` takes them.
            on_waiting: as `open` takes it.

        Returns:
            (its last message, descriptors of its folders).
        """
        more = {"without": without, "others": others, "role": self.role, "held": self.memory.group is not None}
        settings = json.dumps({**self.options, **more}).encode()
        self.channel.sendall(HEAD.pack(len(settings)) + settings)
        self.listener = select.poll()
        self.listener.register(self.channel, select.POLLIN)
        self.mapped_user: int | None = None
        while True:
            message, fds = self.receive_startup(on_waiting)
            if "map_users_of" in message:
                self.mapped_user = map_users(message["map_users_of"])
                self.channel.send(NOT_MAPPED if self.mapped_user is None else MAPPED)
            elif "fork_server" in message:
                self.pid = message["fork_server"]
            else:
                return message, fds

    def become_fork_server(self, passed: dict[int, int], far_end: _socket.socket, parent: int) -> NoReturn:
        """In a fork of the supervisor: start the fork server's program.

        Args:
            passed: descriptors for it, {new: old}.
            far_end: its end of the channel.
            parent: process id of the supervisor.
        """
        try:
            if hide_memory():
                die_with_parent(parent)
            self.channel.close()
            if far_end.recv(1, _socket.MSG_PEEK):
                # Copies above all new numbers, so that none is overwritten before it is passed on.
                copies = {new: fcntl.fcntl(old, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_FD) for new, old in passed.items()}
                for new, copy in copies.items():
                    os.dup2(copy, new)
                # A new program, whose memory holds nothing that the supervisor has read.
                command = [*PYTHON, self.guest_file, self.options["scratch"], self.role]
                os.execve(sys.executable, command, environment(self.options["hash_seed"]))
        finally:
            # Otherwise there would be two supervisors.
            os._exit(1)

    def receive_startup(self, on_waiting: Callable[[], None]) -> tuple[dict[str, Any], list[int]]:
        """Receive a message of the fork server while it starts, and the descriptors that came with it.

        Raises:
            TimeoutError: if none comes within START_TIMEOUT_SECONDS.
            EOFError: if the fork server has ended.
        """
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not self.has_message(NOTIFY_INTERVAL_SECONDS):
            if time.monotonic() > deadline:
                raise TimeoutError("the fork server does not start")
            on_waiting()
        head, ancillary, _, _ = self.channel.recvmsg(HEAD.size, _socket.CMSG_SPACE(4 * MAX_FOLDERS))
        if len(head) < HEAD.size:
            raise EOFError("the fork server ended: " + self.last_words())
        body = self.channel.recv(HEAD.unpack(head)[0], _socket.MSG_WAITALL)
        fds = list(struct.unpack("%di" % (len(ancillary[0][2]) // 4), ancillary[0][2])) if ancillary else []
        return json.loads(body), fds

    def last_words(self) -> str:
        """Return the last line on standard error, which the fork server shares with its programs."""
        return self.stderr.read_now().decode("utf-8", "replace").strip().rpartition("\n")[2]

    def send(
        self,
        limits: dict[str, Any],
        tests_bytes: int,
        candidate_bytes: int,
        peer: _socket.socket | None,
        *texts: bytes,
    ) -> None:
        """Send the fork server its next program.

        Args:
            limits: the request's.
            tests_bytes: as `Execution.begin` takes it.
            candidate_bytes: size of the candidate.
            peer: the program's socket to another program; None if it has none.
            texts: bytes that follow the request.
        """
        message = b"".join((self.request(limits, tests_bytes, candidate_bytes), *texts))
        if peer is not None:
            ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", peer.fileno()))]
            message = message[self.channel.sendmsg([message], ancillary) :]
        self.channel.sendall(message)

    def send_joined(self, limits: dict[str, Any], size: int, fds: Sequence[int], *texts: bytes) -> None:
        """Send the fork server a step, and descriptors that its child receives.

        Args:
            limits: the request's.
            size: of the step in bytes.
            fds: the step's standard input, or its standard input and output.
            texts: bytes that follow the request.
        """
        # The fork server reads this alone. Descriptors that came with it would be lost.
        self.channel.sendall(self.request(limits, JOINED_STEP, size))
        message = b"".join(texts)
        ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("=%di" % len(fds), *fds))]
        self.channel.sendall(message[self.channel.sendmsg([message], ancillary) :])

    def request(self, limits: dict[str, Any], tests_bytes: int, candidate_bytes: int) -> bytes:
        """Return a FORK_REQUEST for the next program, whose memory is limited from now on."""
        self.memory.limit(limits["memory_bytes"])
        whole_seconds = int(-(-limits["cpu_seconds"] // 1))
        sizes = (limits["file_bytes"], limits["open_files"], limits["processes"], limits["stack_bytes"])
        memory_bytes = limits["memory_bytes"] if limits.get("address_space", True) else -1
        return FORK_REQUEST.pack(tests_bytes, candidate_bytes, memory_bytes, whole_seconds, *sizes)

    def receive_state(self) -> State | None:
        """Receive the fork server's message about its program: the fields of STATE; None if there is none.

        This does not wait, because nothing else could be watched meanwhile. A message comes as a whole.

        Raises:
            EOFError: if the fork server has ended.
        """
        try:
            message = self.channel.recv(STATE.size, _socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        if len(message) < STATE.size:
            raise EOFError("the fork server ended: " + self.last_words())
        phase, pid, cpu_seconds, status, peak_memory_bytes = STATE.unpack(message)
        return phase, pid, cpu_seconds, status, peak_memory_bytes

    # Whether `receive_end` works here.
    receives_ends = forking is not None

    def receive_end(self, seconds: float) -> tuple[State, float, bytes, bytes, bool] | None:
        """Receive the end of a program that leaves no process behind, if it comes within a number of seconds.

        Returns:
            What the extension's `receive_end` returns; None without the extension.
        """
        if forking is None:
            return None
        setup, report = self.setup.read_end, self.report.read_end
        stdout, stderr = self.stdout.read_end, self.stderr.read_end
        return forking.receive_end(self.channel.fileno(), setup, report, stdout, stderr, int(seconds * 1000))

    def has_message(self, seconds: float) -> bool:
        """Return whether a message of the fork server arrives within a number of seconds."""
        return bool(self.listener.poll(seconds * 1000))

    def readable(self, *streams: Stream) -> list[Stream]:
        """Return those of a program's streams that hold bytes now."""
        ready = self.poller.poll(0)
        return [stream for stream in streams if (stream.pipe.read_end, select.POLLIN) in ready]

    def wait_until_all_ended(self) -> None:
        """Wait until all processes that the program started have ended too."""
        self.channel.recv(len(ALL_ENDED), _socket.MSG_WAITALL)

    def stop_program(self, pid: int) -> None:
        """End a program. Its fork server then ends all that the program started.

        Args:
            pid: the program's first process; 0 if it is not known.
        """
        for target in [pid] if pid and not self.has_own_pids else children(self.pid):
            signal_quietly(os.kill, target)

    def end(self) -> None:
        """End the fork server and all that runs in it, and remove its folders."""
        self.channel.close()
        signal_quietly(os.kill, self.pid)
        try:
            if self.is_open and not self.has_own_pids:
                end_descendants(True, self.outer_pid)
            else:
                os.waitpid(self.outer_pid, 0)
        except ChildProcessError:
            # It was ended together with those of another fork server.
            return
        finally:
            if self.is_open:
                self.surroundings.remove()
            self.memory.remove()
