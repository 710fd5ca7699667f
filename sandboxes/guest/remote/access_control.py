"""The tests' end of the connection: what the candidate's process may request of it, and what may be decided there."""

from __future__ import annotations

import builtins
import sys
from collections import Counter

from ..common.library_values import SAFE_MODULES
from ..common.values import NotTransferable
from .callbacks import named_function, signature_or_any
from .connection import Connection, call
from .exporter import BOUND_METHOD, BUILTIN_FUNCTION, COROUTINE_FUNCTION, FUNCTION, MODULE
from .exposed_objects import (
    CALL_ONLY_TYPES,
    EXPOSED_TYPES,
    GENERATOR_METHODS,
    ITERATORS,
    METHOD_DESCRIPTOR,
    TESTS_MODULE,
    all_within,
    is_exposed,
    is_iterator,
    is_public,
    is_tests_class,
)
from .proxies import ADVICE, ProxyType
from .readings import Readings
from .special_methods import JUDGING, JUDGING_DATA, OPERATORS, is_special
from .trusted_classes import is_class_name, trusted_class_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, NoReturn, Sequence

    from ..common.value_encoder import Encoder

    Node = list[Any]


# Builtin exceptions of whose name a candidate may have a class of its own: tests that expect one mean that class. Tests
# raise AssertionError themselves, which must be none that they expect.
OWN_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and value not in AssertionError.__mro__
)


def catches_failures(value: Any) -> bool:
    """Return whether a class, or one of a tuple of classes, catches the AssertionError of tests that fail."""
    kinds = value if type(value) is tuple else (value,)
    return any(isinstance(kind, type) and kind in AssertionError.__mro__[:-1] for kind in kinds)


class TestsConnection(Readings):
    """The tests' end."""

    def __init__(self, fd: int, tests: str) -> None:
        """Begin with no known objects.

        Args:
            fd: this end of the socket.
            tests: source.
        """
        Readings.__init__(self, fd, tests)
        self.trusted_names: frozenset[str] | None = None
        self.namespace: dict[str, Any] = {}
        self.given: dict[str, Any] = {}
        self.fetchable: set[str] = set()
        self.notes: list[str] = []
        # how often the candidate has referred, by id, to an instance since the tests made it
        self.referred_since: Counter[int] = Counter()
        # whether the last reply reported changed containers
        self.reply_has_changes = False
        # for the id of a class, the global names by which the tests got it
        self.class_names: dict[int, set[str]] = {}
        # Why something that the tests needed was refused. They may have taken that exception for the candidate's.
        self.refusal: str | None = None
        # the tests' objects that the candidate changed, by id
        self.changed: dict[int, Any] = {}

    def request(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Have the candidate's process do something, as every Connection does."""
        wanted = name[0] if operation == "method" else name if operation == "get" else None
        judges = wanted in JUDGING or (wanted in JUDGING_DATA and not all(map(self.is_proxy, values)))
        if judges and not self.is_made(self.imported[subject]):
            self.refuse("%s of an object that the tests have not made can't be believed; " % wanted)
        value = Readings.request(self, operation, subject, name, values)
        if operation == "get" and isinstance(value, ProxyType) and not isinstance(self.imported[subject], type):
            # What an instance gives is called like a method, and makes no instance that tests could trust.
            number = self.references[id(value)][1]
            return lambda *arguments, **keywords: self.request_call(number, arguments, keywords)
        return value

    def fetch(self, name: str) -> Any:
        """Return the value that a global name of the candidate has now.

        Raises:
            KeyError: if the candidate has no such name.
        """
        if name in OWN_EXCEPTIONS:
            return self.fetch_exception(name)
        if name not in self.fetchable:
            raise KeyError(name)
        value = self.request("global", 0, name, [])
        if catches_failures(value):
            self.refuse("%s stands for a class that catches failed assertions of the tests; " % name)
        if isinstance(value, ProxyType):
            self.class_names.setdefault(id(value), set()).add(name)
        return value

    def fetch_exception(self, name: str) -> Any:
        """Return the class of exceptions that the candidate has defined under a builtin's name.

        Raises:
            KeyError: if it has defined none.
        """
        try:
            value = self.request("global", 0, name, [])
        except NameError:
            raise KeyError(name) from None
        if isinstance(value, ProxyType) and issubclass(value, BaseException):
            return value
        raise KeyError(name)

    def function_proxy(self, number: int, name: str, is_async: bool) -> Any:
        """Return a function of the tests' process that calls one of the candidate's."""
        if type(self.imported.get(number)) is FUNCTION:
            # Another name of the same function.
            return self.imported[number]
        if number < 1 or number in self.imported:
            self.abort("an invalid number of a function: %d" % number)

        def function(*arguments: Any, **keywords: Any) -> Any:
            return self.request("call", number, [*keywords], [*arguments, *keywords.values()])

        async def awaited(*arguments: Any, **keywords: Any) -> Any:
            return await self.request("call", number, [*keywords], [*arguments, *keywords.values()])

        proxy: Any = awaited if is_async else function
        proxy.__name__ = proxy.__qualname__ = name
        # Tests that look at its parameters must not find these.
        proxy.__annotations__.clear()
        return self.add_proxy(number, proxy)

    def trusts_name(self, name: str) -> bool:
        """Return whether the tests use this name as that of a class."""
        if self.trusted_names is None:
            self.trusted_names = trusted_class_names(self.tests)
        return name in self.trusted_names

    def trusts(self, value: Any) -> bool:
        """Return whether an object may decide operations of itself and the tests' data.

        The tests have made it themselves, of a class that they use as one, by each of its names. Since then the
        candidate has not referred to it: the result of a call decides nothing, even if it is the instance itself.
        """
        if id(value) not in self.constructed or id(value) in self.referred_since:
            return False
        return all(map(self.trusts_name, self.class_names[id(type(value))]))

    def is_made(self, value: Any) -> bool:
        """Return whether an object is a class of the candidate, or an instance that the tests made of one.

        The candidate must not have referred to the instance since. The class must be written like one, because a
        function could be a class too.
        """
        kind = value if isinstance(value, ProxyType) else type(value)
        made = kind is value or (id(value) in self.constructed and id(value) not in self.referred_since)
        return made and id(kind) in self.class_names and all(map(is_class_name, self.class_names[id(kind)]))

    def construct(self, kind: Any, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
        """Have the candidate's process make an instance, and note that the tests have made it."""
        value = Connection.construct(self, kind, arguments, keywords)
        if type(value) is kind and id(kind) in self.class_names:
            self.constructed.add(id(value))
        return value

    def referred_again(self, value: Any) -> Any:
        """Note that the candidate has referred to an object, and to those within it. Return it."""
        # Objects in a container can be instances only once the tests have made one.
        self.referred_since.update(map(id, all_within(value)) if self.constructed else (id(value),))
        return value

    def may_decide(self, value: Any, other: Any) -> bool:
        """Return whether the candidate's process may decide an operator of these two values."""
        return self.is_proxy(other) or self.trusts(value)

    def decide_remotely(self, value: Any, name: str, others: Sequence[Any]) -> Any:
        """Have the candidate's process decide an operator, whose result may decide if its operand may."""
        trusted = {id(operand) for operand in (value, *others) if self.is_proxy(operand) and self.trusts(operand)}
        with self.lock:
            result = self.request_method(value, name, others, {})
            if self.reply_has_changes:
                # The result may be in a container of the tests too.
                return result
        if id(result) in trusted and self.referred_since[id(result)] == 1:
            # Such as the result of `+=`.
            del self.referred_since[id(result)]
        elif id(value) in trusted and type(result) is type(value):
            # It is new, or the candidate has referred to it and it decides nothing.
            self.constructed.add(id(result))
        return result

    def read_reply(self, message: list[Any], keys: Sequence[int]) -> Any:
        """Return the value in a reply, and note whether the reply reports changes."""
        self.reply_has_changes = bool(message[4])
        return Connection.read_reply(self, message, keys)

    def refuse_operator(self, value: Any, name: str, other: Any) -> Any:
        """Return the result of an operator by which the candidate would decide over data of the tests."""
        note = "%s of the candidate meets %s of the tests in %s: that can't be decided here; " % (
            *(type(value).__name__, type(other).__name__, name),
        )
        self.notes.append(note + ADVICE)
        if name in ("__eq__", "__ne__"):
            return NotImplemented
        self.refuse(note)

    def check_may_leave(self, value: Any, kind: type) -> None:
        """Raise NotTransferable for an object with which the candidate could do harm."""
        name = (kind.__module__, kind.__name__)
        if issubclass(kind, (BaseException, type)) or kind in (FUNCTION, BOUND_METHOD, BUILTIN_FUNCTION):
            allowed = True
        elif kind is MODULE:
            allowed = value.__name__ in SAFE_MODULES
        else:
            allowed = is_tests_class(kind) or is_iterator(kind) or name in EXPOSED_TYPES or name in CALL_ONLY_TYPES
            allowed = allowed or kind is METHOD_DESCRIPTOR or kind.__name__ in ITERATORS
        if not allowed:
            self.refuse("%s.%s can't be given to the candidate; " % name)

    def encode(self, encoder: Encoder, value: Any) -> Node:
        """Return the node for a value that is not data."""
        kind = type(value)
        if kind in (FUNCTION, BUILTIN_FUNCTION, METHOD_DESCRIPTOR, type):
            named = named_function(value)
            if named is not None:
                return named
        is_function = kind in (FUNCTION, BOUND_METHOD, BUILTIN_FUNCTION)
        if is_function or (kind.__module__, kind.__name__) in CALL_ONLY_TYPES:
            return self.encode_function(encoder, value)
        return Connection.encode(self, encoder, value)

    def encode_function(self, encoder: Encoder, function: Any) -> Node:
        """Return the node for a function that the candidate may call."""
        parameters, passed = signature_or_any(function)
        code = getattr(function, "__code__", None)
        flavour = "async" if code is not None and code.co_flags & COROUTINE_FUNCTION else ""
        name = str(getattr(function, "__name__", "function"))
        return ["function", self.export(function), name, flavour, parameters, passed]

    def perform_allowed(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Do what the candidate requests of one of the tests' objects, if it may."""
        value = self.exported[subject]
        kind = type(value)
        self.check(not self.is_own_failure(value), operation + " of a failure")
        self.note_change(value, kind, operation)
        if operation == "call":
            self.check(not isinstance(value, type) or is_tests_class(value), "a call of " + kind.__name__)
            return call(value, name, values)
        if operation in ("await", "anext"):
            self.check(kind.__name__ in ITERATORS, operation)
            return self.run_awaitable(value if operation == "await" else value.__anext__())
        if operation == "method":
            return self.perform_method(value, kind, name[0], name[1:], values)
        self.check(is_exposed(value, kind) or isinstance(value, (type, BaseException)), operation)
        if operation in ("copy", "deepcopy"):
            return getattr(sys.modules["copy"], operation)(value)
        self.check(is_public(name), name)
        if operation == "get":
            return getattr(value, name)
        self.check(kind.__name__ == "SimpleNamespace" or is_tests_class(kind), name)
        self.check(not callable(getattr(kind, name, None)), name)
        if operation == "set":
            return setattr(value, name, values[0])
        self.check(operation == "del", operation)
        return delattr(value, name)

    def perform_method(self, value: Any, kind: type, name: str, keywords: list[str], values: list[Any]) -> Any:
        """Call a method of one of the tests' objects, if the candidate may."""
        if kind.__name__ in ITERATORS or is_iterator(kind):
            self.check(name in GENERATOR_METHODS, name)
        else:
            self.check(is_exposed(value, kind) and (name in OPERATORS or is_public(name)), name)
        if is_special(name):
            return call(getattr(kind, name), keywords, [value, *values])
        return call(getattr(value, name), keywords, values)

    def note_change(self, value: Any, kind: type, operation: str) -> None:
        """Note an object that a request may change. `tests_process` checks whether the object outlives the tests."""
        if operation == "get" or (kind is FUNCTION and value.__module__ == TESTS_MODULE):
            return
        while type(value).__name__ == "partial" and type(value).__module__ == "functools":
            value = value.func
        value = getattr(value, "__self__", value) if kind in (BOUND_METHOD, BUILTIN_FUNCTION) else value
        self.changed[id(value)] = value

    def check(self, allowed: bool, what: object) -> None:
        """Refuse a request of the candidate that is not allowed."""
        if not allowed:
            self.refuse("the candidate can't have %s of the tests; " % (what,))

    def refuse(self, reason: str) -> NoReturn:
        """End what the tests are doing, and make sure that they fail.

        Raises:
            NotTransferable: always.
        """
        self.refusal = self.refusal or reason + ADVICE
        raise NotTransferable(reason + ADVICE)
