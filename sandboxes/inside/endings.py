"""Ending all that a program started, and removing all that it wrote."""

import os
import signal
import stat
import time

MOST_SECONDS_TO_END = 5


def end_descendants(reaps, pid):
    """Ends all that a child which has ended left behind.

    Args:
        reaps: whether this process adopts its descendants that lose their parents.
        pid: the child. Where nothing is adopted, only its process group can be found.
    """
    if not reaps and pid != os.getpid():
        kill(os.killpg, pid)
    deadline = time.monotonic() + MOST_SECONDS_TO_END
    while time.monotonic() < deadline:
        for each in stopped_descendants(deadline):
            kill(os.kill, each)
        try:
            # Only now: a dead process that nobody has waited for still counts towards the limit on processes, so a fork
            # bomb that has reached it can't put new ones in the place of those that were killed.
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
            time.sleep(0.0005)
        except ChildProcessError:
            return
    raise TimeoutError("a program's processes could not be ended")


def stopped_descendants(deadline):
    """Process ids of all descendants, stopped, so that none of them can start another."""
    stopped = set()
    while time.monotonic() < deadline:
        new = [pid for pid in descendants() if pid not in stopped]
        if not new:
            break
        for pid in new:
            kill(os.kill, pid, signal.SIGSTOP)
        stopped.update(new)
    return stopped


def kill(how, target, number=signal.SIGKILL):
    try:
        how(target, number)
    except (ProcessLookupError, PermissionError):  # gone, or another user's that had this number before
        return


def descendants(pid=None):
    """Process ids of all descendants of a process (this one)."""
    found, pending = [], children(pid)
    while pending:
        found.append(pending.pop())
        pending += children(found[-1])
    return found


def children_are_told():
    """Whether the system says which children a process has."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def children(pid=None):
    """Process ids of the children that a process (this one) has now; none where the system does not say."""
    pid = os.getpid() if pid is None else pid
    found = []
    try:
        # Each thread has its own.
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as listing:
                found += [int(child) for child in listing.read().split()]
    except OSError:  # it ended meanwhile
        return found
    return found


def remove_tree(folder, name):
    """Removes a file or a folder with all in it, however deep and whatever its modes.

    Without recursion and with one descriptor, since a candidate may have nested folders a thousand deep.

    Args:
        folder: a descriptor of the folder that it is in.
        name: its name there.
    """
    here = os.dup(folder)
    path, pending = [], [[name]]
    try:
        while pending:
            if not pending[-1]:
                pending.pop()
                if path:
                    above = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
                    os.close(here)
                    here = above
                    os.rmdir(path.pop(), dir_fd=here)
                continue
            entry = pending[-1].pop()
            if not stat.S_ISDIR(os.lstat(entry, dir_fd=here).st_mode):
                os.unlink(entry, dir_fd=here)
                continue
            os.chmod(entry, 0o700, dir_fd=here)
            below = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
            path.append(entry)
            pending.append(os.listdir(here))
    finally:
        os.close(here)


def remove_folder(path):
    """Removes a folder with all in it, if it is there."""
    try:
        parent = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    try:
        remove_tree(parent, os.path.basename(path))
    except FileNotFoundError:
        return
    finally:
        os.close(parent)
