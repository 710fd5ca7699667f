"""Modules that tasks need. A sandbox without one of them is an error, and never the candidates' failure."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from dataclasses import replace
from weakref import WeakKeyDictionary

from sandboxes.backends.import_paths import CALLER, is_callers
from sandboxes.contract import Limits, Program
from sandboxes.errors import SandboxUnavailable
from sandboxes.imports import PACKAGES_OF_MODULES
from sandboxes.runner import Runner
from sandboxes.tasks.batch import ProgramBatch, TaskFacts, invalid_tests_message
from sandboxes.workers.sandbox import Sandbox

PROBE_LIMITS = Limits(wall_seconds=30.0)
PROBE = """\
import json
from importlib.util import find_spec

print(json.dumps([name for name in NAMES if find_spec(name) is None]))
"""

_missing: WeakKeyDictionary[Runner, dict[str, bool]] = WeakKeyDictionary()


def missing_modules(pool: Runner, names: Collection[str]) -> list[str]:
    """Return those of some modules that the programs of a sandbox can't import, sorted. Each is asked once per pool.

    Args:
        pool: of the sandbox.
        names: of modules, without dots.

    Raises:
        SandboxUnavailable: if the sandbox does not work here.
    """
    known = _missing.setdefault(pool, {})
    # A policy says itself what may be imported.
    if pool.sandbox.has_policy:
        return []
    if unknown := sorted({*names} - {*known}):
        probe = Program(PROBE.replace("NAMES", repr(unknown)), "", PROBE_LIMITS)
        [verdict] = pool.run_all([probe], 1, on_sandbox_error="exclude")
        if isinstance(verdict, SandboxUnavailable):
            raise verdict
        if not verdict.passed:
            raise SandboxUnavailable(f"can't find out which modules programs can import: {verdict.detail}")
        absent = json.loads(verdict.stdout)
        known.update({name: name in absent for name in unknown})
    return sorted(name for name in names if known[name])


def missing_modules_error(sandbox: Sandbox, missing: Collection[str]) -> SandboxUnavailable:
    """Return the error of tasks that need modules that a sandbox does not have.

    Args:
        sandbox: of the run.
        missing: names of the modules, sorted.
    """
    packages = [PACKAGES_OF_MODULES.get(name, name) for name in missing if name not in sys.stdlib_module_names]
    own = 'sandbox="docker" with ' if sandbox.uses_host_files else ""
    install = f"pip install {' '.join(packages)}, or " if sandbox.uses_host_files and packages else ""
    given = f"{install}{own}packages={json.dumps(packages)}, or " if packages else "another version of Python, or "
    return SandboxUnavailable(
        f"these tasks need modules that programs of the {sandbox.name} sandbox can't import: {', '.join(missing)}; "
        f'use {given}on_sandbox_error="exclude" to leave the candidates of such tasks out of the score'
    )


def with_available_modules(batch: ProgramBatch, pool: Runner, on_sandbox_error: str) -> ProgramBatch:
    """Return programs of which none runs without a module that its task needs, or that its tests import.

    Args:
        batch: the programs.
        pool: that runs them.
        on_sandbox_error: "raise", or "exclude" for a SandboxUnavailable as the result of each program whose task needs
            a missing module.

    Raises:
        SandboxUnavailable: if a task's module is missing, with "raise".
        ValueError: if a module that tests import is missing, and the options don't skip such tests.
    """
    needed = batch.needed_modules()
    if not needed or not (missing := {*missing_modules(pool, needed)}):
        return batch
    tasks = {id(task): task for task in batch.tasks}.values()
    absent = sorted({name for task in tasks for name in task.modules if name in missing})
    if absent and on_sandbox_error == "raise":
        raise missing_modules_error(pool.sandbox, absent)
    invalid: dict[str, list[str]] = {}
    for task in tasks:
        if reason := lack_of_tests(task, missing, pool.sandbox):
            invalid.setdefault(reason, []).append(task.name)
    if invalid and batch.options.on_invalid_tests == "raise":
        raise ValueError(invalid_tests_message(invalid))
    programs = [
        replace(
            program,
            needed_module=next((name for name in task.modules if name in missing), program.needed_module),
            invalid_tests=lack_of_tests(task, missing, pool.sandbox) or program.invalid_tests,
        )
        for program, task in zip(batch.programs, batch.tasks, strict=True)
    ]
    return replace(batch, programs=programs)


def lack_of_tests(task: TaskFacts, missing: Collection[str], sandbox: Sandbox) -> str:
    """Return why the tests of a task are invalid, which import missing modules; "" if they aren't."""
    names = [name for name in task.imports if name in missing and name not in task.modules]
    if not names:
        return ""
    # Tests may name a module that no package has, or one whose package has another name.
    listed = ", ".join(names)
    if sandbox.uses_host_files and all(map(is_callers, names)):
        return f'the tests import {listed}, which programs can\'t: pass import_paths="{CALLER}"'
    where = "here" if sandbox.uses_host_files else "in the image"
    return f"the tests import {listed}, which programs can't: install the package that has it {where}"
