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
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                end_children()
        except ChildProcessError:
            return
    raise TimeoutError("a program's processes could not be ended")


def end_children():
    """Kills this process's children, each with its process group: at once, so that a fork bomb can't outrun it."""
    for child in children():
        kill(os.killpg, child)
        kill(os.kill, child)
    # Their own children come to this process when they die.
    time.sleep(0.0005)


def kill(how, target):
    try:
        how(target, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # gone, or another user's that had this number before
        return


def children(pid=None):
    """Process ids of the children that a process (this one) has now; none where the system does not say."""
    pid = os.getpid() if pid is None else pid
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as listing:
            return [int(child) for child in listing.read().split()]
    except OSError:
        return []


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
