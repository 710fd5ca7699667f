"""This process as a server of strangers: no program may read its memory or outlive it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4


def keep_private() -> None:
    """Keep other processes of this user from reading this process's memory, environment and descriptors.

    A server's secrets are in its environment. Without namespaces, programs see the server and run as its user, so that
    they could read the secrets in /proc.

    Raises:
        OSError: if the system refuses.
    """
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) failed")


def end_with_parent(parent: int) -> None:
    """Send this process SIGTERM when its parent ends, also if that is killed. Linux only.

    Args:
        parent: process id. If this process has another parent by now, it gets the signal at once.

    Raises:
        OSError: if the system refuses.
    """
    if sys.platform != "linux":
        return
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        # The parent ended before the system was asked.
        signal.raise_signal(signal.SIGTERM)
