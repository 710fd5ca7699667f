"""Options of the sandboxes in which the programs of code-execution-pass@1 run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandboxes import BACKENDS
from sandboxes.backends.confinement import WHERE_POSSIBLE

MEMORY_MB = 4096
"""MiB of memory for a program. Libraries reserve far more memory than they use."""


def with_localhost_and_shell(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with a shell, and with localhost where it is possible: BigCodeBench's programs use both."""
    return {"loopback": False if options.get("network") else WHERE_POSSIBLE, "shell": True, **options}


def has_images(sandbox: str) -> bool:
    """Return whether the programs of a backend run in images, which may have packages of their own."""
    return sandbox in BACKENDS and "image" in BACKENDS[sandbox].own_options
