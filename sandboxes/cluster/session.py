"""The process's connection to Ray: the caller's own, one to a running cluster, or one to a cluster started here."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
import threading
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from sandboxes.errors import SandboxUnavailable
from sandboxes.pool.cpus import usable_cpus
from sandboxes.validation import short_repr

logger = logging.getLogger("code_eval")

CHOICES = '"auto", "local" or "ray://HOST:PORT"'
CLIENT_SCHEME = "ray://"
# Size of the object store, which holds only batches in flight. They are small.
OBJECT_STORE_BYTES = 128 << 20
# Environment variables that are set while Ray starts, unless the caller has set them. A Ray that is started here sends
# no usage reports. grpc does not log a warning for each process that starts afterwards, such as a guest.
ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "GRPC_ENABLE_FORK_SUPPORT": "0"}
# Ray gives a node that it starts 30 s, which is not always enough on a busy machine.
STARTS = 3
START_TIMED_OUT = "timed out during startup"
QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}


@dataclass(frozen=True)
class Node:
    """A node of the cluster that programs can run on."""

    id: str
    address: str
    """The address of the node's machine, which may have several nodes."""

    cpus: int

    def __str__(self) -> str:
        """Return the address with the first characters of the id."""
        return f"{self.address} ({self.id[:8]})"


@dataclass
class Session:
    """The connection that this module made, if it made one. Ray allows one connection per process."""

    address: str | None = None
    folder: str | None = None
    users: int = 0
    pid: int = 0


_session = Session()
_lock = threading.RLock()


def checked_cluster(cluster: Any) -> str:
    """Return the user's `cluster` option.

    Raises:
        ValueError, TypeError: if the option is invalid.
    """
    if not isinstance(cluster, str):
        raise TypeError(f"cluster must be {CHOICES}, not {short_repr(cluster)}")
    host, _, port = cluster.removeprefix(CLIENT_SCHEME).rpartition(":")
    if cluster in ("auto", "local") or (cluster.startswith(CLIENT_SCHEME) and host and port.isdecimal()):
        return cluster
    raise ValueError(f"cluster must be {CHOICES}, not {short_repr(cluster)}")


def ray_module() -> ModuleType:
    """Return the module `ray`.

    Raises:
        SandboxUnavailable: if Ray is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise SandboxUnavailable(
            f'a cluster needs Ray, which can\'t be imported ({error}): pip install "code-eval-sandboxes[ray]"'
        ) from error
    return ray


def acquire(cluster: str) -> None:
    """Connect to Ray, if this process is not connected yet. Each call must be followed by a `release`.

    Args:
        cluster: as `checked_cluster` returns it. A connection that the caller has made is used instead.

    Raises:
        SandboxUnavailable: if Ray is not installed, or does not answer at that address.
    """
    ray = ray_module()
    with _lock:
        if _session.pid not in (0, os.getpid()):
            raise SandboxUnavailable(
                "Ray can't be used in a process that was forked from one that uses it: start a new process, as "
                'multiprocessing does with the method "spawn"'
            )
        if not ray.is_initialized():
            _connect(ray, cluster)
        elif cluster != "auto" and _session.address not in (None, cluster):
            raise SandboxUnavailable(
                f"this process uses the cluster {_session.address!r} and can't use {cluster!r} too: call "
                "sandboxes.close_pools() between them"
            )
        _session.users += 1


def release() -> None:
    """Undo one `acquire`. The last call shuts Ray down, unless the caller has started it."""
    with _lock:
        _session.users -= 1
        if _session.users == 0:
            disconnect()


def disconnect() -> None:
    """Shut Ray down if `acquire` connected to it."""
    with _lock:
        if _session.address is None or _session.pid != os.getpid():
            return
        ray_module().shutdown()
        folder = _session.folder
        _session.address = _session.folder = None
        _session.pid = 0
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def is_connected() -> bool:
    """Return whether this process is connected to Ray."""
    return bool(ray_module().is_initialized())


def nodes() -> list[Node]:
    """Return the nodes that are alive and offer CPUs.

    Raises:
        SandboxUnavailable: if the cluster does not answer.
    """
    try:
        infos = ray_module().nodes()
    except Exception as error:
        # Ray raises errors of several classes when its head has gone.
        raise SandboxUnavailable(f"Ray's cluster does not answer: {first_line(error)}") from error
    alive = [
        Node(info["NodeID"], info["NodeManagerAddress"], int(info["Resources"].get("CPU", 0)))
        for info in infos
        if info["Alive"]
    ]
    return sorted((node for node in alive if node.cpus), key=lambda node: (node.address, node.id))


def _connect(ray: ModuleType, cluster: str) -> None:
    folder = None
    added = {name: value for name, value in ENVIRONMENT.items() if name not in os.environ}
    os.environ.update(added)
    try:
        if cluster == "local":
            folder = _start_local(ray)
        else:
            ray.init(cluster, **QUIET)
    except BaseException as error:
        ray.shutdown()
        if not isinstance(error, Exception):
            raise
        # Ray raises errors of many classes; each of them means that there is no cluster.
        raise SandboxUnavailable(_with_advice(cluster, error)) from error
    finally:
        for name in added:
            del os.environ[name]
    _session.address, _session.folder, _session.pid = cluster, folder, os.getpid()
    # Handlers run in reverse order, so this one runs before Ray's own, which was registered at its import.
    atexit.unregister(disconnect)
    atexit.register(disconnect)


def _start_local(ray: ModuleType) -> str:
    """Start a cluster on this machine, and return the folder of its files."""
    starts = 0
    while True:
        starts += 1
        folder = tempfile.mkdtemp(prefix="code-eval-ray-")
        try:
            ray.init(
                "local",
                num_cpus=usable_cpus(),
                object_store_memory=OBJECT_STORE_BYTES,
                include_dashboard=False,
                _temp_dir=folder,
                **QUIET,
            )
            return folder
        except BaseException as error:
            ray.shutdown()
            shutil.rmtree(folder, ignore_errors=True)
            if starts == STARTS or START_TIMED_OUT not in str(error):
                raise


def first_line(error: BaseException) -> str:
    """Return the first line of an error, because Ray's texts are long, or the class's name if there is no text."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].strip()


def _with_advice(cluster: str, error: Exception) -> str:
    reason = first_line(error)
    if cluster == "local":
        return f"can't start Ray here: {reason}"
    if cluster == "auto":
        return (
            f"no Ray cluster was found ({reason}): start one with `ray start --head`, set RAY_ADDRESS, call ray.init() "
            'before, or pass cluster="local"'
        )
    return (
        f"can't connect to Ray at {cluster} ({reason}): the cluster must run a client server, with the version of Ray "
        'that pip install "code-eval-sandboxes[ray]" installs here'
    )
