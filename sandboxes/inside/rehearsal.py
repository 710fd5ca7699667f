"""What a fork server does before its first program, so that each of them finds it done."""

import gc
import json
import linecache
import site
import sys

from .child import reported
from .compiled import forking
from .frames import TESTS
from .judge import new_module
from .kernel import libc
from .policy import PLAIN

PRELOADED = ("bisect", "collections", "copy", "functools", "heapq", "math", "operator", "re", "string", "typing")
# Of CPython's memory for small objects: their sizes, a step apart, where the first one of a size lies that is new, and
# how many may have to be filled up before.
SMALL_SIZES, BYTES_OF_POOL_HEADER, MOST_GAPS = (16, 513, 16), 48, 4096
PAGE_BYTES, BYTES_OF_EMPTY = 4096, sys.getsizeof(b"")
FILLING = []
MONITORING = "sys.monitoring.register_callback"
# The interpreter changes code that it has run often, which children are not to do.
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
# A policy may refuse what the other does, and even this.
REHEARSAL_OF_A_POLICY = """
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


def complete_builtins():
    """Adds what -S leaves out and programs use; the modules' search path is set by the caller."""
    site.setquit()
    site.sethelper()


def warm_up(server, preload):
    """Goes through all that every child does, so that the memory it touches is in place before the forks.

    Args:
        server: a ForkServer that has had no job.
        preload: names of more modules to import.
    """
    for name in (*PRELOADED, *preload):
        __import__(name)
    if server.apart is None:
        refuse_tracing()
    candidate = REHEARSAL if server.policy is PLAIN or server.role == TESTS else REHEARSAL_OF_A_POLICY
    right, wrong = (REHEARSAL_TESTS % result for result in (2, 3))
    if server.apart is None:
        for tests in (right, wrong, *[right] * MORE_REHEARSALS):
            server.tests = tests
            reported(candidate.encode(), server)
            linecache.clearcache()
            server.module = new_module()
        server.tests = ""
    else:
        main = sys.modules["__main__"]
        for tests in (right, wrong, right, right):
            json.dumps(server.apart.rehearse(server.role, candidate.encode(), tests, server.policy))
        sys.modules["__main__"] = main
        del sys.modules["candidate"]
        linecache.clearcache()
    gc.disable()
    gc.collect()
    # Else each child's collector writes to every page that holds an object of this process.
    gc.freeze()
    tidy_memory()


def tidy_memory():
    """Has children find new memory side by side: in gaps between old objects each would cost them a page of its own."""
    for size in range(*SMALL_SIZES):
        for _ in range(MOST_GAPS):
            # The smallest that are nothing but their size. Each stays where it is, in what was a gap.
            filling = (
                bytes(size - BYTES_OF_EMPTY) if size > BYTES_OF_EMPTY else (object() if size == 16 else float(size))
            )
            FILLING.append(filling)
            if id(filling) % PAGE_BYTES == BYTES_OF_POOL_HEADER:
                # The first of new ones.
                break
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)


def refuse_tracing():
    """Keeps programs from skipping lines of the tests: no frame can be sent to another line, nor be traced."""
    fix_lines_of_frames()

    def refuse_in_python(event, arguments):
        # Profilers have functions of C called, which can't skip a line, and None takes a function away.
        if event == "sys.settrace" or (event == MONITORING and type(arguments[0]) not in (type(None), type(len))):
            raise RuntimeError("%s is not possible in this sandbox" % event.replace(".register_callback", ""))

    # It is called for each import, open file and much else.
    refuse = refuse_in_python if forking is None else forking.refuse_tracing

    def settrace(function):
        """Takes None alone, which is what there is already."""
        if function is not None:
            refuse("sys.settrace", ())

    sys.settrace = settrace
    # For those who find the function that was there. A hook can't be taken away again.
    sys.addaudithook(refuse)


def fix_lines_of_frames():
    """Takes the setter away from `frame.f_lineno`, in this process and its forks.

    A trace function could set it, and so can a callback of `sys.setprofile` or `sys.monitoring` from Python 3.12 on.
    """
    try:
        import ctypes
    except ImportError:
        # Trace functions and callbacks are refused all the same.
        return
    frame_type = type(sys._getframe())
    # What a type shows of its attributes can't be changed, what is behind that can.
    [attributes] = gc.get_referents(frame_type.__dict__)
    line_of = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(("PyFrame_GetLineNumber", ctypes.pythonapi))
    attributes["f_lineno"] = property(line_of)
    # The interpreter keeps what it has looked up.
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(frame_type))
