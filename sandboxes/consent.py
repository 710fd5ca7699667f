"""Consent to run programs that nobody has read: the environment variable HF_ALLOW_CODE_EVAL.

The metric, rewards and the Space ask for it. Giving one of the commands is the consent to what it does.
"""

from __future__ import annotations

import os

VARIABLE = "HF_ALLOW_CODE_EVAL"

EXPLANATION = f"""
The candidates that are about to be run are programs that a model wrote and nobody has read. On Linux the subprocess
sandbox keeps them from your files, your processes and the network, and limits what they use. But they run on this
machine's own kernel. Where the system or a container forbids user namespaces (as Docker's default profile does), some
of these layers are missing. `code-eval doctor` shows which, and with isolation="strict" nothing runs without them.
SECURITY.md says what is promised, and what is not.

If that is understood, set the environment variable {VARIABLE} to "1":

>>> import os
>>> os.environ["{VARIABLE}"] = "1"
"""


def has_consent() -> bool:
    """Return whether the owner of this process allowed programs to run."""
    return os.environ.get(VARIABLE) == "1"


def require_consent() -> None:
    """Raise ValueError, with what the consent is for and how it is given, unless there is consent."""
    if not has_consent():
        value = os.environ.get(VARIABLE)
        raise ValueError(EXPLANATION if value is None else f"{EXPLANATION}\n{VARIABLE} is {value!r} now.\n")
