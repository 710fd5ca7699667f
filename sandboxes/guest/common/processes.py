"""The processes below another one: listing them, and ending all that a program started."""

from __future__ import annotations

import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

END_TIMEOUT_SECONDS = 5
# A process whose supervisor has closed its end waits this long to be ended, or to hear that the supervisor was killed.
END_GRACE_SECONDS = 10
# Short: the supervisor and the next program wait for the end of the last one.
POLL_INTERVAL_SECONDS = 0.0005


def end_descendants(reaps_orphans: bool, pid: int) -> None:
    """End all processes that a child left behind.

    Args:
        reaps_orphans: whether this process adopts descendants that lose their parents.
        pid: the child, which has ended. Without adoption only its process group can be found.

    Raises:
        TimeoutError: if some processes are still there after END_TIMEOUT_SECONDS.
    """
    if not reaps_orphans and pid != os.getpid():
        signal_quietly(os.killpg, pid)
    deadline = time.monotonic() + END_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        for descendant in stop_descendants(deadline):
            signal_quietly(os.kill, descendant)
        try:
            # Reaping comes after the kills: a dead process that nobody has waited for still counts towards the limit on
            # processes. A fork bomb at the limit therefore can't replace the processes that were killed.
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
            time.sleep(POLL_INTERVAL_SECONDS)
        except ChildProcessError:
            return
    raise TimeoutError("a program's processes could not be ended")


def stop_descendants(deadline: float, pid: int | None = None) -> set[int]:
    """Stop all descendants of a process, so that none of them can start another, and return their process ids.

    Args:
        deadline: time of the monotonic clock at which to give up.
        pid: the process; None for this one.
    """
    stopped: set[int] = set()
    while time.monotonic() < deadline:
        running = [descendant for descendant in descendants(pid) if descendant not in stopped]
        if not running:
            break
        for descendant in running:
            signal_quietly(os.kill, descendant, signal.SIGSTOP)
        stopped.update(running)
    return stopped


def signal_quietly(send: Callable[[int, int], None], target: int, number: int = signal.SIGKILL) -> None:
    """Send a signal, by default SIGKILL, to a process or group that may be gone.

    Args:
        send: os.kill or os.killpg.
        target: process or process group.
        number: the signal.
    """
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):  # gone, or its number now belongs to another user's process
        return


def descendants(pid: int | None = None) -> list[int]:
    """Return the process ids of all descendants of a process, by default this one."""
    pids: list[int] = []
    pending = children(pid)
    while pending:
        pids.append(pending.pop())
        pending += children(pids[-1])
    return pids


def proc_lists_children() -> bool:
    """Return whether /proc lists the children of a process."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def children(pid: int | None = None) -> list[int]:
    """Return the process ids of a process's current children; none where /proc doesn't list them.

    Args:
        pid: the parent; None for this process.
    """
    pid = os.getpid() if pid is None else pid
    pids: list[int] = []
    try:
        # Each thread has a list of its own.
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as listing:
                pids += [int(child) for child in listing.read().split()]
    except OSError:  # the process ended meanwhile
        return pids
    return pids
