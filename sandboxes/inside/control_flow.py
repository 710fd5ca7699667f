"""Exceptions by which a candidate could end its tests early, or take a failed assertion away from them.

The tests' end of the link uses this. It must stay true that an assertion which failed in the tests' process fails the
program, and that no exception of the candidate ends a loop or a task of the tests as if it were done.
"""

import ast
import builtins
import sys

from .judge import TESTS_FILE
from .link import Gone, Link
from .names import GENERATOR

# A test runner takes what these modules raise for its own: for a skipped test, say.
TEST_RUNNERS = frozenset(("unittest", "pytest", "_pytest", "doctest", "nose"))
EXPECTING_CALLS = frozenset(("assertRaises", "assertRaisesRegex", "raises", "suppress"))
# Operations that may raise them: the iterator protocol's.
ITERATING = {
    "StopIteration": frozenset(("__next__",)),
    "StopAsyncIteration": frozenset(("anext", "__anext__")),
}


def of_test_runner(kind):
    """Returns whether a class derives from one of a test runner."""
    return any(base.__module__.partition(".")[0] in TEST_RUNNERS for base in kind.__mro__)


def is_failure(error):
    """Returns whether an exception of the tests, by itself, says that they failed."""
    return isinstance(error, AssertionError) or of_test_runner(type(error))


def led_to(error):
    """Returns an exception, those that led to it, and those that it is a group of."""
    # By id: a class of either process may say what its instances equal.
    found, pending = {}, [error]
    while pending:
        error = pending.pop()
        if error is not None and id(error) not in found:
            found[id(error)] = error
            group = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
            pending += [error.__cause__, error.__context__, *group]
    return found.values()


def ends_early(error, asked, tests):
    """Returns the name of the class by which an exception of the candidate would end a loop or a task of the tests.

    Args:
        error: that the candidate's process raised.
        asked: the name of the method that it was asked for, or another operation.
        tests: source. An exception may reach them where they expect it by its name.

    Returns:
        None if the exception means no end.
    """
    kinds = [StopIteration, StopAsyncIteration, GeneratorExit]
    if "asyncio.exceptions" in sys.modules:
        kinds.append(sys.modules["asyncio.exceptions"].CancelledError)
    for kind in kinds:
        if isinstance(error, kind):
            allowed = asked in ITERATING.get(kind.__name__, ()) or expected_here(tests, kind.__name__)
            return None if allowed else kind.__name__
    return None


def expected_here(tests, name):
    """Returns whether the tests wait for an answer where they catch or expect an exception.

    Args:
        tests: source.
        name: of the exception's class.
    """
    lines = lines_that_expect(tests, name)
    if name == "CancelledError":
        # A task runs outside of what waits for it.
        return bool(lines)
    frame = sys._getframe()
    while lines and frame is not None:
        if frame.f_code.co_filename == TESTS_FILE and any(frame.f_lineno in each for each in lines):
            return True
        frame = frame.f_back
    return False


def lines_that_expect(tests, name):
    """Returns where tests catch or expect an exception by its name: ranges of lines.

    Args:
        tests: source.
        name: of the exception's class.
    """
    if name not in tests:
        return []
    try:
        nodes = list(ast.walk(ast.parse(tests)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    found = []
    for node in nodes:
        last, named = node, ()
        if isinstance(node, ast.Try):
            last, named = node.body[-1], [each.type for each in node.handlers]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            named = [part for each in node.items for part in expecting_arguments(each.context_expr)]
        elif isinstance(node, ast.Call):
            named = expecting_arguments(node)
        if any(is_named(name, each) for part in named if part for each in ast.walk(part)):
            found.append(range(node.lineno, last.end_lineno + 1))
    return found


def expecting_arguments(node):
    """Returns the arguments of a call such as that of `assertRaises`; none of another expression."""
    if not isinstance(node, ast.Call):
        return []
    called = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
    return node.args if called in EXPECTING_CALLS else []


def is_named(name, node):
    """Returns whether an expression is a name, or an attribute of that name."""
    return name in (getattr(node, "id", None), getattr(node, "attr", None))


BaseExceptionGroup = getattr(builtins, "BaseExceptionGroup", ())


class ControlFlow(Link):
    """The part of the tests' end that keeps their failures, and the candidate's exceptions from passing as an end."""

    def __init__(self, fd, tests):
        """Takes the socket, and the tests' source."""
        Link.__init__(self, fd)
        self.tests = tests
        # numbers of the awaitables that `__anext__` gave
        self.items_to_come = set()
        # (the failure, what crossed in its place) of the tests' code that the candidate last called in the request
        # that is open; and the first failure that the candidate kept to itself
        self.crossed = self.failed = None

    def strict_next(self, iterator, *default):
        """Does what `next` does, but an end that nobody expects is an error.

        Otherwise `all(map(lambda case: next(f(case)) == case, cases))` would end early, and well, for want of an item.
        """
        try:
            return next(iterator, *default)
        except StopIteration as error:
            if sys._getframe(1).f_code.co_name == "__next__" or expected_here(self.tests, "StopIteration"):
                raise
            raise RuntimeError("next() found no item") from error

    def ask(self, operation, subject, name, values):
        """Asks the candidate's process, as every Link does."""
        raised = None
        # Another thread's request must not take the failure of this one's.
        with self.lock:
            outer, self.crossed = self.crossed, None
            try:
                value = Link.ask(self, operation, subject, name, values)
            except BaseException as error:
                raised = error
            crossed, self.crossed = self.crossed, outer
        if operation == "method" and name[0] == "throw":
            # Into a generator that the tests made a context manager of, say.
            for error in filter(self.is_own_failure, values):
                if raised is not error:
                    self.keep_failure(error)
        if raised is None and crossed is None:
            return value
        try:
            raised = self.for_the_tests(raised, crossed, operation, subject, name)
            raise raised
        finally:
            # The exception refers to this frame.
            del raised, crossed

    def for_the_tests(self, raised, crossed, operation, subject, name):
        """Returns the exception that a request ends in.

        Args:
            raised: by the candidate's process; None if it returned.
            crossed: as the attribute.
            operation: that was asked for.
            subject: likewise.
            name: likewise.
        """
        if isinstance(raised, Gone):
            return raised
        if crossed is not None:
            failure, substitute = crossed
            if raised is not substitute:
                self.keep_failure(failure)
            raised = failure
        if of_test_runner(type(raised)):
            if crossed is None:
                self.break_off("it raised what a test runner takes for success")
            self.keep_failure(raised)
        asked = name[0] if operation == "method" else "__anext__" if subject in self.items_to_come else operation
        if type(self.mirrors.get(subject)) is GENERATOR:
            # Its stand-in is a generator itself.
            asked = "__next__"
        if crossed is None and (ended := ends_early(raised, asked, self.tests)):
            error = RuntimeError("the candidate raised " + ended)
            error.__cause__ = raised
            return error
        return raised

    def keep_failure(self, error):
        """Makes sure that the tests fail, because the candidate has an exception of theirs that says so."""
        self.failed = self.failed or error

    def leave(self, value, name, kind, error):
        """Leaves a context manager of the candidate, which may not swallow a failure of the tests."""
        if not self.is_own_failure(error):
            return Link.leave(self, value, name, kind, error)
        # Its message may have the expected value.
        substitute = AssertionError()
        if name == "__aexit__":
            return self.leave_later(value, substitute, error)
        try:
            swallowed = bool(Link.leave(self, value, name, type(substitute), substitute))
        except BaseException as raised:
            swallowed = raised is not substitute
        return self.left(swallowed, error)

    async def leave_later(self, value, substitute, error):
        """Leaves an asynchronous context manager likewise."""
        try:
            swallowed = bool(await Link.leave(self, value, "__aexit__", type(substitute), substitute))
        except BaseException as raised:
            swallowed = raised is not substitute
        return self.left(swallowed, error)

    def left(self, swallowed, error):
        if swallowed:
            self.keep_failure(error)
        return False

    def is_own_failure(self, error):
        """Returns whether an exception is a failure of the tests, or comes of one.

        One that the candidate raised is none, nor is one that was only made: `describe(AssertionError("wrong"))`.
        """
        if not isinstance(error, BaseException) or error.__traceback__ is None:
            return False
        return any(is_failure(each) and not self.is_stand_in(each) for each in led_to(error))

    def method(self, value, name, arguments, keywords):
        result = Link.method(self, value, name, arguments, keywords)
        if name == "__anext__" and self.is_stand_in(result):
            self.items_to_come.add(self.names[id(result)][1])
        return result

    def pack_exception(self, packer, error, kind):
        if not self.is_own_failure(error):
            return Link.pack_exception(self, packer, error, kind)
        return ["exception", self.export(error), packer.refer(kind), packer.refer(()), None, None]

    def perform(self, operation, subject, name, values):
        """Does what the candidate asks for. A failure of the tests crosses without its message."""
        try:
            return self.perform_allowed(operation, subject, name, values)
        except BaseException as error:
            if not self.is_own_failure(error):
                raise
            if self.crossed is not None:
                # It has called again instead of raising that one.
                self.keep_failure(self.crossed[0])
            self.crossed = (error, AssertionError())
        raise self.crossed[1]
