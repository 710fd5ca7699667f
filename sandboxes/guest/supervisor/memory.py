"""Memory of all processes of a program together. The kernel's limit holds for each process alone."""

from __future__ import annotations

import os

from ..common.processes import children
from ..isolation.syscalls import reading_as

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Where the control groups are shown, and the file that names those of this process.
CONTROL_GROUPS, OWN_GROUPS = "/sys/fs/cgroup", "/proc/self/cgroup"

# Files that tell about a whole container's memory, for both versions of control groups: usage, limit and statistics.
# Then the names of two statistics: file pages, which the kernel takes back when it needs them, and the part of these
# that it can't take back, because no file on a disk holds it.
CONTAINER_FILES = (
    ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat", "file", "shmem"),
    (
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
        "total_cache",
        "total_shmem",
    ),
)
# A container with less memory left is full. More than a program can fill between two checks.
SPARE_BYTES = 128 << 20


class EventCounter:
    """A number that the kernel keeps of a control group, such as that of its processes killed for lack of memory."""

    def __init__(self, path: str | None, event: str) -> None:
        """Count the events so far.

        Args:
            path: the file that has the number; None if the system has none.
            event: the name of the number.
        """
        self.path, self.event = path, event
        self.known = self.count()

    def count(self) -> int:
        """Return how many events there were; 0 where the system doesn't tell."""
        if self.path is None:
            return 0
        try:
            lines = map(str.split, read(self.path).splitlines())
            return next(int(line[1]) for line in lines if line[0] == self.event)
        except (OSError, ValueError, IndexError, StopIteration):
            return 0

    def has_increased(self) -> bool:
        """Return whether there was one since the last call."""
        before, self.known = self.known, self.count()
        return self.known > before


def kill_counter(own_groups: str = OWN_GROUPS, control_groups: str = CONTROL_GROUPS) -> str | None:
    """Return the file in which the kernel counts out-of-memory kills in this process's control group.

    The group is a container's, a batch job's, a service's or a login's. If it is not shown or does not count, the
    nearest one above it that does takes its place.

    Args:
        own_groups: the file that names this process's groups.
        control_groups: where the groups are shown.

    Returns:
        The path; None if there is no such file.
    """
    try:
        lines = read(own_groups).splitlines()
    except OSError:
        return None
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            top, name = control_groups, "memory.events"
        elif "memory" in controllers.split(","):
            # Version 1 has a tree of its own for each controller.
            top, name = control_groups + "/memory", "memory.oom_control"
        else:
            continue
        # The name of a group outside of this process's cgroup namespace begins with "..".
        group = os.path.normpath(group)
        while True:
            path = os.path.join(top, group.lstrip("/"), name)
            if os.path.exists(path):
                return path
            if group == "/":
                break
            group = os.path.dirname(group)
    return None


def is_container_full() -> bool:
    """Return whether a container has hardly any memory left: the kernel may kill the guest next."""
    for usage_file, limit_file, statistics_file, file_pages, kept_pages in CONTAINER_FILES:
        try:
            used, limit = int(read(usage_file)), int(read(limit_file))
            if used <= limit - SPARE_BYTES:
                return False
            statistics = dict(line.split() for line in read(statistics_file).splitlines())
            return used - int(statistics[file_pages]) + int(statistics[kept_pages]) > limit - SPARE_BYTES
        except (OSError, ValueError, KeyError):
            continue
    return False


def read(path: str) -> str:
    """Return a file's text."""
    with open(path) as file:
        return file.read()


def uses_more_than(limit: int, fork_server: int, is_limited_alone: bool) -> bool:
    """Return whether the program of a fork server uses more memory than it may, with all that it started.

    Args:
        limit: bytes.
        fork_server: process id.
        is_limited_alone: whether the kernel holds each process alone to the limit.
    """
    pids = pending = children(fork_server)
    while pending:
        pending = [below for pid in pending for below in children(pid)]
        pids = pids + pending
    if (is_limited_alone and len(pids) < 2) or sum(map(resident_bytes, pids)) <= limit:
        return False
    return sum(map(proportional_bytes, pids)) > limit


def resident_bytes(pid: int) -> int:
    """Return a process's memory, shared pages included. 0 where the system doesn't tell."""
    try:
        with open(f"/proc/{pid}/statm") as statm:
            return int(statm.read().split()[1]) * PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0


def proportional_bytes(pid: int) -> int:
    """Return a process's memory, each shared page divided by its number of users.

    Returns:
        0 where the system doesn't tell. All its memory, shared pages included, if it hides from this process.
    """
    try:
        try:
            return read_proportional_bytes(pid)
        except PermissionError:
            # In a container, root may not look into the processes of other users. Each user may look into its own.
            status = os.stat(f"/proc/{pid}")
            with reading_as(status.st_uid, status.st_gid):
                return read_proportional_bytes(pid)
    except PermissionError:
        return resident_bytes(pid)
    except (OSError, ValueError, StopIteration):
        return 0


def read_proportional_bytes(pid: int) -> int:
    """Return what `proportional_bytes` returns.

    Raises:
        PermissionError: if this process may not know.
        OSError, ValueError, StopIteration: if the system doesn't tell.
    """
    with open(f"/proc/{pid}/smaps_rollup") as rollup:
        return next(int(line.split()[1]) << 10 for line in rollup if line.startswith("Pss:"))
