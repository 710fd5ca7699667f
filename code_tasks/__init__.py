"""Ways of working around the sandboxes: datasets of problems, and the `code-eval` command.

verifiers looks for the taskset "code-tasks" here. Nothing of verifiers is imported before.
"""

from __future__ import annotations

from typing import Any

__all__ = ["CodeTaskset"]


def __getattr__(name: str) -> Any:
    """Return the taskset for verifiers."""
    if name == "CodeTaskset":
        from code_tasks.adapters.verifiers import CodeTaskset

        return CodeTaskset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
