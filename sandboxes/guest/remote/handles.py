"""Handles: what tests have of an object that stays in the candidate's process.

A handle and plain data are never equal, and no operator of the two asks the candidate. Everything else does: calls,
items, `len`, `str`, operators of two handles. An instance of a subclass of plain data is that data to the tests'
operators.
"""

from __future__ import annotations

from ..common.names import is_special
from .data_types import UNCHANGING
from .operations import COMPARISONS, OF_ONE, OF_TWO, TELLING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Collection, Protocol

    class Requests(Protocol):
        """The tests' end of the connection, as handles know it."""

        def ask(self, operation: str, handle: Any, name: Any, values: list[Any]) -> Any:
            """Have the candidate's process do something with an object."""

        def operate(self, name: str, operands: list[Any]) -> Any:
            """Have the candidate's process apply a special method to objects."""

        def data_of(self, handle: Any) -> Any:
            """Return the data that an instance of a subclass of plain data holds."""

        def note_comparison(self, handle: Any, other: Any) -> None:
            """Note that an object was compared with something else than another one."""


OPERATORS = frozenset(OF_TWO)


class Handle:
    """The base of all handles. The classes that derive from it stand for the candidate's classes."""

    # Tests can't write this name: attributes that begin with two underscores are on no list of forms.
    __requests__: Requests
    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if is_special(name):
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return self.__requests__.ask("get", self, name, [])

    def __copy__(self) -> Any:
        return self.__requests__.ask("copy", self, None, [])

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__requests__.ask("deepcopy", self, None, [])


def is_handle(value: object) -> bool:
    """Tell whether a value is a handle. Its attribute `__class__` may say something else."""
    return issubclass(type(value), Handle)


def of_one(name: str) -> Callable[..., Any]:
    """Return a special method that the candidate's process applies to an object."""

    def ask(self: Handle, *arguments: Any) -> Any:
        return self.__requests__.operate(name, [self, *arguments])

    return ask


def of_two(name: str) -> Callable[..., Any]:
    """Return the operator of two handles. With anything else, the other operand decides, or nothing does."""

    def ask(self: Handle, other: Any) -> Any:
        if is_handle(other):
            return self.__requests__.operate(name, [self, other])
        if name in COMPARISONS:
            self.__requests__.note_comparison(self, other)
        return NotImplemented

    return ask


def of_data(name: str) -> Callable[..., Any]:
    """Return the operator of a container of the candidate's class: its data decides with anything but a handle."""

    def ask(self: Handle, other: Any) -> Any:
        if is_handle(other):
            return self.__requests__.operate(name, [self, other])
        return OF_TWO[name](self.__requests__.data_of(self), other)

    return ask


def of_value(name: str, base: type) -> Callable[..., Any]:
    """Return the operator of a value of the candidate's class: it decides with handles, its data with anything else."""
    own: Any = getattr(base, name, lambda value, other: NotImplemented)

    def ask(self: Any, other: Any) -> Any:
        return self.__requests__.operate(name, [self, other]) if is_handle(other) else own(self, other)

    return ask


def reflected(name: str) -> Callable[..., Any]:
    """Return the operator whose right operand is a container of the candidate's class."""

    def ask(self: Handle, other: Any) -> Any:
        return OF_TWO[name](other, self.__requests__.data_of(self))

    return ask


def method(name: str) -> Callable[..., Any]:
    """Return a method that the candidate's process runs."""

    def ask(self: Handle, *arguments: Any, **keywords: Any) -> Any:
        return self.__requests__.ask("method", self, [name, *keywords], [*arguments, *keywords.values()])

    ask.__name__ = name
    return ask


def call(self: Handle, *arguments: Any, **keywords: Any) -> Any:
    """Call the object."""
    return self.__requests__.ask("call", self, [*keywords], [*arguments, *keywords.values()])


# An object may be read by some of its own methods only if it is read by all of them: what it says is compared.
READING = frozenset(("__len__", "__iter__", "__getitem__", "__reversed__"))
ASKING = {name: of_one(name) for name in OF_ONE}
ASKING["__call__"] = call
ALWAYS = {name: stub for name, stub in ASKING.items() if name not in TELLING}
ALWAYS.update((name, of_two(name)) for name in OF_TWO)
WITH_DATA = {name: of_data(name) for name in OF_TWO}
WITH_DATA.update(("__r" + name[2:], reflected(name)) for name in OF_TWO if name not in COMPARISONS)


def handle_class(requests: Requests, name: str, defined: Collection[str], methods: Collection[str], base: Any) -> type:
    """Return the class of the handles of one of the candidate's classes.

    Args:
        requests: has the candidate's process do what is asked of a handle.
        name: of the class.
        defined: special methods that the class has; those that it overrides if it derives from plain data.
        methods: likewise, methods that are functions.
        base: the type of plain data that it derives from; None if there is none.
    """
    namespace: dict[str, Any] = {"__requests__": requests, "__slots__": ()}
    if base is None or base not in UNCHANGING:
        namespace.update(ALWAYS)
        if base is not None:
            # As a Counter, say, a library would read it in ways of its own.
            shown = next(kind for kind in base.__mro__ if kind.__module__ == "builtins")
            namespace.update(WITH_DATA, __class__=property(lambda self: shown))
    own = {*defined, *READING} if base is not None and not READING.isdisjoint(defined) else defined
    namespace.update((special, ASKING[special]) for special in own if special in ASKING)
    namespace.update((plain, method(plain)) for plain in methods if plain.isidentifier() and not is_special(plain))
    if base is None or base not in UNCHANGING:
        return type(name, (Handle,), namespace)
    namespace.update((special, of_value(special, base)) for special in OPERATORS.intersection(defined))
    namespace["__hash__"] = base.__hash__
    return type(name, (Handle, base), namespace)
