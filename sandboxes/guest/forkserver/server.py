"""The fork server: imports the modules that programs usually need, and forks a child for each program.

It does little else: after a fork, each page of memory that it or the child writes to costs a page fault. If the C
extension `_forking` is available, it does what comes before and after a program, so that less memory is touched.
"""

from __future__ import annotations

import _signal
import _socket
import functools
import os
import signal
import struct
import sys
import time
import warnings

from ..common.frames import (
    ALL_ENDED,
    CANDIDATE,
    ENDED,
    FORK_REQUEST,
    JOINED_STEP,
    LEFT_SOME,
    MAX_COMPILED_BYTES,
    RUNNING,
    SHARED,
    STATE,
    STEP,
    TESTS,
    read_exact,
)
from ..common.processes import END_GRACE_SECONDS, end_descendants
from ..common.test_log import TEST_LOG_VARIABLE
from ..isolation.privileges import ORPHANED
from ..isolation.syscalls import LINUX
from ..runners.in_process import new_module
from ..runners.policy import PLAIN
from ..runners.sources import CANDIDATE_FILE, SOURCES, TESTS_FILE
from .child import encode_details, encode_report, prepare, report_compile_error, run_child
from .extension import forking
from .limits import resource_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

    from ..isolation.privileges import Privileges
    from ..runners.policy import PlainPython
    from .server_state import ResourceLimits

# The place of the number of processes in the limits of a request.
PROCESSES = 4
# A filter of warnings that ignores all, as `simplefilter` makes it.
IGNORES_WARNINGS = ("ignore", None, Warning, None, 0)


class ForkRequest:
    """One program that the supervisor asks the fork server to run."""

    def __init__(self, packet: bytes) -> None:
        """Unpack a FORK_REQUEST."""
        self.tests_bytes, self.candidate_bytes, *self.limits = FORK_REQUEST.unpack(packet)
        self.is_joined = self.tests_bytes == JOINED_STEP


class ForkServer:
    """Forks a child for each request, waits for the child, and ends the processes that it left."""

    def __init__(
        self,
        role: str,
        channel: _socket.socket,
        privileges: Privileges,
        workplace: str | None,
        announces_children: bool,
        policy: PlainPython,
        roles: ModuleType | None,
    ) -> None:
        """Begin without tests.

        Args:
            role: SHARED, CANDIDATE or TESTS.
            channel: to the supervisor.
            privileges: of programs.
            workplace: the folder to run programs in; None if this process is in it.
            announces_children: whether to tell the supervisor of each child, because it can't see them.
            policy: of programs.
            roles: the module that runs programs of CANDIDATE and TESTS; None for SHARED.
        """
        self.role, self.channel = role, channel
        # A program's socket to another program.
        self.peer_fd: int | None = None
        self.privileges = privileges
        self.workplace = workplace
        self.tests, self.uses_of_tests = "", 0
        # The tests compiled; None if each child compiles them.
        self.tests_code: CodeType | None = None
        self.last_limits: list[int] | None = None
        self.limits: ResourceLimits = []
        self.announces_children, self.policy, self.roles = announces_children, policy, roles
        # What a child of CANDIDATE or TESTS calls with its candidate's source; None for SHARED.
        self.run_role: Callable[[bytes], dict[str, Any] | None] | None = None
        self.streams = (sys.stdout, sys.stderr)
        self.flushes = (sys.stdout.flush, sys.stderr.flush)
        # Functions that a child calls at its beginning; None to fork in Python's own way.
        self.fork_hooks: tuple[Callable[[], object], ...] | None = None
        # What the extension needs to prepare a program without `prepare`; None if it can't.
        self.direct: tuple[Any, ...] | None = None
        # What the extension needs to run a candidate whose tests run in another process; None if it can't.
        self.served: tuple[Any, ...] | None = None
        # Called in a child before it has its limits; None if there is nothing to do.
        self.enter = self.choose_enter()
        # Whether the present request is a step of a program that has steps.
        self.runs_step = False
        # The module of programs whose tests run in the same process.
        self.module: Any = new_module() if roles is None else None
        if forking is not None and ORPHANED is not None and privileges.orphaned_handler is not None:
            forking.end_child_on(ORPHANED)

    def serve(self) -> None:
        """Serve requests until the supervisor closes its end, or has been killed."""
        try:
            self.serve_requests()
        except ConnectionError:
            # It was killed while this process wrote to it, or before it read what was written.
            pass
        # A supervisor that closed its end ends this process now. If it was killed, the kernel says so a moment later,
        # and a handler cleans up.
        time.sleep(END_GRACE_SECONDS)

    def serve_requests(self) -> None:
        """Serve requests until the supervisor closes its end.

        Raises:
            ConnectionError: if it did so at another time than between two requests.
        """
        fd = self.channel.fileno()
        packet = b""
        while True:
            packet = packet or (read_exact(fd, FORK_REQUEST.size) if self.role == SHARED else self.receive_with_peer())
            if not packet:
                return
            request = ForkRequest(packet)
            self.runs_step = request.tests_bytes in (STEP, JOINED_STEP)
            if request.tests_bytes >= 0:
                self.tests = read_exact(fd, request.tests_bytes).decode("utf-8", "surrogatepass")
                is_short = request.tests_bytes <= MAX_COMPILED_BYTES
                self.tests_code = self.compile_tests(self.tests) if is_short and self.direct is not None else None
                self.uses_of_tests = 0
            self.uses_of_tests += not self.runs_step
            if self.uses_of_tests == 2 and not self.runs_step and self.tests_code is None:
                self.tests_code = self.compile_tests(self.tests)
            packet = self.run(request, packet)

    def receive_with_peer(self) -> bytes:
        """Receive a request that comes with the descriptor of the program's socket to another program."""
        packet, ancillary, _, _ = self.channel.recvmsg(FORK_REQUEST.size, _socket.CMSG_SPACE(4), _socket.MSG_WAITALL)
        self.peer_fd = struct.unpack("i", ancillary[0][2])[0] if ancillary else None
        return packet

    def settle(self, fork_hooks: tuple[Callable[[], object], ...] | None) -> None:
        """Prepare for the first request, once everything that programs find is in place.

        Args:
            fork_hooks: functions that a child calls at its beginning; None to fork in Python's own way.
        """
        self.fork_hooks = fork_hooks
        if self.roles is not None:
            self.run_role, self.served = self.roles.child_of(self.role, self.policy, encode_report)
        if self.role == SHARED and self.policy is PLAIN:
            # As PLAIN's `compile`, whose keywords cost each child ten page faults.
            code = (self.compile_tests, compile, (CANDIDATE_FILE, "exec", 0, True), SOURCES)
            self.direct = (*code, self.module.__dict__, TEST_LOG_VARIABLE, False, report_compile_error)

    def compile_tests(self, tests: str) -> CodeType | None:
        """Compile tests, which spares each child the work, and page faults. Return None if children have to do it."""
        # Nobody reads this process's standard error while it runs. `catch_warnings` costs 30 page faults more.
        warnings.filters.insert(0, IGNORES_WARNINGS)  # type: ignore[attr-defined]
        try:
            return self.policy.compile_tests(tests, TESTS_FILE)
        except Exception:  # whatever a policy raises
            # The child compiles them again, and reports the error.
            return None
        finally:
            warnings.filters.remove(IGNORES_WARNINGS)  # type: ignore[attr-defined]

    def run(self, request: ForkRequest, packet: bytes) -> bytes:
        """Run a request. The extension also runs the ones that follow, if only their candidates differ.

        Args:
            request: the first one.
            packet: the same as it was read.

        Returns:
            The next request as it was read; b"" if it was not.
        """
        limits = self.limits_for(request)
        if forking is None or self.runs_step:
            self.run_in_python(request, limits)
            return b""
        peer_fd = -1 if self.peer_fd is None else self.peer_fd
        # Otherwise the tests may have to be compiled here at the next request. A candidate's process has none.
        is_compiled = self.tests_code is not None or self.uses_of_tests > 1
        has_all = self.role == CANDIDATE or (self.role == SHARED and is_compiled)
        takes_more = has_all and self.privileges.has_own_user
        own_session, reaps_orphans = not self.privileges.is_pid_1, self.privileges.reaps_orphans
        left, packet, peer_fd = forking.run(
            packet,
            self,
            prepare,
            self.direct,
            self.served,
            self.tests_code,
            encode_details,
            self.streams,
            self.flushes,
            self.fork_hooks,
            self.enter,
            limits,
            peer_fd,
            own_session,
            reaps_orphans,
            self.announces_children,
            takes_more,
        )
        self.peer_fd = None if peer_fd < 0 else peer_fd
        if left:
            self.end_all_of(left)
        return packet

    def run_in_python(self, request: ForkRequest, limits: ResourceLimits) -> None:
        """Run a request without the extension."""
        pid = os.fork()
        if pid == 0:
            run_child(request, self, limits)
        if self.peer_fd is not None:
            os.close(self.peer_fd)
        if self.announces_children:
            self.channel.send(STATE.pack(RUNNING, pid, 0.0, 0, 0))
        _, status, usage = os.wait4(pid, 0)
        state = ENDED if self.privileges.reaps_orphans and not has_children() else LEFT_SOME
        cpu_seconds, peak_memory_bytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1024 if LINUX else 1)
        self.channel.send(STATE.pack(state, pid, cpu_seconds, status, peak_memory_bytes))
        if state == LEFT_SOME:
            self.end_all_of(pid)

    def end_all_of(self, pid: int) -> None:
        """End the processes that an ended child left behind, and tell the supervisor."""
        if self.privileges.is_pid_1:
            end_all_others()
        else:
            end_descendants(self.privileges.reaps_orphans, pid)
        self.channel.send(ALL_ENDED)

    def choose_enter(self) -> Callable[[], None] | None:
        """Return what takes a child to its folder and its user; None if it is there."""
        privileges = self.privileges
        if self.workplace is None and not privileges.changes_children:
            return None
        if forking is None or privileges.children_keep_reading or not LINUX:
            return self.enter_child
        # Python's own way to these system calls costs each child 60 page faults, and more with another user.
        workplace = None if self.workplace is None else os.fsencode(self.workplace)
        reset = functools.partial(_signal.signal, ORPHANED, _signal.SIG_DFL)
        user = -1 if privileges.child_user is None else privileges.child_user
        shows_memory, hides_memory = privileges.is_hidden and self.role != TESTS, user >= 0 and self.role == TESTS
        ruleset = -1 if privileges.ruleset is None else privileges.ruleset
        arguments = (workplace, reset, shows_memory, privileges.kills_children_first, user, hides_memory, ruleset)
        return functools.partial(forking.enter_child, *arguments)

    def enter_child(self) -> None:
        """In a child: take it to its folder and its user."""
        if self.workplace is not None:
            os.chdir(self.workplace)
        # A candidate that can see the tests' process has the same user.
        self.privileges.enter_child(self.role != TESTS)

    def limits_for(self, request: ForkRequest) -> ResourceLimits:
        """Return the arguments of setrlimit for a request."""
        if request.limits != self.last_limits or not self.privileges.has_own_user:
            others = self.privileges.guest_processes
            if others and self.role == TESTS:
                # The candidate's processes count too.
                others += request.limits[PROCESSES]
            self.last_limits = request.limits
            self.limits = resource_limits(request.limits, self.privileges.has_own_user, others)
        return self.limits


def reset_interrupts() -> None:
    """Let an interrupt end this process. In its children Python's own handler is called again."""
    if forking is None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    else:
        forking.reset_interrupts()


def end_all_others() -> None:
    """In process 1 of a PID namespace: end all other processes of the namespace."""
    try:
        # All at once, so that none can start another.
        os.kill(-1, signal.SIGKILL)
        while True:
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def has_children() -> bool:
    """Return whether this process has children, to which orphans of its descendants belong too."""
    try:
        os.waitpid(-1, os.WNOHANG)
        return True
    except ChildProcessError:
        return False
