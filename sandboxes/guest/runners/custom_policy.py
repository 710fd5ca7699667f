"""Loads the policies that callers bring: how their programs are compiled, and what their module holds at first."""

from __future__ import annotations

import functools
import os
import sys
from importlib import import_module

from ..common.frames import TESTS
from ..common.output_value import encode_output
from ..isolation.syscalls import LINUX
from .assert_values import compile_tests, instrument
from .policy import PlainPython

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

PACKAGE = "sandboxes"


class CustomPolicy(PlainPython):
    """One that a caller brings."""

    has_guards = False

    def __init__(self, loaded: Any) -> None:
        """Take the result of the policy's own `load`, and prepare a module with it to learn the names that it sets.

        Raises:
            Exception: whatever the policy raises when it prepares a module.
        """
        super().__init__(loaded.output_variable)
        self.compile, self.prepare = loaded.compile, loaded.prepare
        self.compile_tests = functools.partial(  # type: ignore[method-assign]
            loaded.compile_tests, change=instrument, compile_plain=compile_tests
        )
        module = type(sys)("candidate")
        # Once here: an error in it is not a program's fault.
        loaded.prepare(module)
        self.guards = frozenset(name for name in vars(module) if name[:1] == "_" == name[-1:])

    def encode_output(self, namespace: dict[str, Any]) -> str:
        """Return the value that is wanted, as JSON text; "" if there is none."""
        return encode_output(namespace, self.output_variable) if self.output_variable else ""


def load_policy(wanted: Mapping[str, Any], role: str, guest_folder: str) -> PlainPython:
    """Return the policy of a fork server's programs. Call it in a process that is not in its sandbox yet.

    Args:
        wanted: the guest's option "policy": {"path": [...], "module": name, "settings": {...}}.
        role: SHARED, CANDIDATE or TESTS. The tests that run in a process of their own are trusted.
        guest_folder: the folder of the package that the module may be part of.

    Raises:
        RuntimeError: if a module started a thread.
    """
    if role == TESTS:
        return PlainPython(wanted["settings"]["output_variable"])
    package = type(sys)(PACKAGE)
    # The package's own `__init__` is for callers, and is not run.
    package.__path__ = [guest_folder]
    sys.modules[PACKAGE] = package
    path = sys.path[:]
    sys.path[:0] = wanted["path"]
    try:
        policy = CustomPolicy(import_module(wanted["module"]).load(wanted["settings"]))
    finally:
        sys.path[:] = path
        # A program must not find ours.
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
    if LINUX and len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("a module of the policy's, or of the names given to programs, started a thread")
    return policy
