"""The backend "restricted": guests as in the subprocess backend, whose programs obey a policy for RestrictedPython.

The policy decides which Python a program may be written in. The security boundary is the guest's isolation, not the
policy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from sandboxes.backends.confinement import Confinement
from sandboxes.backends.local_process import SubprocessSandbox
from sandboxes.backends.restricted_options import OPTIONS, ORIGINAL, OWN_POLICIES, RestrictedOptions
from sandboxes.backends.restricted_requirements import require_restricted_python
from sandboxes.errors import NotCacheable
from sandboxes.workers.canaries import RESTRICTED_CANARIES, Canary


@dataclass(frozen=True)
class RestrictedPythonSandbox(SubprocessSandbox):
    """A backend like the subprocess backend, whose guests compile and run programs under a policy."""

    restrictions: RestrictedOptions = RestrictedOptions()
    """The options of the policy."""

    name: ClassVar[str] = "restricted"
    languages: ClassVar[frozenset[str] | None] = frozenset({"python"})
    has_policy: ClassVar[bool] = True
    own_options: ClassVar[tuple[str, ...]] = OPTIONS

    def __post_init__(self) -> None:
        """Raise NotImplementedError where there is no fork, and SandboxUnavailable without RestrictedPython."""
        super().__post_init__()
        require_restricted_python()

    @classmethod
    def checked(cls, **options: Any) -> Self:
        """Return a sandbox with the options that a user gives: those of Confinement and of RestrictedOptions.

        Raises:
            ValueError, TypeError: if an option is invalid; the message names the value.
            SandboxUnavailable: if RestrictedPython is not installed.
        """
        own = {name: options.pop(name) for name in OPTIONS if name in options}
        return cls(Confinement.checked(**options), RestrictedOptions.checked(**own))

    @property
    def canaries(self) -> tuple[Canary, ...]:
        """The programs that show whether the sandbox works here."""
        if self.restrictions.policy in OWN_POLICIES:
            return RESTRICTED_CANARIES
        return tuple(replace(canary, may_be_refused=True) for canary in RESTRICTED_CANARIES)

    @property
    def extra_fields(self) -> tuple[str, ...]:
        """Fields of results that only this sandbox adds."""
        output = ("output",) if self.restrictions.output_variable is not None else ()
        text = ("result",) if self.restrictions.policy == ORIGINAL else ()
        return ("exception_description", *output, *text)

    @property
    def auto_grading(self) -> str:
        """The meaning of the grading "auto". With the original policy, tests are a part of the program."""
        return "shared" if self.restrictions.policy == ORIGINAL else "auto"

    @property
    def verdicts_repeat(self) -> bool:
        """True if a deterministic program has the same verdict every time."""
        return super().verdicts_repeat and not self.restrictions.has_code

    def cache_key(self) -> Mapping[str, Any]:
        """Return all that decides verdicts here beside the programs and their language.

        Raises:
            NotCacheable: if verdicts depend on code of the user's too.
        """
        if self.restrictions.has_code:
            raise NotCacheable("code of your own, in a policy or under names given to programs, may change")
        from importlib.metadata import version

        return {**super().cache_key(), "policy": version("RestrictedPython")}

    def guest_options(self) -> dict[str, Any]:
        """Return the options of a guest, with its policy."""
        policy = {
            "path": [os.path.abspath(entry) for entry in sys.path],
            "module": "sandboxes.restricted_policy.loader",
            "settings": self.restrictions.settings(),
        }
        return {**super().guest_options(), "policy": policy}
