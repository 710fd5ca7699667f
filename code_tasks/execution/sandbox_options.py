"""Options of the sandboxes in which the programs of code-execution-pass@1 run."""

from __future__ import annotations

from sandboxes import BACKENDS

MEMORY_MB = 4096
"""MiB of memory for a program. Libraries reserve far more memory than they use."""


def has_images(sandbox: str) -> bool:
    """Return whether the programs of a backend run in images, which may have packages of their own."""
    return sandbox in BACKENDS and "image" in BACKENDS[sandbox].own_options
