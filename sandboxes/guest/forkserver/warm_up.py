"""Warms a fork server up before its first program, so that no child has to do the same work."""

from __future__ import annotations

import gc
import json
import linecache
import site
import sys
from importlib.machinery import PathFinder

from ..common.frames import TESTS
from ..isolation.syscalls import libc
from ..runners.in_process import new_module
from ..runners.policy import PLAIN
from .child import run_and_report
from .extension import forking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .server import ForkServer

PRELOADED = ("bisect", "collections", "copy", "functools", "heapq", "math", "operator", "re", "string", "typing")
# Modules that harnesses of tests import. Without one, programs that need it are not run.
HARNESS_MODULES = ("pytest",)
# Sizes of CPython's small objects, for `range`. A new pool of memory for one size begins with a header, after which its
# first object lies. At most so many gaps of a size are filled.
SMALL_SIZES, POOL_HEADER_BYTES, MAX_GAPS = (16, 513, 16), 48, 4096
PAGE_BYTES, EMPTY_BYTES = 4096, sys.getsizeof(b"")
# Objects that fill gaps between older ones.
FILLERS: list[object] = []
MONITORING = "sys.monitoring.register_callback"
# The interpreter specializes code that it has run often. After so many rehearsals no child has to.
MORE_REHEARSALS = 20
REHEARSAL = """
import math
from typing import List, Optional

class Point:
    def __init__(self, x: int):
        self.x = x

def add(a: List[int], b: Optional[int] = None) -> int:
    '''Adds.'''
    total = 0
    for i, x in enumerate(a):
        try:
            total += x * 2 % 7
        except ValueError as e:
            raise KeyError(f"{x}") from e
    return sorted([v for v in a if v > 0], key=lambda v: -v)[0] if a else total
"""
# For a policy, which may refuse parts of the other rehearsal, and even of this one.
POLICY_REHEARSAL = """
class Point:
    def __init__(self, x):
        self.x = x

def add(a, b=None):
    total, seen = 0, {}
    for i, x in [(0, 1), (1, 2)]:
        try:
            total += x * 2 % 7
            seen[x] = Point(i).x
        except ValueError as e:
            raise KeyError(f"{x}") from e
    print(total)
    return max([v for v in a if v > 0]) if a else total
"""
REHEARSAL_TESTS = """
def check(candidate):
    assert candidate([1, 2]) == %d

check(add)
"""


def find_harness_modules() -> list[str]:
    """Return those of HARNESS_MODULES that programs can import. None is imported here."""
    return [name for name in HARNESS_MODULES if PathFinder.find_spec(name) is not None]


def complete_builtins() -> None:
    """Add the builtins that -S leaves out and programs use. The caller sets the modules' search path."""
    site.setquit()
    site.sethelper()


def warm_up(server: ForkServer, preload: Iterable[str]) -> None:
    """Do everything that each child does, so that the memory it touches is in place before the forks.

    Args:
        server: a fork server that has had no request.
        preload: names of more modules to import.
    """
    import_modules(preload)
    if server.roles is None:
        refuse_tracing()
    candidate = REHEARSAL if server.policy is PLAIN or server.role == TESTS else POLICY_REHEARSAL
    right, wrong = (REHEARSAL_TESTS % result for result in (2, 3))
    if server.roles is None:
        for tests in (right, wrong, *[right] * MORE_REHEARSALS):
            server.tests = tests
            run_and_report(candidate.encode(), server)
            linecache.clearcache()
            server.module = new_module()
        server.tests = ""
    else:
        main = sys.modules["__main__"]
        for tests in (right, wrong, right, right):
            json.dumps(server.roles.rehearse(server.role, candidate.encode(), tests, server.policy))
        sys.modules["__main__"] = main
        del sys.modules["candidate"]
        linecache.clearcache()
    freeze_memory()
    fill_memory_gaps()


def import_modules(preload: Iterable[str]) -> None:
    """Import PRELOADED and more modules."""
    for name in (*PRELOADED, *preload):
        __import__(name)
    if sys.version_info >= (3, 14):
        fork_by_default()


def fork_by_default() -> None:
    """Have `multiprocessing` fork, as before Python 3.14, unless a program chooses another way.

    The newer default needs Unix sockets, which programs don't get, and candidates that another process can import.
    """
    import multiprocessing.context

    context: Any = multiprocessing.context
    context._default_context._default_context = multiprocessing.get_context("fork")


def freeze_memory() -> None:
    """Keep each child's garbage collector from writing to every page that holds an object of this process."""
    gc.disable()
    gc.collect()
    gc.freeze()


def fill_memory_gaps() -> None:
    """Fill the gaps between old objects, so that children find new memory side by side.

    A gap would cost a child a page of its own.
    """
    for size in range(*SMALL_SIZES):
        for _ in range(MAX_GAPS):
            # The simplest objects of each size. Each stays in the gap that it has filled.
            filler = bytes(size - EMPTY_BYTES) if size > EMPTY_BYTES else (object() if size == 16 else float(size))
            FILLERS.append(filler)
            if id(filler) % PAGE_BYTES == POOL_HEADER_BYTES:
                # The first object of a new pool.
                break
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)


def refuse_tracing() -> None:
    """Keep programs from skipping lines of the tests: no frame can be sent to another line, nor be traced."""
    make_frame_lines_read_only()

    def refuse_in_python(event: str, arguments: tuple[Any, ...]) -> None:
        # Profilers register C functions, which can't skip a line, and None takes a function away.
        if event == "sys.settrace" or (event == MONITORING and type(arguments[0]) not in (type(None), type(len))):
            raise RuntimeError("%s is not possible in this sandbox" % event.replace(".register_callback", ""))

    # The hook is called for each import, open file and much else.
    refuse: Any = refuse_in_python if forking is None else forking.refuse_tracing

    def settrace(function: object) -> None:
        """Take None alone, which means what is there already."""
        if function is not None:
            refuse("sys.settrace", ())

    sys.settrace = settrace
    # For programs that find the original function. A hook can't be taken away again.
    sys.addaudithook(refuse)


def make_frame_lines_read_only() -> None:
    """Remove the setter of `frame.f_lineno`, in this process and its forks.

    A trace function could set it, and so can a callback of `sys.setprofile` or `sys.monitoring` from Python 3.12 on.
    """
    try:
        import ctypes
    except ImportError:
        # Trace functions and callbacks are still refused.
        return
    frame_type = type(sys._getframe())
    # The mapping that a type shows of its attributes is read-only. The dict behind it is not.
    [attributes] = gc.get_referents(frame_type.__dict__)
    line_of = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(("PyFrame_GetLineNumber", ctypes.pythonapi))
    attributes["f_lineno"] = property(line_of)
    # The interpreter caches the attributes that it has looked up.
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(frame_type))
