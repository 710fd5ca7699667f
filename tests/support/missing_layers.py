"""Python where system calls are refused, as the caller or as an ordinary user."""

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.denied_syscalls import MACHINES
from support.metric_and_command import ROOT, environment
from support.requirements import unavailable

DENIED_SYSCALLS = Path(__file__).parent / "denied_syscalls.py"
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def python_without(calls, *arguments, seconds=300, **popen):
    """Run Python where system calls are refused, and return the finished process with its texts."""
    if os.uname().machine not in MACHINES:
        unavailable(f"no list of system calls for {os.uname().machine}")
    return subprocess.run(
        [sys.executable, str(DENIED_SYSCALLS), calls, *map(str, arguments)],
        cwd=ROOT,
        env=environment(**popen.pop("variables", {})),
        capture_output=True,
        text=True,
        timeout=seconds,
        **popen,
    )


def as_ordinary_user():
    """Return the arguments with which `python_without` runs as an ordinary user: none if this is one.

    The test is skipped if such a user can't read the interpreter.
    """
    if os.geteuid() != 0:
        return {}
    if not nobody_can_import():
        pytest.skip("other users can't read this interpreter with its packages")
    return NOBODY


@functools.cache
def nobody_can_import():
    """Return whether an ordinary user can import what tests need. It takes seconds."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        variables = {"HOME": folder, "TMPDIR": folder}
        try:
            return python_without("unshare", "-c", "import evaluate", variables=variables, **NOBODY).returncode == 0
        except PermissionError:
            return False
