"""The backend "docker": guests live in containers."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

from sandboxes.backends.confinement import BOTH_NETWORKS, Confinement
from sandboxes.backends.docker.boot import BOOT_SCRIPT, GUEST_PATH, guest_archive
from sandboxes.backends.docker.direct import open_listener
from sandboxes.backends.docker.engine import DockerCli, is_podman
from sandboxes.backends.docker.images import GUEST_LABEL, prepare_image
from sandboxes.backends.docker.network import NO_NETWORK, loopback_arguments
from sandboxes.backends.docker.options import DockerOptions
from sandboxes.backends.docker.worker import ContainerWorker
from sandboxes.backends.host_state import file_states
from sandboxes.backends.import_paths import CALLER, INSTALLED
from sandboxes.backends.local_process import PROGRAM_ENVIRONMENT
from sandboxes.contract import Isolation
from sandboxes.errors import NotCacheable, SandboxUnavailable
from sandboxes.guest.common.frames import HEAD
from sandboxes.guest.common.user_ids import draw_uid
from sandboxes.imports import packages_for
from sandboxes.sessions.limits import SessionLimits
from sandboxes.workers.canaries import CANARIES, Canary
from sandboxes.workers.worker import Worker, start_process

FOLDERS = ("/work", "/tmp", "/dev/shm")  # noqa: S108 (of the container)
FOLDER_MB, FOLDER_FILES = 128, 1 << 16
# Memory for the guest itself.
GUEST_MEMORY_MB = 256
HOST_NAME = "sandbox"
# Processes of the guest itself.
EXTRA_PROCESSES = 64

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
        if options.get("import_paths", INSTALLED) != INSTALLED:
            raise ValueError(
                f'import_paths="{CALLER}" shows folders of this machine, which no container sees; give packages, or '
                "volumes with PYTHONPATH in env"
            )
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

    def forget_image(self) -> None:
        """Look for the image again when the next container starts, because it may have been removed."""
        _images.pop(self.container, None)

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

    def connect_no_more(self) -> None:
        """Start further guests of this engine without a connection."""
        _engines_elsewhere.add(self.engine)

    def guest_options(self) -> dict[str, Any]:
        """Return the options of a guest. One that is None depends on the image, and the guest finds it out itself."""
        return {
            "site_folders": None,
            "isolated": self.confinement.isolation != "off",
            "network": self.has_network,
            "loopback": bool(self.confinement.loopback),
            # An image has its own /bin.
            "shell": False,
            "env": dict(self.confinement.env),
            "hash_seed": self.confinement.hash_seed,
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
            arguments += loopback_arguments(HOST_NAME, podman)
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
