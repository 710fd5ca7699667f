"""What is a program's own: which of their private attributes it may read, and what it may change."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
import weakref
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from sandboxes.restricted.copying import Single
from sandboxes.restricted.modules import GuardedModule
from sandboxes.restricted.provided import GuardedType

# What is read from the types themselves, no class can have another way.
_module_of = type.__dict__["__module__"].__get__
_mro_of = type.__dict__["__mro__"].__get__
_fields_of = type.__dict__["__dict__"].__get__
_super_after: Any = super.__dict__["__thisclass__"]
_super_class: Any = super.__dict__["__self_class__"]

# Objects of these stand for others, or say by what name or code another is read.
SHARED = (
    ModuleType,
    GuardedModule,
    GuardedType,
    BuiltinFunctionType,
    types.GenericAlias,
    types.DynamicClassAttribute,
    dataclasses.Field,
    functools.cached_property,
    weakref.ProxyType,
    weakref.CallableProxyType,
    *(base for base in _mro_of(type(typing.List)) if base is not object),  # noqa: UP006
)


class Ownership(Single):
    """Tells what is a program's own."""

    def __init__(self) -> None:
        """Without a program yet."""
        # The program's globals, which tell its own classes and functions from others.
        self.namespace: dict[str, Any] = {}

    def is_own(self, cls: type) -> bool:
        """Whether a class was made by the program."""
        return bool(_module_of(cls) == self.namespace.get("__name__"))

    def holds(self, value: Any) -> bool:
        """Whether something is the program's own class or function, or an object of such a class."""
        kind = type(value)
        if kind is FunctionType:
            return value.__globals__ is self.namespace
        return self.is_own(value if issubclass(kind, type) else kind)

    def holds_behind(self, value: Any) -> bool:
        """The same for the object of a `super()`."""
        return self.is_own(_super_class.__get__(value))

    def may_change(self, value: Any) -> bool:
        """Whether a program may set attributes or items: of objects of any class, but not of what all share."""
        kind = type(value)
        if kind is FunctionType or issubclass(kind, type):
            return self.holds(value)
        return not issubclass(kind, SHARED)

    def read_private(self, value: Any, name: str) -> Any:
        """A private attribute that the program's own classes define, or that their objects hold.

        Of other objects' privacy nothing is known: a module's may be another module, a type hint's evaluates texts. So
        neither is what a class inherits from others, or has another object answer.

        Raises:
            AttributeError: if there is none.
        """
        kind = type(value)
        if issubclass(kind, super):
            mro = _mro_of(_super_class.__get__(value))
            defines = self._definer(mro[mro.index(_super_after.__get__(value)) + 1 :], name)
            read: Any = getattr
        elif not self.holds(value):
            raise refused(name)
        else:
            is_class = issubclass(kind, type)
            defines = self._definer(_mro_of(value if is_class else kind), name)
            read = type.__getattribute__ if is_class else object.__getattribute__
            if defines is None and not is_class:
                return self._held(value, name)
        if defines is None or not self.is_own(defines):
            raise refused(name)
        return read(value, name)

    def _held(self, value: Any, name: str) -> Any:
        try:
            return object.__getattribute__(value, name)
        except AttributeError:
            answers = self._definer(_mro_of(type(value)), "__getattr__")
            if answers is None or not self.is_own(answers):
                raise
        return _fields_of(answers)["__getattr__"](value, name)

    def _definer(self, mro: tuple[type, ...], name: str) -> type | None:
        return next((each for each in mro if name in _fields_of(each)), None)


def refused(name: str) -> AttributeError:
    """The error for a name that begins with an underscore."""
    return AttributeError(f'"{name}" is an invalid attribute name because it starts with "_"')
