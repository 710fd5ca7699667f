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

from sandboxes.restricted.copying import Single
from sandboxes.restricted.modules import GuardedModule

MOST_ELEMENTS, LONGEST_RANGE = 10_000_000, 1_000_000_000_000
"""What `list` and `tuple` hold, and `range` counts, at most in their limited form (RestrictedPython's own: 1,000)."""

# Beside RestrictedPython's safe ones. None of them reads attributes by name, compiles text or opens anything.
ALSO_SAFE = (
    "all any ascii bin bytearray bytes classmethod dict enumerate filter format input iter map max memoryview min next "
    "object property reversed sorted staticmethod sum super zip NotImplemented"
).split()
# `except*` could confuse types in the interpreter (CVE-2025-22153), and without it nobody needs a group.
UNSAFE_EXCEPTIONS = {"BaseExceptionGroup", "ExceptionGroup"}
EXCEPTIONS = [
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and name not in UNSAFE_EXCEPTIONS
]


# Iterables that hold as many elements as they say.
SIZED = frozenset((list, tuple, str, set, frozenset, dict, bytes, type({}.keys()), type({}.values()), type({}.items())))


class GuardedType(Single):
    """Stands for a builtin type whose calls have to be guarded; all else is the type's own."""

    __slots__ = ("make", "real")

    def __init__(self, real: type, make: Callable[..., Any]):
        """Takes what is called in the type's place."""
        self.real, self.make = real, make

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Makes an instance, guarded."""
        return self.make(*args, **kwargs)

    def __getitem__(self, item: Any) -> Any:
        """A type hint such as `list[int]`, which can be called as the type can."""
        return GuardedType(self.real[item], self.make)  # type: ignore[index]

    def __instancecheck__(self, value: Any) -> bool:
        """For `isinstance(value, list)`."""
        return isinstance(real_type(value), self.real)

    def __subclasscheck__(self, cls: Any) -> bool:
        """For `issubclass(cls, list)`."""
        return issubclass(real_type(cls), self.real)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """For `class Stack(list)`.

        Raises:
            TypeError: for one that programs may only ask about, such as `type`, which would make a metaclass.
        """
        base = typing.get_origin(self.real) or self.real
        if base in asked_about():
            raise TypeError(f"classes can't derive from {self.real!r} here")
        return (base,)

    def __eq__(self, other: object) -> bool:
        """Equal to the type itself, which some modules tell of."""
        return self is other or self.real is other

    def __hash__(self) -> int:
        """As the type itself."""
        return hash(self.real)

    def __or__(self, other: Any) -> Any:
        """A type hint such as `list | None`."""
        # Not of the types themselves: a union's parts can be had again.
        return typing.Union[self, other]  # noqa: UP007

    def __ror__(self, other: Any) -> Any:
        """A type hint such as `int | list`."""
        return typing.Union[other, self]  # noqa: UP007

    def __copy__(self) -> GuardedType:
        """Itself, as a copy of a type is the type."""
        return self

    def __deepcopy__(self, memo: object) -> GuardedType:
        """Itself, as a copy of a type is the type."""
        return self

    def __repr__(self) -> str:
        """As the type itself."""
        return repr(self.real)


def real_type(value: Any) -> Any:
    """The type that a GuardedType stands for; anything else is itself."""
    return value.real if type(value) is GuardedType else value


def limited_range(*args: Any) -> range:
    """A range, if it is not too long. Raises ValueError if it is."""
    made = range(*args)
    # Longer than len() can say, too.
    if made and abs(made[-1] - made[0]) // abs(made.step) >= LONGEST_RANGE:
        raise ValueError(f"range of more than {LONGEST_RANGE} elements; they are limited in restricted programs")
    return made


def limited(real: type[Any]) -> Callable[..., Any]:
    """A `list` or `tuple` that raises ValueError instead of holding more than MOST_ELEMENTS."""

    def make(iterable: Iterable[Any] = (), /) -> Any:
        if type(iterable) in SIZED and len(iterable) <= MOST_ELEMENTS:  # type: ignore[arg-type]
            return real(iterable)
        made = real(islice(iterable, MOST_ELEMENTS + 1))
        if len(made) > MOST_ELEMENTS:
            raise ValueError(f"{real.__name__} of more than {MOST_ELEMENTS} elements; they are limited here")
        return made

    return make


@cache
def asked_about() -> dict[Any, GuardedType]:
    """Classes that programs may compare with and ask about, but neither call nor derive from."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise TypeError("objects of this class can't be made here")

    kinds = (type, FunctionType, CodeType, ModuleType, dataclasses.Field, typing.ForwardRef)
    return {real: GuardedType(real, class_of if real is type else refuse) for real in kinds}


def class_of(value: Any, /) -> Any:
    """`type` with one argument: with three it would make a class that no policy has seen.

    Raises:
        TypeError: for a metaclass, which makes them too.
    """
    cls = type(real_type(value))
    if issubclass(cls, type) and cls is not type:
        raise TypeError(f"the class of {value!r} can't be had here")
    return asked_about().get(ModuleType if cls is GuardedModule else cls, cls)


def type_of(builtin_names: dict[str, Any]) -> GuardedType:
    """`type`, as `class_of` has it.

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
            if type(guarded) is GuardedType and guarded.real is real:
                cls = guarded
        if kind is not GuardedType:
            known[kind] = cls
        return cls

    return GuardedType(type, make)


def of_data(get_iterable: Callable[[Any], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """`dict` or `bytes`: a number or a text is not iterated over; of a mapping it is asked whether it may be."""

    def guarded(*args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else kwargs.get("source", 0) if function is not dict else 0
        if not isinstance(given, int | str | bytes):
            iterable = get_iterable(given)
            if not hasattr(given, "keys"):
                args, kwargs = (iterable, *args[1:]), {n: v for n, v in kwargs.items() if n != "source"}
        return function(*args, **kwargs)

    return guarded


def iterating(get_iterable: Callable[[Any], Any]) -> dict[str, Any]:
    """Builtins that iterate over what they are given, by way of a `_getiter_` that is its user's."""

    def first(function: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **kwargs: Any) -> Any:
            if args:
                return function(get_iterable(args[0]), *args[1:], **kwargs)
            return function(**{name: get_iterable(each) for name, each in kwargs.items()})

        return guarded

    def second(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda each, *rest: function(each, *map(get_iterable, rest))

    def every(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: function(*map(get_iterable, args), **kwargs)

    def only(function: Callable[..., Any]) -> Callable[..., Any]:
        """Of several arguments, none is iterated over."""
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
    """The builtins that do not depend on the program.

    Args:
        settings: with "use_safe_builtins", "use_limited_builtins" and "use_utility_builtins".
        own_iterator: the `_getiter_` that the user gave, if any.
    """
    found: dict[str, Any] = {}
    if settings["use_safe_builtins"]:
        found |= {name: value for name, value in safe_builtins.items() if name != "_getattr_"}
        found |= {name: getattr(builtins, name) for name in (*ALSO_SAFE, *EXCEPTIONS, "list", "tuple")}
        found["type"] = type_of(found)
        found["issubclass"] = lambda cls, info, /: issubclass(real_type(cls), info)
    if settings["use_utility_builtins"]:
        # In RestrictedPython's own, `string` is an object that passes attributes on.
        found |= {**utility_builtins, "string": string}
    if own_iterator is not None:
        found |= {name: value for name, value in iterating(own_iterator).items() if name in found}
    if settings["use_limited_builtins"]:
        # RestrictedPython's own allow 1,000 elements and no list of a text.
        found["range"] = GuardedType(range, limited_range)
        for real in (list, tuple):
            make = limited(real)
            found[real.__name__] = GuardedType(real, make if own_iterator is None else after(own_iterator, make))
    return found


def after(get_iterable: Callable[[Any], Any], make: Callable[..., Any]) -> Callable[..., Any]:
    """`make` of what an iterator guard gives."""
    return lambda *args: make(*map(get_iterable, args))
