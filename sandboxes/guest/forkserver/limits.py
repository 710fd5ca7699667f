"""Resource limits of a program, as arguments of setrlimit."""

from __future__ import annotations

import resource

from ..isolation.syscalls import LINUX, libc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .server_state import ResourceLimits

# Difference between a hard limit and its soft one. CPU: the signal that can be told from others comes before the one
# that can't be caught. Memory: the room for a program that has used up its memory to say so.
HARD_LIMIT_MARGINS = {resource.RLIMIT_CPU: 1, resource.RLIMIT_AS: 32 << 20}
# Each arena of the C library reserves 64 MiB of addresses, which count as memory. By default each thread gets its own.
# The main thread has one too.
MAX_ARENAS = 2
# A constant of the GNU C library.
M_ARENA_MAX = -8


def limit_arenas() -> None:
    """Have all further threads share the last of MAX_ARENAS, in this process and its forks."""
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_ARENA_MAX, MAX_ARENAS)


def resource_limits(limits: list[Any], has_own_user: bool, others: int) -> ResourceLimits:
    """Return the arguments of setrlimit for a request, none above the limits of this process.

    Args:
        limits: the request's, in the order of `FORK_REQUEST`.
        has_own_user: whether the child's user is nobody else's, so that its processes can be counted exactly.
        others: number of processes that count besides the program's own.
    """
    memory_bytes, cpu_seconds, file_bytes, open_files, processes, stack_bytes = limits
    processes += others
    if not has_own_user and LINUX:
        # The kernel counts all processes of the user, so allow that many more: to be safe, the number of all tasks.
        with open("/proc/loadavg") as loadavg:
            processes += int(loadavg.read().split()[3].split("/")[1])
    calls: ResourceLimits = []
    for name, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_STACK, stack_bytes),
    ):
        # macOS refuses RLIMIT_AS. The first frame says that it is missing.
        if value < 0 or (name == resource.RLIMIT_AS and not LINUX):
            continue
        allowed = resource.getrlimit(name)[1]
        # Programs that recurse deeply raise the limit on their stack themselves.
        hard = allowed if name == resource.RLIMIT_STACK else value + HARD_LIMIT_MARGINS.get(name, 0)
        if allowed != resource.RLIM_INFINITY:
            value, hard = min(value, allowed), min(hard, allowed)
        calls.append((name, (value, hard)))
    return calls
