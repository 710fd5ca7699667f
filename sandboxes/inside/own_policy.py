"""The policies that callers bring: how their programs are compiled, and what their module holds before they run."""

import functools
import os
import sys
from importlib import import_module

from .asserts import keeping
from .frames import TESTS
from .kernel import LINUX
from .output import output_of
from .policy import PlainPython

PACKAGE = "sandboxes"


class Policy(PlainPython):
    """One that a caller brings."""

    def __init__(self, loaded):
        """Takes what the policy's own `load` gave.

        Raises:
            Exception: whatever it raises when it prepares a module.
        """
        super().__init__(loaded.output_variable)
        self.compile, self.prepare = loaded.compile, loaded.prepare
        self.compile_tests = functools.partial(loaded.compile, change=keeping)
        module = type(sys)("candidate")
        # Once here: what goes wrong is no program's fault.
        self.prepare(module)
        self.guards = frozenset(name for name in vars(module) if name[:1] == "_" == name[-1:])

    def output_of(self, namespace):
        """The value that is wanted, as JSON text; "" if there is none."""
        return output_of(namespace, self.output_variable) if self.output_variable else ""


def load_policy(wanted, role, guest_folder):
    """The policy of a fork server's programs. For a process that is not in its sandbox yet.

    Args:
        wanted: the guest's option "policy": {"path": [...], "module": name, "settings": {...}}.
        role: SHARED, CANDIDATE or TESTS. The tests that run in a process of their own are trusted.
        guest_folder: where the package is that the module may be part of.
    """
    if role == TESTS:
        return PlainPython(wanted["settings"]["output_variable"])
    package = type(sys)(PACKAGE)
    # Not what the package itself runs when it is imported, which is for callers.
    package.__path__ = [guest_folder]
    sys.modules[PACKAGE] = package
    path = sys.path[:]
    sys.path[:0] = wanted["path"]
    try:
        policy = Policy(import_module(wanted["module"]).load(wanted["settings"]))
    finally:
        sys.path[:] = path
        # A program must not find ours.
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
    if LINUX and len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("a module of the policy's, or of the names given to programs, started a thread")
    return policy
