"""The process that the caller starts in every guest: its pipes, its folder and its fork servers."""

from __future__ import annotations

import os
import sys

from ..common.files import remove_folder
from ..common.frames import COMPILERS, SHARED
from ..common.processes import proc_lists_children
from ..forkserver.extension import forked_in_python
from ..isolation.privileges import adopt_orphans, hide_memory
from ..isolation.syscalls import LINUX
from .fork_server_process import ForkServerProcess
from .scratch import SCRATCH_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

PARENT_CHECK_INTERVAL_SECONDS = 5


class GuestProcess:
    """Holds the fork servers of a guest, and starts each when it is first needed."""

    def __init__(
        self, requests: int, replies: int, options: dict[str, Any], guest_file: str, roles: Sequence[str]
    ) -> None:
        """Start the first fork server.

        Args:
            requests: descriptor of the pipe from the caller.
            replies: descriptor of the pipe to the caller.
            options: the guest's.
            guest_file: the program that becomes a fork server.
            roles: of the fork servers, the first one first.
        """
        self.requests, self.replies, self.guest_file = requests, replies, guest_file
        # A socket to the caller, which takes the place of the two pipes after the first frame.
        self.connection: int | None = None
        self.parent = os.getppid()
        adopt_orphans()
        more = {"caller": self.parent, "announces": not proc_lists_children()}
        self.options = {**options, **more}
        # A container goes with all its folders.
        self.has_folder = not options["folders"]
        if self.has_folder:
            os.chmod(options["scratch"], SCRATCH_MODE)
        self.fork_servers = {role: ForkServerProcess(self.options, role, guest_file) for role in roles}
        # The caller expects no message before the first frame.
        self.first = self.fork_server(roles[0], lambda: None)
        if not self.first.has_own_pids and os.geteuid() != 0:
            # Programs can see this process and may have its user, and must not read its memory.
            hide_memory()

    def fork_server(self, role: str, on_waiting: Callable[[], None]) -> ForkServerProcess:
        """Return the fork server of a role. The first call starts it.

        Args:
            role: one of those that the guest has.
            on_waiting: called from time to time until it is ready.
        """
        server = self.fork_servers[role]
        if not server.is_open:
            if not self.has_folder and not self.options["folders"]:
                # Fails if another user has taken the name.
                os.mkdir(self.options["scratch"], SCRATCH_MODE)
                self.has_folder = True
            others = [other.outer_pid for other in self.fork_servers.values() if other is not server]
            server.open(others, on_waiting)
            # The caller has accepted the layers of the first fork server, and verdicts name them.
            first = next(iter(self.fork_servers.values()))
            if lost := set(first.layers) - set(server.layers):
                raise RuntimeError(f"a further fork server went without {', '.join(sorted(lost))}: {server.missing}")
            if self.has_folder and "mount" in first.layers:
                # As soon as the folder is empty: if all processes are killed at once, nobody is left to remove it.
                os.rmdir(self.options["scratch"])
                self.has_folder = False
        return server

    def compiler_server(self, on_waiting: Callable[[], None]) -> ForkServerProcess:
        """Return the fork server of compilers. The first call starts it.

        Programs have never heard of its process, so it is only for guests whose programs see no others.

        Args:
            on_waiting: as `fork_server` takes it.
        """
        if COMPILERS not in self.fork_servers:
            self.fork_servers[COMPILERS] = ForkServerProcess(self.options, SHARED, self.guest_file, COMPILERS)
        return self.fork_server(COMPILERS, on_waiting)

    def hello(self) -> dict[str, Any]:
        """Return the first frame."""
        missing = dict(self.first.missing)
        if not LINUX:
            missing["memory"] = "RLIMIT_AS is not enforced on " + sys.platform
        version = "%d.%d.%d" % sys.version_info[:3]
        layers = [*self.first.layers, "rlimits"]
        return {
            "ready": True,
            "python": version,
            "layers": layers,
            "missing": missing,
            "modules": self.first.modules,
            "forked_in_python": forked_in_python,
            "memory_not_held": self.first.memory.not_held,
            "is_connected": self.connection is not None,
        }

    def close(self) -> None:
        """End all processes that were started here."""
        for server in self.fork_servers.values():
            server.end()
        if self.has_folder:
            remove_folder(self.options["scratch"])
