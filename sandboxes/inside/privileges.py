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
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
CAP_DAC_READ_SEARCH = 2
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
        # The user that the fork server, and so its children, become; None if it stays the supervisor's.
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
        """Makes this process, and all that it starts, another user's, with one of root's powers: to read every file."""
        for capability in range(64):
            if capability != CAP_DAC_READ_SEARCH:
                self.libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        self.libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
        become(user)
        keep_capability(self.libc, CAP_DAC_READ_SEARCH)
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
        owner = self.child_user or self.fork_server_user
        if owner is not None:
            os.chown(path, owner, owner)


def load_libc():
    """The C library, for the calls that Python lacks. None off Linux, or without ctypes."""
    if not LINUX:
        return None
    try:
        import ctypes
    except ImportError:
        return None
    return ctypes.CDLL(None)


def keep_capability(libc, capability):
    """Leaves this process, and the programs that it starts, one capability of those that it has."""
    import ctypes

    header, mask = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), 1 << capability
    if libc.capset(header, (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)):
        raise OSError("capset failed")
    if libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0):
        raise OSError("PR_CAP_AMBIENT_RAISE failed")


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
