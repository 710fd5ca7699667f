"""Sandboxes: where untrusted programs run. `open_sandbox` chooses a backend, a `Pool` runs programs on it."""

from __future__ import annotations

import threading
from typing import Any

from sandboxes.checks import listed, positive, printable, shortened, whole_number
from sandboxes.contract import Isolation, Limits, Outcome, Program, Sandbox, SandboxUnavailable, Verdict
from sandboxes.dispatch import Ended
from sandboxes.grading import GRADINGS, grading_of
from sandboxes.isolation import LAYERS, Confinement
from sandboxes.pool import ON_SANDBOX_ERROR, Pool, close_pools, usable_cpus
from sandboxes.preflight import CANARIES, disagreements
from sandboxes.progress import ProgressBar
from sandboxes.rlimit_process import RlimitProcessSandbox

BACKENDS = {"subprocess": RlimitProcessSandbox}
"""Every backend by its name."""

MOST_WARM_POOLS = 4
"""Of sandboxes with different options: idle workers of those used longest ago are ended."""

_warm_pools: dict[tuple[str, Confinement], Pool] = {}
_warm_pools_lock = threading.Lock()


def open_sandbox(name: str, **options: Any) -> Sandbox:
    """The backend of this name; nothing is started yet.

    Args:
        name: one of BACKENDS.
        options: what `Confinement.checked` takes.

    Raises:
        ValueError, TypeError: if there is no such backend, or for options that can't be right.
        NotImplementedError: if this system can't have it.
    """
    return _opened(name, Confinement.checked(**options))


def _opened(name: str, confinement: Confinement) -> Sandbox:
    if name not in BACKENDS:
        raise ValueError(f"unknown sandbox {name!r}; choose one of {', '.join(BACKENDS)}")
    return BACKENDS[name](confinement)


def warm_pool(name: str, confinement: Confinement = Confinement()) -> Pool:  # noqa: B008 (frozen)
    """This process's pool for a backend: the same one for every caller, so that workers stay warm between calls."""
    with _warm_pools_lock:
        pool = _warm_pools.pop((name, confinement), None) or Pool(_opened(name, confinement))
        # To the end: the first is the one used longest ago.
        _warm_pools[name, confinement] = pool
        if len(_warm_pools) > MOST_WARM_POOLS:
            _warm_pools.pop(next(iter(_warm_pools))).retire()
        return pool


__all__ = [
    "BACKENDS",
    "CANARIES",
    "Confinement",
    "Ended",
    "GRADINGS",
    "Isolation",
    "LAYERS",
    "Limits",
    "ON_SANDBOX_ERROR",
    "Outcome",
    "Pool",
    "Program",
    "ProgressBar",
    "Sandbox",
    "SandboxUnavailable",
    "Verdict",
    "close_pools",
    "disagreements",
    "grading_of",
    "listed",
    "open_sandbox",
    "positive",
    "printable",
    "shortened",
    "usable_cpus",
    "warm_pool",
    "whole_number",
]
