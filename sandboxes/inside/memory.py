"""The memory of all processes of a program together, which the kernel limits for each of them alone."""

import os

from .endings import children

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Where a container finds what befell it, with either version of control groups.
EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")

# Of all in a container: what is used, what may be, and of what; then the names of the files' part of it, which the
# kernel takes back when it needs it, and of the part of that which it can't, because it is in no file of a disk.
CONTAINER = (
    ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat", "file", "shmem"),
    (
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
        "total_cache",
        "total_shmem",
    ),
)
# What must be left in one. More than a program can fill between two looks.
SPARE_BYTES = 128 << 20


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


def container_is_full():
    """Whether a container has hardly any memory left, wherever it went: the kernel's next choice may be the guest."""
    for usage, most, statistics, files, kept in CONTAINER:
        try:
            used, limit = (int(read(path)) for path in (usage, most))
            if used <= limit - SPARE_BYTES:
                return False
            of = dict(line.split() for line in read(statistics).splitlines())
            return used - int(of[files]) + int(of[kept]) > limit - SPARE_BYTES
        except (OSError, ValueError, KeyError):
            continue
    return False


def read(path):
    with open(path) as file:
        return file.read()


def uses_more_than(limit, fork_server, is_held):
    """Whether what a fork server's program started uses more memory than it may.

    Args:
        limit: bytes, for all processes together.
        fork_server: process id.
        is_held: whether the kernel holds each process to the limit.
    """
    pids = pending = children(fork_server)
    while pending:
        pending = [below for pid in pending for below in children(pid)]
        pids = pids + pending
    if (is_held and len(pids) < 2) or sum(map(resident_bytes, pids)) <= limit:
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
