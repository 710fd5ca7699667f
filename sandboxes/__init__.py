"""Sandboxes: where untrusted programs run. `open_sandbox` chooses a backend, a `Pool` runs programs on it."""

from __future__ import annotations

import threading

from sandboxes.checks import listed, positive, printable, shortened, whole_number
from sandboxes.contract import Isolation, Limits, Outcome, Program, Sandbox, SandboxUnavailable, Verdict
from sandboxes.dispatch import Ended
from sandboxes.pool import ON_SANDBOX_ERROR, Pool, close_pools, usable_cpus
from sandboxes.preflight import CANARIES, disagreements
from sandboxes.progress import ProgressBar
from sandboxes.rlimit_process import RlimitProcessSandbox

BACKENDS = {"subprocess": RlimitProcessSandbox}
"""Every backend by its name."""

_warm_pools: dict[str, Pool] = {}
_warm_pools_lock = threading.Lock()


def open_sandbox(name: str) -> Sandbox:
    """The backend of this name; nothing is started yet.

    Raises:
        ValueError: if there is no such backend.
        NotImplementedError: if this system can't have it.
    """
    if name not in BACKENDS:
        raise ValueError(f"unknown sandbox {name!r}; choose one of {', '.join(BACKENDS)}")
    return BACKENDS[name]()


def warm_pool(name: str) -> Pool:
    """This process's pool for a backend: the same one for every caller, so that workers stay warm between calls."""
    with _warm_pools_lock:
        if name not in _warm_pools:
            _warm_pools[name] = Pool(open_sandbox(name))
        return _warm_pools[name]


__all__ = [
    "BACKENDS",
    "CANARIES",
    "Ended",
    "Isolation",
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
    "listed",
    "open_sandbox",
    "positive",
    "printable",
    "shortened",
    "usable_cpus",
    "warm_pool",
    "whole_number",
]
