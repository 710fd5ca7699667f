"""How programs are kept from being root, and from outliving the guest."""

import _signal  # signal's own functions make enums of numbers, for which a fresh child pays 70 page faults
import os
import signal
import sys

from .kernel import (
    CAP_DAC_READ_SEARCH,
    LINUX,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_KEEPCAPS,
    PR_SET_PDEATHSIG,
    bound_capabilities,
    keep_capabilities,
    libc,
    prctl,
)

# High, so that they are no account's, and drawn, so that no two guests share one, whatever containers they are in: the
# kernel counts processes by it, and a candidate can signal nobody but its own.
CANDIDATE_UIDS = range(1_000_000_000, 2_000_000_000)
# Of a guest's own, there are at most so many at once.
GUEST_PROCESSES = 8
# A program's user in a user namespace, as it sees it.
NAMESPACE_UID = 1000
# Sent by the kernel to a fork server outside of namespaces when the supervisor dies. One that nobody uses.
ORPHANED = signal.SIGRTMAX if LINUX else None


def draw_uid():
    return CANDIDATE_UIDS[int.from_bytes(os.urandom(8), "big") % len(CANDIDATE_UIDS)]


def adopt_orphans():
    """Makes this process the parent of all descendants that lose theirs. Not inherited by a fork."""
    if libc is None:
        return False
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    return True


def hide():
    """Keeps others of the same user from this process's memory and descriptors, if that is possible here."""
    if libc is None:
        return False
    prctl(PR_SET_DUMPABLE, 0)
    return True


def prefer_for_killing():
    """Has the kernel end this process before the guest's, should there be no memory left."""
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        # Another kernel's.
        return
    os.write(fd, b"1000")
    os.close(fd)


def die_with_parent(parent):
    """Has the kernel end this process when its parent, which is this one, ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class Privileges:
    """How the programs of one fork server are kept from being root, and from outliving it. Made by the fork server."""

    def __init__(self, user, in_user_namespace, is_process_1, needed_folders, in_container):
        """Leaves root and all capabilities, as far as `needed_folders`, the interpreter's modules, stay readable.

        Args:
            user: number of the user to become, if this one is root.
            in_user_namespace: whether no process outside of the sandbox shares this user.
            is_process_1: of a PID namespace.
            needed_folders: paths.
            in_container: whether no process outside of the guest has this user's number.
        """
        self.layers, self.missing = ["session", "scratch"], {}
        self.is_process_1 = is_process_1
        self.reaps = is_process_1 or adopt_orphans()
        if self.reaps:
            self.layers.append("reaper")
        else:
            self.missing["reaper"] = "needs Linux and ctypes; only a program's own process group is ended with it"
        # The user that children become; None if they stay this process's own.
        self.child_user = None
        # Whom the programs' folder must belong to; None if this is no matter.
        self.owner = None
        # Whether no process outside of the guest counts towards the limit on processes, and how many of the guest do.
        self.own_user = in_user_namespace and kernel_version() >= (5, 14)
        self.counted_processes = 0
        if in_container and not in_user_namespace:
            self.own_user, self.counted_processes = True, GUEST_PROCESSES
        if os.geteuid() == 0:
            self._leave_root(user, in_user_namespace, needed_folders)
        elif in_user_namespace:
            bound_capabilities()
            keep_capabilities()
        # Whether programs could see this process, and are the same user: its memory must not be theirs.
        self.hides = os.geteuid() != 0 and not in_user_namespace and hide()
        if in_user_namespace and "capabilities" not in self.layers:
            self.layers.append("user")
        elif "user" not in self.layers:
            self.missing.setdefault("user", "programs run as the caller's own user")

    def _leave_root(self, user, in_user_namespace, needed_folders):
        if libc is None:
            self.missing["user"] = "running as root; changing that needs Linux and ctypes"
            return
        self.owner, self.own_user = user, True
        if works_in_a_fork(lambda: (become(user), read_all(needed_folders))):
            if not in_user_namespace:
                self.layers.append("user")
            if self.is_process_1:
                drop_capabilities_and_become(user)
            else:
                # Where programs can see this process, it must not be theirs.
                self.child_user = user
        elif works_in_a_fork(lambda: (drop_capabilities_and_become(user, True), read_all(needed_folders))):
            self.missing["user"] = "running as root, and no other user can read the interpreter in " + sys.prefix
            drop_capabilities_and_become(user, True)
            self.layers.append("capabilities")
        else:
            self.missing["user"] = "running as root, which can't be left here, but without root's powers"
            bound_capabilities()
            keep_capabilities()
            self.owner, self.own_user = None, False

    def end_with(self, parent, on_orphaned):
        """Has this process end, or `on_orphaned` called, when its parent dies."""
        if self.is_process_1:
            die_with_parent(parent)
        elif libc is not None:
            signal.signal(ORPHANED, lambda number, frame: on_orphaned())
            prctl(PR_SET_PDEATHSIG, ORPHANED)

    @property
    def changes_children(self):
        """Whether `enter_child` has anything to do."""
        return (libc is not None and not self.is_process_1) or self.hides or self.child_user is not None

    def enter_child(self, shows_itself):
        """In a child: takes back what `end_with` did and a fork hands on, and stops being root if it still is.

        Args:
            shows_itself: whether other programs may look into its memory, which they can do as the same user.
        """
        if libc is not None and not self.is_process_1:
            _signal.signal(ORPHANED, _signal.SIG_DFL)
        if self.hides and shows_itself:
            # What is in the memory of a fork is the program's to see, and /dev/stdout can't be opened else.
            prctl(PR_SET_DUMPABLE, 1)
            prefer_for_killing()
        if self.child_user is not None:
            # So that /dev/stdout and /dev/stderr can be opened.
            os.fchown(1, self.child_user, self.child_user)
            os.fchown(2, self.child_user, self.child_user)
            become(self.child_user)
            if not shows_itself:
                hide()


def kernel_version():
    """(major, minor): since 5.14 processes count towards the limit of their user in their own user namespace."""
    major, minor = os.uname().release.split(".")[:2]
    return int(major), int("".join(each for each in minor if each.isdigit()))


def drop_capabilities_and_become(user, keep_reading=False):
    """Makes this process, and all that it starts, another user's, with none of root's powers, or with one.

    Args:
        user: number of the user and group.
        keep_reading: whether to keep the power to read every file.
    """
    kept = (CAP_DAC_READ_SEARCH,) if keep_reading else ()
    bound_capabilities(kept)
    prctl(PR_SET_KEEPCAPS, int(keep_reading))
    # The pipes to the supervisor, so that /dev/stdout and /dev/stderr can be opened.
    os.fchown(1, user, user)
    os.fchown(2, user, user)
    become(user)
    keep_capabilities(kept)


def become(user):
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if libc is not None:
        # Changing users takes /proc/self away, and /dev/stdout with it.
        prctl(PR_SET_DUMPABLE, 1)


def read_all(folders):
    for folder in folders:
        os.listdir(folder)


def works_in_a_fork(action):
    """Whether an action, tried in a process of its own, ends without an OSError."""
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
