"""No process or folder of a pool outlives the caller, whatever ends the caller."""

import contextlib
import glob
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from sandboxes import Program
from support.observers import all_gone, processes_with, wait_until

pytestmark = pytest.mark.slow

HEAD = """
import os, sys, threading, time
from sandboxes import Limits, Pool, Program, open_sandbox
from support.backend_options import PERMISSIVE
pool = Pool(open_sandbox("{sandbox}", **PERMISSIVE["{sandbox}"]))
pool.preflight()
good, bad = Program("x = 1", "assert x == 1"), Program("x = 1", "assert x == 2")
endless = Program("while True:\\n    pass", "", Limits(wall_seconds=1000.0))
sleeper = Program("import time\\ntime.sleep(1000)", "", Limits(wall_seconds=1000.0))
"""


@pytest.fixture
def start(pool, sandbox_name, folder):
    """Return a function that starts a script as a user would, with `folder` for temporary files; end it afterwards."""
    scripts = []

    def start_script(text):
        path = os.path.join(folder, f"script{len(scripts)}.py")
        Path(path).write_text(HEAD.format(sandbox=sandbox_name) + textwrap.dedent(text))
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "TMPDIR": folder,
        }
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        script = subprocess.Popen([sys.executable, "-W", "error", path], env=environment, text=True, **pipes)
        scripts.append(script)
        return script

    yield start_script
    for script in scripts:
        script.kill()
        script.communicate()


def output(script, status=0):
    """Return the output of a script, once the script has ended as it should."""
    stdout, stderr = script.communicate(timeout=180)
    assert (script.returncode, stderr) == (status, "")
    return stdout


def nothing_left(folder):
    """Return whether soon no guest and no scratch folder is left in a folder."""
    # A guest has its scratch folder in its command line.
    gone = all_gone(f"{folder}/code-eval-")
    return gone and wait_until(lambda: not glob.glob(f"{folder}/code-eval-*"), 15)


def end_at_once(pid, recursive):
    """Kill a process and its children, or all its descendants, before any of them can react."""
    process = psutil.Process(pid)
    process.suspend()
    victims = process.children(recursive)
    for signalled in (psutil.Process.suspend, psutil.Process.kill):
        for victim in victims:
            # Some processes end together with others.
            with contextlib.suppress(psutil.NoSuchProcess):
                signalled(victim)
    process.kill()


@pytest.mark.usefixtures("guests_here")
def test_close_ends_all(own_pool):
    """After `close` no process of the pool runs, and no scratch folder is left."""
    own_pool.run_all([Program("open('f', 'w').close()", "")] * 6, 3)
    workers = own_pool.sandbox.workers
    assert len(workers) == 3
    # The last one may be starting, and has no command line for some milliseconds.
    assert wait_until(lambda: all(processes_with(worker.scratch) for worker in workers), 15)
    own_pool.close()
    assert not any(psutil.pid_exists(worker.process.pid) for worker in workers)
    assert not any(processes_with(worker.scratch) or os.path.exists(worker.scratch) for worker in workers)


def test_closed_pool_works_again(own_pool):
    """A pool that was closed, even twice, starts new guests when it is used."""
    for _ in range(2):
        assert own_pool.run_all([Program("x = 1", "")], 1)[0].passed
        own_pool.close()
        own_pool.close()
    assert len(own_pool.sandbox.workers) == 2


def test_descriptors_are_closed(own_pool):
    """A closed pool holds no file descriptor."""
    own_pool.run_all([Program("x = 1", "")] * 4, 2)
    own_pool.close()
    before = psutil.Process().num_fds()
    own_pool.run_all([Program("x = 1", "")] * 4, 2)
    own_pool.close()
    assert psutil.Process().num_fds() == before


def test_script_without_a_main_guard_works(start, folder):
    """A script needs no __main__ guard. No guest outlives it, although it closes nothing."""
    script = start("print([verdict.passed for verdict in pool.run_all([good, bad] * 2, 2)])")
    assert output(script) == "[True, False, True, False]\n"
    assert nothing_left(folder)


def test_script_that_raises_leaves_nothing(start, folder):
    """A script that ends with an exception leaves no guest."""
    script = start("pool.run_all([good, bad], 2)\nraise SystemExit(3)")
    output(script, status=3)
    assert nothing_left(folder)


def test_caller_with_threads_works(start, folder):
    """A caller may have threads running, before and while it runs programs."""
    script = start("""
        stop = threading.Event()
        threads = [threading.Thread(target=stop.wait) for _ in range(8)]
        for thread in threads:
            thread.start()
        print([verdict.passed for verdict in pool.run_all([good, bad] * 2, 2)])
        stop.set()
    """)
    assert output(script) == "[True, False, True, False]\n"
    assert nothing_left(folder)


def test_pool_may_be_used_in_another_thread(start, folder):
    """A thread that is not the main thread may run programs."""
    script = start("""
        thread = threading.Thread(target=lambda: print(pool.run_all([good], 1)[0].passed))
        thread.start()
        thread.join()
    """)
    assert output(script) == "True\n"
    assert nothing_left(folder)


@pytest.mark.parametrize("program", ["endless", "sleeper"])
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.5])
def test_interrupted_run_leaves_nothing(start, folder, program, seconds):
    """Ctrl-C during a run ends it promptly with KeyboardInterrupt, and leaves no guest and no folder."""
    script = start(f"print('ready', flush=True)\npool.run_all([{program}] * 8, 4)")
    assert script.stdout.readline() == "ready\n"
    time.sleep(seconds)
    script.send_signal(signal.SIGINT)
    _, stderr = script.communicate(timeout=30)
    assert script.returncode == -signal.SIGINT
    assert "\nKeyboardInterrupt\n" in stderr
    assert nothing_left(folder)


def test_pool_works_after_an_interrupt(start, folder):
    """A caller that catches KeyboardInterrupt can use the pool again."""
    script = start("""
        print("ready", flush=True)
        try:
            pool.run_all([endless] * 4, 2)
        except KeyboardInterrupt:
            print([verdict.passed for verdict in pool.run_all([good, bad], 2)])
    """)
    assert script.stdout.readline() == "ready\n"
    time.sleep(0.3)
    script.send_signal(signal.SIGINT)
    assert output(script) == "[True, False]\n"
    assert nothing_left(folder)


@pytest.mark.parametrize(
    "doing", ["pool.run_all([endless] * 8, 4)", "pool.run_all([sleeper] * 8, 4)", "time.sleep(100)"]
)
@pytest.mark.usefixtures("guests_here")
def test_killed_caller_leaves_nothing(start, folder, doing):
    """A caller that is killed, busy or idle, leaves no guest and no folder."""
    script = start(f"pool.run_all([good] * 4, 2)\nprint('ready', flush=True)\n{doing}")
    assert script.stdout.readline() == "ready\n"
    time.sleep(0.3)
    assert processes_with(f"{folder}/code-eval-")
    script.kill()
    assert nothing_left(folder)


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_all_killed_at_once_leaves_nothing(start, folder, needs, grading):
    """A caller and guests that are killed together, as at the end of a job, leave no scratch folder."""
    needs("mount")
    script = start(f"""
        pool.run_all([Program("def f(): return 1", "f()", grading={grading!r})] * 4, 2)
        print("ready", flush=True)
        time.sleep(100)
    """)
    assert script.stdout.readline() == "ready\n"
    assert wait_until(lambda: not glob.glob(f"{folder}/code-eval-*"), 15), "a guest that has started keeps its folder"
    end_at_once(script.pid, recursive=True)
    assert nothing_left(folder)


@pytest.mark.parametrize(("grading", "boxes"), [("shared", 1), ("separate", 3)])
@pytest.mark.usefixtures("guests_here")
def test_killed_supervisors_leave_nothing(start, folder, grading, boxes):
    """A fork server whose supervisor was killed alone ends its programs and removes their folder."""
    script = start(f"""
        from dataclasses import replace
        from sandboxes.backends.confinement import Confinement
        pool = Pool(replace(pool.sandbox, confinement=Confinement(isolation="off")))
        pool.run_all([Program(sleeper.candidate, "", sleeper.limits, {grading!r})] * 4, 4)
    """)
    assert wait_until(lambda: len(glob.glob(f"{folder}/code-eval-*/*/run")) == 4 * boxes, 60)
    end_at_once(script.pid, recursive=False)
    assert nothing_left(folder)


@pytest.mark.usefixtures("guests_here")
def test_killed_caller_leaves_nothing_though_its_fork_lives(start, folder):
    """Guests of a killed caller end although its forked child, which does not use the pool, lives on."""
    script = start("""
        pool.run_all([good] * 4, 2)
        if os.fork() == 0:
            time.sleep(25)
            os._exit(0)
        print("ready", flush=True)
        time.sleep(100)
    """)
    assert script.stdout.readline() == "ready\n"
    copy = next(child for child in psutil.Process(script.pid).children() if "script" in " ".join(child.cmdline()))
    script.kill()
    try:
        assert nothing_left(folder)
        assert copy.is_running()
    finally:
        copy.kill()


def test_forked_caller_has_its_own_guests(start, folder):
    """After a fork both parent and child can use the pool. The parent keeps its guests."""
    script = start("""
        def guests():
            import psutil
            # All children. A process that has just started another program has no command line for some milliseconds.
            return {child.pid for child in psutil.Process().children()}

        pool.run_all([good] * 4, 2)
        before = guests()
        pid = os.fork()
        if pid == 0:
            passed = [verdict.passed for verdict in pool.run_all([good, bad] * 2, 2)]
            print("child", passed, len(guests()), len(guests() & before), flush=True)
            pool.close()
            os._exit(0)
        passed = [verdict.passed for verdict in pool.run_all([good, bad] * 2, 2)]
        os.waitpid(pid, 0)
        passed += [verdict.passed for verdict in pool.run_all([good, bad] * 2, 2)]
        print("parent", passed, guests() == before)
    """)
    lines = sorted(output(script).splitlines())
    assert lines == [
        "child [True, False, True, False] 2 0",
        "parent [True, False, True, False, True, False, True, False] True",
    ]
    assert nothing_left(folder)


def test_caller_may_use_multiprocessing(start, folder):
    """Processes that a caller forks with multiprocessing may use the caller's pool."""
    script = start("""
        import multiprocessing
        pool.run_all([good], 1)
        def passed(number):
            return [verdict.passed for verdict in pool.run_all([good, bad], 2)]
        with multiprocessing.get_context("fork").Pool(2) as processes:
            print(processes.map(passed, range(2)))
    """)
    assert output(script) == "[[True, False], [True, False]]\n"
    assert nothing_left(folder)
