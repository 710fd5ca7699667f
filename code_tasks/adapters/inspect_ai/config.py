"""The configuration of the sandbox `code_eval`: where a sample's session lives, and what it may use."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from sandboxes import BACKENDS, EvalConfig, SessionLimits
from sandboxes.backends.confinement import WHERE_POSSIBLE
from sandboxes.config import SANDBOX_OPTIONS
from sandboxes.options.table import DEFAULT_SANDBOX, OPTIONS
from sandboxes.validation import short_repr

WEEK_SECONDS = 7 * 86400.0

SAMPLE_LIMITS = SessionLimits(
    processes=128,
    file_bytes=256 << 20,
    disk_bytes=512 << 20,
    # Inspect has time limits of its own, and a sample may wait long for its model.
    idle_seconds=WEEK_SECONDS,
    max_seconds=WEEK_SECONDS,
)
"""The limits of a sample's session, where its configuration names no others."""

NOT_OF_SAMPLES = {*OPTIONS} - {"sandbox", *SANDBOX_OPTIONS}
"""Options of `compute` that a sample's sandbox does not have."""


class CodeEvalSandboxConfig(BaseModel, frozen=True, extra="allow"):
    """Configuration of the sandbox: `sandbox=("code_eval", CodeEvalSandboxConfig(sandbox="docker", image=...))`.

    Further arguments are the options of `compute` that concern a sandbox: `isolation`, `network`, `image`, `packages`.
    Without `network`, `loopback` is on where the system allows it.
    """

    sandbox: str = DEFAULT_SANDBOX
    """"subprocess" or "docker"."""

    limits: dict[str, Any] = {}
    """Limits of each sample's session, by the names of `SessionLimits`, in place of those in SAMPLE_LIMITS."""

    def __hash__(self) -> int:
        """Return a hash of all fields: Inspect prepares each configuration once."""
        return hash(self.model_dump_json())

    def eval_config(self) -> EvalConfig:
        """Return the configuration of sessions.

        Raises:
            ValueError, TypeError: for an invalid option; the message names the value.
        """
        given = self.model_extra or {}
        # Inspect's own tools talk to a server of theirs in the sandbox.
        loopback = False if given.get("network") else WHERE_POSSIBLE
        options: dict[str, Any] = {"sandbox": self.sandbox, "loopback": loopback, **given}
        return EvalConfig.from_options(options, without=NOT_OF_SAMPLES)

    def session_limits(self) -> SessionLimits:
        """Return the limits of each session.

        Raises:
            ValueError, TypeError: for an unknown limit, or an invalid one; the message names it.
        """
        if unknown := sorted({*self.limits} - {*vars(SAMPLE_LIMITS)}):
            raise ValueError(f"there is no limit {unknown[0]!r}; the limits are {', '.join(vars(SAMPLE_LIMITS))}")
        return replace(SAMPLE_LIMITS, **self.limits)


def sandbox_config(config: object) -> CodeEvalSandboxConfig:
    """Return the configuration that a task or a command gives: None, a sandbox's name, or a CodeEvalSandboxConfig.

    Raises:
        ValueError: if it is anything else.
    """
    if isinstance(config, CodeEvalSandboxConfig):
        return config
    if config is None:
        return CodeEvalSandboxConfig()
    names = [name for name, backend in BACKENDS.items() if not backend.has_policy]
    # Inspect takes a text for a file beside the task, and makes it an absolute path.
    name = os.path.basename(config) if isinstance(config, str) else ""
    if name in names:
        return CodeEvalSandboxConfig(sandbox=name)
    raise ValueError(
        f'the configuration of the sandbox "code_eval" must be a CodeEvalSandboxConfig, or one of '
        f"{', '.join(names)}, not {short_repr(name or config)}"
    )
