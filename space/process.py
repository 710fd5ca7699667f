"""The server's own process: what is in its memory and environment is its own."""

from __future__ import annotations

import ctypes
import sys

PR_SET_DUMPABLE = 4


def keep_private() -> None:
    """Keeps other processes of this user from reading this one's memory, environment and descriptors.

    A Space's secrets are in its environment. Where no namespace hides the server from programs, and they have its user,
    they could read them in /proc.

    Raises:
        OSError: if the system refuses.
    """
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) failed")
