"""Every sandbox gives each program fresh standard streams and a fresh report pipe."""

import pytest

from support.observers import passes

# The state that a program can read of its own descriptors.
STATE = """
import fcntl, os
def state(fd):
    found = [fcntl.fcntl(fd, command) for command in (fcntl.F_GETFL, fcntl.F_GETOWN, 11)]
    found.append(oct(os.fstat(fd).st_mode))
    try:
        found.append(fcntl.fcntl(fd, 1032))
    except OSError:
        found.append(None)
    if fd in (1, 2):
        found += locks(os.open(f"/dev/fd/{fd}", os.O_RDWR | os.O_NONBLOCK))
    return found

def locks(other):
    # Whether another open file of the same pipe can be locked.
    found = []
    for lock in (fcntl.flock, lambda other, how: fcntl.lockf(other, how)):
        try:
            lock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found.append("free")
        except OSError as error:
            found.append(type(error).__name__)
    os.close(other)
    return found
"""
CHANGES = {
    "signal": "fcntl.fcntl(fd, 10, 12)",
    "owner": "fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())",
    "owner that lives on": "fcntl.fcntl(fd, fcntl.F_SETOWN, os.getppid())",
    "owner that is a group": "fcntl.fcntl(fd, fcntl.F_SETOWN, -os.getpgrp())",
    "O_ASYNC": "fcntl.fcntl(fd, fcntl.F_SETFL, os.O_ASYNC)",
    "O_ASYNC with another signal": "fcntl.fcntl(fd, 10, 10)\n        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_ASYNC)",
    "O_NONBLOCK": "os.set_blocking(fd, False)",
    "O_APPEND": "fcntl.fcntl(fd, fcntl.F_SETFL, os.O_APPEND)",
    "O_DIRECT": "fcntl.fcntl(fd, fcntl.F_SETFL, os.O_DIRECT)",
    "O_NOATIME": "fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NOATIME)",
    "size of a pipe": "fcntl.fcntl(fd, 1031, 1 << 18)",
    "lease": "fcntl.fcntl(fd, 1024, fcntl.F_WRLCK)",
    "mode": "os.fchmod(fd, 0)",
    "flock": "fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)",
    "lock of an open file": "fcntl.fcntl(fd, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))",
    "lock of a process": "fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)",
}


@pytest.fixture(scope="module")
def fresh(run):
    """Return the state of a new program's descriptors, as text."""
    return run(STATE + "print([state(fd) for fd in (0, 1, 2, 3)])").stdout


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_next_program_has_its_files_as_new(run, fresh, change):
    """Changes that a program makes to its streams and report pipe are undone for the next program."""
    candidate = f"""
import fcntl, os, struct
for fd in (0, 1, 2, 3):
    try:
        {change}
    except OSError:
        continue
"""
    run(candidate)
    verdict = run(STATE + "print([state(fd) for fd in (0, 1, 2, 3)])")
    passes(verdict)
    assert (verdict.stdout, verdict.attempts) == (fresh, 1)


@pytest.mark.parametrize("fd", [1, 2])
def test_output_in_packets_is_whole_and_nobody_elses(run, fd):
    """The verdict of a program whose writes are read singly has all its output, and the next verdict has none of it."""
    write = f"for each in range(50):\n    os.write({fd}, b'%d ' % each)"
    verdict = run(f"import fcntl, os\nfcntl.fcntl({fd}, fcntl.F_SETFL, os.O_DIRECT)\n{write}")
    passes(verdict)
    assert (verdict.stdout + verdict.stderr).split() == [str(each) for each in range(50)]
    following = run("x = 1")
    assert (following.stdout, following.stderr) == ("", "")


def test_report_in_packets_does_not_harm_the_next_program(run):
    """A program that makes its report pipe deliver one write at a time harms only itself."""
    write = "for _ in range(9):\n    os.write(3, b'P')"
    assert not run(f"import fcntl, os\nfcntl.fcntl(3, fcntl.F_SETFL, os.O_DIRECT)\n{write}").passed
    verdict = run("x = 1")
    passes(verdict)
    assert verdict.attempts == 1


def test_files_can_be_locked(run):
    """A program can lock its files, and choose the signal that notifies it of events."""
    candidate = """
import fcntl, os, signal
with open("lock", "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
far, near = os.pipe()
fcntl.fcntl(far, 10, signal.SIGUSR1)
assert fcntl.fcntl(far, 11) == signal.SIGUSR1
"""
    passes(run(candidate))
