"""Telling a slow program from a busy machine, so that the same samples get the same verdicts under load."""

import os

from .endings import children

# A program that the machine keeps from running is given more time, up to so many times what it may use.
MOST_EXTENSION = 20


def longer(pid, wall_seconds, limits):
    """Wall seconds that a program may have in all, given that it has run for `wall_seconds`.

    Time in which the machine did not let it run does not count, so that the same samples get the same verdicts however
    many run at once; unless it, with all that it started, has used as much CPU time as one program can.
    """
    allowed = limits["wall_seconds"]
    if cpu_seconds_of_tree(pid) >= allowed * 0.98:
        return 0
    return min(allowed + waited_seconds(pid), allowed * MOST_EXTENSION)


def waited_seconds(pid):
    """Seconds for which a process was ready to run and no CPU was free. 0 where the system does not say."""
    try:
        with open("/proc/%d/schedstat" % pid) as schedstat:
            return int(schedstat.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0


def cpu_seconds_of_tree(pid):
    """CPU seconds of a process and all its descendants. 0 where the system does not say."""
    ticks, pids = 0, [pid]
    while pids:
        pid = pids.pop()
        try:
            with open("/proc/%d/stat" % pid) as stat_file:
                # The name before it may hold spaces and parentheses.
                fields = stat_file.read().rpartition(")")[2].split()
            ticks += sum(int(field) for field in fields[11:15])
            pids += children(pid)
        except (OSError, IndexError, ValueError):
            continue
    return ticks / os.sysconf("SC_CLK_TCK")
