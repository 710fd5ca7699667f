"""Sandboxes: where untrusted programs run. `open_sandbox` chooses a backend, a `Pool` runs programs on it."""

from __future__ import annotations

import threading
from typing import Any

from sandboxes.checks import listed, positive, printable, shortened, whole_number
from sandboxes.contract import (
    Isolation,
    Limits,
    Outcome,
    Program,
    RunStopped,
    Sandbox,
    SandboxUnavailable,
    TestResult,
    Verdict,
)
from sandboxes.docker_container import DockerSandbox
from sandboxes.docker_options import Container, with_volumes
from sandboxes.grading import GRADINGS, grading_of
from sandboxes.imports import packages_for
from sandboxes.isolation import LAYERS, Confinement
from sandboxes.metering import Meter, Metered
from sandboxes.pool import ON_SANDBOX_ERROR, Pool, usable_cpus
from sandboxes.pool import close_pools as close_pools_here
from sandboxes.preflight import CANARIES, canaries_of, disagreements
from sandboxes.progress import ProgressBar
from sandboxes.ray_cluster import ClusterPool, close_cluster_pools
from sandboxes.ray_session import checked_cluster
from sandboxes.restricted_python import RestrictedPythonSandbox
from sandboxes.restrictions import Restrictions
from sandboxes.results import estimate_pass_at_k, result_of
from sandboxes.rlimit_process import RlimitProcessSandbox
from sandboxes.runner import Ended
from sandboxes.sharing import OPTIONS as SHARING_OPTIONS
from sandboxes.sharing import Sharing, SharingPool
from sandboxes.task_stream import ended_in_order
from sandboxes.tasks import OPTIONS as TASK_OPTIONS
from sandboxes.tasks import Job, Kinds, as_reference

BACKENDS: dict[str, type[RlimitProcessSandbox | DockerSandbox]] = {
    "subprocess": RlimitProcessSandbox,
    "restricted": RestrictedPythonSandbox,
    "docker": DockerSandbox,
}
"""Every backend by its name."""

MOST_WARM_POOLS = 4
"""Of sandboxes with different options: idle workers of those used longest ago are ended."""

_warm_pools: dict[tuple[Sandbox, str | None], Pool | ClusterPool] = {}
_warm_pools_lock = threading.Lock()


def open_sandbox(name: str, **options: Any) -> Sandbox:
    """The backend of this name; nothing is started yet.

    Args:
        name: one of BACKENDS.
        options: what `Confinement.checked` takes; for "restricted" also what `Restrictions.checked` takes, for "docker"
            what `Container.checked` takes.

    Raises:
        ValueError, TypeError: if there is no such backend, or for options that can't be right.
        NotImplementedError: if this system can't have it.
        SandboxUnavailable: if it needs something that is not installed.
    """
    if name not in BACKENDS:
        raise ValueError(f"unknown sandbox {name!r}; choose one of {', '.join(BACKENDS)}")
    for option in options:
        owners = [backend.name for backend in BACKENDS.values() if option in backend.own_options]
        if owners and name not in owners:
            raise TypeError(f'{option} is an option of sandbox="{owners[0]}", not of "{name}"')
    return BACKENDS[name].checked(**options)


def open_pool(sandbox: Sandbox, cluster: str | None = None) -> Pool | ClusterPool:
    """A pool for a sandbox; nothing is started yet.

    Args:
        sandbox: what holds the programs.
        cluster: None for this machine, else "auto", "local" or "ray://HOST:PORT".

    Raises:
        ValueError, TypeError: if there can't be such a cluster.
    """
    return Pool(sandbox) if cluster is None else ClusterPool(sandbox, cluster)


def warm_pool(sandbox: Sandbox, cluster: str | None = None) -> Pool | ClusterPool:
    """This process's pool for these arguments: the same for every caller with equal ones, so that workers stay warm."""
    with _warm_pools_lock:
        pool = _warm_pools.pop((sandbox, cluster), None) or open_pool(sandbox, cluster)
        # To the end: the first is the one used longest ago.
        _warm_pools[sandbox, cluster] = pool
        if len(_warm_pools) > MOST_WARM_POOLS:
            _warm_pools.pop(next(iter(_warm_pools))).retire()
        return pool


def close_pools() -> None:
    """Ends the idle workers of every pool, here and on a cluster, and a Ray that was started for them."""
    close_pools_here()
    close_cluster_pools()


__all__ = [
    "BACKENDS",
    "CANARIES",
    "ClusterPool",
    "Confinement",
    "Container",
    "Ended",
    "GRADINGS",
    "Isolation",
    "Job",
    "Kinds",
    "LAYERS",
    "Limits",
    "ON_SANDBOX_ERROR",
    "Meter",
    "Metered",
    "Outcome",
    "Pool",
    "Program",
    "ProgressBar",
    "Restrictions",
    "RunStopped",
    "SHARING_OPTIONS",
    "Sandbox",
    "SandboxUnavailable",
    "Sharing",
    "SharingPool",
    "TASK_OPTIONS",
    "TestResult",
    "Verdict",
    "as_reference",
    "canaries_of",
    "checked_cluster",
    "close_pools",
    "disagreements",
    "ended_in_order",
    "estimate_pass_at_k",
    "grading_of",
    "listed",
    "open_pool",
    "open_sandbox",
    "packages_for",
    "positive",
    "printable",
    "result_of",
    "shortened",
    "usable_cpus",
    "warm_pool",
    "whole_number",
    "with_volumes",
]
