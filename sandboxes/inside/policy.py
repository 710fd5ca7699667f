"""How programs are compiled, and what their module holds before they run: as in plain Python, or by a policy."""

import functools
import os
import sys
from importlib import import_module

from .asserts import compile_tests, keeping
from .frames import TESTS
from .kernel import LINUX

PACKAGE = "sandboxes"


class PlainPython:
    """All of Python."""

    # Names of a candidate's module that are none of its own.
    guards = frozenset()

    def __init__(self, output_variable=None):
        """Takes the global name whose value is wanted after a program, if there is one."""
        self.output_variable = output_variable

    def compile(self, source, file):
        """The code of a program."""
        return compile(source, file, "exec", dont_inherit=True)

    def compile_tests(self, source, file):
        """The code of tests: what their asserts compare is told where one fails."""
        return compile_tests(source, file)

    def prepare(self, module):
        """Leaves a program's new module as it is."""


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


PLAIN = PlainPython()


def load_policy(wanted, role, guest_folder):
    """The policy of a fork server's programs. For a process that is not in its sandbox yet.

    Args:
        wanted: the guest's option "policy": None, or {"path": [...], "module": name, "settings": {...}}.
        role: SHARED, CANDIDATE or TESTS. The tests that run in a process of their own are trusted.
        guest_folder: where the package is that the module may be part of.
    """
    if wanted is None:
        return PLAIN
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
