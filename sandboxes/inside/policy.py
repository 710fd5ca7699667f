"""How programs are compiled, and what their module holds before they run: as in plain Python."""

from .asserts import compile_tests


class PlainPython:
    """All of Python."""

    # Names of a candidate's module that are none of its own.
    guards = frozenset()

    def __init__(self, output_variable=None):
        """Takes the global name whose value is wanted after a program, if there is one."""
        self.output_variable = output_variable

    def compile(self, source, file):
        """The code of a program."""
        return compile(source, file, "exec", dont_inherit=True)

    def compile_tests(self, source, file):
        """The code of tests: what their asserts compare is told where one fails."""
        return compile_tests(source, file)

    def prepare(self, module):
        """Leaves a program's new module as it is."""

    def output_of(self, namespace):
        """The value that is wanted, as JSON text; "" because none is."""
        return ""


PLAIN = PlainPython()
