"""A fork server's control group of version 2, in which the kernel limits the memory of all its programs together."""

from __future__ import annotations

import errno
import os
import time

from ..common.processes import END_TIMEOUT_SECONDS
from .delegated_group import MAX_TRIES, PREFIX, RETRY_SECONDS, NotDelegated, delegated_group, remove_if_empty, write
from .memory import EventCounter, kill_counter, read

# What the kernel keeps about the processes of programs.
KERNEL_BYTES = 64 << 20
MAX_LIMIT_BYTES = 1 << 62


class ControlGroup:
    """A control group of a fork server, its programs, and all that these start."""

    def __init__(self, parent: str, files_bytes: int) -> None:
        """Name a group that is made when it is needed.

        Args:
            parent: the group above it, as `delegated_group` returns it.
            files_bytes: size of the files that programs may have, which are memory too.
        """
        self.files_bytes = files_bytes
        self.path = os.path.join(parent, PREFIX + os.urandom(8).hex())
        # The memory that the fork server itself takes, and the limit that was set last.
        self.own_bytes: int | None = None
        self.memory_bytes = -1
        events = os.path.join(self.path, "memory.events")
        # Processes that were killed for lack of memory, and how often the group's own limit was the reason.
        self.kills, self.excesses = EventCounter(events, "oom_kill"), EventCounter(events, "oom")

    def add(self, pid: int) -> None:
        """Put a process into the group. What it starts will be there too.

        Raises:
            OSError: if that is not possible here.
        """
        for _ in range(MAX_TRIES):
            os.makedirs(self.path, exist_ok=True)
            try:
                write(self.path, "cgroup.procs", str(pid))
            except FileNotFoundError:
                # Another guest has taken the empty group for one that nobody needs.
                continue
            break
        if os.path.exists(os.path.join(self.path, "memory.swap.max")):
            write(self.path, "memory.swap.max", "0")

    def limit_memory(self, memory_bytes: int) -> None:
        """Set the memory that all programs may use together, beside the fork server and their files.

        Args:
            memory_bytes: of the next program's limits.
        """
        if memory_bytes == self.memory_bytes:
            return
        if self.own_bytes is None:
            self.own_bytes = int(read(os.path.join(self.path, "memory.current")))
        limit = min(self.own_bytes + memory_bytes + self.files_bytes + KERNEL_BYTES, MAX_LIMIT_BYTES)
        write(self.path, "memory.max", str(limit))
        self.memory_bytes = memory_bytes

    def remove(self) -> None:
        """Remove the group, once its last process has ended.

        Raises:
            OSError: if a process in it does not end.
        """
        deadline = time.monotonic() + END_TIMEOUT_SECONDS
        while True:
            try:
                os.rmdir(self.path)
            except FileNotFoundError:
                return
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > deadline:
                    raise
                time.sleep(RETRY_SECONDS)


class MemoryControl:
    """The kernel's limit of the memory of one fork server's programs, where a control group can be made for it."""

    def __init__(self, caller: int, files_bytes: int, in_container: bool) -> None:
        """Prepare to make a group.

        Args:
            caller: process id of the supervisor's caller.
            files_bytes: as `ControlGroup` takes it.
            in_container: whether the kernel limits the memory of a whole container already.
        """
        self.caller, self.files_bytes, self.in_container = caller, files_bytes, in_container
        self.group: ControlGroup | None = None
        # Why the memory is only watched; "" if the kernel limits it.
        self.not_held = ""
        # Processes that the kernel has killed because memory had run out, here or in a whole container.
        self.kills = EventCounter(kill_counter(), "oom_kill")

    def add(self, pid: int) -> None:
        """Put a process that becomes the fork server into its group, if there can be one."""
        if self.in_container:
            return
        try:
            if self.group is None:
                self.group = ControlGroup(delegated_group(self.caller), self.files_bytes)
            self.group.add(pid)
        except (NotDelegated, OSError) as error:
            if self.group is not None:
                remove_if_empty(self.group.path)
            self.group, self.not_held = None, str(error)
        else:
            self.kills = self.group.kills

    def limit(self, memory_bytes: int) -> None:
        """Limit the memory of all processes of the next program together."""
        if self.group is not None:
            self.group.limit_memory(memory_bytes)

    def was_exceeded(self) -> bool:
        """Return whether a program has been at the kernel's limit since the last call."""
        return self.group is not None and self.group.excesses.has_increased()

    def remove(self) -> None:
        """Remove the group once its processes have ended."""
        if self.group is not None:
            self.group.remove()
