"""The builtins of restricted programs."""

from __future__ import annotations

import builtins
import dataclasses
import string
import typing
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Any

from RestrictedPython.Guards import safe_builtins
from RestrictedPython.Utilities import utility_builtins

from sandboxes.restricted_policy.runtime.copy_guard import NotCopyable
from sandboxes.restricted_policy.runtime.modules import GuardedModule

MAX_ELEMENTS, MAX_RANGE_LENGTH = 10_000_000, 1_000_000_000_000
"""Most elements of a limited `list` or `tuple`, and of a limited `range`. RestrictedPython's own limit is 1,000."""

# Builtins in addition to RestrictedPython's safe ones. None reads attributes by name, compiles text or opens files.
ALSO_SAFE = (
    "all any ascii bin bytearray bytes classmethod dict enumerate filter format input iter map max memoryview min next "
    "object property reversed sorted staticmethod sum super zip NotImplemented"
).split()
# `except*` could confuse types in the interpreter (CVE-2025-22153). Without it no program needs a group.
UNSAFE_EXCEPTIONS = {"BaseExceptionGroup", "ExceptionGroup"}
EXCEPTIONS = [
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and name not in UNSAFE_EXCEPTIONS
]


# Iterables whose length is their number of elements.
SIZED = frozenset((list, tuple, str, set, frozenset, dict, bytes, type({}.keys()), type({}.values()), type({}.items())))


# {the id of a GuardedType: (its type, the function that is called in its place)}. No attribute has them: a bound method
# or a type hint forwards the reading of any attribute, and the library reads some by names that a program chooses.
_parts: dict[int, tuple[Any, Callable[..., Any]]] = {}


class GuardedType(NotCopyable):
    """Replaces a builtin type whose calls are guarded. In every other respect it behaves like the type."""

    __slots__ = ()

    def __init__(self, real: type, make: Callable[..., Any]):
        """Take the type, and the function that is called in its place."""
        _parts[id(self)] = (real, make)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make an instance, under the guard."""
        return make_of(self)(*args, **kwargs)

    def __getitem__(self, item: Any) -> Any:
        """Return a type hint such as `list[int]`, which can be called like the type."""
        return GuardedType(real_type(self)[item], make_of(self))

    def __instancecheck__(self, value: Any) -> bool:
        """Support `isinstance(value, list)`."""
        return isinstance(real_type(value), real_type(self))

    def __subclasscheck__(self, cls: Any) -> bool:
        """Support `issubclass(cls, list)`."""
        return issubclass(real_type(cls), real_type(self))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """Support `class Stack(list)`.

        Raises:
            TypeError: for a type that programs may only compare with, such as `type`, which would make a metaclass.
        """
        base = typing.get_origin(real_type(self)) or real_type(self)
        if base in inspectable_types():
            raise TypeError(f"classes can't derive from {self!r} here")
        return (base,)

    def __eq__(self, other: object) -> bool:
        """Return whether the other value is this type, which some modules return unguarded."""
        return self is other or real_type(self) is other

    def __hash__(self) -> int:
        """Return the hash of the type itself."""
        return hash(real_type(self))

    def __or__(self, other: Any) -> Any:
        """Return a type hint such as `list | None`."""
        # The union must not hold the real types, because its parts can be read.
        return typing.Union[self, other]  # noqa: UP007

    def __ror__(self, other: Any) -> Any:
        """Return a type hint such as `int | list`."""
        return typing.Union[other, self]  # noqa: UP007

    def __copy__(self) -> GuardedType:
        """Return the object itself, as a copy of a type is the type."""
        return self

    def __deepcopy__(self, memo: object) -> GuardedType:
        """Return the object itself, as a copy of a type is the type."""
        return self

    def __repr__(self) -> str:
        """Return the representation of the type itself."""
        return repr(real_type(self))


def real_type(value: Any) -> Any:
    """Return the type that a GuardedType replaces. Return any other value as it is."""
    return _parts[id(value)][0] if type(value) is GuardedType else value


def make_of(value: GuardedType) -> Callable[..., Any]:
    """Return the function that is called in place of a type."""
    return _parts[id(value)][1]


def limited_range(*args: Any) -> range:
    """Return a range. Raise ValueError if it is too long."""
    numbers = range(*args)
    # Computed by hand, because len() fails for very long ranges.
    if numbers and abs(numbers[-1] - numbers[0]) // abs(numbers.step) >= MAX_RANGE_LENGTH:
        raise ValueError(f"range of more than {MAX_RANGE_LENGTH} elements; they are limited in restricted programs")
    return numbers


def limited(real: type[Any]) -> Callable[..., Any]:
    """Return a `list` or `tuple` that raises ValueError instead of holding more than MAX_ELEMENTS."""

    def make(iterable: Iterable[Any] = (), /) -> Any:
        if type(iterable) in SIZED and len(iterable) <= MAX_ELEMENTS:  # type: ignore[arg-type]
            return real(iterable)
        elements = real(islice(iterable, MAX_ELEMENTS + 1))
        if len(elements) > MAX_ELEMENTS:
            raise ValueError(f"{real.__name__} of more than {MAX_ELEMENTS} elements; they are limited here")
        return elements

    return make


@cache
def inspectable_types() -> dict[Any, GuardedType]:
    """Return classes that programs may compare with, but neither call nor derive from."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise TypeError("objects of this class can't be made here")

    kinds = (type, FunctionType, CodeType, ModuleType, dataclasses.Field, typing.ForwardRef)
    return {real: GuardedType(real, class_of if real is type else refuse) for real in kinds}


def class_of(value: Any, /) -> Any:
    """Return the class of a value: `type` with one argument. With three it would make a class that no policy has seen.

    Raises:
        TypeError: for a metaclass, which makes such classes too.
    """
    cls = type(real_type(value))
    if issubclass(cls, type) and cls is not type:
        raise TypeError(f"the class of {value!r} can't be had here")
    return inspectable_types().get(ModuleType if cls is GuardedModule else cls, cls)


def type_of(builtin_names: dict[str, Any]) -> GuardedType:
    """Return a guarded `type`, which calls `class_of`.

    Args:
        builtin_names: the program's, so that `type(x) is list` holds where its `list` is a guarded one.
    """
    known: dict[type, Any] = {}

    def make(value: Any, /) -> Any:
        kind = type(value)
        if kind in known:
            return known[kind]
        cls = class_of(value)
        real = real_type(cls)
        for guarded in builtin_names.values():
            if type(guarded) is GuardedType and real_type(guarded) is real:
                cls = guarded
        if kind is not GuardedType:
            known[kind] = cls
        return cls

    return GuardedType(type, make)


def of_data(get_iterable: Callable[[Any], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a guarded `dict` or `bytes`: it does not iterate over numbers or texts, and guards others."""

    def guarded(*args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else kwargs.get("source", 0) if function is not dict else 0
        if not isinstance(given, int | str | bytes):
            iterable = get_iterable(given)
            if not hasattr(given, "keys"):
                args, kwargs = (iterable, *args[1:]), {n: v for n, v in kwargs.items() if n != "source"}
        return function(*args, **kwargs)

    return guarded


def iterating(get_iterable: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the builtins that iterate over their arguments, through the user's `_getiter_`."""

    def first(function: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **kwargs: Any) -> Any:
            if args:
                return function(get_iterable(args[0]), *args[1:], **kwargs)
            return function(**{name: get_iterable(value) for name, value in kwargs.items()})

        return guarded

    def second(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda value, *rest: function(value, *map(get_iterable, rest))

    def every(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: function(*map(get_iterable, args), **kwargs)

    def only(function: Callable[..., Any]) -> Callable[..., Any]:
        """Guard a single argument. Several arguments are not iterated over."""
        return lambda *args, **kwargs: (
            function(*map(get_iterable, args), **kwargs) if len(args) == 1 else function(*args, **kwargs)
        )

    functions = {name: first(getattr(builtins, name)) for name in ("all", "any", "sorted", "sum")}
    functions["iter"] = lambda value, *end: iter(value, *end) if end else iter(get_iterable(value))
    functions["reorder"] = every(utility_builtins["reorder"])
    functions |= {name: only(getattr(builtins, name)) for name in ("max", "min")}
    types = {name: first for name in ("enumerate", "frozenset", "reversed", "set", "list", "tuple")}
    types |= {"filter": second, "map": second, "zip": every}
    types |= dict.fromkeys(("dict", "bytes", "bytearray"), partial(of_data, get_iterable))
    for name, guard in types.items():
        functions[name] = GuardedType(getattr(builtins, name), guard(getattr(builtins, name)))
    return functions


def provided(settings: dict[str, Any], own_iterator: Callable[[Any], Any] | None) -> dict[str, Any]:
    """Return the builtins that do not depend on the program.

    Args:
        settings: with "use_safe_builtins", "use_limited_builtins" and "use_utility_builtins".
        own_iterator: the `_getiter_` that the user gave, if any.
    """
    names: dict[str, Any] = {}
    if settings["use_safe_builtins"]:
        names |= {name: value for name, value in safe_builtins.items() if name != "_getattr_"}
        names |= {name: getattr(builtins, name) for name in (*ALSO_SAFE, *EXCEPTIONS, "list", "tuple")}
        names["type"] = type_of(names)
        names["issubclass"] = lambda cls, info, /: issubclass(real_type(cls), info)
    if settings["use_utility_builtins"]:
        # RestrictedPython's own `string` is an object that forwards attributes of the module.
        names |= {**utility_builtins, "string": string}
    if own_iterator is not None:
        names |= {name: value for name, value in iterating(own_iterator).items() if name in names}
    if settings["use_limited_builtins"]:
        # RestrictedPython's own allow 1,000 elements and no list of a text.
        names["range"] = GuardedType(range, limited_range)
        for real in (list, tuple):
            make = limited(real)
            names[real.__name__] = GuardedType(real, make if own_iterator is None else after(own_iterator, make))
    return names


def after(get_iterable: Callable[[Any], Any], make: Callable[..., Any]) -> Callable[..., Any]:
    """Return `make`, called with the results of an iterator guard."""
    return lambda *args: make(*map(get_iterable, args))
