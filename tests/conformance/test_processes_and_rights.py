"""A program with all layers sees no other process, harms none, and has no rights of root."""

import os
import uuid

import pytest

from support.observers import all_gone, passes, refused_with

pytestmark = pytest.mark.usefixtures("namespaces")

CAPABILITY_SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
STATUS = """
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
status = {name: value.strip() for name, value in status.items()}
"""
PIDS = """
import os, signal, resource
pids = {int(name) for name in os.listdir("/proc") if name.isdigit()}
""" + refused_with("PermissionError")
# Tests of the process tree and the user that we make. A container has its guest's instead.
OF_OUR_ROOT = {
    "test_it_has_no_groups",
    "test_it_is_not_root",
    "test_other_processes_are_not_visible",
    "test_process_1_shows_nothing",
    "test_signals_harm_nobody_else",
}


def test_other_processes_are_not_visible(run):
    """A program sees only itself and process 1, which forked it."""
    passes(run(PIDS, "assert pids == {1, os.getpid()} and os.getppid() == 1, pids"))


def test_process_1_shows_nothing(run):
    """Process 1 shows a program no memory, no descriptors and no command line."""
    passes(run("import os", "assert os.listdir('/proc/1') == []"))


SIGNALS = {
    "SIGKILL to all": "try:\n    os.kill(-1, signal.SIGKILL)\nexcept ProcessLookupError:\n    pass",
    "SIGSTOP to all": "try:\n    os.kill(-1, signal.SIGSTOP)\nexcept ProcessLookupError:\n    pass",
    "every signal to process 1": "for number in range(1, 65):\n    try:\n        os.kill(1, number)\n"
    "    except (PermissionError, OSError):\n        pass",
    "SIGKILL to each that is visible": "for pid in pids - {os.getpid()}:\n    refused(os.kill, pid, signal.SIGKILL)",
    "SIGKILL to numbers": "for pid in range(2, 3000):\n    if pid != os.getpid():\n        try:\n"
    "            os.kill(pid, signal.SIGKILL)\n        except OSError:\n            pass",
    "SIGKILL to every process group": "for pid in range(2, 3000):\n    if pid != os.getpgrp():\n        try:\n"
    "            os.killpg(pid, signal.SIGKILL)\n        except OSError:\n            pass",
    "SIGTERM to its session and parents": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "for pid in (0, os.getppid(), -os.getpgrp()):\n    refused(os.kill, pid, signal.SIGTERM)",
}


@pytest.mark.parametrize("send", SIGNALS.values(), ids=SIGNALS)
def test_signals_harm_nobody_else(run, send):
    """A program that signals every process it can passes. The next one passes in the same guest at once."""
    for candidate in (f"{PIDS}\n{send}", "x = 1"):
        verdict = run(candidate)
        passes(verdict)
        assert verdict.attempts == 1


CHANGES = {
    "limits": "resource.prlimit, 1, resource.RLIMIT_NOFILE, (0, 0)",
    "CPUs": "os.sched_setaffinity, 1, {0}",
    "scheduler": "set_scheduler, 1",
    "priority": "os.setpriority, os.PRIO_PROCESS, 1, 19",
    "priority of its user": "os.setpriority, os.PRIO_USER, 0, 19",
}
# musl's functions for the scheduler only fail, so that a program calls the kernel itself.
SET_SCHEDULER = """
import ctypes, platform
number = {"x86_64": 144, "aarch64": 119}[platform.machine()]
def set_scheduler(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, pid, os.SCHED_IDLE, ctypes.byref(ctypes.c_int(0))):
        raise OSError(ctypes.get_errno(), "refused")
"""


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_others_cannot_be_slowed_down(run, change):
    """A program can't change limits, CPUs or priority of process 1, or of all processes of its user."""
    passes(run(PIDS + SET_SCHEDULER, f"assert refused({change})"))


def test_what_it_started_ends_with_a_program_in_a_new_session(run):
    """Hundreds of processes, each in its own session, end with the program that started them."""
    name = f"left-{uuid.uuid4()}"
    start = f"subprocess.Popen([{name!r}, '300'], executable='sleep', start_new_session=True)"
    passes(run(f"import subprocess\nfor _ in range(40):\n    {start}"))
    assert all_gone(name, 5)


def test_it_is_not_root(run):
    """All user and group numbers of a program are those of an unprivileged user."""
    wanted = "assert set(os.getresuid()) == set(os.getresgid()) == {1000}, (os.getresuid(), os.getresgid())"
    passes(run("import os", wanted))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can leave its groups")
def test_it_has_no_groups(run):
    """A program has none of root's groups, even if the caller is root."""
    passes(run("import os", "assert os.getgroups() == []"))


@pytest.mark.parametrize("prelude", ["", "import subprocess, sys\n"], ids=["itself", "what it starts"])
def test_it_has_no_capabilities(run, prelude):
    """A program and its children have no capabilities of root, and no way to get one."""
    check = STATUS + f"assert all(int(status[name], 16) == 0 for name in {CAPABILITY_SETS}), status\n"
    check += "assert status['NoNewPrivs'] == '1' and status['Seccomp'] == '2', status\n"
    passes(run(f"{prelude}subprocess.run([sys.executable, '-c', {check!r}], check=True)" if prelude else check))


def test_root_can_not_be_taken_back(run):
    """No call lets a program become another user."""
    calls = ("setuid", "setgid", "seteuid", "setegid")
    candidate = f"""{refused_with("OSError")}
import os
allowed = [name for name in {calls} if not refused(getattr(os, name), 0)]
"""
    passes(run(candidate, "assert not allowed and refused(os.setgroups, [0])"))
