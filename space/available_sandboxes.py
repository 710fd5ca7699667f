"""Probes the sandboxes of this machine: the usable ones, and the layers that each of them has."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from sandboxes import BACKENDS, EvalConfig, Evaluator, Isolation, Sandbox, SandboxUnavailable, open_sandbox
from sandboxes.validation import hide_paths
from space.settings import Settings

logger = logging.getLogger("code_eval")

ALLOWED_IMPORTS = (
    "bisect",
    "cmath",
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "math",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "typing",
)
"""Modules that candidates of the restricted sandbox may import. The policy gives closed views of them."""

STRONGEST_FIRST = ("docker", "subprocess", "restricted")


@dataclass(frozen=True)
class SandboxAvailability:
    """A sandbox, and whether it can be used."""

    name: str
    """The name of its backend."""

    sandbox: Sandbox | None = None
    isolation: Isolation | None = None
    """The layers that it has here. None, like `sandbox`, if it can't be used."""

    refused: str = ""
    """The reason why it can't be used. Empty if it can."""


def probe_sandboxes(settings: Settings) -> dict[str, SandboxAvailability]:
    """Probe all backends at once, with their canaries, and return their availability by name."""
    with ThreadPoolExecutor(len(BACKENDS)) as threads:
        sandboxes = dict(zip(BACKENDS, threads.map(lambda name: probe(name, settings), BACKENDS), strict=True))
    return strongest(sandboxes) if settings.is_public else sandboxes


def probe(name: str, settings: Settings) -> SandboxAvailability:
    """Run the canaries of a backend, and return whether it can be used."""
    try:
        sandbox = open_sandbox(name, **backend_options(name, settings))
        return SandboxAvailability(name, sandbox, Evaluator(EvalConfig(sandbox)).preflight())
    except (SandboxUnavailable, NotImplementedError) as error:
        logger.warning("the %s sandbox can't be used: %s", name, error)
        return SandboxAvailability(name, refused=hide_paths(str(error)))


def backend_options(name: str, settings: Settings) -> dict[str, Any]:
    """Return the options with which a backend's sandbox is opened here."""
    options: dict[str, dict[str, Any]] = {
        "restricted": {"allowed_imports": list(ALLOWED_IMPORTS), "allow_underscore_variable_names": True},
        # Containers have the same memory for all visitors, so that all share the warm ones.
        "docker": {"image": settings.docker_image, "pull": "never", "memory_mb": settings.max_memory_mb},
    }
    return options.get(name, {})


def strongest(sandboxes: Mapping[str, SandboxAvailability]) -> dict[str, SandboxAvailability]:
    """Return the sandboxes, and refuse those that lack more layers than another one."""
    fewest = min((len(entry.isolation.missing) for entry in sandboxes.values() if entry.isolation), default=0)
    return {
        name: replace(
            entry,
            sandbox=None,
            refused=f"a public Space runs only what is isolated most, and this one lacks {', '.join(missing)}",
        )
        if entry.isolation and len(missing := entry.isolation.missing) > fewest
        else entry
        for name, entry in sandboxes.items()
    }


def default_sandbox(sandboxes: Mapping[str, SandboxAvailability], settings: Settings) -> str:
    """Return the name of the sandbox for visitors who choose none: on a public Space the strongest."""
    names = STRONGEST_FIRST if settings.is_public else tuple(BACKENDS)
    return next((name for name in names if not sandboxes[name].refused), names[0])
