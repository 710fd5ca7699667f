"""Exceptions by which a candidate could end its tests early, or take a failed assertion away from them.

The tests' end of the link uses this. It must stay true that an assertion which failed in the tests' process fails the
program, and that no exception of the candidate ends a loop or a task of the tests as if it were done.
"""

import ast
import sys

from .link import Gone, Link

# A test runner takes what these modules raise for its own: for a skipped test, say.
TEST_RUNNERS = frozenset(("unittest", "pytest", "_pytest", "doctest", "nose"))
EXPECTING_CALLS = frozenset(("assertRaises", "assertRaisesRegex", "raises", "suppress"))
# Operations that may raise them: the iterator protocol's.
ITERATING = {
    "StopIteration": frozenset(("__next__", "send", "throw")),
    "StopAsyncIteration": frozenset(("anext", "__anext__")),
}


def is_failure(error):
    """Returns whether an exception of the tests says that they failed."""
    kind = type(error)
    return issubclass(kind, (AssertionError, SystemExit)) or kind.__module__.partition(".")[0] in TEST_RUNNERS


def without_message(error):
    """Returns what crosses in place of a failure: its message may have the expected value."""
    return SystemExit(1) if isinstance(error, SystemExit) else AssertionError()


def ends_early(error, asked, tests):
    """Returns the name of the class by which an exception of the candidate would end a loop or a task of the tests.

    Args:
        error: that the candidate's process raised.
        asked: the name of the method that it was asked for, or another operation.
        tests: source. An exception that they expect by its name may reach them.

    Returns:
        None if the exception means no end.
    """
    kinds = [StopIteration, StopAsyncIteration, GeneratorExit]
    if "asyncio.exceptions" in sys.modules:
        kinds.append(sys.modules["asyncio.exceptions"].CancelledError)
    for kind in kinds:
        if isinstance(error, kind):
            allowed = asked in ITERATING.get(kind.__name__, ()) or expects(tests, kind.__name__)
            return None if allowed else kind.__name__
    return None


def expects(tests, name):
    """Returns whether tests name an exception where they catch or expect one.

    Args:
        tests: source.
        name: of the exception's class.
    """
    if name not in tests:
        return False
    try:
        nodes = list(ast.walk(ast.parse(tests)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    for node in nodes:
        parts = []
        if isinstance(node, ast.ExceptHandler):
            parts = [node.type]
        elif isinstance(node, ast.Call) and called(node.func) in EXPECTING_CALLS:
            parts = node.args
        if any(
            name in (getattr(each, "id", 0), getattr(each, "attr", 0))
            for part in parts
            if part
            for each in ast.walk(part)
        ):
            return True
    return False


def called(function):
    """Returns the last name of what is called; None if it has none."""
    return getattr(function, "id", None) or getattr(function, "attr", None)


def strict_next(iterator, *default):
    """Does what `next` does, but an end that nobody expects is an error.

    Otherwise `all(map(lambda case: next(f(case)) == case, cases))` would end early, and well, for want of an item.
    """
    try:
        return next(iterator, *default)
    except StopIteration as error:
        if sys._getframe(1).f_code.co_name == "__next__":
            raise
        raise RuntimeError("next() found no item") from error


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

    def ask(self, operation, subject, name, values):
        """Asks the candidate's process, as every Link does."""
        outer, self.crossed = self.crossed, None
        raised = None
        try:
            value = Link.ask(self, operation, subject, name, values)
        except BaseException as error:
            raised = error
        crossed, self.crossed = self.crossed, outer
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
        if type(raised).__module__.partition(".")[0] in TEST_RUNNERS:
            self.break_off("it raised what a test runner takes for success")
        asked = name[0] if operation == "method" else "__anext__" if subject in self.items_to_come else operation
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
        substitute = without_message(error)
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
        """Returns whether an exception is a failure of the tests, and not one that the candidate raised."""
        return isinstance(error, BaseException) and is_failure(error) and not self.is_stand_in(error)

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
            self.crossed = (error, without_message(error))
        raise self.crossed[1]
