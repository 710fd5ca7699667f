"""The fork server: imports what programs usually need, and forks a child for each.

It does little else: after a fork, each page of memory that it or the child touches costs a page fault. Where the
extension module `forking` was compiled, that does what comes before and after a program, so that less is touched.
"""

import _signal  # signal's own functions make enums of numbers, for which a fresh child pays 70 page faults
import _socket
import gc
import json
import os
import resource
import signal
import struct
import sys
import time
import warnings

from .commands import prepare_step, run_step
from .compiled import forking
from .endings import end_descendants
from .frames import (
    ALL_ENDED,
    BROKEN,
    ENDED,
    FIRST_FREE_FD,
    JOB,
    LEFT_SOME,
    REPORT_FD,
    RUNNING,
    SEAL_BYTES,
    SETUP_FD,
    SHARED,
    START,
    STARTED,
    STATE,
    STEP,
    TESTS,
    read_exact,
)
from .judge import TESTS_FILE, judge, new_module
from .kernel import LINUX
from .record import RECORD, record_of

# By how much a hard limit is above the soft one. CPU: the signal that can be told from others comes before the one that
# can't be caught. Memory: what `make_room` makes.
# Else a report might not fit into its pipe.
MOST_BYTES_WITH_RECORD = 60 << 10
MARGINS = {resource.RLIMIT_CPU: 1, resource.RLIMIT_AS: 32 << 20}
SECONDS_TO_BE_ENDED = 1


class Job:
    """What the supervisor asks of the fork server."""

    def __init__(self, packet):
        self.tests_bytes, self.candidate_bytes, *self.limits = JOB.unpack(packet)


class ForkServer:
    """Forks a child for each job, waits for it, and ends what it left."""

    def __init__(self, role, channel, privileges, workplace, announces, policy, apart):
        """Begins with no tests.

        Args:
            role: SHARED, CANDIDATE or TESTS.
            channel: to the supervisor.
            privileges: of programs.
            workplace: the folder to run programs in; None if this process is there.
            announces: whether to tell the supervisor of each child, because it can't see it.
            policy: of programs.
            apart: the module of that name; None for SHARED.
        """
        self.role, self.channel, self.link = role, channel, None
        self.privileges = privileges
        self.workplace = workplace
        self.tests, self.tests_code, self.uses_of_tests = "", None, 0
        self.last_limits, self.limits = None, None
        self.announces, self.policy, self.apart = announces, policy, apart
        self.streams = (sys.stdout, sys.stderr)
        # What a child is to do before it has its limits; None if that is nothing.
        self.enter = self.enter_child if workplace is not None or privileges.changes_children else None
        # Whether the job at hand is a step of a program that has steps.
        self.runs_step = False
        # Of a program whose tests are in the same process.
        self.module = new_module() if apart is None else None

    def serve(self):
        """Takes jobs until the supervisor closes its end."""
        fd = self.channel.fileno()
        packet = b""
        while True:
            packet = packet or (read_exact(fd, JOB.size) if self.role == SHARED else self.receive_with_link())
            if not packet:
                # Who closed it ends this process. If that was killed, the kernel says so a moment later.
                time.sleep(SECONDS_TO_BE_ENDED)
                return
            job = Job(packet)
            self.runs_step = job.tests_bytes == STEP
            if job.tests_bytes >= 0:
                self.tests = read_exact(fd, job.tests_bytes).decode("utf-8", "surrogatepass")
                self.tests_code, self.uses_of_tests = None, 0
            self.uses_of_tests += not self.runs_step
            if self.uses_of_tests == 2 and not self.runs_step:
                self.compile_tests()
            packet = self.run(job, packet)

    def receive_with_link(self):
        """A job, with which comes the descriptor of the program's socket to another one."""
        packet, controls, _, _ = self.channel.recvmsg(JOB.size, _socket.CMSG_SPACE(4), _socket.MSG_WAITALL)
        if controls:
            self.link = struct.unpack("i", controls[0][2])[0]
        return packet

    def compile_tests(self):
        """Spares each child the work; the first use is not worth it, because the child finds its own memory hot."""
        try:
            with warnings.catch_warnings():
                # Nobody reads this process's standard error while it runs.
                warnings.simplefilter("ignore")
                self.tests_code = self.policy.compile_tests(self.tests, TESTS_FILE)
        except Exception:  # whatever a policy raises
            # The child compiles them again, and reports what is wrong with them.
            self.tests_code = None

    def run(self, job, packet):
        """Runs a job, and with the extension module as many as follow and differ only in their candidates.

        Args:
            job: the first.
            packet: it as it was read.

        Returns:
            The next job as it was read; b"" if it was not.
        """
        limits = self.limits_of(job)
        if forking is None or self.announces or self.runs_step:
            self.run_in_python(job, limits)
            return b""
        link = -1 if self.link is None else self.link
        again = self.role == SHARED and self.uses_of_tests > 1 and self.privileges.own_user
        own_session, reaps = not self.privileges.is_process_1, self.privileges.reaps
        left, packet = forking.run(
            packet, self, reported, self.streams, self.enter, limits, link, own_session, reaps, again
        )
        if left:
            self.end_all_of(left)
        return packet

    def run_in_python(self, job, limits):
        """Runs a job without the extension module."""
        pid = os.fork()
        if pid == 0:
            run_child(job, self, limits)
        if self.link is not None:
            os.close(self.link)
        if self.announces:
            self.channel.send(STATE.pack(RUNNING, pid, 0.0, 0, 0))
        _, status, usage = os.wait4(pid, 0)
        state = ENDED if self.privileges.reaps and not has_children() else LEFT_SOME
        cpu_seconds, peak_memory_bytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1024 if LINUX else 1)
        self.channel.send(STATE.pack(state, pid, cpu_seconds, status, peak_memory_bytes))
        if state == LEFT_SOME:
            self.end_all_of(pid)

    def end_all_of(self, pid):
        """Ends what a child left that has ended, and says so."""
        if self.privileges.is_process_1:
            end_all_others()
        else:
            end_descendants(self.privileges.reaps, pid)
        self.channel.send(ALL_ENDED)

    def enter_child(self):
        """In a child: takes it to its folder and its user."""
        if self.workplace is not None:
            os.chdir(self.workplace)
        # A candidate that can see the tests' process is the same user.
        self.privileges.enter_child(self.role != TESTS)

    def limits_of(self, job):
        """The setrlimit calls for a job."""
        if job.limits != self.last_limits or not self.privileges.own_user:
            counted = self.privileges.counted_processes
            if counted and self.role == TESTS:
                # And all that the candidate may have.
                counted += job.limits[-1]
            self.last_limits = job.limits
            self.limits = resource_limits(job.limits, self.privileges.own_user, counted)
        return self.limits


def hold_interrupts():
    """Has an interrupt end this process, but call Python's handler in its children."""
    if forking is None:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    else:
        forking.hold_interrupts()


def end_all_others():
    """In process 1 of a PID namespace: ends all others of it."""
    try:
        # All at once, so that none can start another.
        os.kill(-1, signal.SIGKILL)
        while True:
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def has_children():
    """Whether this process has any. Its children are also the orphans of its descendants."""
    try:
        os.waitpid(-1, os.WNOHANG)
        return True
    except ChildProcessError:
        return False


def resource_limits(limits, own_user, counted):
    """The setrlimit calls for a job: a list of (resource, (soft, hard)), none above what is allowed now.

    Args:
        limits: the job's, in the order of `JOB`.
        own_user: whether the child's user is nobody else's, so that its processes can be counted exactly.
        counted: how many processes count besides the program's own.
    """
    memory_bytes, cpu_seconds, file_bytes, open_files, processes = limits
    processes += counted
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
        # macOS refuses RLIMIT_AS, which the first frame says.
        if value < 0 or (name == resource.RLIMIT_AS and not LINUX):
            continue
        hard = resource.getrlimit(name)[1]
        most = value + MARGINS.get(name, 0)
        if hard != resource.RLIM_INFINITY:
            value, most = min(value, hard), min(most, hard)
        calls.append((name, (value, most)))
    return calls


def run_child(job, server, limits):
    """Turns this fork of the fork server into the program. Does not return."""
    # Bound now: a candidate may replace them.
    leave, write, streams = os._exit, os.write, server.streams
    try:
        candidate = set_up_child(job, server, limits)
        # The seal is a value of this expression alone: in no variable that a look at all frames finds, nor in an object
        # that the garbage collector tells of. It would tell of the unfinished values of a frame, but for one that calls
        # a function of C, so that is what calls `reported`.
        write(REPORT_FD, last_word(server) + next(map(reported_once, (candidate,), (server,))))
        for stream in (*streams, getattr(sys, "stdout", None), getattr(sys, "stderr", None)):
            try:
                stream.flush()
            except BaseException:  # closed, replaced, full: the program's own affair
                continue
    finally:
        leave(0)


def reported_once(candidate, server):
    """What `reported` returns, but not in a copy of this process that the candidate forked."""
    leave, own_pid = os._exit, os.getpid
    pid = own_pid()
    said = reported(candidate, server)
    if own_pid() != pid:
        leave(0)
    return said


def reported(candidate, server):
    """Runs the program and returns its report, bytes.

    A candidate can put others in the place of the functions and names that are global here. So what it is that makes a
    report one of a pass is only the way that is taken through this function.
    """
    policy, module = server.policy, None
    try:
        if server.runs_step:
            report = run_step(candidate, policy)
        elif server.apart is None:
            module = server.module
            report = judge(candidate, server.tests, server.tests_code, policy, module)
            if report is None and policy.output_variable is None and RECORD not in module.__dict__:
                # All that is left to say of most programs that pass.
                return b"P"
        else:
            report = server.apart.run(server.role, candidate, policy)
        # Which of the two it is stands before code of the candidate's, that of a repr, can run again.
        return (b"P" if report is None else b"O") + encoded(report, module, policy)
    except MemoryError:
        return b'O{"outcome": "out_of_memory", "detail": "MemoryError"}'


def last_word(server):
    """The seal of the report, bytes: the last that a child hears from outside."""
    seal = read_exact(server.channel.fileno(), SEAL_BYTES)
    if server.link is None:
        os.closerange(SETUP_FD, FIRST_FREE_FD)
    else:
        os.dup2(server.link, SETUP_FD, inheritable=False)
        os.closerange(SETUP_FD + 1, FIRST_FREE_FD)
    return seal


def encoded(report, module, policy):
    """What a report says after its first byte, as bytes: at most 6 for a character, so that it fits into its pipe.

    Args:
        report: as `judge` gives it.
        module: the program's; None if its output variable is not wanted here.
        policy: of programs, which says what that is.
    """
    output = policy.output_of(module.__dict__) if module else ""
    record = record_of(module.__dict__) if module else ""
    if report is None:
        return (output + "\n" + record if record else output).encode()
    said = {**report, "output": output} if output else report
    text = json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if record:
        with_record = json.dumps({**said, "record": record}, ensure_ascii=False).encode("utf-8", "surrogatepass")
        text = with_record if len(with_record) <= MOST_BYTES_WITH_RECORD else text
    return text


def set_up_child(job, server, limits):
    """Gives a new child its folder, user and limits; returns the candidate's source, bytes, or its step, a dict."""
    try:
        candidate = read_exact(server.channel.fileno(), job.candidate_bytes)
        if len(candidate) != job.candidate_bytes:
            raise EOFError("the supervisor has gone")
        if server.privileges.is_process_1:
            # Whom no signal from its session reaches. A session of its own would cost a tenth of a millisecond.
            os.setpgid(0, 0)
        else:
            os.setsid()
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        if server.enter is not None:
            server.enter()
        if server.runs_step:
            candidate = prepare_step(candidate)
        for name, pair in limits:
            resource.setrlimit(name, pair)
        gc.enable()
        os.write(SETUP_FD, START.pack(STARTED, time.monotonic()))
    except BaseException as error:
        os.write(SETUP_FD, BROKEN + f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
        raise
    return candidate
