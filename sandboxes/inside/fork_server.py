"""The fork server: imports what programs usually need, and forks a child for each.

It does little else: after a fork, each page of memory that it or the child touches costs a page fault.
"""

import _socket
import gc
import json
import linecache
import os
import resource
import select
import site
import struct
import sys
import time
import warnings

from .endings import end_descendants
from .frames import ALL_ENDED, BROKEN, ENDED, JOB, LEFT_SOME, RUNNING, START, STARTED, STATE, read_exact
from .judge import TESTS_FILE, judge

LINUX = sys.platform == "linux"
PRELOADED = ("bisect", "collections", "copy", "functools", "heapq", "math", "operator", "re", "string", "typing")
REPORT_FD = 3
FIRST_INHERITED_FD, FIRST_FREE_FD = 4, 64
MILLISECONDS_UNWATCHED = 10
PASSED_REPORT = b'{"outcome": "passed"}'
OUT_OF_MEMORY_REPORT = b'{"outcome": "out_of_memory", "detail": "MemoryError"}'


# By how much a hard limit is above the soft one. CPU: the signal that can be told from others comes before the one that
# can't be caught. Memory: what `make_room` makes.
MARGINS = {resource.RLIMIT_CPU: 1, resource.RLIMIT_AS: 32 << 20}


class Job:
    """What the supervisor asks of the fork server."""

    def __init__(self, packet):
        self.tests_bytes, self.candidate_bytes, *self.limits = JOB.unpack(packet)


class ForkServer:
    """Forks a child for each job, waits for it, and ends what it left."""

    def __init__(self, requests, channel, privileges, workplace):
        self.requests, self.channel = requests, channel
        self.privileges = privileges
        self.workplace = workplace
        self.tests, self.tests_code, self.uses_of_tests = "", None, 0
        self.last_limits, self.limits = None, None
        self.poller = select.poll()
        self.has_pidfd = has_pidfd()

    def serve(self):
        """Takes jobs until the supervisor closes its end."""
        while True:
            packet = self.channel.recv(JOB.size)
            if not packet:
                return
            job = Job(packet)
            if job.tests_bytes >= 0:
                self.tests = read_exact(self.requests, job.tests_bytes).decode("utf-8", "surrogatepass")
                self.tests_code, self.uses_of_tests = None, 0
            self.uses_of_tests += 1
            if self.uses_of_tests == 2:
                self.compile_tests()
            self.run(job)

    def compile_tests(self):
        """Spares each child the work; the first use is not worth it, because the child finds its own memory hot."""
        try:
            with warnings.catch_warnings():
                # Nobody reads this process's standard error while it runs.
                warnings.simplefilter("ignore")
                self.tests_code = compile(self.tests, TESTS_FILE, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            # The child compiles them again, and reports what is wrong with them.
            self.tests_code = None

    def run(self, job):
        limits = self.limits_of(job)
        # New for each child, so that nothing that outlives a program can write to a later one's.
        pipes = os.pipe() + os.pipe() + os.pipe()
        pid = os.fork()
        if pid == 0:
            run_child(job, self, limits, pipes)
        for fd in pipes[1::2]:
            os.close(fd)
        reads = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("3i", *pipes[::2]))]
        if not self.ends_soon(pid):
            self.channel.sendmsg([STATE.pack(RUNNING, pid, 0, 0.0, 0)], reads)
            reads = []
        _, status, usage = os.wait4(pid, 0)
        state = ENDED if self.privileges.reaps and not has_children() else LEFT_SOME
        cpu_seconds, peak_memory_bytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1024 if LINUX else 1)
        self.channel.sendmsg([STATE.pack(state, pid, status, cpu_seconds, peak_memory_bytes)], reads)
        for fd in pipes[::2]:
            os.close(fd)
        if state == LEFT_SOME:
            end_descendants(self.privileges.reaps, pid)
            self.channel.send(ALL_ENDED)

    def ends_soon(self, pid):
        """Waits a moment for a child's end: most programs are so quick that the supervisor need not watch them."""
        if not self.has_pidfd:
            return False
        pidfd = os.pidfd_open(pid)
        self.poller.register(pidfd, select.POLLIN)
        ended = self.poller.poll(MILLISECONDS_UNWATCHED)
        self.poller.unregister(pidfd)
        os.close(pidfd)
        return bool(ended)

    def limits_of(self, job):
        """The setrlimit calls for a job."""
        if job.limits != self.last_limits or not self.privileges.own_user:
            self.last_limits, self.limits = job.limits, resource_limits(job.limits, self.privileges.own_user)
        return self.limits


def has_pidfd():
    """Whether a process's end can be polled for: since Linux 5.3 and Python 3.9, unless the system forbids it."""
    try:
        os.close(os.pidfd_open(os.getpid()))
        return True
    except (AttributeError, OSError):
        return False


def has_children():
    """Whether this process has any. Its children are also the orphans of its descendants."""
    try:
        os.waitpid(-1, os.WNOHANG)
        return True
    except ChildProcessError:
        return False


def resource_limits(limits, own_user):
    """The setrlimit calls for a job: a list of (resource, (soft, hard)), none above what is allowed now.

    Args:
        limits: the job's, in the order of `JOB`.
        own_user: whether the child's user is nobody else's, so that its processes can be counted exactly.
    """
    memory_bytes, cpu_seconds, file_bytes, open_files, processes = limits
    if not own_user and LINUX:
        # The kernel counts all that the user runs, so allow that many on top: of all tasks there are, to be safe.
        with open("/proc/loadavg") as loadavg:
            processes += int(loadavg.read().split()[3].split("/")[1])
    calls = []
    for name, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_AS, memory_bytes),
    ):
        hard = resource.getrlimit(name)[1]
        most = value + MARGINS.get(name, 0)
        if hard != resource.RLIM_INFINITY:
            value, most = min(value, hard), min(most, hard)
        calls.append((name, (value, most)))
    # macOS refuses RLIMIT_AS, which the first frame says.
    return calls if LINUX else calls[:-1]


def run_child(job, server, limits, pipes):
    """Turns this fork of the fork server into the program. Does not return."""
    # Bound now: a candidate may replace them.
    leave, write, encode, own_pid = os._exit, os.write, encoded, os.getpid
    streams = (sys.stdout, sys.stderr)
    try:
        pid = own_pid()
        candidate = set_up_child(job, server, limits, pipes)
        report = judge(candidate, server.tests, server.tests_code)
        for stream in (*streams, getattr(sys, "stdout", None), getattr(sys, "stderr", None)):
            try:
                stream.flush()
            except BaseException:  # closed, replaced, full: the program's own affair
                continue
        # A copy that the candidate forked comes here too.
        if own_pid() == pid:
            write(REPORT_FD, encode(report) if report else PASSED_REPORT)
    except MemoryError:
        write(REPORT_FD, OUT_OF_MEMORY_REPORT)
    finally:
        leave(0)


def encoded(report):
    """A report as bytes: at most 6 for a character, so that it fits into its pipe."""
    return json.dumps(report, ensure_ascii=False).encode("utf-8", "surrogatepass")


def set_up_child(job, server, limits, pipes):
    """Gives a new child its descriptors, folder, user and limits; returns the candidate's source, bytes."""
    report_fd = pipes[5]
    try:
        candidate = read_exact(server.requests, job.candidate_bytes)
        if len(candidate) != job.candidate_bytes:
            raise EOFError("the caller has gone")
        os.setsid()
        server.privileges.leave_fork_server()
        os.dup2(pipes[1], 1)
        os.dup2(pipes[3], 2)
        report_fd = os.dup2(report_fd, REPORT_FD, inheritable=False)
        os.closerange(FIRST_INHERITED_FD, FIRST_FREE_FD)
        os.chdir(server.workplace)
        if server.privileges.child_user is not None:
            server.privileges.enter_child()
        for name, pair in limits:
            resource.setrlimit(name, pair)
        gc.enable()
        os.write(report_fd, START.pack(STARTED, time.monotonic()))
    except BaseException as error:
        os.write(report_fd, BROKEN + f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
        raise
    return candidate


REHEARSAL = """
import math
from typing import List, Optional

class Point:
    def __init__(self, x: int):
        self.x = x

def add(a: List[int], b: Optional[int] = None) -> int:
    '''Adds.'''
    total = 0
    for i, x in enumerate(a):
        try:
            total += x * 2 % 7
        except ValueError as e:
            raise KeyError(f"{x}") from e
    return sorted([v for v in a if v > 0], key=lambda v: -v)[0] if a else total
"""
REHEARSAL_TESTS = """
def check(candidate):
    assert candidate([1, 2]) == %d

check(add)
"""


def warm_up():
    """Goes once through all that every child does, so that the memory it touches is in place before the forks."""
    for name in PRELOADED:
        __import__(name)
    # What -S leaves out and programs use; the modules' search path is set by the caller.
    site.setquit()
    site.sethelper()
    main = sys.modules["__main__"]
    for right in (True, False, True, True):
        json.dumps(judge(REHEARSAL.encode(), REHEARSAL_TESTS % (2 if right else 3), None))
    sys.modules["__main__"] = main
    del sys.modules["candidate"]
    linecache.clearcache()
    gc.disable()
    gc.collect()
    # Else each child's collector writes to every page that holds an object of this process.
    gc.freeze()
