"""The parts of the standard library that programs may not have, and their replacements.

The code of an allowed module is not restricted itself. Here are the functions that would bypass the guards: they read
or write attributes by a name, evaluate texts, make classes, or change their argument.
"""

from __future__ import annotations

import abc
import builtins
import collections
import contextlib
import copyreg
import dataclasses
import enum
import functools
import inspect
import io
import operator
import string
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sandboxes.restricted_policy import name_rules as names
from sandboxes.restricted_policy.runtime.builtins_provided import inspectable_types

Reader = Callable[..., Any]
Writer = Callable[[Any], Any]

# Attributes that a copy may take from a wrapped function only if they are texts.
METADATA = frozenset(("__doc__", "__name__", "__qualname__"))


def refused_objects() -> dict[int, str]:
    """Return the reasons why objects are refused, by the ids of the objects."""
    reasons: dict[str, tuple[Any, ...]] = {
        "reads attributes by the names in a text": (
            string.Formatter,
            *(getattr(text, name) for text in (str, collections.UserString) for name in ("format", "format_map")),
        ),
        "reads attributes by a name": (inspect.getattr_static, inspect.getmembers),
        "hands out `getattr` itself": existing(enum, "pickle_by_enum_name"),
        "evaluates texts": (typing.get_type_hints, inspect.get_annotations, eval, exec, compile),
        "evaluates the annotations of functions": (functools.singledispatch, functools.singledispatchmethod),
        "makes classes or code that no policy has seen": (types.new_class, dataclasses.make_dataclass),
        "hands out what makes classes": (types.prepare_class, types.resolve_bases),
        "shows what guards keep out": (vars, dir, globals, locals, builtins.__import__),
        "changes modules": (enum.global_enum,),
        "decides how objects of any class are copied": (copyreg.dispatch_table,),
        "opens files": (open, io.FileIO, io.open_code),
        "stops in a debugger": (breakpoint,),
    }
    # Python 3.14
    reasons["evaluates texts"] += existing(typing, "evaluate_forward_ref") + existing(typing.ForwardRef, "evaluate")
    return {id(value): reason for reason, values in reasons.items() for value in values}


def existing(module: Any, *wanted: str) -> tuple[Any, ...]:
    """Return the objects that a module has under some names, if this version of Python has them."""
    return tuple(getattr(module, name) for name in wanted if hasattr(module, name))


def replacements(get_attribute: Reader, write: Writer) -> list[tuple[Any, Any]]:
    """Return pairs of an object of a module and its replacement."""
    return [
        *inspectable_types().items(),
        (typing.Type, inspectable_types()[type]),  # noqa: UP006
        *attribute_readers(get_attribute),
        *wrappers(write),
        *((function, guarded_mutation(function, write)) for function in mutating_functions()),
        (dataclasses.dataclass, guarded_dataclass(write)),
        # The real classes' objects hold the name of the attribute of `sys` that they change.
        (contextlib.redirect_stdout, redirecting(contextlib.redirect_stdout)),
        (contextlib.redirect_stderr, redirecting(contextlib.redirect_stderr)),
    ]


def attribute_readers(get_attribute: Reader) -> list[tuple[Any, Any]]:
    """Return pairs of a function that reads attributes by a name, and one that does so through `_getattr_`."""

    def attrgetter(*paths: str) -> Callable[[Any], Any]:
        """Replace operator.attrgetter."""

        def read(value: Any, path: str) -> Any:
            return functools.reduce(get_attribute, path.split("."), value)

        if len(paths) == 1:
            return lambda value: read(value, paths[0])
        return lambda value: tuple(read(value, path) for path in paths)

    def methodcaller(name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """Replace operator.methodcaller."""
        return lambda value: get_attribute(value, name)(*args, **kwargs)

    return [(operator.attrgetter, attrgetter), (operator.methodcaller, methodcaller), (getattr, get_attribute)]


def wrappers(write: Writer) -> list[tuple[Any, Any]]:
    """Return replacements of functools.update_wrapper and wraps, which copy attributes of any name from any object."""

    def update_wrapper(
        wrapper: Any,
        wrapped: Any,
        assigned: Iterable[str] = functools.WRAPPER_ASSIGNMENTS,
        updated: Iterable[str] = functools.WRAPPER_UPDATES,
    ) -> Any:
        """Replace functools.update_wrapper."""
        write(wrapper)
        for name in assigned:
            # Modules make code of other attributes that describe a wrapper, such as annotations.
            if type(name) is str and (name in METADATA or not names.is_refused_attribute(name)):
                value = getattr(wrapped, name, None)
                if isinstance(value, str) or (value is not None and name not in METADATA):
                    setattr(wrapper, name, value)
        if type(wrapped) is types.FunctionType and "__dict__" in updated:
            wrapper.__dict__.update(wrapped.__dict__)
        wrapper.__wrapped__ = wrapped
        return wrapper

    def wraps(
        wrapped: Any,
        assigned: Iterable[str] = functools.WRAPPER_ASSIGNMENTS,
        updated: Iterable[str] = functools.WRAPPER_UPDATES,
    ) -> Callable[[Any], Any]:
        """Replace functools.wraps."""
        return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)

    return [(functools.update_wrapper, update_wrapper), (functools.wraps, wraps)]


def mutating_functions() -> list[Any]:
    """Return functions that change their first argument."""
    functions = [
        functools.total_ordering,
        abc.abstractmethod,
        abc.update_abstractmethods,
        types.coroutine,
        typing.final,
        typing.no_type_check,
        typing.runtime_checkable,
    ]
    return [*functions, *existing(typing, "override")]


def guarded_mutation(function: Callable[..., Any], write: Writer) -> Callable[..., Any]:
    """Return a function that changes its argument only if the program may change it."""

    def mutate(value: Any, /) -> Any:
        return function(write(value))

    return mutate


def guarded_dataclass(write: Writer) -> Callable[..., Any]:
    """Return a dataclasses.dataclass for the program's own classes only, whose fields have valid names."""

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        """Replace dataclasses.dataclass."""

        def decorate(cls: Any) -> Any:
            if not issubclass(type(cls), type):
                raise TypeError(f"{cls!r} is not a class, so it can't be made a dataclass")
            check_fields(write(cls))
            return dataclasses.dataclass(cls, **options)

        return decorate if cls is None else decorate(cls)

    return dataclass


def check_fields(cls: type) -> None:
    """Raise TypeError if a field's name is invalid, because dataclasses puts names into code that it compiles.

    An object of another class of fields could change its name.
    """
    for value in vars(cls).values():
        if isinstance(value, dataclasses.Field) and type(value) is not dataclasses.Field:
            raise TypeError(f"{value!r} is no field")
    field_names: list[Any] = list(vars(cls).get("__annotations__") or inspect.get_annotations(cls))
    for base in cls.__mro__:
        field_names += [field.name for field in vars(base).get("__dataclass_fields__", {}).values()]
    for name in field_names:
        if type(name) is not str or not name.isidentifier():
            raise TypeError(f"{name!r} is not a valid name of a field")


def redirecting(real: Callable[[Any], contextlib.AbstractContextManager[Any]]) -> Callable[..., Any]:
    """Return a replacement of contextlib.redirect_stdout or redirect_stderr."""

    @contextlib.contextmanager
    def redirect(new_target: Any) -> Iterator[Any]:
        with real(new_target):
            yield new_target

    return redirect


def guard_enums() -> None:
    """Make `Enum("Color", names)` accept only names that a class statement would. Call it once in each process."""
    enums: Any = enum.EnumMeta
    create: Callable[..., Any] = enums._create_
    if getattr(create, "is_guarded", False):
        return

    def guarded(cls: Any, class_name: Any, names: Any, **options: Any) -> Any:
        if not isinstance(names, str):
            pairs = names.items() if isinstance(names, dict) else names
            names = [entry if isinstance(entry, str) else tuple(entry) for entry in pairs]
        else:
            names = names.replace(",", " ").split()
        for name in [entry if isinstance(entry, str) else entry[0] for entry in names]:
            if type(name) is not str or name.startswith("__"):
                raise ValueError(f"{name!r} is not a valid name of a member")
        return create(cls, class_name, names, **options)

    guarded.is_guarded = True  # type: ignore[attr-defined]
    enums._create_ = guarded
