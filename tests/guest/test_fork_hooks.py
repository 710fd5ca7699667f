"""The functions that modules want called after a fork: which of them a fork server's child calls."""

import os
import sys
import threading

import pytest

from sandboxes import Limits, Pool, Program, open_sandbox
from sandboxes.guest.forkserver.fork_hooks import ForkHooks

PRELOADED = ["asyncio", "concurrent.futures.thread", "logging", "random", "threading"]

THREADED = {
    "threads": """
import threading
thread = threading.Thread(target=print)
thread.start()
thread.join()
""",
    "main thread": """
import threading
assert threading.current_thread() is threading.main_thread()
assert threading.active_count() == 1
""",
    "pool of threads": """
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert list(pool.map(str, range(50))) == [str(number) for number in range(50)]
""",
    "event loop": """
import asyncio
async def wait():
    await asyncio.sleep(0)
asyncio.run(wait())
""",
    "log": """
import logging
logging.getLogger("x").error("seen")
""",
    "import in a thread": """
import threading
thread = threading.Thread(target=__import__, args=("sched",))
thread.start()
thread.join()
""",
    "fork": """
import os, threading
pid = os.fork()
if pid == 0:
    os._exit(threading.active_count())
assert os.waitpid(pid, 0)[1] == 1 << 8
""",
    "threads of a forked process": """
import multiprocessing, threading
process = multiprocessing.get_context("fork").Process(target=threading.Timer(0, print).run)
process.start()
process.join()
assert process.exitcode == 0
""",
    "signal": """
import os, signal
seen = []
signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
os.kill(os.getpid(), signal.SIGUSR1)
assert seen
""",
}
DRAWS_IN_A_FORK = """
import os, random
def draw():
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, str(random.random()).encode())
        os._exit(0)
    return os.read(read, 100) != str(random.random()).encode()
"""


@pytest.fixture(scope="module")
def preloading_pool():
    """Return a pool whose fork servers have imported each module of the standard library that wants to be called."""
    pool = Pool(open_sandbox("subprocess", preload=PRELOADED))
    yield pool
    pool.close()


@pytest.fixture
def alone(monkeypatch):
    """Hide the threads of pytest's own."""
    monkeypatch.setattr(sys, "_current_frames", lambda: {threading.get_ident(): None})


def in_module(name, **functions):
    """Register functions as a module of a name would."""
    exec("import os\nos.register_at_fork(**functions)", {"__name__": name, "functions": functions})


@pytest.mark.usefixtures("alone")
def test_functions_of_other_modules_are_called():
    """Children call the functions that modules want called in them, in the order of their registration."""
    hooks = ForkHooks()
    in_module("first", after_in_child=print)
    in_module("second", after_in_child=len)
    assert hooks.close() == (print, len)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", ["asyncio.events", "concurrent.futures.thread", "logging", "threading"])
def test_repairs_of_threads_are_left_out(name):
    """Children don't call what repairs locks that other threads held."""
    hooks = ForkHooks()
    in_module(name, before=print, after_in_parent=print, after_in_child=print)
    assert hooks.close() == ()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("when", ["before", "after_in_parent"])
def test_functions_of_the_parent_need_pythons_own_fork(when):
    """Where an unknown module wants to be called in the parent, Python's own way to fork calls it."""
    hooks = ForkHooks()
    in_module("unknown", **{when: lambda: None})
    assert hooks.close() is None


def test_threads_need_pythons_own_fork():
    """Where another thread runs, it may hold a lock, and Python's own way to fork renews the locks."""
    hooks, done = ForkHooks(), threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert hooks.close() is None
    finally:
        done.set()
        thread.join()


def test_the_original_function_is_back():
    """A program finds the function of `os` that was there."""
    original = os.register_at_fork
    ForkHooks().close()
    assert os.register_at_fork is original


def test_functions_are_called_at_other_forks_too(preloading_pool):
    """A function that was registered while the fork server listened is called when a program forks."""
    assert preloading_pool.run_all([Program(DRAWS_IN_A_FORK, "assert draw()")], 1)[0].passed


def test_no_two_programs_draw_the_same_numbers(preloading_pool):
    """Programs of one fork server that has imported `random` draw different numbers."""
    program = Program("import random\nprint(random.random())", "assert True")
    drawn = [verdict.stdout for verdict in preloading_pool.run_all([program] * 8, 1)]
    assert len(set(drawn)) == 8


@pytest.mark.parametrize("name", list(THREADED))
def test_threads_and_forks_work_in_children(preloading_pool, name):
    """A child that was forked without Python's own repairs has working threads, locks, loops, logs and forks."""
    program = Program(THREADED[name], "assert True", Limits(wall_seconds=60.0))
    verdict = preloading_pool.run_all([program], 1)[0]
    assert (verdict.outcome.value, verdict.detail) == ("passed", "")
