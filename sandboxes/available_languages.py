"""Probes which languages a sandbox has beside Python."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass

from sandboxes.config import EvalConfig
from sandboxes.errors import RunStopped, SandboxUnavailable
from sandboxes.evaluator import Evaluator
from sandboxes.languages.registry import LANGUAGES, required_paths
from sandboxes.tasks.options import with_mounts
from sandboxes.workers.sandbox import Sandbox

logger = logging.getLogger("code_eval")


@dataclass(frozen=True)
class AvailableLanguages:
    """The languages that a sandbox has beside Python."""

    sandbox: Sandbox
    """The sandbox, with the files that programs in these languages have to see."""

    names: tuple[str, ...]


def probe_languages(
    sandbox: Sandbox, should_stop: Callable[[], bool] = lambda: False, *, keep_warm: bool = False
) -> AvailableLanguages:
    """Return the languages of a sandbox that runs all languages. This takes seconds.

    Args:
        sandbox: the sandbox.
        should_stop: asked before each language. After a True the others count as missing.
        keep_warm: whether the workers stay warm.
    """
    # A container would have to be given the libraries that are compiled on this machine.
    names = [name for name in LANGUAGES if sandbox.uses_host_files or LANGUAGES[name].compiled_here is None]
    sandbox = with_mounts(sandbox, [name for name in names if is_there(required_paths, {name})])
    with Evaluator(EvalConfig(sandbox), keep_warm=keep_warm) as evaluator:
        available = [name for name in names if not should_stop() and is_there(evaluator.preflight, [name])]
    return AvailableLanguages(sandbox, tuple(available))


def is_there(check: Callable[..., object], languages: Collection[str]) -> bool:
    """Return whether a check finds what languages need. Otherwise log the reason."""
    try:
        check(languages)
    except (SandboxUnavailable, RunStopped) as error:
        logger.info("%s", error)
        return False
    return True
