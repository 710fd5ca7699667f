"""The caller's end of a guest in a container."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from dataclasses import replace
from typing import Any, Protocol

from sandboxes.backends.docker.direct import Listener
from sandboxes.backends.docker.engine import DockerCli, with_advice
from sandboxes.backends.docker.options import DockerOptions
from sandboxes.contract import Isolation
from sandboxes.errors import SandboxUnavailable
from sandboxes.workers.messages import GuestBroken, parse_isolation
from sandboxes.workers.worker import Worker

# How far back to look for events. Engines keep only the last few, and no two containers have the same name.
EVENTS_SINCE = "24h"
# The engine reports an out-of-memory kill a little later than the container's end; wait this long for the event.
OOM_EVENT_TIMEOUT_SECONDS = 2
# The exit status of `docker run` when the engine could not start a container, and all those of containers without a
# program in them.
NOT_STARTED = 125
FAILED_STARTS = (NOT_STARTED, 126, 127)
CONTAINER_LAYERS = ("container", "user", "net", "ipc", "uts")
# A container also replaces these layers: its root is the image, and its processes are only the guest's and programs'.
REPLACED_LAYERS = (*CONTAINER_LAYERS, "mount", "pid")
# Seconds in which the docker command ends after its container.
COMMAND_TIMEOUT_SECONDS = 5


class ContainerSandbox(Protocol):
    """What a worker needs of its sandbox."""

    @property
    def container(self) -> DockerOptions:
        """The options of the containers."""

    @property
    def engine(self) -> DockerCli:
        """The engine that runs the containers."""

    @property
    def has_network(self) -> bool:
        """True if programs have a network."""

    def forget_image(self) -> None:
        """Look for the image again when the next container starts, because it may have been removed."""

    def connect_no_more(self) -> None:
        """Start further guests of this engine without a connection."""


class ContainerWorker(Worker):
    """A guest in a container. The process here is the `docker` command, whose streams are the guest's.

    After the guest's first frame, requests and replies go through its connection, if there is one.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], sandbox: ContainerSandbox, name: str, listener: Listener | None
    ):
        """Take over the command that was just started, the name of its container, and the socket for its guest."""
        super().__init__(process, "")
        self.sandbox, self.name = sandbox, name
        self._listener = listener
        self._connections: list[socket.socket] = []
        if sandbox.container.fresh_container:
            self.max_programs = 1

    def isolation_of(self, frame: dict[str, Any]) -> Isolation:
        """Return the isolation that the guest's first frame reports, with the layers that the container adds.

        Raises:
            GuestBroken: if a connection that the guest reports is not there.
        """
        if self._listener is not None and frame.get("is_connected"):
            self._take_connection(self._listener)
        self._close_listener()
        reported = parse_isolation(frame)
        container = [name for name in CONTAINER_LAYERS if not (name == "net" and self.sandbox.has_network)]
        layers = tuple(dict.fromkeys((*container, *reported.layers)))
        missing = {name: reason for name, reason in reported.missing.items() if name not in REPLACED_LAYERS}
        return replace(reported, layers=layers, missing=missing)

    def _take_connection(self, listener: Listener) -> None:
        connection = listener.accept()
        if connection is None:
            raise GuestBroken("the guest's connection was lost")
        # Two descriptors, because each is watched for itself.
        self._connections = [connection, connection.dup()]
        self.requests_fd, self.replies_fd = (each.fileno() for each in self._connections)

    def _close_listener(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def disown(self) -> None:
        """Close what was inherited in a process forked from the owner, and leave the guest to the owner."""
        if self._listener is not None:
            self._listener.disown()
        super().disown()

    def close_pipes(self) -> None:
        """Close this process's ends of the pipes and of the connection, so that the guest ends."""
        super().close_pipes()
        for connection in self._connections:
            connection.close()

    def last_words(self) -> str:
        """Return what is known about why the container ended."""
        if self._connections:
            # The connection ends with the guest, and the command with the container.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(COMMAND_TIMEOUT_SECONDS)
        last_words = with_advice(super().last_words())
        if self._listener is not None and self.process.returncode in FAILED_STARTS:
            # The engine does not see the folder, or must not show it. Podman names the folder alone.
            if "mount" in last_words or self._listener.folder in last_words:
                self.sandbox.connect_no_more()
        if self.process.returncode == NOT_STARTED:
            self.sandbox.forget_image()
        return last_words

    def ran_out_of_memory(self) -> bool:
        """Return whether the engine reports that the container ended because it was out of memory."""
        if self.process.returncode == 0:
            return False
        until = str(int(time.time()) + OOM_EVENT_TIMEOUT_SECONDS)
        events = ("events", "--since", EVENTS_SINCE, "--until", until, "--filter", "event=oom")
        try:
            return bool(self.sandbox.engine.query(*events, "--filter", f"container={self.name}", seconds=10))
        except SandboxUnavailable:
            return False

    def cleanup(self) -> None:
        """Remove the container, if the command ended before it could, and the folder of the socket."""
        self._close_listener()
        if self.process.returncode != 0:
            try:
                self.sandbox.engine.query("rm", "--force", "--volumes", self.name)
            except SandboxUnavailable:
                # No engine answers. Its containers are gone with it, or end because their input has closed.
                return
