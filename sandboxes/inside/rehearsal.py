"""What a fork server does before its first program, so that each of them finds it done."""

import gc
import json
import linecache
import site
import sys

from .frames import SHARED, TESTS
from .judge import judge
from .policy import PLAIN

PRELOADED = ("bisect", "collections", "copy", "functools", "heapq", "math", "operator", "re", "string", "typing")
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


def warm_up(role, preload, policy, apart):
    """Goes once through all that every child does, so that the memory it touches is in place before the forks.

    Args:
        role: SHARED, CANDIDATE or TESTS.
        preload: names of more modules to import.
        policy: of programs.
        apart: the module of that name; None for SHARED.
    """
    for name in (*PRELOADED, *preload):
        __import__(name)
    if role == SHARED:
        refuse_tracing()
    main = sys.modules["__main__"]
    candidate = REHEARSAL if policy is PLAIN or role == TESTS else REHEARSAL_OF_A_POLICY
    for right in (True, False, True, True):
        tests = REHEARSAL_TESTS % (2 if right else 3)
        if apart is None:
            report = judge(candidate.encode(), tests, None, policy)
        else:
            report = apart.rehearse(role, candidate.encode(), tests, policy)
        json.dumps(report)
    sys.modules["__main__"] = main
    del sys.modules["candidate"]
    linecache.clearcache()
    gc.disable()
    gc.collect()
    # Else each child's collector writes to every page that holds an object of this process.
    gc.freeze()


def refuse_tracing():
    """Keeps programs from setting a trace function: it could skip the lines of the tests."""

    def refuse(event, arguments):
        if event == "sys.settrace":
            raise RuntimeError("sys.settrace is not possible in this sandbox")

    def settrace(function):
        """Takes None alone, which is what there is already."""
        if function is not None:
            refuse("sys.settrace", ())

    sys.settrace = settrace
    # For those who find the function that was there. A hook can't be taken away again.
    sys.addaudithook(refuse)
