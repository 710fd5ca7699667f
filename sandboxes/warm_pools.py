"""Pools that stay warm: one for each sandbox and cluster, shared by all evaluations of this process."""

from __future__ import annotations

import os
import sys
import threading

from sandboxes.pool.pool import Pool
from sandboxes.pool.pool import close_pools as close_local_pools
from sandboxes.runner import Runner
from sandboxes.workers.sandbox import Sandbox

MAX_WARM_POOLS = 4
"""Number of pools whose idle workers are kept. Beyond it, the pool that was used longest ago is retired."""

_warm_pools: dict[tuple[Sandbox, str | None], Runner] = {}
_warm_pools_lock = threading.Lock()


def open_pool(sandbox: Sandbox, cluster: str | None = None) -> Runner:
    """Return a new pool for a sandbox; nothing is started yet.

    Args:
        sandbox: the sandbox in which programs run.
        cluster: None for this machine, otherwise "auto", "local" or "ray://HOST:PORT".

    Raises:
        ValueError, TypeError: if `cluster` is invalid.
    """
    if cluster is None:
        return Pool(sandbox)
    # Late, because most processes use no cluster.
    from sandboxes.cluster.pool import ClusterPool

    return ClusterPool(sandbox, cluster)


def warm_pool(sandbox: Sandbox, cluster: str | None = None) -> Runner:
    """Return this process's pool for these arguments. Equal arguments give the same pool, so that workers stay warm."""
    with _warm_pools_lock:
        pool = _warm_pools.pop((sandbox, cluster), None) or open_pool(sandbox, cluster)
        # At the end of the dict, because the first pool is the one that was used longest ago.
        _warm_pools[sandbox, cluster] = pool
        if len(_warm_pools) > MAX_WARM_POOLS:
            _warm_pools.pop(next(iter(_warm_pools))).retire()
        return pool


def _renew_lock() -> None:
    """Make a new lock in a forked process, because a thread of the parent may have held the old one."""
    global _warm_pools_lock
    _warm_pools_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def close_pools() -> None:
    """End the idle workers of every pool, here and on a cluster, and a Ray that was started for them."""
    close_local_pools()
    if clusters := sys.modules.get("sandboxes.cluster.pool"):
        clusters.close_cluster_pools()
