"""The errors of sandboxes. A program's own failure is never one of them, because it is a verdict.

    Exception
    └── SandboxError                 common base
        ├── SandboxUnavailable       the sandbox could not run a program (also a RuntimeError)
        │   ├── InvalidTests         a program's tests can judge no candidate
        │   └── RunCancelled         a program was ended because nobody waits for its result
        ├── SessionEnded             a session was closed, has expired or broke
        ├── RunStopped               a run ended early because its caller wanted it to
        └── NotCacheable             verdicts depend on something that a cache's key can't hold

Invalid arguments raise ValueError or TypeError, and the message names the value. A system that can't run a backend at
all raises NotImplementedError.
"""

from __future__ import annotations


class SandboxError(Exception):
    """The common base: something other than a program failed, or a run ended early."""


class SandboxUnavailable(SandboxError, RuntimeError):  # noqa: N818 (a state of the sandbox)
    """The sandbox could not run a program: nothing is known about the program."""


class InvalidTests(SandboxUnavailable):  # noqa: N818 (a state of the tests)
    """A program's tests can judge no candidate: they don't parse, say, or lack a module. The message says why.

    It is a program's result, and only callers that want one result alone raise it.
    """


class SessionEnded(SandboxError):  # noqa: N818 (a state of the session)
    """A session was closed, has expired or broke: it takes no more calls. The message says why."""


class RunCancelled(SandboxUnavailable):
    """A program was ended because nobody waits for its result."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("the program was cancelled")


class RunStopped(SandboxError):  # noqa: N818 (nothing went wrong)
    """A run ended early because its caller wanted it to."""


class NotCacheable(SandboxError):  # noqa: N818 (nothing went wrong)
    """Verdicts of a sandbox depend on something that a cache's key can't hold."""
