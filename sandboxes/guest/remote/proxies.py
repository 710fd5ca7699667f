"""Proxies for the other process's objects and classes: each operation on one is requested from the other process.

Classes here have no annotated attributes, because programs would find `__annotations__` in their proxies.
"""

from __future__ import annotations

import types
from collections import Counter

from .special_methods import COMPARISONS, GUARDED, KEPT, OPERATORS, READABLE, READING, is_special

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Generator, Iterable, NoReturn

    from .proxy_connection import ProxyConnection

ADVICE = 'grade such tests with grading="shared"'


class ProxyType(type):
    """The type of classes that stand for the other process's classes."""

    if TYPE_CHECKING:

        @property
        def _proxy_connection(cls) -> ProxyConnection:
            raise NotImplementedError

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> ProxyType:
        """Make such a class, but refuse it if a test derives one of its own."""
        if "_proxy_connection" not in namespace:
            connection = next(base._proxy_connection for base in bases if isinstance(base, ProxyType))
            connection.refuse("a class of one process can't derive from a class of the other; ")
        return type.__new__(cls, name, bases, namespace)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        """Do what `type` does."""
        type.__init__(cls, name, bases, namespace)

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        """Make an instance in the other process."""
        return cls._proxy_connection.construct(cls, arguments, keywords)

    def __getattr__(cls, name: str) -> Any:
        if name == "__dataclass_fields__":
            fields = cls._proxy_connection.dataclass_fields(cls)
            type.__setattr__(cls, name, fields)
            return fields
        if is_special(name) and name not in READABLE:
            raise AttributeError(name)
        return cls._proxy_connection.request_on("get", cls, name, [])

    def __setattr__(cls, name: str, value: Any) -> None:
        if is_special(name):
            type.__setattr__(cls, name, value)
        else:
            cls._proxy_connection.request_on("set", cls, name, [value])

    def __delattr__(cls, name: str) -> None:
        cls._proxy_connection.request_on("del", cls, name, [])


class Proxy:
    """The base of all proxy classes. Each adds the operators and methods of its class in the other process."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def _proxy_connection(self) -> ProxyConnection:
            raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name == "__dataclass_fields__":
            return getattr(type(self), name)
        if is_special(name) and name not in READABLE:
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return self._proxy_connection.request_on("get", self, name, [])

    def __setattr__(self, name: str, value: Any) -> None:
        if is_special(name):
            object.__setattr__(self, name, value)
        else:
            self._proxy_connection.request_on("set", self, name, [value])

    def __delattr__(self, name: str) -> None:
        self._proxy_connection.request_on("del", self, name, [])

    def __dir__(self) -> Any:
        return self._proxy_connection.request_on("dir", self, None, [])

    def __copy__(self) -> Any:
        return self._proxy_connection.request_on("copy", self, None, [])

    def __deepcopy__(self, memo: Any) -> Any:
        return self._proxy_connection.request_on("deepcopy", self, None, [])

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._proxy_connection.refuse("an object of the other process can't be pickled; ")


def operator(name: str) -> Callable[..., Any]:
    """Return a special method that the other process runs."""

    def ask(self: Proxy, *arguments: Any) -> Any:
        return self._proxy_connection.request_method(self, name, arguments, {})

    return ask


def kept_operator(name: str) -> Callable[..., Any]:
    """Return a special method that the other process runs, once for all readings of an object between two changes."""

    def ask(self: Proxy, *arguments: Any) -> Any:
        connection = self._proxy_connection
        if connection.trusts(self):
            return connection.request_method(self, name, arguments, {})
        return connection.stable_view(self).kept(name, arguments)

    return ask


def guarded_operator(name: str) -> Callable[..., Any]:
    """Return a special method that the other process runs, if it may decide the result."""

    def ask(self: Proxy, other: Any, *more: Any) -> Any:
        connection = self._proxy_connection
        if connection.may_decide(self, other):
            return connection.decide_remotely(self, name, (other, *more))
        return connection.refuse_operator(self, name, other)

    return ask


def contains(self: Any, wanted: Any) -> Any:
    """Run `wanted in self`."""
    connection = self._proxy_connection
    if connection.may_decide(self, wanted):
        return connection.request_method(self, "__contains__", (wanted,), {})
    return any(value is wanted or value == wanted for value in self)


def length(self: Proxy) -> Any:
    """Run `len(self)`."""
    connection = self._proxy_connection
    if connection.trusts(self):
        return connection.request_method(self, "__len__", (), {})
    return connection.stable_view(self).length()


def iterate(self: Proxy) -> Any:
    """Run `iter(self)`."""
    connection, kind = self._proxy_connection, type(self)
    if connection.trusts(self) or (hasattr(kind, "__next__") and not hasattr(kind, "__getitem__")):
        return connection.request_method(self, "__iter__", (), {})
    return connection.stable_view(self).items()


def iterate_backwards(self: Proxy) -> Any:
    """Run `reversed(self)`."""
    connection = self._proxy_connection
    if connection.trusts(self) or not hasattr(type(self), "__iter__"):
        return connection.request_method(self, "__reversed__", (), {})
    return iter(list(connection.stable_view(self).items())[::-1])


def item(self: Proxy, key: Any) -> Any:
    """Run `self[key]`."""
    connection = self._proxy_connection
    try:
        value = connection.request_method(self, "__getitem__", (key,), {})
    except IndexError:
        if type(key) is int and key >= 0 and not connection.trusts(self):
            # It ends the iteration of an object that has no `__iter__`.
            connection.stable_view(self).end_at(key)
        raise
    if not connection.trusts(self):
        connection.stable_view(self).note_item(key, value)
    return value


def leave(name: str) -> Callable[..., Any]:
    """Return the method of a context manager that ends a with statement."""

    def ask(self: Proxy, kind: Any, error: Any, trace: Any) -> Any:
        return self._proxy_connection.exit_context(self, name, kind, error)

    return ask


def awaited(self: Proxy) -> Generator[None, None, Any]:
    """Run `await self`. It waits for nothing in this process."""
    return self._proxy_connection.request_on("await", self, None, [])
    yield  # makes this a generator


def method(name: str) -> Any:
    """Return a method that the other process runs."""

    def ask(self: Proxy, *arguments: Any, **keywords: Any) -> Any:
        return self._proxy_connection.request_method(self, name, arguments, keywords)

    ask.__name__ = name
    ask.__annotations__.clear()
    return ask


def documentation(self: Proxy) -> Any:
    """Return the docstring of a function."""
    return self._proxy_connection.request_on("get", self, "__doc__", [])


def subscript(cls: Any, parameters: Any) -> Any:
    """Run `cls[parameters]` for a class that says itself what that is."""
    return cls._proxy_connection.request_on("get", cls, "__class_getitem__", [])(parameters)


def bind(self: Any, instance: Any, owner: Any = None) -> Any:
    """Bind an object that can be called to an instance, as a function is bound."""
    return self if instance is None else BOUND_METHOD(self, instance)


# Python 3.8 has none.
GENERIC_ALIAS: Any = getattr(types, "GenericAlias", None)
BOUND_METHOD: Any = type(Proxy().__dir__)
# Proxy classes are made, shown and compared like all classes.
NOT_OF_CLASSES = frozenset("__call__ __repr__ __str__ __format__ __hash__ __eq__ __ne__".split())
STUBS = {name: (guarded_operator if name in GUARDED else operator)(name) for name in OPERATORS}
STUBS.update((name, kept_operator(name)) for name in KEPT)
STUBS.update(__call__=method("__call__"), __reversed__=iterate_backwards)
STUBS.update(__contains__=contains, __len__=length, __iter__=iterate, __getitem__=item, __await__=awaited)
STUBS.update(__exit__=leave("__exit__"), __aexit__=leave("__aexit__"))
# Programs that look at the parameters of a proxy's methods must not find these annotations.
for function in (*STUBS.values(), bind, subscript, ProxyType.__call__):
    function.__annotations__.clear()


def make_proxy_class(
    connection: ProxyConnection,
    name: str,
    module: str,
    text: str | None,
    bases: tuple[type, ...],
    operators: Iterable[str],
    methods: Iterable[str],
    meta: Iterable[str],
    flags: str,
    data: type | None,
    shown: property | None,
) -> Any:
    """Return a class that stands for one of the other process.

    Args:
        connection: to the other process.
        name: of the class.
        module: of the class.
        text: its docstring.
        bases: classes, proxies or builtin.
        operators: names of the special methods that it defines.
        methods: names of its other methods.
        meta: names of the special methods that its metaclass defines.
        flags: words such as "unhashable", with blanks between them.
        data: the type of plain data it derives from, or None.
        shown: the attribute `__class__` of its objects; None for an ordinary one.
    """
    namespace: dict[str, Any] = {
        "_proxy_connection": connection,
        "__slots__": (),
        "__module__": module,
        "__doc__": text,
    }
    trusted = connection.trusts_name(name)
    local_operators = COMPARISONS if trusted else GUARDED | READING | COMPARISONS
    if data is Counter:
        # A Counter asks for these of itself while it is compared, and for each of the other's keys.
        local_operators = local_operators | READING | {"__missing__"}
    for special in operators:
        if data is None or special not in local_operators:
            namespace[special] = STUBS[special]
    for plain in methods:
        if plain.isidentifier() and not is_special(plain) and plain != "_proxy_connection":
            if data is None or trusted or not hasattr(data, plain):
                namespace[plain] = method(plain)
    if data is not None:
        for special in COMPARISONS:
            namespace[special] = getattr(data, special)
    elif "unhashable" in flags:
        namespace["__hash__"] = None
    elif "__eq__" in namespace and "__hash__" not in namespace:
        namespace["__hash__"] = object.__hash__
    if "__call__" in namespace:
        namespace["__get__"] = bind
    if shown is not None:
        namespace["__class__"] = shown
    if (module, name) == ("builtins", "function"):
        namespace["__doc__"] = property(documentation)
    if "generic" in flags and GENERIC_ALIAS:
        namespace["__class_getitem__"] = classmethod(GENERIC_ALIAS)
    elif "generic" in flags or "subscript" in flags:
        namespace["__class_getitem__"] = classmethod(subscript)
    metaclass = proxy_metaclass(connection, meta)
    if not any(issubclass(base, Proxy) for base in bases):
        bases = (Proxy, *bases)
    return metaclass(name, bases, namespace)


def proxy_metaclass(connection: ProxyConnection, operators: Iterable[str]) -> type:
    """Return the type of a proxy class whose own type defines these special methods."""
    key = frozenset(operators) - NOT_OF_CLASSES
    if key and key not in connection.metaclasses:
        connection.metaclasses[key] = type("ProxyType", (ProxyType,), {special: STUBS[special] for special in key})
    return connection.metaclasses[key] if key else ProxyType
