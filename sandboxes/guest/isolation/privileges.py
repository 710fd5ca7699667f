"""Programs are kept from being root, and from outliving the guest."""

from __future__ import annotations

import _signal  # signal's own functions make enums of numbers, for which a fresh child pays 70 page faults
import os
import signal
import sys

from .landlock import restrict_files
from .syscalls import (
    CAP_DAC_READ_SEARCH,
    LINUX,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_KEEPCAPS,
    PR_SET_PDEATHSIG,
    drop_bounding_capabilities,
    drop_capabilities,
    libc,
    prctl,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Upper bound on the processes of the guest itself.
MAX_GUEST_PROCESSES = 8
# The kernel sends this signal, which nobody else uses, to a fork server outside of namespaces when the supervisor dies.
ORPHANED = signal.SIGRTMAX if LINUX else None


def adopt_orphans() -> bool:
    """Make this process the parent of all descendants that lose theirs. A fork doesn't inherit this.

    Returns:
        Whether this is possible here.
    """
    if libc is None:
        return False
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    return True


def hide_memory() -> bool:
    """Keep other processes of the same user from this process's memory and descriptors.

    Returns:
        Whether this is possible here.
    """
    if libc is None:
        return False
    prctl(PR_SET_DUMPABLE, 0)
    return True


def prefer_for_killing() -> None:
    """Have the kernel end this process before the guest's own ones when memory runs out."""
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        # Another kernel than Linux, or a process that is hidden from itself.
        return
    os.write(fd, b"1000")
    os.close(fd)


def die_with_parent(parent: int) -> None:
    """Have the kernel end this process when its parent ends.

    Args:
        parent: process id. If this process has another parent by now, it ends at once.
    """
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class Privileges:
    """The user and the powers of one fork server's programs. The fork server makes this object for itself."""

    def __init__(
        self,
        user: int,
        in_user_namespace: bool,
        is_pid_1: bool,
        has_own_root: bool,
        needed_folders: Sequence[str],
        in_container: bool,
        is_held: bool,
    ) -> None:
        """Give up root and all capabilities, as far as the interpreter's modules stay readable.

        Args:
            user: user id to take if this process is root.
            in_user_namespace: whether no process outside of the sandbox shares this user.
            is_pid_1: whether this is process 1 of a PID namespace.
            has_own_root: whether programs have a root of their own, whose /proc does not show this process.
            needed_folders: paths of the interpreter's modules.
            in_container: whether no process outside of the guest has this user id.
            is_held: whether the kernel limits the memory of this process and its programs together.
        """
        self.layers = ["session", "scratch"]
        # {layer: why programs are without it}
        self.missing: dict[str, str] = {}
        self.is_pid_1 = is_pid_1
        # Kept here, because each child would pay page faults for freeing it.
        self.orphaned_handler: Callable[[int, Any], object] | None = None
        self.reaps_orphans = is_pid_1 or adopt_orphans()
        if self.reaps_orphans:
            self.layers.append("reaper")
        else:
            self.missing["reaper"] = "needs Linux and ctypes; only a program's own process group is ended with it"
        # The ruleset of files that children may open; None if they have a root of their own, or there is no Landlock.
        self.ruleset: int | None = None
        # Whether a program's signals reach only what it started.
        self.confines_signals = False
        # The user that children become; None if they stay this process's own user.
        self.child_user: int | None = None
        # Whether children of another user keep the power to read every file.
        self.children_keep_reading = False
        # The user who must own the programs' folder; None if any user may.
        self.owner: int | None = None
        # Whether no process outside of the guest counts towards the limit on processes, and how many of the guest do.
        self.has_own_user = in_user_namespace and kernel_version() >= (5, 14)
        self.guest_processes = 0
        if in_container and not in_user_namespace:
            self.has_own_user, self.guest_processes = True, MAX_GUEST_PROCESSES
        if os.geteuid() == 0:
            self._leave_root(user, in_user_namespace, needed_folders)
        elif in_user_namespace:
            drop_bounding_capabilities()
            drop_capabilities()
        # Programs of the same user could see this process, and must not read its memory.
        is_out_of_sight = in_user_namespace and has_own_root
        self.is_hidden = os.geteuid() != 0 and not is_out_of_sight and hide_memory()
        # Whether the kernel is to end programs before this process when memory runs out.
        self.kills_children_first = is_held or self.is_hidden
        if in_user_namespace and "capabilities" not in self.layers:
            self.layers.append("user")
        elif "user" not in self.layers:
            self.missing.setdefault("user", "programs run as the caller's own user")

    def _leave_root(self, user: int, in_user_namespace: bool, needed_folders: Sequence[str]) -> None:
        if libc is None:
            self.missing["user"] = "running as root; changing that needs Linux and ctypes"
            return
        self.owner, self.has_own_user = user, True
        if can_read_after(lambda: become_user(user), needed_folders):
            if not in_user_namespace:
                self.layers.append("user")
            if self.is_pid_1:
                become_powerless_user(user)
            else:
                # Programs that can see this process must have another user than it has.
                self.child_user = user
        elif can_read_after(lambda: become_powerless_user(user, True), needed_folders):
            self.missing["user"] = "running as root, and no other user can read the interpreter in " + sys.prefix
            self.layers.append("capabilities")
            if self.is_pid_1:
                become_powerless_user(user, True)
            else:
                self.child_user, self.children_keep_reading = user, True
        else:
            self.missing["user"] = "running as root, which can't be left here, but without root's powers"
            drop_bounding_capabilities()
            drop_capabilities()
            self.owner, self.has_own_user = None, False

    def end_with(self, parent: int, on_orphaned: Callable[[], object]) -> None:
        """Have this process end, or `on_orphaned` called, when its parent dies."""
        if self.is_pid_1:
            die_with_parent(parent)
        elif ORPHANED is not None and libc is not None:
            self.orphaned_handler = lambda number, frame: on_orphaned()
            signal.signal(ORPHANED, self.orphaned_handler)
            prctl(PR_SET_PDEATHSIG, ORPHANED)

    @property
    def changes_children(self) -> bool:
        """True if `enter_child` has anything to do."""
        is_other_user = self.is_hidden or self.child_user is not None
        has_rules = self.ruleset is not None or self.kills_children_first
        return (libc is not None and not self.is_pid_1) or is_other_user or has_rules

    def enter_child(self, is_visible: bool) -> None:
        """In a child: undo what `end_with` did and a fork inherits, and stop being root.

        Args:
            is_visible: whether other programs may look into its memory, as the same user can.
        """
        if ORPHANED is not None and libc is not None and not self.is_pid_1:
            _signal.signal(ORPHANED, _signal.SIG_DFL)
        if self.is_hidden and is_visible:
            # The program may see the memory of its own fork. A hidden process could not open /dev/stdout.
            prctl(PR_SET_DUMPABLE, 1)
        if self.kills_children_first:
            prefer_for_killing()
        if self.child_user is not None:
            if self.children_keep_reading:
                become_powerless_user(self.child_user, True)
            else:
                give_streams_to(self.child_user)
                become_user(self.child_user)
            if not is_visible:
                hide_memory()
        if self.ruleset is not None:
            restrict_files(self.ruleset)


def kernel_version() -> tuple[int, int]:
    """Return the kernel's (major, minor) version.

    Since 5.14 processes count towards the limit of their user in their own user namespace.
    """
    major, minor = os.uname().release.split(".")[:2]
    return int(major), int("".join(character for character in minor if character.isdigit()))


def become_powerless_user(user: int, keep_reading: bool = False) -> None:
    """Make this process, and all that it starts, another user's, without root's powers.

    Args:
        user: user id, which is the group id too.
        keep_reading: whether to keep the power to read every file.
    """
    kept = (CAP_DAC_READ_SEARCH,) if keep_reading else ()
    drop_bounding_capabilities(kept)
    prctl(PR_SET_KEEPCAPS, int(keep_reading))
    give_streams_to(user)
    become_user(user)
    drop_capabilities(kept)


def give_streams_to(user: int) -> None:
    """Make a user the owner of the pipes to the supervisor, so that it can open /dev/stdout and /dev/stderr."""
    os.fchown(1, user, user)
    os.fchown(2, user, user)


def become_user(user: int) -> None:
    """Take another user id, which is the group id too."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if libc is not None:
        # A change of user takes /proc/self away, and /dev/stdout with it.
        prctl(PR_SET_DUMPABLE, 1)


def can_read_after(change_user: Callable[[], None], folders: Sequence[str]) -> bool:
    """Return whether a process that has changed its user can still list these folders."""

    def attempt() -> None:
        change_user()
        for folder in folders:
            os.listdir(folder)

    return works_in_a_fork(attempt)


def works_in_a_fork(action: Callable[[], None]) -> bool:
    """Return whether an action, tried in a process of its own, ends without an OSError."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            action()
            status = 0
        except OSError:
            status = 1
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1] == 0
