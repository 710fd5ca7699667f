"""In every sandbox a program runs as if no program had run before it."""

import os

import pytest

from support.observers import passes

PIPES = {
    "non-blocking": "for fd in (1, 2, 3):\n    os.set_blocking(fd, False)",
    "append and asynchronous": "for fd in (1, 2, 3):\n    flags = fcntl.fcntl(fd, fcntl.F_GETFL)\n"
    "    fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_APPEND | os.O_ASYNC)",
    "packets": "for fd in (1, 2, 3):\n    try:\n        flags = fcntl.fcntl(fd, fcntl.F_GETFL)\n"
    "        fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_DIRECT)\n    except (AttributeError, OSError):\n        pass",
    "small": "for fd in (1, 2, 3):\n    fcntl.fcntl(fd, 1031, 4096)",
    "large": "for fd in (1, 2, 3):\n    try:\n        fcntl.fcntl(fd, 1031, 1 << 20)\n    except PermissionError:\n"
    "        pass",
    "modes": "for fd in (1, 2, 3):\n    try:\n        os.fchmod(fd, 0)\n    except PermissionError:\n        pass",
    "owner of signals": "for fd in (1, 2, 3):\n    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())",
    "standard input": "os.set_blocking(0, False)\ntry:\n    os.fchmod(0, 0)\nexcept OSError:\n    pass",
    "full": "os.set_blocking(1, False)\ntry:\n    while True:\n        os.write(1, b'x' * 65536)\n"
    "except BlockingIOError:\n    pass",
    "locked": "for fd in (1, 2, 3):\n    fcntl.flock(fd, fcntl.LOCK_EX)",
}
HONEST = """
import fcntl, os, sys
for fd in (1, 2):
    assert os.get_blocking(fd)
    assert fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_APPEND | os.O_ASYNC) == 0
for path in ("/dev/stdout", "/dev/stderr"):
    with open(path, "w") as stream:
        stream.write("said" * 50_000)
print("said" * 50_000)
raise ValueError("x" * 2000)
"""
STATES = {
    "umask": ("os.umask(0o777)", "assert os.umask(0) == 0o022"),
    "working folder": ("os.makedirs('a')\nos.chdir('a')", "assert os.getcwd() == os.environ['HOME']"),
    "environment": ("os.environ['A'] = 'x'\nos.putenv('B', 'x')", "assert not {'A', 'B'} & set(os.environ)"),
    "priority": ("os.nice(5)", "assert os.nice(0) == os.getpriority(os.PRIO_PROCESS, os.getppid())"),
    "CPUs": (
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})",
        # The parent is on one CPU while it forks, so it is not asked.
        f"assert len(os.sched_getaffinity(0)) == {len(os.sched_getaffinity(0))}",
    ),
    "limits": (
        "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))",
        "assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 9",
    ),
    "signals": (
        "for number in (1, 2, 13, 14, 15, 17):\n    signal.signal(number, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
        "assert signal.getsignal(15) == signal.SIG_DFL and not signal.pthread_sigmask(signal.SIG_BLOCK, [])",
    ),
    "modules": (
        "sys.modules['json'] = None\nsys.path.insert(0, 'x')\nmath.pi = 3",
        "import json\nassert math.pi > 3 and sys.path[0] != 'x'",
    ),
    "builtins": ("builtins.len = None", "assert len('ab') == 2"),
    "named semaphore": (
        "import multiprocessing as m\nlocks = [m.Lock() for _ in range(9)]\nopen('/dev/shm/left', 'w').close()",
        "assert not os.path.exists('/dev/shm/left')",
    ),
    "process": (
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(300)",
        "assert [n for n in os.listdir('/proc') if n.isdigit() and n not in ('1', str(os.getpid()))] == []",
    ),
    "process that watches for files": (
        "if os.fork() == 0:\n    os.setsid()\n    while True:\n        open(f'left{time.time()}', 'w').close()\n"
        "time.sleep(0.1)",
        "assert os.listdir('.') == []",
    ),
    "access list": (
        "import ctypes, struct\nlist_ = [(1, 0), (4, 0), (32, 0)]\n"
        "text = struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *pair, -1) for pair in list_)\n"
        "for folder in (b'.', os.environb[b'TMPDIR']):\n    for name in (b'default', b'access'):\n"
        "        ctypes.CDLL(None).setxattr(folder, b'system.posix_acl_' + name, text, ctypes.c_size_t(len(text)), 0)",
        "for path in ('x', os.environ['TMPDIR'] + '/x'):\n    open(path, 'w').close()\n    open(path).close()",
    ),
    "lock on its folder": (
        "import fcntl\nfd = os.open('.', os.O_RDONLY)\nfcntl.flock(fd, fcntl.LOCK_EX)\nif os.fork() == 0:\n"
        "    os.setsid()\n    time.sleep(300)",
        "import fcntl\nfcntl.flock(os.open('.', os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)",
    ),
}
IMPORTS = "import builtins, math, os, resource, signal, sys, time\n"


@pytest.mark.parametrize("change", PIPES.values(), ids=PIPES)
def test_pipes_are_as_new_after(run, change):
    """Changes that a program makes to its streams and report pipe do not reach the next program."""
    for _ in range(2):
        run(f"import fcntl, os\n{change}")
    verdict = run(HONEST)
    assert (verdict.outcome.value, verdict.exception_message, verdict.attempts) == ("failed", "x" * 2000, 1)
    assert verdict.stdout.startswith("said") and verdict.stderr.startswith("said")
    passes(run("x = 1", "assert x == 1"))


@pytest.mark.parametrize(("change", "check"), STATES.values(), ids=STATES)
def test_state_is_as_new_after(run, needs, change, check):
    """Changes that a program makes to its process, folders and machine do not reach the next program."""
    needs("pid", "mount")
    run(IMPORTS + change)
    verdict = run(IMPORTS, check)
    passes(verdict)
    assert verdict.attempts == 1


@pytest.mark.parametrize("fd", range(12))
def test_closing_a_descriptor_harms_no_other(run, fd):
    """A program that shuts down or closes any descriptor gets a verdict, and the next one runs in the same guest."""
    run(f"import os, socket\ntry:\n    socket.socket(fileno=os.dup({fd})).shutdown(2)\nexcept OSError:\n    pass\n"
        f"try:\n    os.close({fd})\nexcept OSError:\n    pass")  # fmt: skip
    verdict = run("print('said')")
    passes(verdict)
    assert (verdict.stdout, verdict.attempts) == ("said\n", 1)
