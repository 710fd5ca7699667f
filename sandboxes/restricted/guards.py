"""The functions that restricted code calls in the place of reading, writing, iterating and printing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import MethodType, ModuleType
from typing import Any

from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter
from RestrictedPython.Guards import (
    guarded_iter_unpack_sequence,
    guarded_unpack_sequence,
    raise_,
    safer_getattr,
)
from RestrictedPython.transformer import INSPECT_ATTRIBUTES

from sandboxes.restricted import names
from sandboxes.restricted.copying import Single
from sandboxes.restricted.formatting import SafeFormatter
from sandboxes.restricted.modules import GuardedModule, Modules
from sandboxes.restricted.ownership import Ownership, refused
from sandboxes.restricted.printing import Printer
from sandboxes.restricted.provided import GuardedType, real_type

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "|=": operator.ior,
    "^=": operator.ixor,
    "&=": operator.iand,
    "//=": operator.ifloordiv,
    "@=": operator.imatmul,
}
FORMATS = ("format", "format_map")
IDLE = (
    "_apply_",
    "_getitem_",
    "_getiter_",
    "_inplacevar_",
    "_iter_unpack_sequence_",
    "_unpack_sequence_",
    "_write_",
)
# RestrictedPython's `safer_getattr` looks at each name among these, and at any that begins with an underscore.
WATCHED_NAMES = INSPECT_ATTRIBUTES | {*FORMATS, "get_field", "get_value", "vformat", "obj", "evaluate"}
# Objects of these very classes are data: of what they have, there is nothing but `str.format` to keep from a program.
PLAIN_KINDS = frozenset((int, float, str, bool, list, dict, tuple, set, bytes, type(None)))


def inplace(operation: str, value: Any, other: Any) -> Any:
    """`_inplacevar_`: what `value += other` gives, for any of the operations.

    Raises:
        ValueError: if there is no such operation.
    """
    if operation not in IN_PLACE:
        raise ValueError(f"there is no operation {operation!r}")
    return IN_PLACE[operation](value, other)


def apply(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`_apply_`: a call with starred arguments."""
    return function(*args, **kwargs)


class Guards(Single):
    """The guards for one program."""

    modules: Modules
    """What a program may have of modules."""

    def __init__(self, allow_str_format: bool, private_names: bool):
        """Takes what the sandbox's user allows."""
        self.own = Ownership()
        # Those of the sandbox's user, if there are: what we provide reads and writes by way of these.
        self.read: Callable[..., Any] = self.get_attribute
        self.change: Callable[[Any], Any] = self.write
        self.item: Callable[[Any, Any], Any] = default_guarded_getitem
        self._formatter = (
            SafeFormatter(lambda *of: self.read(*of), lambda *of: self.item(*of)) if allow_str_format else None
        )
        self._private_names = private_names
        self.reads_items_directly = True

    def names(self) -> dict[str, Any]:
        """Guards by the names that restricted code knows them by, where its user gives no others."""
        return {
            "__metaclass__": type,
            "_apply_": apply,
            "_getattr_": self.reader(),
            "_getitem_": default_guarded_getitem,
            "_getiter_": default_guarded_getiter,
            "_own_": self.write_private,
            "_inplacevar_": inplace,
            "_iter_unpack_sequence_": guarded_iter_unpack_sequence,
            "_print_": Printer,
            "_unpack_sequence_": guarded_unpack_sequence,
            "_write_": self.write,
            "getattr": self.get_attribute,
        }

    def idle(self) -> dict[str, Any]:
        """Those of the guards that hand on what they get, or do what Python does: code may do without them.

        `_write_` hands on too, or refuses: code that reads and writes what it has handed on is as good.
        """
        ours = self.names()
        return {name: ours[name] for name in IDLE}

    def reader(self) -> Callable[[Any, str], Any]:
        """`_getattr_`: `get_attribute` for the names in a program's text, most of which need to be looked at once."""
        harmless: set[str] = set()
        watched = self.modules.watched

        def read(value: Any, name: str) -> Any:
            if name in harmless:
                if type(value) in PLAIN_KINDS or type(value) is GuardedModule:
                    # A view hands out nothing but what a program may have.
                    return getattr(value, name)
                if type(value) is not ModuleType:
                    found = getattr(value.real if type(value) is GuardedType else value, name)
                    kind = type(found)
                    if kind in PLAIN_KINDS or (kind is MethodType and id(found.__func__) not in watched):
                        return found
                    return self.modules.admitted(found, name)
            elif type(name) is str and name[:1] != "_" and name not in WATCHED_NAMES:
                harmless.add(name)
            return self.get_attribute(value, name)

        return read

    def get_attribute(self, value: Any, name: str, *default: Any) -> Any:
        """`getattr`: reads an attribute.

        Raises:
            AttributeError: if there is none and no default, or a program may not read it.
            NotImplementedError: for methods that read what no guard sees.
            TypeError: if the name is not a str.
        """
        if len(default) > 1:
            raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
        if type(name) is str:
            if name[:1] == "_":
                return self._hidden(value, name, *default)
            if type(value) is ModuleType:
                # From some function's result.
                value = self.modules.view(value, value.__name__)
            if name == "obj" and isinstance(value, AttributeError):
                # What had no such attribute may be what no guard has seen (CVE-2024-47532).
                raise AttributeError('"obj" of an AttributeError can\'t be had here')
            if name in FORMATS and self._formatter is not None and is_text(value):
                return self._formatter.bound(value, name)
        found = safer_getattr(  # type: ignore[no-untyped-call]
            real_type(value), name, *(default or (raise_,))
        )
        return self.modules.admitted(found, name)

    def _hidden(self, value: Any, name: str, *default: Any) -> Any:
        """An attribute whose name begins with an underscore, if a program may read that of this object."""
        kind = type(value)
        if kind is GuardedModule:
            raise refused(name)
        if kind is GuardedType and name == "__call__":
            return value.make
        if name == "__init__" and kind is not super and not self.own.holds(value):
            return self._initializer(value)
        if name in names.CALLABLE_METHODS or (
            kind is super and name in names.SUPER_METHODS and self.own.holds_behind(value)
        ):
            return getattr(real_type(value), name, *default)
        if issubclass(value if issubclass(kind, type) else kind, tuple) and name in names.NAMED_TUPLE_METHODS:
            return getattr(value, name, *default)
        if name in names.ITEM_METHODS:
            return self._item_method(real_type(value), name, *default)
        if not names.is_private(name):
            raise refused(name)
        try:
            return self.modules.admitted(self.own.read_private(value, name), name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def _initializer(self, value: Any) -> Callable[..., None]:
        """`__init__` of a class that is not the program's own, for objects that are."""
        found = getattr(real_type(value), "__init__")  # noqa: B009

        def initialize(new: Any, /, *args: Any, **kwargs: Any) -> None:
            if not self.own.holds(new):
                raise TypeError(f"{new!r} is not the program's own, so it can't be made anew")
            found(new, *args, **kwargs)

        return initialize

    def _item_method(self, value: Any, name: str, *default: Any) -> Any:
        """A method that reads, writes or makes without a guard, as far as the guards let programs do that anyway.

        Raises:
            AttributeError: if there is none, or if reading goes by way of guards of the user's.
            TypeError: for `__new__` of another class than the program's own, and for writing as `write` does.
        """
        if not self.reads_items_directly:
            raise AttributeError(f'"{name}" is an invalid attribute name because it starts with "_"')
        found = getattr(value, name, *default)
        if name == "__new__":
            return lambda cls, *args, **kwargs: self._make(found, cls, *args, **kwargs)
        if name not in names.WRITING_METHODS:
            return found
        if isinstance(value, type):
            return lambda written, *args: found(self.write(written), *args)
        self.write(value)
        return found

    def _make(self, new: Callable[..., Any], cls: Any, *args: Any, **kwargs: Any) -> Any:
        # As by super().__new__(), which only a class of the program's own can reach.
        if not isinstance(cls, type) or issubclass(cls, type) or not self.own.is_own(cls):
            raise TypeError("__new__ makes instances of the program's own classes alone here")
        return new(cls, *args, **kwargs)

    def has_attribute(self, value: Any, name: str) -> bool:
        """`hasattr`: whether there is an attribute that a program can read, or a method of Python's own."""
        if type(name) is str and name in names.ASKED_FOR:
            # A program learns that there is one, as it does from isinstance(value, Iterable), and can't read it.
            return hasattr(real_type(value), name)
        try:
            self.read(value, name)
        except (AttributeError, NotImplementedError):
            return False
        return True

    def write(self, value: Any) -> Any:
        """`_write_`: an object whose attributes or items are about to be set or deleted.

        Objects of any class can be changed, but not what all share: modules, and classes and functions of others.

        Raises:
            TypeError: if a program may not change it.
        """
        kind = type(value)
        if kind is not dict and kind is not list and not self.own.may_change(value):
            raise TypeError(f"{value!r} is not the program's own, so it can't be changed")
        return value

    def write_by_both(self, value: Any) -> Any:
        """The same for a library's function, which gets the object itself even if the user's guard hands on another."""
        self.change(value)
        return self.write(value)

    def write_private(self, value: Any) -> Any:
        """`_own_`: an object of which a private attribute is about to be set or deleted.

        Raises:
            AttributeError: if it is not the program's own.
        """
        if not self.own.holds(value):
            raise AttributeError(f"{value!r} is not the program's own, so no name in it may begin with an underscore")
        return value

    def set_attribute(self, value: Any, name: str, new: Any) -> None:
        """`setattr`. Raises TypeError or AttributeError for what a program may not set."""
        setattr(self._changing(value, name), name, new)

    def delete_attribute(self, value: Any, name: str) -> None:
        """`delattr`. Raises TypeError or AttributeError for what a program may not delete."""
        delattr(self._changing(value, name), name)

    def _changing(self, value: Any, name: str) -> Any:
        if type(name) is not str:
            raise TypeError("type(name) must be str")
        if names.is_refused_attribute(name) or (name[:1] == "_" and not self._private_names):
            raise refused(name)
        return self.change(self.write_private(value) if name[:1] == "_" else value)


def is_text(value: Any) -> bool:
    """Whether something is a str, or a class of those."""
    return issubclass(value if isinstance(value, type) else type(value), str)
