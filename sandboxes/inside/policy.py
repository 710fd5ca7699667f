"""How programs are compiled, and what their module holds before they run: as in plain Python."""

import functools

from .asserts import compile_tests


class PlainPython:
    """All of Python."""

    # Names of a candidate's module that are none of its own.
    guards = frozenset()

    def __init__(self, output_variable=None):
        """Takes the global name whose value is wanted after a program, if there is one."""
        self.output_variable = output_variable

    # (source, file) -> the code of a program. Not a function of ours, nor the next one: of each that children call they
    # have page faults. Static, because a partial will bind its instance in a later Python, and 3.13 warns of that.
    compile = staticmethod(functools.partial(compile, mode="exec", dont_inherit=True))
    # (module) -> None: puts into a program's new module what the policy gives it; None if that is nothing.
    prepare = None

    def compile_tests(self, source, file):
        """The code of tests: what their asserts compare is told where one fails."""
        return compile_tests(source, file)

    def output_of(self, namespace):
        """The value that is wanted, as JSON text; "" because none is."""
        return ""


PLAIN = PlainPython()
