"""Telling a slow program from a busy machine, so that the same samples get the same verdicts under load."""

import os
import time

from .endings import children

# A program that the machine keeps from running is given more time, up to so many times what it may use.
MOST_EXTENSION = 20
# Longer than the kernel takes to count time for a process that runs.
SECONDS_TO_TELL = 0.03
SECONDS_TO_LOOK_AGAIN = 0.1


def longer(pid, fork_server, wall_seconds, limits):
    """Wall seconds that a program may have in all.

    Args:
        pid: the program's first process.
        fork_server: its parent, whose other children are orphans that the program left.
        wall_seconds: what it has had.
        limits: the request's.

    Time in which the machine did not let it run does not count, so that the same samples get the same verdicts however
    many run at once; unless it, with all that it started, has used as much CPU time as one program can.
    """
    allowed = limits["wall_seconds"]
    if sum(map(cpu_seconds_of_tree, children(fork_server))) >= allowed * 0.98:
        return 0
    waited = waited_seconds(pid)
    if wall_seconds >= allowed + waited and (has_ended(pid) or waits_now(pid)):
        waited = wall_seconds - allowed + SECONDS_TO_LOOK_AGAIN
    return min(allowed + waited, allowed * MOST_EXTENSION)


def eldest_child(fork_server):
    """The first process of the program that a fork server runs; 0 if it has ended. Orphans come after it."""
    ages = []
    for pid in children(fork_server):
        fields = status_fields(pid)
        if fields:
            ages.append((int(fields[19]), pid))
    return min(ages)[1] if ages else 0


def waited_seconds(pid):
    """Seconds for which a process was ready to run and no CPU was free, up to when it last ran."""
    return scheduled(pid)[1] / 1e9


def has_ended(pid):
    """Whether a process is dead, which the fork server has had no CPU to say yet."""
    state = status_fields(pid)[:1]
    # Where the system tells nothing of a process, it may still be there.
    return state in (["Z"], ["X"]) or (not state and bool(status_fields(os.getpid())))


def waits_now(pid):
    """Whether a process is ready to run and no CPU is free for it, which takes a moment to tell."""
    before = scheduled(pid)
    time.sleep(SECONDS_TO_TELL)
    return before == scheduled(pid) and status_fields(pid)[:1] == ["R"]


def scheduled(pid):
    """Nanoseconds for which a process ran and for which it waited, and how often it ran. 0 where that is not told."""
    try:
        with open(f"/proc/{pid}/schedstat") as schedstat:
            return [int(number) for number in schedstat.read().split()]
    except (OSError, ValueError):
        return [0, 0, 0]


def status_fields(pid):
    """What the kernel says of a process, from its state on; nothing where that is not told."""
    try:
        with open(f"/proc/{pid}/stat") as status:
            # The name before it may hold spaces and parentheses.
            return status.read().rpartition(")")[2].split()
    except OSError:
        return []


def cpu_seconds_of_tree(pid):
    """CPU seconds of a process and all its descendants. 0 where the system does not say."""
    ticks, pids = 0, [pid]
    while pids:
        pid = pids.pop()
        # Of itself and of those it waited for, in user and in system mode.
        ticks += sum(int(field) for field in status_fields(pid)[11:15])
        pids += children(pid)
    return ticks / os.sysconf("SC_CLK_TCK")
