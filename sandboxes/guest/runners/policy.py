"""The policy of plain Python: how programs are compiled, and what their module holds before they run."""

from __future__ import annotations

import functools

from .assert_values import compile_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any, Callable


class PlainPython:
    """All of Python."""

    # Names of a candidate's module that are not its own.
    guards: frozenset[str] = frozenset()

    def __init__(self, output_variable: str | None = None) -> None:
        """Take the global name whose value is wanted after a program, if there is one."""
        self.output_variable = output_variable

    # (source, file) -> the code of a program. Neither this nor `prepare` is a function of ours: children have page
    # faults for each of ours that they call. It is static, because a partial will bind its instance in a later Python,
    # and 3.13 warns of that.
    compile: Callable[..., Any] = staticmethod(functools.partial(compile, mode="exec", dont_inherit=True))
    # (module) -> None: puts into a program's new module what the policy gives it; None if that is nothing.
    prepare: Callable[[ModuleType], object] | None = None

    # whether `compile_tests` can guard comparisons
    has_guards = True

    def compile_tests(self, source: str, file: str, are_guarded: bool = False) -> CodeType:
        """Return the code of tests. An assert in it that fails shows what it compared.

        Args:
            source: of the tests.
            file: their name in tracebacks.
            are_guarded: as for `assert_values.compile_tests`.
        """
        return compile_tests(source, file, are_guarded)

    def encode_output(self, namespace: dict[str, Any]) -> str:
        """Return the value that is wanted, as JSON text; "" because none is."""
        return ""


PLAIN = PlainPython()
