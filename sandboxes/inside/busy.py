"""Telling a slow program from a busy machine, so that the same samples get the same verdicts under load."""

import os
import time

from .endings import children, descendants

# A program that the machine keeps from running is given more time, up to so many times what it may use.
MOST_EXTENSION = 20
# Longer than the kernel takes to count time for a process that runs.
SECONDS_TO_TELL = 0.03
SECONDS_TO_LOOK_AGAIN = 0.1


class Share:
    """What the processes below one fork server have of a program's time."""

    def __init__(self, fork_server):
        """Knows none of them yet.

        Args:
            fork_server: its children are the program's first process and orphans that the program left.
        """
        self.fork_server = fork_server
        # The program's first process.
        self.pid = 0
        # What they had when the program began.
        self.cpu_seconds_before = self.waited_seconds_before = 0.0
        self.threads = []
        # For how long each thread waited for a CPU, up to when it last ran. Those that have ended keep what was seen.
        self.waited = {}

    def find(self):
        """Finds the program's first process, if it is there and not known yet."""
        self.pid = self.pid or eldest_child(self.fork_server)
        return self.pid

    def begin(self, pid):
        """Counts from now on what a process does that has had part in other programs before."""
        self.pid = pid
        ran, waited, _ = scheduled(pid)
        self.cpu_seconds_before, self.waited_seconds_before = ran / 1e9, waited / 1e9

    def look(self):
        """Sees what is there; (CPU seconds used, seconds for which one was ready to run and no CPU was free)."""
        self.find()
        # Where the system does not say what is below it, the fork server has told of the first process.
        pids = descendants(self.fork_server) or [self.pid]
        self.threads = [thread for pid in pids for thread in threads_of(pid)]
        self.waited.update((thread, scheduled(thread)[1] / 1e9) for thread in self.threads)
        waited = sum(self.waited.values()) - self.waited_seconds_before
        return cpu_seconds_of(pids) - self.cpu_seconds_before, waited


def look(shares):
    """What `Share.look` gives, of several together."""
    used, waited = zip(*(share.look() for share in shares))
    return sum(used), sum(waited)


def longer(shares, wall_seconds, limits):
    """Wall seconds that a program may have in all.

    Args:
        shares: of its processes. While one of them runs the others wait for it, so their times add up.
        wall_seconds: what it has had.
        limits: the request's.

    Time in which the machine did not let it run does not count, so that the same samples get the same verdicts however
    many run at once; unless it, with all that it started, has used as much CPU time as one program can.
    """
    allowed = limits["wall_seconds"]
    used, waited = look(shares)
    if used >= allowed * 0.98:
        return 0
    if wall_seconds >= allowed + waited:
        threads = [thread for share in shares for thread in share.threads]
        if any(has_ended(share.pid) for share in shares) or waits_now(threads):
            waited = wall_seconds - allowed + SECONDS_TO_LOOK_AGAIN
        else:
            # A wait counts once it has ended, which it may have done since.
            waited = look(shares)[1]
    return min(allowed + waited, allowed * MOST_EXTENSION)


def eldest_child(fork_server):
    """The first process of the program that a fork server runs; 0 if it has ended. Orphans come after it."""
    ages = []
    for pid in children(fork_server):
        fields = status_fields(pid)
        if fields:
            ages.append((int(fields[19]), pid))
    return min(ages)[1] if ages else 0


def has_ended(task):
    """Whether a process or thread is dead, which the fork server may have had no CPU to say yet."""
    state = status_fields(task)[:1]
    # Where the system tells nothing of one, it may still be there.
    return state in (["Z"], ["X"]) or (not state and bool(status_fields(os.getpid())))


def waits_now(threads):
    """Whether one of some threads is ready to run and no CPU is free for it, which takes a moment to tell."""
    before = {thread: scheduled(thread) for thread in threads if status_fields(thread)[:1] == ["R"]}
    if not before:
        return False
    time.sleep(SECONDS_TO_TELL)
    # One that has ended meanwhile was ready too.
    return any(scheduled(thread) == before[thread] or has_ended(thread) for thread in before)


def threads_of(pid):
    """All threads of a process, as folders of /proc; none if it has ended."""
    try:
        return [f"{pid}/task/{thread}" for thread in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def scheduled(task):
    """Nanoseconds for which a process or thread ran and for which it waited, and how often it ran.

    0 where that is not told. Of a process it is what its first thread did.
    """
    try:
        with open(f"/proc/{task}/schedstat") as schedstat:
            return [int(number) for number in schedstat.read().split()]
    except (OSError, ValueError):
        return [0, 0, 0]


def status_fields(task):
    """What the kernel says of a process or thread, from its state on; nothing where that is not told."""
    try:
        with open(f"/proc/{task}/stat") as status:
            # The name before it may hold spaces and parentheses.
            return status.read().rpartition(")")[2].split()
    except OSError:
        return []


def cpu_seconds_of(pids):
    """CPU seconds of processes and of their children that have ended. 0 where the system does not say."""
    ticks = 0
    for pid in pids:
        # Of itself and of those it waited for, in user and in system mode.
        ticks += sum(int(field) for field in status_fields(pid)[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")
