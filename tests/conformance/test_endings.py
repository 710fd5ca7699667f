"""Every sandbox reports a program's end truly, and nothing that the program started outlives it."""

import sys
import textwrap
import uuid

import pytest

from sandboxes import Limits, Outcome, Program, RunStopped
from support.observers import all_gone, passes, processes_with
from support.requirements import WALL_SECONDS, unavailable

pytestmark = pytest.mark.slow

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux only")

# Each is formatted with a name that its process shows in its command line.
LEFT_BEHIND = {
    "process": "subprocess.Popen([name, '300'], executable='sleep')",
    "process in another session": "subprocess.Popen([name, '300'], executable='sleep', start_new_session=True)",
    "process that ignores signals": "for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):\n"
    "    signal.signal(n, signal.SIG_IGN)\nsubprocess.Popen([name, '300'], executable='sleep')",
    "stopped process": "p = subprocess.Popen([name, '300'], executable='sleep', start_new_session=True)\n"
    "os.kill(p.pid, signal.SIGSTOP)",
    "daemon": "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        os.execvp('sleep', [name, '300'])\n    os._exit(0)\nos.wait()",
    "many": "for _ in range(10):\n    subprocess.Popen([name, '300'], executable='sleep', start_new_session=True)",
    "process that starts another": "subprocess.Popen([sys.executable, '-c', 'import subprocess, sys;"
    ' subprocess.Popen([sys.argv[1], "300"], executable="sleep", start_new_session=True).wait()\', name])',
    "shell that starts again what ends": "subprocess.Popen(['sh', '-c', 'while :; do sleep 0.1; done', name])",
}
ENDS = {
    "passes": ("", Outcome.PASSED),
    "fails": ("1 / 0", Outcome.FAILED),
    "times out": ("time.sleep(1000)", Outcome.TIMED_OUT),
    "crashes": ("os.abort()", Outcome.CRASHED),
}
STDOUT = {
    "closed": "sys.stdout.close()",
    "all closed": "sys.stdin.close()\nsys.stdout.close()\nsys.stderr.close()",
    "None": "sys.stdout = sys.stderr = None",
    "deleted": "del sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__",
    "replaced": "import io\nsys.stdout = sys.stderr = io.StringIO()",
    "replaced by what raises": "class Bad:\n    def __getattr__(self, name):\n        1 / 0\nsys.stdout = Bad()",
    "descriptors closed": "import os\nos.close(0)\nos.close(1)\nos.close(2)",
    "detached": "sys.stdout = open(sys.stdout.detach().fileno(), 'w')",
    "redirected": "import os\nfd = os.open('f', os.O_WRONLY | os.O_CREAT)\nos.dup2(fd, 1)\nos.dup2(fd, 2)\nprint('x')",
}
LINGERING = {
    "thread that never ends": "import threading\nthreading.Thread(target=threading.Event().wait).start()",
    "busy thread": "import threading\ndef f():\n    while True:\n        pass\nthreading.Thread(target=f).start()",
    "atexit handler that loops": "import atexit\n@atexit.register\ndef f():\n    while True:\n        pass",
    "__del__ that loops": "class A:\n    def __del__(self):\n        while True:\n            pass\na = A()",
    "thread pool": "import concurrent.futures, time\nconcurrent.futures.ThreadPoolExecutor(2).submit(time.sleep, 1000)",
    "process not waited for": "import multiprocessing as m, time\nm.Process(target=time.sleep, args=(1000,)).start()",
    "alarm to come": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 1000)",
}
TAMPERING = {
    "os._exit": "import os\nos._exit = None",
    "os.write": "import os\nos.write = lambda *a: 1 / 0",
    "os.getpid": "import os\nos.getpid = lambda: 1",
    "json.dumps": "import json\njson.dumps = lambda *a: '{}'\njson.JSONEncoder = None",
    "exec and compile": "import builtins\nbuiltins.exec = builtins.compile = builtins.type = None",
    "traceback": "import traceback, linecache\ntraceback.TracebackException = linecache.getline = None",
    "modules": "import sys\nfor name in ('os', 'json', 'traceback', 'linecache'):\n    sys.modules[name] = None",
    "tracing": "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)",
    "recursion limit": "import sys\nsys.setrecursionlimit(60)",
    "excepthook": "import sys\nsys.excepthook = lambda *a: sys.exit(0)",
}


@linux_only
@pytest.mark.parametrize("start", LEFT_BEHIND.values(), ids=LEFT_BEHIND)
def test_nothing_started_outlives_the_program(run, start):
    """No process that a program started exists after its verdict."""
    name = f"left-behind-{uuid.uuid4()}"
    passes(run(f"import os, signal, subprocess, sys, time\nname = {name!r}\n{start}\ntime.sleep(0.2)"))
    assert all_gone(name, seconds=5), processes_with(name)


@linux_only
@pytest.mark.parametrize(("ending", "outcome"), ENDS.values(), ids=ENDS)
def test_nothing_outlives_whatever_the_end(run, ending, outcome):
    """No process that a program started exists after its verdict, however the program ended."""
    name = f"left-behind-{uuid.uuid4()}"
    start = LEFT_BEHIND["process in another session"]
    verdict = run(f"import os, subprocess, time\nname = {name!r}\n{start}\ntime.sleep(0.1)\n{ending}", wall_seconds=2.0)
    assert verdict.outcome is outcome
    assert all_gone(name, seconds=5), processes_with(name)


def test_a_process_is_seen_while_it_runs(own_pool):
    """The tests above see the processes that they look for."""
    name = f"seen-{uuid.uuid4()}"
    candidate = f"import subprocess\nsubprocess.run([{name!r}, '300'], executable='sleep')"
    program = Program(candidate, "", Limits(wall_seconds=WALL_SECONDS))
    try:
        own_pool.run_all([program], 1, should_stop=lambda: bool(processes_with(name)))
    except RunStopped:
        assert all_gone(name)
    else:
        assert "container" in own_pool.preflight().layers
        unavailable("the engine's processes are in another process namespace than these tests")


@pytest.mark.parametrize("end_of_parent", ["os._exit(0)", "os.kill(os.getpid(), 9)", "time.sleep(1000)", "1 / 0"])
def test_a_forked_copy_does_not_pass_for_the_program(run, end_of_parent):
    """A program does not pass because its forked copy reaches the end while the program itself ends otherwise."""
    candidate = f"import os, time\npid = os.fork()\nif pid:\n    time.sleep(0.3)\n    {end_of_parent}"
    assert not run(candidate, "x = 1", wall_seconds=1.0).passed


def test_a_forked_copy_that_fails_does_not_fail_the_program(run):
    """A program passes although its forked copy runs into a failing test."""
    candidate = "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)"
    passes(run(candidate, "assert pid"))


def test_both_copies_may_reach_the_end(run):
    """A program that forks, waits, and runs on to the end in both copies passes."""
    passes(run("import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)"))


@pytest.mark.parametrize("lingering", LINGERING.values(), ids=LINGERING)
def test_right_answer_passes_whatever_lingers(run, lingering):
    """A right candidate passes at once, even if something that it started would never end."""
    verdict = run(lingering + "\ndef f():\n    return 1", "assert f() == 1")
    passes(verdict)
    assert verdict.wall_seconds < 15


@pytest.mark.parametrize("lingering", LINGERING.values(), ids=LINGERING)
def test_wrong_answer_fails_whatever_lingers(run, lingering):
    """A wrong candidate fails at once, even if something that it started would never end."""
    assert run(lingering + "\ndef f():\n    return 2", "assert f() == 1").outcome is Outcome.FAILED


@pytest.mark.parametrize("change", STDOUT.values(), ids=STDOUT)
def test_right_answer_passes_without_its_streams(run, change):
    """A right candidate that closes or replaces its streams passes."""
    passes(run(f"import sys\n{change}\ndef f():\n    return 1", "assert f() == 1"))


@pytest.mark.parametrize("change", STDOUT.values(), ids=STDOUT)
def test_wrong_answer_fails_without_its_streams(run, change):
    """A wrong candidate that closes or replaces its streams fails."""
    assert run(f"import sys\n{change}\ndef f():\n    return 2", "assert f() == 1").outcome is Outcome.FAILED


@pytest.mark.parametrize("change", TAMPERING.values(), ids=TAMPERING)
def test_wrong_answer_never_passes_by_tampering(run, change):
    """A wrong candidate does not pass by replacing the code that reports its outcome."""
    assert not run(f"{change}\ndef f():\n    return 2", "assert f() == 1").passed


@pytest.mark.parametrize("change", TAMPERING.values(), ids=TAMPERING)
def test_tampering_does_not_harm_the_next_program(run, change):
    """A program passes at the first attempt after one that replaced the code that reports outcomes."""
    run(change)
    verdict = run("import json, os, traceback", "assert json.dumps({}) == '{}' and os.getpid() > 1")
    passes(verdict)
    assert verdict.attempts == 1


def test_passing_then_failing_tests_fail(run):
    """One failing test after many that pass fails the program."""
    assert run("x = 1", "assert x\n" * 100 + "assert not x").outcome is Outcome.FAILED


def test_output_after_the_end_is_not_the_next_programs(run):
    """Output of a process that a program left behind is not in a later program's output."""
    run("import os, time\nif os.fork() == 0:\n    time.sleep(0.2)\n    while True:\n        os.write(1, b'late')")
    assert run("import time\ntime.sleep(0.5)").stdout == ""


def test_signals_reach_only_the_program_itself(run):
    """A program that signals its whole process group harms no other program."""
    candidate = """
        import os, signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)
    """
    passes(run(textwrap.dedent(candidate)))
    verdict = run("x = 1")
    passes(verdict)
    assert verdict.attempts == 1
