"""The key of a pool's environment: all that decides verdicts beside the programs themselves."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Sequence
from typing import Any

from sandboxes._version import SCHEMA, package_digest
from sandboxes.backends.host_state import tool_states
from sandboxes.errors import NotCacheable
from sandboxes.languages.judge_programs import JUDGE_TOOLS
from sandboxes.languages.registry import LANGUAGES, TOOLS, probe_version
from sandboxes.runner import Runner


def local_environment_key(runner: Runner, language: str) -> bytes:
    """Return the SHA-256 of all that decides verdicts on this machine beside the programs.

    Args:
        runner: the pool. It is started, because a guest reports its interpreter and its layers.
        language: the programs' language.

    Raises:
        NotCacheable: if verdicts depend on something that a key can't hold; the message names it.
        SandboxUnavailable: if the sandbox or the language is not available.
    """
    sandbox = runner.sandbox
    if sandbox.has_network:
        raise NotCacheable("programs may use the network")
    isolation = runner.preflight()
    if not cache_is_protected(isolation.layers):
        raise NotCacheable(
            "programs can write your files here, so also results; `code-eval doctor` shows what is missing"
        )
    decides: dict[str, Any] = {
        "schema": SCHEMA,
        "ours": package_digest(),
        "sandbox": sandbox.name,
        "layers": isolation.layers,
        "python": isolation.python,
        "machine": (platform.system(), platform.machine()),
        "language": language,
        **sandbox.cache_key(),
    }
    if language != "python":
        # The steps of a program name the tools of this machine that build it in a container.
        is_in_steps = LANGUAGES[language].compiled_here and not sandbox.uses_host_files
        decides["version"] = "" if is_in_steps else probe_version(runner, language)
        decides["tools"] = tool_states(TOOLS) if sandbox.uses_host_files else []
    elif sandbox.uses_host_files:
        # Checker programs of Python's tasks may be compiled.
        decides["tools"] = tool_states(JUDGE_TOOLS)
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).digest()


def cache_is_protected(layers: Sequence[str]) -> bool:
    """Return whether programs can't write to the cache: they see another root, or run as another user."""
    if "mount" in layers or "container" in layers:
        return True
    return os.geteuid() == 0 and ("user" in layers or "capabilities" in layers)
