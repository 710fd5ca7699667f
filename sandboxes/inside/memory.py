"""The memory of all processes of a program together, which the kernel limits for each of them alone."""

import os

from .endings import children

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Where a container finds what befell it, with either version of control groups.
EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


class OutOfMemoryKills:
    """How often the kernel has killed a process of this container for want of memory."""

    def __init__(self):
        self.known = self.count()

    def count(self):
        for path in EVENTS:
            try:
                with open(path) as events:
                    return next(int(line.split()[1]) for line in events if line.startswith("oom_kill "))
            except (OSError, ValueError, StopIteration):
                continue
        return 0

    def happened(self):
        """Whether it has since this was asked last."""
        before, self.known = self.known, self.count()
        return self.known > before


def uses_more_than(limit, fork_server):
    """Whether what a fork server's program started uses more memory than it may.

    Args:
        limit: bytes, for all processes together.
        fork_server: process id.
    """
    pids = pending = children(fork_server)
    while pending:
        pending = [below for pid in pending for below in children(pid)]
        pids = pids + pending
    # One process is held by its own limit.
    if len(pids) < 2 or sum(map(resident_bytes, pids)) <= limit:
        return False
    return sum(map(proportional_bytes, pids)) > limit


def resident_bytes(pid):
    """The memory of one process, also what it shares with others. 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm") as statm:
            return int(statm.read().split()[1]) * PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0


def proportional_bytes(pid):
    """The memory of one process, shared pages divided by who shares them. 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            return next(int(line.split()[1]) << 10 for line in rollup if line.startswith("Pss:"))
    except (OSError, ValueError, StopIteration):
        return 0
