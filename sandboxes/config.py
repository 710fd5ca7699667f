"""The configuration of an evaluation, and how it is made from the options that a user gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any, Self

from sandboxes.backends.registry import BACKENDS, open_sandbox, require_backend
from sandboxes.contract import Limits
from sandboxes.options.backend_options import CONFINEMENT, DOCKER, RESTRICTED
from sandboxes.options.checks import checked_options
from sandboxes.options.table import DEFAULT_SANDBOX, OPTIONS, REUSE_OPTIONS, TASK_OPTIONS
from sandboxes.reuse.options import ReuseOptions
from sandboxes.tasks.options import TaskOptions, check_supported
from sandboxes.workers.sandbox import Sandbox

LIMIT_OPTIONS = {
    "timeout": ("wall_seconds", 1),
    "cpu_seconds": ("cpu_seconds", 1),
    "memory_mb": ("memory_bytes", 1 << 20),
    "stack_mb": ("stack_bytes", 1 << 20),
    "max_processes": ("processes", 1),
    "max_output_bytes": ("output_bytes", 1),
}
"""{option: (the field of `Limits` that it sets, the size of the option's unit)}"""

PLAIN_OPTIONS = ("cluster", "grading", "k", "num_workers", "on_sandbox_error", "progress")
"""Options that are fields of `EvalConfig` by the same name."""

SANDBOX_OPTIONS = (*(option.name for option in CONFINEMENT), *RESTRICTED.names, *DOCKER.names)
"""Options of the sandboxes."""


@dataclasses.dataclass(frozen=True)
class EvalConfig:
    """Everything that decides how candidates are run. Frozen, because equal configurations share warm workers."""

    sandbox: Sandbox
    """The sandbox in which candidates run. The evaluator adds the files that their languages need."""

    cluster: str | None = None
    """The cluster whose nodes run candidates: "auto", "local" or "ray://HOST:PORT". None: this machine."""

    num_workers: int | None = None
    """Candidates at once. None: the number of CPUs that can run them."""

    limits: Limits = Limits()
    """The limits of each candidate, on each of its cases."""

    grading: str = OPTIONS["grading"].default
    """The grading of tests that are Python code: one of GRADINGS."""

    on_sandbox_error: str = OPTIONS["on_sandbox_error"].default
    """"raise", or "exclude": a candidate that the sandbox could not run has the error as its result."""

    tasks: TaskOptions = TaskOptions()
    """Options for running tasks: language, checker, extraction."""

    reuse: ReuseOptions = ReuseOptions()
    """Options for the cache, for duplicates and for repeats."""

    retry_starved: bool = True
    """True if a starved candidate is run once more, alone."""

    chooses_packages: bool = True
    """True if packages that are given by import name are installed only where a run imports them."""

    k: tuple[int, ...] = OPTIONS["k"].default
    """The k of pass@k. Used by entry points that estimate pass@k."""

    progress: bool | None = None
    """True to show a progress bar, False to show none, None to show it on a terminal only."""

    @property
    def extra_fields(self) -> tuple[str, ...]:
        """Fields of results that only these options and this sandbox add."""
        return (*self.tasks.extra_fields, *self.sandbox.extra_fields)

    @classmethod
    def from_options(
        cls,
        options: Mapping[str, Any],
        *,
        defaults: Mapping[str, Any] = {},  # noqa: B006 (only read)
        without: Collection[str] = (),
    ) -> Self:
        """Return the configuration that options describe. Every option is checked here, once.

        Args:
            options: options as `compute` takes them.
            defaults: the entry point's defaults, where they differ from the table's.
            without: options that the entry point refuses.

        Raises:
            ValueError, TypeError: if an option is invalid; the message names the option and the value.
            SandboxUnavailable: if the sandbox needs something that is not installed.
            NotImplementedError: if this system can't run the sandbox.
        """
        given = checked_options(options, {"sandbox": DEFAULT_SANDBOX, **defaults}, without)
        tasks = TaskOptions.checked(**select(given, TASK_OPTIONS))
        sandbox = sandbox_from_options(given)
        check_supported(sandbox, tasks.all_languages)
        limits = {field: given[name] * unit for name, (field, unit) in LIMIT_OPTIONS.items() if name in given}
        grading = given.get("grading", cls.grading)
        plain = {**select(given, PLAIN_OPTIONS), "grading": sandbox.auto_grading if grading == "auto" else grading}
        return cls(
            sandbox=sandbox,
            limits=Limits(**limits),
            tasks=tasks,
            reuse=ReuseOptions.checked(**select(given, REUSE_OPTIONS)),
            **plain,
        )


def select(given: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the given options that have one of these names."""
    return {name: given[name] for name in names if name in given}


def sandbox_from_options(given: Mapping[str, Any]) -> Sandbox:
    """Open the sandbox in which candidates run. Some backends also need the limits of candidates."""
    name = require_backend(given["sandbox"])
    return open_sandbox(name, **select(given, (*SANDBOX_OPTIONS, *BACKENDS[name].limit_options)))
