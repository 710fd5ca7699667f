"""What tests request of a candidate's objects, done in the candidate's process."""

from __future__ import annotations

import copy
import traceback

from ..common.output_value import encode_output
from ..common.values import ProtocolError
from ..runners.in_process import TRACEBACK_CHARS, keep_own_frames, register_sources
from ..runners.sources import CANDIDATE_FILE, SOURCES
from .cpu_timers import CallTimer
from .data_types import EXACT_COPIES, data_base
from .operations import FUNCTIONS
from .tests_imports import missing_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from ..runners.policy import PlainPython


class CandidateRequests:
    """Does whatever the tests request."""

    def __init__(self, namespace: dict[str, Any], exported: dict[int, Any], policy: PlainPython) -> None:
        """Begin without a limit of calls.

        Args:
            namespace: the candidate's module.
            exported: for a number, the object that the tests know by it.
            policy: that the candidate obeys.
        """
        self.namespace, self.exported, self.policy = namespace, exported, policy
        # limits the CPU time of each call, once tests ask for that
        self.timer: CallTimer | None = None

    def perform(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Do what the tests request, and return the result."""
        if operation == "operate":
            return FUNCTIONS[name](*values)
        if operation == "output":
            return encode_output(self.namespace, self.policy.output_variable)
        if operation == "global":
            if name not in self.namespace:
                raise NameError("name %r is not defined" % name)
            return self.namespace[name]
        if operation == "import":
            return self.import_if_mentioned(values)
        if operation == "limit":
            self.timer = self.timer or CallTimer()
            self.timer.seconds = name
            return None
        value = self.exported[subject]
        if operation == "call":
            return self.call(value, name, values)
        if operation == "method":
            return self.call(getattr(value, name[0]), name[1:], values)
        if operation == "get":
            return getattr(value, name)
        if operation == "data":
            return EXACT_COPIES[data_base(type(value))](value)  # type: ignore[index]
        if operation in ("copy", "deepcopy"):
            return getattr(copy, operation)(value)
        if operation == "trace":
            return own_frames(value)
        raise ProtocolError(operation)

    def call(self, function: Callable[..., Any], keywords: Sequence[str], values: Sequence[Any]) -> Any:
        """Call a function.

        Args:
            function: to call.
            keywords: names of the last values.
            values: the arguments.
        """
        first = len(values) - len(keywords)
        arguments, named = values[:first], dict(zip(keywords, values[first:]))
        if self.timer and self.timer.seconds:
            return self.timer.call(function, arguments, named)
        return function(*arguments, **named)

    def import_if_mentioned(self, texts: list[str]) -> None:
        """Import what the tests import and the candidate forgot, as far as its policy lets it."""
        for statement in missing_imports(texts, SOURCES[CANDIDATE_FILE], self.namespace):
            try:
                exec(self.policy.compile(statement, CANDIDATE_FILE), self.namespace)
            except Exception:  # refused by the policy, or not installed
                continue


def own_frames(error: BaseException) -> str:
    """Return the lines of a traceback that show the candidate's own frames."""
    register_sources()
    shown = traceback.TracebackException(type(error), error, error.__traceback__, limit=-200, lookup_lines=False)
    keep_own_frames(shown)
    return "".join(shown.stack.format())[-TRACEBACK_CHARS:]
