"""Finds a control group in which this process may make groups of its own, with limits of memory.

A process may do so where a part of the groups was handed to it: in a unit of systemd with `Delegate=yes`, in a
container that may write to its own group, and everywhere on a machine without a manager of groups.
"""

from __future__ import annotations

import errno
import os
import time

from ..common.processes import descendants
from ..isolation.extended_attributes import list_attributes, read_attribute
from .memory import CONTROL_GROUPS, OWN_GROUPS, read

PREFIX = "code-eval-"
# The processes that were in the group before. The kernel limits no groups below one that has processes of its own.
CALLERS = PREFIX + "callers"
DELEGATION_ATTRIBUTES = ("user.delegate", "trusted.delegate")
"""Attributes by which systemd marks a group that it leaves to the processes in it."""

NOT_HANDED_OVER = """\
this process's control group was not handed to it, as that of `systemd-run --user --scope -p Delegate=yes COMMAND` is"""
# What is mounted where, for this process.
OWN_MOUNTS = "/proc/self/mountinfo"
MAX_TRIES = 20
RETRY_SECONDS = 0.01


class NotDelegated(Exception):
    """This process may make no control groups. The text says why, for people."""


def delegated_group(
    caller: int, own_groups: str = OWN_GROUPS, control_groups: str = CONTROL_GROUPS, mounts: str = OWN_MOUNTS
) -> str:
    """Return a group in which this process may make groups with limits of memory. It has no processes of its own.

    If the process's own group was handed to it, all processes there move into a group below. Groups that a killed
    guest has left are removed.

    Args:
        caller: process id of the supervisor's caller.
        own_groups: the file that names this process's groups.
        control_groups: where the groups are shown.
        mounts: the file that lists the mounts.

    Raises:
        NotDelegated: if there is none.
    """
    try:
        group = own_group(own_groups, control_groups)
        if shows_another_namespace(control_groups, mounts):
            raise NotDelegated(f"{control_groups} shows the control groups of another namespace")
        if os.path.basename(group) == CALLERS:
            group = os.path.dirname(group)
        elif not is_delegated(group, control_groups.rstrip("/"), caller):
            raise NotDelegated(NOT_HANDED_OVER)
        if "memory" not in read(os.path.join(group, "cgroup.controllers")).split():
            raise NotDelegated("its control group has no control of memory")
        if "memory" not in read(os.path.join(group, "cgroup.subtree_control")).split():
            control_memory_below(group)
        for name in os.listdir(group):
            if name.startswith(PREFIX) and name != CALLERS:
                remove_if_empty(os.path.join(group, name))
    except OSError as error:
        raise NotDelegated(str(error)) from error
    return group


def shows_another_namespace(control_groups: str, mounts: str) -> bool:
    """Return whether the topmost group that is shown lies above those that this process's names begin at.

    The machine's groups are shown so in a container that was given the machine's folder of them. Groups that are made
    there would be outside of the container, and of its limits.

    Args:
        control_groups: where the groups are shown.
        mounts: the file that lists the mounts.
    """
    fields = [line.split() for line in read(mounts).splitlines()]
    # The last mount at a place covers those before it.
    roots = [root for _, _, _, root, place, *_ in fields if place == control_groups]
    return bool(roots) and roots[-1].startswith("/..")


def own_group(own_groups: str, control_groups: str) -> str:
    """Return the folder of this process's control group.

    Raises:
        NotDelegated: if the system shows none of version 2.
        OSError: if the file can't be read.
    """
    for line in read(own_groups).splitlines() if os.path.exists(own_groups) else ():
        _, controllers, name = line.split(":", 2)
        folder = os.path.join(control_groups, os.path.normpath(name).lstrip("/"))
        # The name of a group outside of this process's cgroup namespace begins with "..".
        if (
            not controllers
            and not name.startswith("/..")
            and os.path.exists(os.path.join(folder, "cgroup.controllers"))
        ):
            return folder.rstrip("/")
    raise NotDelegated("there are no control groups of version 2")


def is_delegated(group: str, control_groups: str, caller: int) -> bool:
    """Return whether a group was handed to the processes in it. The arguments are those of `delegated_group`.

    The topmost group that is shown is a container's own one, or the machine's if there is no manager of groups.
    A user's manager marks none of its groups. One of these is taken if it has nobody else's processes.
    """
    if not os.access(group, os.W_OK):
        return False
    if group == control_groups or is_marked(group):
        return True
    above = os.path.dirname(group)
    while above != control_groups and not is_marked(above):
        above = os.path.dirname(above)
    ours = {str(pid) for pid in (caller, *descendants(caller))}
    return above != control_groups and ours.issuperset(read(os.path.join(group, "cgroup.procs")).split())


def is_marked(group: str) -> bool:
    """Return whether systemd has marked a group as handed over."""
    marks = [name for name in list_attributes(group) if name in DELEGATION_ATTRIBUTES]
    return any(read_attribute(group, name) == b"1" for name in marks)


def control_memory_below(group: str) -> None:
    """Let a group limit the memory of groups below it.

    Raises:
        NotDelegated: if a process of another PID namespace is in it, which can't be moved.
        OSError: if that is not possible here.
    """
    for _ in range(MAX_TRIES):
        # The machine's own group may have processes and limits below.
        if os.path.exists(os.path.join(group, "cgroup.events")):
            move_processes(group, os.path.join(group, CALLERS))
        try:
            return write(group, "cgroup.subtree_control", "+memory")
        except OSError as error:
            # A process in it has started another one meanwhile.
            if error.errno != errno.EBUSY:
                raise
            time.sleep(RETRY_SECONDS)
    raise NotDelegated("there is always another process in its control group")


def move_processes(group: str, below: str) -> None:
    """Move all processes of a group into one below it."""
    os.makedirs(below, exist_ok=True)
    for pid in read(os.path.join(group, "cgroup.procs")).split():
        if pid == "0":
            raise NotDelegated("its control group has a process of another PID namespace")
        try:
            write(below, "cgroup.procs", pid)
        except ProcessLookupError:
            continue


def remove_if_empty(group: str) -> None:
    """Remove a group unless it has processes."""
    try:
        os.rmdir(group)
    except OSError:
        # It is in use, or another guest has removed it.
        return


def write(group: str, name: str, text: str) -> None:
    """Write a file of a group."""
    with open(os.path.join(group, name), "w") as file:
        file.write(text)
