"""The supervisor: speaks with the caller, watches the clock and the output of programs, and keeps their folder."""

import _socket
import os
import select
import struct
import sys
import time

from .busy import longer
from .decide import decide
from .endings import MOST_SECONDS_TO_END, kill, remove_folder, remove_tree
from .frames import ALL_ENDED, BROKEN, JOB, LEFT_SOME, RUNNING, START, STARTED, STATE, read_frame, write_frame

LINUX = sys.platform == "linux"
SECONDS_BETWEEN_LOOKS = 5
# Others may pass through it to a program's folder, which is the program's alone.
SCRATCH_MODE = 0o711


class Output:
    """What a program writes to its two streams: all of it counted, the first part of each kept."""

    def __init__(self, names, kept_bytes):
        """Takes {descriptor: name}."""
        self.names = names
        self.kept_bytes = kept_bytes
        self.total = 0
        self.kept = {fd: bytearray() for fd in names}

    def read(self, fd):
        """Reads some of what is there. False at the end."""
        chunk = os.read(fd, 1 << 16)
        self.total += len(chunk)
        kept = self.kept[fd]
        # One more than is shown, to know whether there is more.
        kept += chunk[: self.kept_bytes + 1 - len(kept)]
        return bool(chunk)

    def drain(self, most_bytes):
        """Reads what is left in the pipes once the writers have ended, without waiting for one that has not."""
        for fd in self.names:
            os.set_blocking(fd, False)
            try:
                while self.total <= most_bytes and self.read(fd):
                    continue
            except BlockingIOError:
                continue

    def texts(self):
        """{name: text} of the streams that were written to."""
        texts = {}
        for fd, name in self.names.items():
            if self.kept[fd]:
                cut = "\n[cut]" if len(self.kept[fd]) > self.kept_bytes else ""
                texts[name] = self.kept[fd][: self.kept_bytes].decode("utf-8", "replace") + cut
        return texts


class Report:
    """What a child says of itself. It may hold anything, once the program has begun."""

    def __init__(self, fd):
        self.fd = fd
        self.content = b""

    def read(self):
        """Reads what is there, without waiting for a writer that has not ended."""
        try:
            self.content += os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return

    @property
    def started_at(self):
        """When the program began, in seconds of the monotonic clock; None if it has not.

        Also None for a time that can't be, which a program put in the place of its own: else its clock might never run.
        """
        if self.content[:1] != STARTED or len(self.content) < START.size:
            return None
        started_at = START.unpack_from(self.content)[1]
        return started_at if 0 <= started_at <= time.monotonic() else None

    @property
    def reason_not_started(self):
        """Why the child could not be set up; None if it could, or was not yet."""
        return self.content[1:].decode("utf-8", "replace") if self.content[:1] == BROKEN else None

    @property
    def said(self):
        """What became of the program, by its own account; empty if it gave none."""
        return self.content[START.size :]


def channel_pair():
    """Two ends of a connection that can carry descriptors."""
    return _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)


class Supervisor:
    """Gives jobs to the fork server, and decides what became of each."""

    def __init__(self, requests, replies, channel, scratch, privileges):
        self.requests, self.replies, self.channel = requests, replies, channel
        self.scratch, self.workplace = scratch, os.path.join(scratch, "run")
        # Held open, because a program that shares our user can rename it.
        self.scratch_fd = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
        self.privileges = privileges
        self.parent = os.getppid()
        self.fork_server = None

    def hello(self):
        """The first frame."""
        missing = dict(self.privileges.missing)
        if not LINUX:
            missing["memory"] = "RLIMIT_AS is not enforced on " + sys.platform
        version = "%d.%d.%d" % sys.version_info[:3]
        return {"ready": True, "python": version, "layers": self.privileges.layers + ["rlimits"], "missing": missing}

    def serve(self):
        """Answers requests until the caller closes its end."""
        idle = select.poll()
        idle.register(self.requests, select.POLLIN)
        idle.register(self.channel, 0)
        while True:
            while not (ready := idle.poll(SECONDS_BETWEEN_LOOKS * 1000)):
                # A process that the caller forked may hold the pipe open after the caller's end.
                if os.getppid() != self.parent:
                    return
            if ready[0][0] != self.requests:
                raise EOFError("the fork server ended")
            request = read_frame(self.requests)
            if request is None:
                return
            reply = self.run(request)
            if reply is None:
                return
            reply["id"] = request["id"]
            write_frame(self.replies, reply)
            # Only now: what a program did to its folder may end this guest, but not take back the verdict.
            self.tidy()

    def run(self, request):
        """The reply to a request. None if the caller has gone meanwhile."""
        limits = request["limits"]
        tests_bytes = -1 if request["tests_bytes"] is None else request["tests_bytes"]
        whole_seconds = int(-(-limits["cpu_seconds"] // 1))
        self.channel.send(
            JOB.pack(
                tests_bytes,
                request["candidate_bytes"],
                limits["memory_bytes"],
                whole_seconds,
                limits["file_bytes"],
                limits["open_files"],
                limits["processes"],
            )
        )
        state, fds = self.first_state()
        report = Report(fds.pop())
        os.set_blocking(report.fd, False)
        output = Output({fds[0]: "stdout", fds[1]: "stderr"}, limits["kept_bytes"])
        reason = None
        if state[0] == RUNNING:
            reason = self.watch(state[1], request["id"], limits, output, report)
            if reason:
                self.expect_answer()
            state = STATE.unpack(self.word(STATE.size))
        ended_at = time.monotonic()
        phase, _, status, cpu_seconds, peak_memory_bytes = state
        if phase == LEFT_SOME:
            self.word(len(ALL_ENDED))
        output.drain(limits["output_bytes"])
        report.read()
        reply = decide(reason, status, cpu_seconds, report, limits, output)
        reply.update(output.texts(), wall_seconds=ended_at - (report.started_at or ended_at), cpu_seconds=cpu_seconds)
        reply["peak_memory_bytes"] = peak_memory_bytes
        for fd in (report.fd, *fds):
            os.close(fd)
        return None if reason == "abandoned" else reply

    def first_state(self):
        """The new child's state, and the read ends of its stdout, stderr and report."""
        word, controls, _, _ = self.channel.recvmsg(STATE.size, _socket.CMSG_SPACE(12))
        if not word:
            raise EOFError("the fork server ended")
        return STATE.unpack(word), list(struct.unpack("3i", controls[0][2]))

    def expect_answer(self):
        """Ends the guest if the fork server does not say soon that the child which was killed has ended."""
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        if not poller.poll(2 * MOST_SECONDS_TO_END * 1000):
            raise TimeoutError("the fork server does not answer")

    def word(self, size):
        """What the fork server says next, which is so many bytes."""
        word = self.channel.recv(size)
        if not word:
            raise EOFError("the fork server ended")
        return word

    def watch(self, pid, request_id, limits, output, report):
        """Waits for a child's end, or brings it about.

        Returns:
            None unless the child was ended by us, and then "timed_out", "output_limit" or, if the caller has gone,
            "abandoned".
        """
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        # No events asked for: only the caller's end is of interest, while the child reads from the same pipe.
        poller.register(self.requests, 0)
        for fd in output.names:
            poller.register(fd, select.POLLIN)
        deadline = time.monotonic() + limits["wall_seconds"]
        while True:
            reason = None
            # No wait is longer than poll can be told.
            for fd, _ in poller.poll(min(max(0, deadline - time.monotonic()), SECONDS_BETWEEN_LOOKS) * 1000):
                if fd == self.channel.fileno():
                    return None
                if fd == self.requests:
                    reason = "abandoned"
                elif fd == report.fd:
                    poller.unregister(fd)
                elif not output.read(fd):
                    poller.unregister(fd)
            if output.total > limits["output_bytes"]:
                reason = "output_limit"
            elif not reason and time.monotonic() >= deadline:
                deadline = self.next_deadline(pid, limits, report)
                if deadline is None:
                    # It still waits for its source: the clock starts when it has it.
                    poller.register(report.fd, select.POLLIN)
                    deadline = time.monotonic() + limits["wall_seconds"]
                elif deadline <= time.monotonic():
                    reason = "timed_out"
                else:
                    write_frame(self.replies, {"id": request_id, "waiting": True})
            if reason:
                kill(os.kill, pid)
                return reason

    def next_deadline(self, pid, limits, report):
        """Until when a child may run that has not ended by its first deadline. None if it has not begun yet."""
        report.read()
        if report.started_at is None:
            return None
        return report.started_at + longer(pid, self.fork_server, time.monotonic() - report.started_at, limits)

    def tidy(self):
        """Gives the next program an empty folder."""
        if self.is_tidy():
            return
        os.fchmod(self.scratch_fd, SCRATCH_MODE)
        for name in os.listdir(self.scratch_fd):
            remove_tree(self.scratch_fd, name)
        self.make_workplace()

    def is_tidy(self):
        """Whether the last program left its folder as it found it."""
        try:
            found = os.lstat(self.workplace)
            same = (found.st_ino, found.st_mode, found.st_uid) == (
                self.made.st_ino,
                self.made.st_mode,
                self.made.st_uid,
            )
            return same and os.listdir(self.scratch_fd) == ["run"] and not os.listdir(self.workplace)
        except OSError:
            return False

    def make_workplace(self):
        """Makes the folder that programs run in."""
        os.fchmod(self.scratch_fd, SCRATCH_MODE)
        os.mkdir(self.workplace, 0o700)
        self.privileges.give(self.workplace)
        self.made = os.lstat(self.workplace)

    def remove_scratch(self):
        """Removes the folder with all in it, wherever a program moved it."""
        try:
            path = os.readlink("/proc/self/fd/%d" % self.scratch_fd)
        except OSError:
            path = self.scratch
        os.fchmod(self.scratch_fd, SCRATCH_MODE)
        remove_folder(path)
