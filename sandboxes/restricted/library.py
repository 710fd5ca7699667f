"""What programs may not have of the standard library, and what they get instead.

A module that is allowed is not restricted itself. Here are those of its functions that hand out what guards keep out:
that read or write attributes by a name, evaluate texts, make classes, or change what they are given.
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

from sandboxes.restricted import names
from sandboxes.restricted.provided import asked_about

Reader = Callable[..., Any]
Writer = Callable[[Any], Any]

# Of the objects that these describe, only the interpreter may decide.
METADATA = frozenset(("__doc__", "__name__", "__qualname__"))


def refused_objects() -> dict[int, str]:
    """The id of each thing that no program gets, with the reason."""
    reasons: dict[str, tuple[Any, ...]] = {
        "reads attributes by the names in a text": (
            string.Formatter,
            *(getattr(text, name) for text in (str, collections.UserString) for name in ("format", "format_map")),
        ),
        "reads attributes by a name": (inspect.getattr_static, inspect.getmembers),
        "hands out `getattr` itself": present(enum, "pickle_by_enum_name"),
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
    reasons["evaluates texts"] += present(typing, "evaluate_forward_ref") + present(typing.ForwardRef, "evaluate")
    return {id(value): reason for reason, values in reasons.items() for value in values}


def present(module: Any, *wanted: str) -> tuple[Any, ...]:
    """What a module has under some names in this version of Python."""
    return tuple(getattr(module, name) for name in wanted if hasattr(module, name))


def in_their_place(get_attribute: Reader, write: Writer) -> list[tuple[Any, Any]]:
    """Things of modules, each with what programs get instead of it."""
    return [
        *((real, stand_in) for real, stand_in in asked_about().items()),
        (typing.Type, asked_about()[type]),  # noqa: UP006
        *readers(get_attribute),
        *wrappers(write),
        *((function, changing(function, write)) for function in marking()),
        (dataclasses.dataclass, dataclass_by(write)),
        # In the real ones, the name of what is changed in `sys` is an attribute of their objects.
        (contextlib.redirect_stdout, redirecting(contextlib.redirect_stdout)),
        (contextlib.redirect_stderr, redirecting(contextlib.redirect_stderr)),
    ]


def readers(get_attribute: Reader) -> list[tuple[Any, Any]]:
    """Functions that read attributes by a name, each with one that does so by way of `_getattr_`."""

    def attrgetter(*paths: str) -> Callable[[Any], Any]:
        """operator.attrgetter."""

        def read(value: Any, path: str) -> Any:
            return functools.reduce(get_attribute, path.split("."), value)

        if len(paths) == 1:
            return lambda value: read(value, paths[0])
        return lambda value: tuple(read(value, path) for path in paths)

    def methodcaller(name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """operator.methodcaller."""
        return lambda value: get_attribute(value, name)(*args, **kwargs)

    return [(operator.attrgetter, attrgetter), (operator.methodcaller, methodcaller), (getattr, get_attribute)]


def wrappers(write: Writer) -> list[tuple[Any, Any]]:
    """functools.update_wrapper and wraps, which set attributes of any name to what an object says that it has."""

    def update_wrapper(
        wrapper: Any,
        wrapped: Any,
        assigned: Iterable[str] = functools.WRAPPER_ASSIGNMENTS,
        updated: Iterable[str] = functools.WRAPPER_UPDATES,
    ) -> Any:
        """functools.update_wrapper."""
        write(wrapper)
        for name in assigned:
            # Others describe what a wrapper is to modules, which make code of it: annotations, say.
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
        """functools.wraps."""
        return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)

    return [(functools.update_wrapper, update_wrapper), (functools.wraps, wraps)]


def marking() -> list[Any]:
    """Functions that change what they are given first."""
    found = [
        functools.total_ordering,
        abc.abstractmethod,
        abc.update_abstractmethods,
        types.coroutine,
        typing.final,
        typing.no_type_check,
        typing.runtime_checkable,
    ]
    return [*found, *present(typing, "override")]


def changing(function: Callable[..., Any], write: Writer) -> Callable[..., Any]:
    """A function that changes what it is given, if the program may change that."""

    def changed(value: Any, /) -> Any:
        return function(write(value))

    return changed


def dataclass_by(write: Writer) -> Callable[..., Any]:
    """dataclasses.dataclass, for the program's own classes, and with fields whose names are names."""

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        """dataclasses.dataclass."""

        def decorate(cls: Any) -> Any:
            if not issubclass(type(cls), type):
                raise TypeError(f"{cls!r} is no class, so it can't be made a dataclass")
            check_fields(write(cls))
            return dataclasses.dataclass(cls, **options)

        return decorate if cls is None else decorate(cls)

    return dataclass


def check_fields(cls: type) -> None:
    """Raises TypeError if a field's name is none: dataclasses puts them into code that it compiles."""
    found: list[Any] = list(vars(cls).get("__annotations__") or inspect.get_annotations(cls))
    for base in cls.__mro__:
        found += [field.name for field in vars(base).get("__dataclass_fields__", {}).values()]
    for name in found:
        if type(name) is not str or not name.isidentifier():
            raise TypeError(f"{name!r} is no name for a field")


def redirecting(real: Callable[[Any], contextlib.AbstractContextManager[Any]]) -> Callable[..., Any]:
    """contextlib.redirect_stdout or redirect_stderr."""

    @contextlib.contextmanager
    def redirect(new_target: Any) -> Iterator[Any]:
        with real(new_target):
            yield new_target

    return redirect


def guard_enums() -> None:
    """Has `Enum("Color", names)` take what a class statement would. Done once in a process that runs programs."""
    enums: Any = enum.EnumMeta
    create: Callable[..., Any] = enums._create_
    if getattr(create, "is_guarded", False):
        return

    def guarded(cls: Any, class_name: Any, names: Any, **options: Any) -> Any:
        if not isinstance(names, str):
            pairs = names.items() if isinstance(names, dict) else names
            names = [each if isinstance(each, str) else tuple(each) for each in pairs]
        else:
            names = names.replace(",", " ").split()
        for name in [each if isinstance(each, str) else each[0] for each in names]:
            if type(name) is not str or name.startswith("__"):
                raise ValueError(f"{name!r} is no name for a member")
        return create(cls, class_name, names, **options)

    guarded.is_guarded = True  # type: ignore[attr-defined]
    enums._create_ = guarded
