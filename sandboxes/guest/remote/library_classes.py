"""Finds the classes of libraries that the tests' process has too, for objects and exceptions of the candidate."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set

from ..common.library_values import BUILT_DATA, SAFE_MODULES
from .exporter import data_base
from .special_methods import TEST_RUNNERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator

# Of test runners and other packages, an exception may mean something else here, such as a test that does not count.
LIBRARIES = (SAFE_MODULES | getattr(sys, "stdlib_module_names", frozenset())) - TEST_RUNNERS - {"__main__"}
# An event loop would look into objects of these classes.
WITHOUT_OBJECTS = frozenset(("asyncio", "_asyncio"))
BY_VALUE = (bool, range, slice, type(None), type(...), type(NotImplemented))


def library_class(module: str, name: str) -> Any:
    """Return the class that a library of this process has under a name; None if it has none."""
    package = module.partition(".")[0]
    library = sys.modules.get(module) if package in LIBRARIES else None
    own = vars(library).get(name) if library else None
    return own if isinstance(own, type) else None


def is_data(own: Any) -> bool:
    """Return whether an object of a library's class would be taken for data, whose operations are the tests' own."""
    numbers = sys.modules.get("numbers")
    by_value = (
        own in BY_VALUE
        or own.__module__.partition(".")[0] == "numpy"
        or data_base(own)
        or (own.__module__, own.__name__) in BUILT_DATA
    )
    return bool(by_value or issubclass(own, (BaseException, type)) or (numbers and issubclass(own, numbers.Number)))


def class_attribute(own: Any, bases: tuple[type, ...]) -> property | None:
    """Return the attribute `__class__` of a proxy class's objects, so that `isinstance` knows them; None for none.

    Libraries read mappings in ways of their own, so none of these objects is one to them.

    Args:
        own: the library's class of that name; None if it is not one of a library.
        bases: of the proxy class.
    """
    if own is not None and not is_data(own) and not issubclass(own, (Mapping, Set)):
        if own.__module__.partition(".")[0] not in WITHOUT_OBJECTS:
            return property(lambda self: own)
    inherits = any("__class__" in vars(part) for base in bases for part in base.__mro__ if part is not object)
    return property(type) if inherits else None


class LibraryClasses:
    """The proxy classes that stand for classes of libraries, for the tests' own `isinstance` and `issubclass`."""

    def __init__(self) -> None:
        """Begin with none."""
        self.by_id: dict[int, Any] = {}

    def add(self, kind: type, own: Any) -> None:
        """Note the library's class for which a proxy class stands, unless its objects are data. It may be None."""
        if own is not None and own is not object and not is_data(own):
            self.by_id[id(kind)] = own

    def behind(self, kind: type) -> Iterator[Any]:
        """Yield the libraries' classes from which a proxy class derives."""
        yield from (self.by_id[id(base)] for base in kind.__mro__ if id(base) in self.by_id)

    def functions(self) -> dict[str, Callable[[Any, Any], bool]]:
        """Return `isinstance` and `issubclass` for the tests: these know from which classes those of proxies derive."""

        def is_instance(value: Any, kinds: Any) -> bool:
            return isinstance(value, kinds) or any(issubclass(own, kinds) for own in self.behind(type(value)))

        def is_subclass(kind: Any, kinds: Any) -> bool:
            return issubclass(kind, kinds) or any(issubclass(own, kinds) for own in self.behind(kind))

        named: dict[str, Callable[[Any, Any], bool]] = {"isinstance": is_instance, "issubclass": is_subclass}
        for name, function in named.items():
            function.__name__ = function.__qualname__ = name
        return named
