"""Sandboxes for untrusted programs.

An `Evaluator` takes tasks to results, a `Pool` runs single programs, and a `Session` keeps a process and a folder.
A name's module is imported when the name is used for the first time: few processes need sessions or a cluster.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandboxes.backends.confinement import LAYERS
    from sandboxes.backends.registry import BACKENDS, open_sandbox
    from sandboxes.cluster.pool import ClusterPool
    from sandboxes.config import EvalConfig
    from sandboxes.contract import Isolation, Limits, Outcome, Program, TestResult, Verdict
    from sandboxes.errors import InvalidTests, RunStopped, SandboxError, SandboxUnavailable, SessionEnded
    from sandboxes.evaluator import Evaluator
    from sandboxes.grading import GRADINGS
    from sandboxes.metering import Usage, UsageMeter
    from sandboxes.pass_at_k import estimate_pass_at_k
    from sandboxes.pool.pool import Pool
    from sandboxes.process_result import ProcessResult
    from sandboxes.raw_runs.raw_run import RawResult, RawRun
    from sandboxes.reuse.options import ReuseOptions
    from sandboxes.runner import RunResult
    from sandboxes.sessions.limits import SessionLimits
    from sandboxes.sessions.registry import SessionRegistry
    from sandboxes.sessions.results import CellError, CellResult
    from sandboxes.sessions.session import AsyncSession, Session
    from sandboxes.tasks.batch import ProgramBatch
    from sandboxes.tasks.options import TaskOptions
    from sandboxes.tasks.results import result_dict
    from sandboxes.tasks.task import Task
    from sandboxes.warm_pools import close_pools, warm_pool
    from sandboxes.workers.sandbox import Sandbox

__all__ = [
    "AsyncSession",
    "BACKENDS",
    "CellError",
    "CellResult",
    "ClusterPool",
    "EvalConfig",
    "Evaluator",
    "GRADINGS",
    "InvalidTests",
    "Isolation",
    "LAYERS",
    "Limits",
    "Usage",
    "UsageMeter",
    "Outcome",
    "Pool",
    "ProcessResult",
    "Program",
    "ProgramBatch",
    "RawResult",
    "RawRun",
    "ReuseOptions",
    "RunResult",
    "RunStopped",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "Session",
    "SessionEnded",
    "SessionLimits",
    "SessionRegistry",
    "Task",
    "TaskOptions",
    "TestResult",
    "Verdict",
    "close_pools",
    "estimate_pass_at_k",
    "open_sandbox",
    "result_dict",
    "warm_pool",
]

_MODULES = {
    "backends.confinement": ("LAYERS",),
    "backends.registry": ("BACKENDS", "open_sandbox"),
    "cluster.pool": ("ClusterPool",),
    "config": ("EvalConfig",),
    "contract": ("Isolation", "Limits", "Outcome", "Program", "TestResult", "Verdict"),
    "errors": ("InvalidTests", "RunStopped", "SandboxError", "SandboxUnavailable", "SessionEnded"),
    "evaluator": ("Evaluator",),
    "grading": ("GRADINGS",),
    "metering": ("Usage", "UsageMeter"),
    "pass_at_k": ("estimate_pass_at_k",),
    "pool.pool": ("Pool",),
    "process_result": ("ProcessResult",),
    "raw_runs.raw_run": ("RawResult", "RawRun"),
    "reuse.options": ("ReuseOptions",),
    "runner": ("RunResult",),
    "sessions.limits": ("SessionLimits",),
    "sessions.registry": ("SessionRegistry",),
    "sessions.results": ("CellError", "CellResult"),
    "sessions.session": ("AsyncSession", "Session"),
    "tasks.batch": ("ProgramBatch",),
    "tasks.options": ("TaskOptions",),
    "tasks.results": ("result_dict",),
    "tasks.task": ("Task",),
    "warm_pools": ("close_pools", "warm_pool"),
    "workers.sandbox": ("Sandbox",),
}
"""Names of this package by the modules that define them."""

_MODULE_OF_NAME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Return a name of `__all__`, or a module of this package, which is imported now."""
    if module := _MODULE_OF_NAME.get(name):
        value = globals()[name] = getattr(importlib.import_module(f"sandboxes.{module}"), name)
        return value
    try:
        return importlib.import_module(f"sandboxes.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"sandboxes.{name}":
            raise
        raise AttributeError(f"module 'sandboxes' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    """Return the names of `__all__`, and what is imported already."""
    return sorted({*globals(), *__all__})
