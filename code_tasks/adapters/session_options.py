"""The options of adapters whose framework keeps a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandboxes import EvalConfig
from sandboxes.config import SANDBOX_OPTIONS
from sandboxes.options.table import OPTIONS

SESSION_OPTIONS = {"sandbox", "memory_mb", "max_processes", *SANDBOX_OPTIONS} - {"preload", "fresh_container"}
"""Options, as `compute` takes them, that mean something for a session."""


def session_config(options: Mapping[str, Any]) -> EvalConfig:
    """Return the configuration of a session.

    Raises:
        TypeError: for an option that is not in SESSION_OPTIONS.
        ValueError: for an invalid value; the message names the option and the value.
        SandboxUnavailable: if the sandbox needs something that is not installed.
    """
    return EvalConfig.from_options(options, without=sorted(set(OPTIONS) - SESSION_OPTIONS))
