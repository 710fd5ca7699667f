"""How programs are kept from being root, and from outliving the guest."""

import _signal  # signal's own functions make enums of numbers, for which a fresh child pays 70 page faults
import os
import signal
import sys

LINUX = sys.platform == "linux"
# High, so that they are no account's, and drawn, so that no two guests share one, whatever containers they are in: the
# kernel counts processes by it, and a candidate can signal nobody but its own.
CANDIDATE_UIDS = range(1_000_000_000, 2_000_000_000)
# Sent by the kernel to the fork server when the supervisor dies. One that nobody uses.
ORPHANED = signal.SIGRTMAX if LINUX else None
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER = 1, 4, 8, 24, 36
CAP_SETUID = 7
CAPABILITY_VERSION_3 = 0x20080522


class Privileges:
    """How programs are kept from being root, and from outliving the guest. Made once, before the first fork."""

    def __init__(self, needed_folders):
        """Leaves root, if this is root, as far as `needed_folders`, the interpreter's modules, stay readable."""
        self.layers, self.missing = ["session", "scratch"], {}
        self.libc = load_libc()
        self.reaps = self.adopt_orphans()
        if self.reaps:
            self.layers.append("reaper")
        else:
            self.missing["reaper"] = "needs Linux and ctypes; only a program's own process group is ended with it"
        # The user that children become; None if they stay this process's own.
        self.child_user = None
        # The user that the fork server, and so its children, become, with root's files for their own; or None.
        self.fork_server_user = None
        # Whether no other process counts towards the limit on processes.
        self.own_user = False
        if os.geteuid() == 0:
            drawn = int.from_bytes(os.urandom(8), "big") % len(CANDIDATE_UIDS)
            self._leave_root(CANDIDATE_UIDS[drawn], needed_folders)

    def adopt_orphans(self):
        """Makes this process the parent of all descendants that lose theirs. Not inherited by a fork."""
        return self.libc is not None and self.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0

    def enter_fork_server(self, on_orphaned):
        """In the fork server: adopts its own orphans, and has `on_orphaned` called when the supervisor dies."""
        self.adopt_orphans()
        if self.fork_server_user is not None:
            self.drop_powers(self.fork_server_user)
        if self.libc is not None:
            signal.signal(ORPHANED, lambda number, frame: on_orphaned())
            self.libc.prctl(PR_SET_PDEATHSIG, ORPHANED, 0, 0, 0)

    def leave_fork_server(self):
        """In a child: takes back what `enter_fork_server` did and a fork hands on."""
        if self.libc is not None:
            _signal.signal(ORPHANED, _signal.SIG_DFL)

    def _leave_root(self, user, needed_folders):
        if self.libc is None:
            self.missing["user"] = "running as root; changing that needs Linux and ctypes"
        elif works_in_a_fork(lambda: (become(user), read_all(needed_folders))):
            self.child_user, self.own_user = user, True
            self.layers.append("user")
        elif works_in_a_fork(lambda: (self.drop_powers(user), read_all(needed_folders))):
            self.missing["user"] = "running as root, and no other user can read the interpreter in " + sys.prefix
            self.fork_server_user, self.own_user = user, True
            self.layers.append("capabilities")
        else:
            self.missing["user"] = "running as root, which can't be left here"

    def drop_powers(self, user):
        """Makes this process another user's, without any of root's powers, but that root's files are still its own."""
        # Else a program that a candidate starts gets them back.
        for capability in range(64):
            self.libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        os.setgroups([])
        self.libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
        os.setresuid(user, user, user)
        set_capabilities(self.libc, effective=1 << CAP_SETUID, permitted=1 << CAP_SETUID)
        self.libc.setfsuid(0)
        set_capabilities(self.libc, effective=0, permitted=0)
        self.libc.prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0)
        # Changing users takes /proc/self away, and /dev/stdout with it.
        self.libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)

    def enter_child(self):
        """In the child, where that has a user of its own: stops being root."""
        # So that /dev/stdout and /dev/stderr can be opened.
        os.fchown(1, self.child_user, self.child_user)
        os.fchown(2, self.child_user, self.child_user)
        become(self.child_user)
        # Changing users takes /proc/self away, and /dev/stdout with it.
        self.libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)

    def give(self, path):
        """Makes a folder the child's own."""
        if self.child_user is not None:
            os.chown(path, self.child_user, self.child_user)


def load_libc():
    """The C library, for the calls that Python lacks. None off Linux, or without ctypes."""
    if not LINUX:
        return None
    try:
        import ctypes
    except ImportError:
        return None
    return ctypes.CDLL(None)


def set_capabilities(libc, effective, permitted):
    """Sets what powers of root's this process has, as bit masks of the first 32."""
    import ctypes

    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    if libc.capset(header, (ctypes.c_uint32 * 6)(effective, permitted, 0, 0, 0, 0)):
        raise OSError("capset failed")


def become(user):
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


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
