"""The backend "docker": guests live in containers."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

from sandboxes.backends.confinement import BOTH_NETWORKS, Confinement
from sandboxes.backends.docker.boot import BOOT_SCRIPT, GUEST_PATH, guest_archive
from sandboxes.backends.docker.direct import Listener, open_listener
from sandboxes.backends.docker.engine import DockerCli, is_podman, with_advice
from sandboxes.backends.docker.images import GUEST_LABEL, prepare_image
from sandboxes.backends.docker.network import NO_NETWORK, loopback_arguments
from sandboxes.backends.docker.options import DockerOptions
from sandboxes.backends.host_state import file_states
from sandboxes.backends.local_process import PROGRAM_ENVIRONMENT
from sandboxes.contract import Isolation
from sandboxes.errors import NotCacheable, SandboxUnavailable
from sandboxes.guest.common.frames import HEAD
from sandboxes.guest.common.user_ids import draw_uid
from sandboxes.imports import packages_for
from sandboxes.sessions.limits import SessionLimits
from sandboxes.workers.canaries import CANARIES, Canary
from sandboxes.workers.messages import GuestBroken, parse_isolation
from sandboxes.workers.worker import Worker, start_process

FOLDERS = ("/work", "/tmp", "/dev/shm")  # noqa: S108 (of the container)
FOLDER_MB, FOLDER_FILES = 128, 1 << 16
# Memory for the guest itself.
GUEST_MEMORY_MB = 256
HOST_NAME = "sandbox"
# Processes of the guest itself.
EXTRA_PROCESSES = 64
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

# Engines that did not start a container which was to see a folder of this machine. Their guests use streams.
_engines_elsewhere: set[DockerCli] = set()
_images: dict[DockerOptions, str] = {}
_images_lock = threading.Lock()


@dataclass(frozen=True)
class DockerSandbox:
    """A backend whose guests each live in a container of their own."""

    confinement: Confinement = Confinement()
    """The isolation options, besides the container's own."""

    container: DockerOptions = DockerOptions()
    """The options of the containers."""

    packages_by_import: tuple[tuple[str, str | None], ...] = ()
    """(import name, requirement) of packages that are installed only where programs import them."""

    session: SessionLimits | None = field(default=None, kw_only=True)
    """The limits of the session that guests hold. None: guests run programs."""

    name: ClassVar[str] = "docker"
    languages: ClassVar[frozenset[str] | None] = None
    extra_fields: ClassVar[tuple[str, ...]] = ()
    auto_grading: ClassVar[str] = "auto"
    has_policy: ClassVar[bool] = False
    uses_host_files: ClassVar[bool] = False
    verdicts_repeat: ClassVar[bool] = False
    own_options: ClassVar[tuple[str, ...]] = (
        "image",
        "packages",
        "cpus",
        "runtime",
        "pull",
        "volumes",
        "docker_host",
        "fresh_container",
    )
    """Options that not every backend takes."""

    limit_options: ClassVar[tuple[str, ...]] = ("memory_mb", "max_processes")
    """Limits of programs that the backend needs before any program runs."""

    @classmethod
    def checked(cls, **options: Any) -> Self:
        """Return a sandbox with the options that a user gives: those of Confinement and of DockerOptions.

        Raises:
            ValueError, TypeError: if an option is invalid; the message names the value.
        """
        docker_options = {name: options.pop(name) for name in (*cls.limit_options, *cls.own_options) if name in options}
        docker_options["network"] = options.pop("network", None)
        packages = docker_options.get("packages")
        if options.get("loopback") and docker_options["network"] not in (None, False, NO_NETWORK):
            raise ValueError(BOTH_NETWORKS)
        by_import = tuple(sorted(packages.items())) if isinstance(packages, Mapping) else ()
        return cls(Confinement.checked(**options), DockerOptions.checked(**docker_options), by_import)

    @property
    def canaries(self) -> tuple[Canary, ...]:
        """The programs that show whether the sandbox works here."""
        return CANARIES

    @property
    def isolation_mode(self) -> str:
        """The isolation that the user chose: "auto", "strict" or "off"."""
        return self.confinement.isolation

    def with_mounts(self, paths: Sequence[str]) -> Self:
        """Return this sandbox with additional files and folders of this machine, at their own paths."""
        volumes = {**dict(self.container.volumes), **{path: path for path in paths}}
        return replace(self, container=replace(self.container, volumes=tuple(sorted(volumes.items()))))

    def for_session(self, limits: SessionLimits) -> Self:
        """Return this sandbox for a session, with all packages, because nobody knows what the session will import."""
        by_import = {package for _, package in self.packages_by_import if package is not None}
        packages = tuple(sorted({*self.container.packages, *by_import}))
        memory_mb = -(-limits.memory_bytes >> 20)
        container = replace(self.container, packages=packages, memory_mb=memory_mb, max_processes=limits.processes)
        return replace(self, container=container, packages_by_import=(), session=limits)

    def for_sources(self, sources: Iterable[str]) -> Self:
        """Return this sandbox with the packages that these programs import, if packages are given by import name."""
        if not self.packages_by_import:
            return self
        packages = packages_for(sources, dict(self.packages_by_import))
        return replace(self, container=replace(self.container, packages=packages), packages_by_import=())

    def cache_key(self) -> Mapping[str, Any]:
        """Return all that decides verdicts here beside the programs and their language.

        Raises:
            NotCacheable: if the container sees files of another machine, or too many files.
            SandboxUnavailable: if no engine answers, or the image is not available.
        """
        paths = list(self.confinement.read_only_paths)
        if self.container.volumes:
            host = self.container.docker_host or os.environ.get("DOCKER_HOST", "")
            if host and not host.startswith("unix:"):
                raise NotCacheable("the volumes are on another machine")
            paths += [path for path, _ in self.container.volumes]
        return {"options": asdict(self), "seen": list(file_states(paths)), "image": self.image()}

    @property
    def engine(self) -> DockerCli:
        """The engine that runs the containers."""
        return DockerCli(self.container.docker_host)

    def image(self) -> str:
        """Return the id of the image with its packages. Each process prepares an image once.

        Raises:
            SandboxUnavailable: if no engine answers, or the image is not available.
        """
        with _images_lock:
            if self.container not in _images:
                _images[self.container] = prepare_image(self.engine, self.container)
            return _images[self.container]

    def start_worker(self) -> Worker:
        """Start a container with a guest.

        Raises:
            SandboxUnavailable: if the engine, the image or a package is not available.
        """
        name = f"code-eval-{uuid.uuid4().hex}"
        image = self.image()
        arguments = self.run_arguments(name, draw_uid())
        listener = open_listener() if self.may_connect else None
        with contextlib.ExitStack() as on_failure:
            if listener:
                on_failure.callback(listener.close)
                arguments += listener.mount_arguments()
            command = self.engine.command(*arguments, image, "-I", "-S", "-c", BOOT_SCRIPT)
            try:
                process = start_process(listener.wrap(command) if listener else command)
            except OSError as error:
                raise SandboxUnavailable(f"can't run the docker command: {error}") from error
            on_failure.pop_all()
        worker = ContainerWorker(process, self, name, listener)
        options = {**self.guest_options(), "direct": listener.options() if listener else None}
        for message in (guest_archive(), json.dumps(options).encode()):
            worker.enqueue(HEAD.pack(len(message)) + message)
        return worker

    @property
    def may_connect(self) -> bool:
        """True if a guest should connect directly, which pays for guests that run many programs."""
        is_long_lived = self.session is None and not self.container.fresh_container
        # With a loopback network programs may have Unix sockets too, and none of them may outlive its program.
        return is_long_lived and not self.confinement.loopback and self.engine not in _engines_elsewhere

    def guest_options(self) -> dict[str, Any]:
        """Return the options of a guest. One that is None depends on the image, and the guest finds it out itself."""
        return {
            "site_folders": None,
            "isolated": self.confinement.isolation != "off",
            "network": self.has_network,
            "loopback": self.confinement.loopback,
            # An image has its own /bin.
            "shell": False,
            "env": dict(self.confinement.env),
            "preload": self.confinement.preload,
            "folders": (*FOLDERS, GUEST_PATH),
            "policy": None,
            "session": self.session.for_guest() if self.session else None,
        }

    @property
    def has_network(self) -> bool:
        """True if programs have a network."""
        return self.container.network != NO_NETWORK

    def run_arguments(self, name: str, user: int) -> list[str]:
        """Return the arguments of `docker run`, up to the image.

        Args:
            name: the container's name.
            user: the id of the container's user and group, which no other process has.
        """
        container = self.container
        folder_mb = -(-self.session.disk_bytes >> 20) if self.session else FOLDER_MB
        # With what programs write to their folders.
        memory = f"{container.memory_mb + GUEST_MEMORY_MB + len(FOLDERS) * folder_mb}m"
        # Podman's folders in memory belong to root, and it does not limit the number of their files.
        podman = is_podman(self.engine)
        tmpfs = "rw,nosuid,nodev," + ("mode=1777" if podman else f"mode=700,uid={user},gid={user}")
        max_files = "" if podman else f",nr_inodes={FOLDER_FILES}"
        arguments = ["run", "--interactive", "--rm", "--pull=never"]
        arguments += ["--name", name, "--label", f"{GUEST_LABEL}={os.getpid()}"]
        arguments += ["--entrypoint", "python3", "--user", f"{user}:{user}", "--network", container.network]
        arguments += ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
        arguments += ["--memory", memory, "--memory-swap", memory, "--cpus", f"{container.cpus:g}"]
        arguments += ["--pids-limit", str(2 * container.max_processes + EXTRA_PROCESSES), "--hostname", HOST_NAME]
        arguments += ["--log-driver", "none", "--workdir", "/", "--ipc", "none"]
        # Above the limits that the guest sets. Some engines ask for more than they may have by default.
        arguments += ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"]
        arguments += ["--tmpfs", f"{GUEST_PATH}:{tmpfs},size=1m{max_files}"]
        # Docker's own folder of message queues is writable, so programs could leave files there.
        arguments += ["--tmpfs", "/dev/mqueue:ro,mode=555,size=4k"]
        if self.confinement.loopback:
            arguments += loopback_arguments(HOST_NAME)
        for folder in FOLDERS:
            arguments += ["--tmpfs", f"{folder}:{tmpfs},exec,size={folder_mb}m{max_files}"]
        for variable, value in PROGRAM_ENVIRONMENT.items():
            arguments += ["--env", f"{variable}={value}"]
        for host_path, path in container.volumes:
            arguments += ["--volume", f"{host_path}:{path}:ro"]
        for path in self.confinement.read_only_paths:
            arguments += ["--volume", f"{path}:{path}:ro"]
        return arguments + (["--runtime", container.runtime] if container.runtime else [])

    def accept(self, isolation: Isolation) -> None:
        """Raise SandboxUnavailable if a guest lacks a layer that the user demands. Warn once of missing layers."""
        self.confinement.accept(isolation)


class ContainerWorker(Worker):
    """A guest in a container. The process here is the `docker` command, whose streams are the guest's.

    After the guest's first frame, requests and replies go through its connection, if there is one.
    """

    def __init__(self, process: subprocess.Popen[bytes], sandbox: DockerSandbox, name: str, listener: Listener | None):
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
        if self._listener is not None:
            self._take_connection(frame)
        reported = parse_isolation(frame)
        container = [name for name in CONTAINER_LAYERS if not (name == "net" and self.sandbox.has_network)]
        layers = tuple(dict.fromkeys((*container, *reported.layers)))
        missing = {name: reason for name, reason in reported.missing.items() if name not in REPLACED_LAYERS}
        return replace(reported, layers=layers, missing=missing)

    def _take_connection(self, frame: dict[str, Any]) -> None:
        assert self._listener is not None  # noqa: S101 (for the type checker)
        connection = self._listener.accept() if frame.get("is_connected") else None
        self._close_listener()
        if connection is not None:
            # Two descriptors, because each is watched for itself.
            self._connections = [connection, connection.dup()]
            self.requests_fd, self.replies_fd = (each.fileno() for each in self._connections)
        elif frame.get("is_connected"):
            raise GuestBroken("the guest's connection was lost")

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
        if self._listener is not None and self.process.returncode in FAILED_STARTS and "mount" in last_words:
            # The engine does not see the folder, or must not show it.
            _engines_elsewhere.add(self.sandbox.engine)
        if self.process.returncode == NOT_STARTED:
            # The image may have been removed, so the next worker begins by looking for it.
            _images.pop(self.sandbox.container, None)
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
