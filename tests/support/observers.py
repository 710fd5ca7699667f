"""Checks that several test files share: of verdicts, of refused operations, and of this machine's processes."""

import time

import psutil


def passes(verdict):
    """Assert that a program passed; show its verdict if it did not."""
    assert verdict.passed, (verdict.outcome, verdict.detail, verdict.traceback, verdict.stderr)


def refused_with(error):
    """Return the source of `refused(action, *arguments)`, which tells whether the call raises such an error."""
    return f"""
def refused(action, *arguments):
    try:
        action(*arguments)
    except {error}:
        return True
    return False
"""


def processes_with(marker):
    """Return the processes that have a marker in their command line. A zombie has no command line."""
    return [
        process for process in psutil.process_iter(["cmdline"]) if marker in " ".join(process.info["cmdline"] or ())
    ]


def runs(name):
    """Return whether a process has this name as the first word of its command line."""
    return any(process.info["cmdline"][0] == name for process in processes_with(name))


def has_ended(process):
    """Return whether a process has ended. A zombie has: where tests are the first process, nobody reaps its orphans."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until(condition, seconds):
    """Return whether a condition became true within a number of seconds."""
    deadline, pause = time.monotonic() + seconds, 0.02
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        # To look at all processes takes a processor from what is waited for.
        pause = min(1.5 * pause, 0.2)
    return True


def all_gone(marker, seconds=15):
    """Return whether soon no process has a marker in its command line."""
    return wait_until(lambda: not processes_with(marker), seconds)
