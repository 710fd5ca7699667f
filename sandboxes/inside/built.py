"""What a program was built as: it stays in the program's folder from run to run, while all else goes."""

import os
import stat


def state_of(folder):
    """What is in a folder: {name: (what tells whether it was changed, the same of what is in it or None)}.

    Args:
        folder: a descriptor. Only compilers have written there, so it is not deep.
    """
    found = {}
    for name in os.listdir(folder):
        status = os.lstat(name, dir_fd=folder)
        below = None
        if stat.S_ISDIR(status.st_mode):
            below = in_folder(folder, name, state_of)
        found[name] = (mark_of(status), below)
    return found


def is_as(folder, state):
    """Whether a folder, with what a program may have done there, still has all that it had: more is no matter."""
    for name, (mark, below) in state.items():
        try:
            if mark_of(os.lstat(name, dir_fd=folder)) != mark:
                return False
        except OSError:
            return False
        if below is not None and not in_folder(folder, name, is_as, below):
            return False
    return True


def mark_of(status):
    """What of a file's status is another one after any change. Nobody can set the time of a file's last change."""
    if stat.S_ISDIR(status.st_mode):
        return (status.st_ino, status.st_mode)
    return (status.st_ino, status.st_mode, status.st_size, status.st_ctime_ns)


def in_folder(folder, name, action, *arguments):
    """What a function says of a folder in a folder."""
    below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        return action(below, *arguments)
    finally:
        os.close(below)
