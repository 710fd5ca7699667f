"""Refuses exceptions by which a candidate could end its tests early, or take a failed assertion away from them.

The tests' end of the connection uses this. An assertion that failed in the tests' process must fail the program. No
exception of the candidate may end a loop or a task of the tests as if it were done.
"""

from __future__ import annotations

import builtins
import sys

from .connection import Connection
from .expected_exceptions import early_end, is_expected_here
from .exporter import GENERATOR
from .message_stream import PeerGone
from .special_methods import TEST_RUNNERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Collection, Iterator, Literal

    from ..common.value_encoder import Encoder


def is_of_test_runner(kind: type) -> bool:
    """Return whether a class derives from one of a test runner."""
    return any(base.__module__.partition(".")[0] in TEST_RUNNERS for base in kind.__mro__)


def is_failure(error: BaseException) -> bool:
    """Return whether an exception of the tests, by itself, says that they failed."""
    return isinstance(error, AssertionError) or is_of_test_runner(type(error))


def related_errors(error: BaseException | None) -> Collection[BaseException]:
    """Return an exception, those that led to it, and those that it is a group of."""
    # By id, because a class of either process may say what its instances equal.
    errors: dict[int, BaseException] = {}
    pending = [error]
    while pending:
        error = pending.pop()
        if error is not None and id(error) not in errors:
            errors[id(error)] = error
            group = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
            pending += [error.__cause__, error.__context__, *group]
    return errors.values()


BaseExceptionGroup: Any = getattr(builtins, "BaseExceptionGroup", ())


class ControlFlow(Connection):
    """The part of the tests' end that keeps their failures, and the candidate's exceptions from passing as an end."""

    def __init__(self, fd: int, tests: str) -> None:
        """Begin with no known objects and no failures.

        Args:
            fd: this end of the socket.
            tests: source.
        """
        Connection.__init__(self, fd)
        self.tests = tests
        # numbers of the awaitables that `__anext__` gave
        self.anext_awaitables: set[int] = set()
        # (the failure, what crossed in its place) of the tests' code that the candidate last called in the request
        # that is open
        self.crossed: tuple[BaseException, BaseException] | None = None
        # the first failure that the candidate kept to itself
        self.kept_failure: BaseException | None = None

    def strict_next(self, iterator: Iterator[Any], *default: Any) -> Any:
        """Do what `next` does, but make an end that nobody expects an error.

        Otherwise `all(map(lambda case: next(f(case)) == case, cases))` would end early, and pass, if there is no item.
        """
        try:
            return next(iterator, *default)
        except StopIteration as error:
            if sys._getframe(1).f_code.co_name == "__next__" or is_expected_here(self.tests, "StopIteration"):
                raise
            raise RuntimeError("next() found no item") from error

    def request(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Have the candidate's process do something, as every Connection does."""
        raised: BaseException | None = None
        # Another thread's request must not take the failure of this one's.
        with self.lock:
            outer, self.crossed = self.crossed, None
            try:
                value = Connection.request(self, operation, subject, name, values)
            except BaseException as error:
                raised = error
            crossed, self.crossed = self.crossed, outer
        if operation == "method" and name[0] == "throw":
            # Into a generator that the tests made a context manager of, say.
            for failure in filter(self.is_own_failure, values):
                if raised is not failure:
                    self.keep_failure(failure)
        if raised is None and crossed is None:
            return value
        try:
            raised = self.exception_for_tests(raised, crossed, operation, subject, name)
            raise raised
        finally:
            # The exception refers to this frame.
            del raised, crossed

    def exception_for_tests(
        self,
        raised: Any,
        crossed: tuple[BaseException, BaseException] | None,
        operation: str,
        subject: int,
        name: Any,
    ) -> Any:
        """Return the exception that a request ends in.

        Args:
            raised: by the candidate's process; None if it returned.
            crossed: the attribute of that name.
            operation: of the request.
            subject: of the request.
            name: of the request.
        """
        if isinstance(raised, PeerGone):
            return raised
        if crossed is not None:
            failure, substitute = crossed
            if raised is not substitute:
                self.keep_failure(failure)
            raised = failure
        if is_of_test_runner(type(raised)):
            if crossed is None:
                self.abort("it raised what a test runner takes for success")
            self.keep_failure(raised)
        asked = name[0] if operation == "method" else "__anext__" if subject in self.anext_awaitables else operation
        if type(self.imported.get(subject)) is GENERATOR:
            # Its proxy is a generator itself.
            asked = "__next__"
        if crossed is None and (end := early_end(raised, asked, self.tests)):
            error = RuntimeError("the candidate raised " + end)
            error.__cause__ = raised
            return error
        return raised

    def keep_failure(self, error: BaseException) -> None:
        """Make sure that the tests fail, because the candidate has an exception of theirs that says that they did."""
        self.kept_failure = self.kept_failure or error

    def exit_context(self, value: Any, name: str, kind: Any, error: Any) -> Any:
        """Leave a context manager of the candidate, which may not swallow a failure of the tests."""
        if not self.is_own_failure(error):
            return Connection.exit_context(self, value, name, kind, error)
        # Its message may have the expected value.
        substitute = AssertionError()
        if name == "__aexit__":
            return self.exit_async_context(value, substitute, error)
        try:
            swallowed = bool(Connection.exit_context(self, value, name, type(substitute), substitute))
        except BaseException as raised:
            swallowed = raised is not substitute
        return self.check_swallowed(swallowed, error)

    async def exit_async_context(self, value: Any, substitute: BaseException, error: BaseException) -> bool:
        """Leave an asynchronous context manager of the candidate in the same way."""
        try:
            exits = Connection.exit_context(self, value, "__aexit__", type(substitute), substitute)
            swallowed = bool(await exits)
        except BaseException as raised:
            swallowed = raised is not substitute
        return self.check_swallowed(swallowed, error)

    def check_swallowed(self, swallowed: bool, error: BaseException) -> Literal[False]:
        """Keep a failure that a context manager has swallowed. Return False, so that the failure goes on."""
        if swallowed:
            self.keep_failure(error)
        return False

    def is_own_failure(self, error: Any) -> bool:
        """Return whether an exception is a failure of the tests, or comes of one.

        An exception that the candidate raised is not, nor is one that was only made: `describe(AssertionError("x"))`.
        """
        if not isinstance(error, BaseException) or error.__traceback__ is None:
            return False
        return any(is_failure(related) and not self.is_proxy(related) for related in related_errors(error))

    def request_method(self, value: Any, name: str, arguments: Any, keywords: dict[str, Any]) -> Any:
        """Have the candidate's process call a method, and note an awaitable that `__anext__` gives."""
        result = Connection.request_method(self, value, name, arguments, keywords)
        if name == "__anext__" and self.is_proxy(result):
            self.anext_awaitables.add(self.references[id(result)][1])
        return result

    def encode_exception(self, encoder: Encoder, error: Any, kind: type) -> list[Any]:
        """Return the node for an exception. A failure of the tests crosses without its arguments."""
        if not self.is_own_failure(error):
            return Connection.encode_exception(self, encoder, error, kind)
        return ["exception", self.export(error), encoder.refer(kind), encoder.refer(()), None, None]

    def perform(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Do what the candidate requests. A failure of the tests crosses without its message."""
        try:
            return self.perform_allowed(operation, subject, name, values)
        except BaseException as error:
            if not self.is_own_failure(error):
                raise
            if self.crossed is not None:
                # It has called again instead of raising that one.
                self.keep_failure(self.crossed[0])
            substitute = AssertionError()
            self.crossed = (error, substitute)
        raise substitute

    def perform_allowed(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Do what the candidate requests, if it may. The tests' end says what that is."""
        raise NotImplementedError
