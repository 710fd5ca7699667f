"""The guards: functions that restricted code calls in place of reading, writing, iterating and printing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import BuiltinFunctionType, MethodDescriptorType, MethodType, ModuleType
from typing import Any

from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter
from RestrictedPython.Guards import (
    guarded_iter_unpack_sequence,
    guarded_unpack_sequence,
    raise_,
    safer_getattr,
)
from RestrictedPython.transformer import INSPECT_ATTRIBUTES

from sandboxes.restricted_policy import name_rules as names
from sandboxes.restricted_policy.runtime.builtins_provided import GuardedType, inspectable_types, make_of, real_type
from sandboxes.restricted_policy.runtime.copy_guard import NotCopyable
from sandboxes.restricted_policy.runtime.formatting import SafeFormatter
from sandboxes.restricted_policy.runtime.modules import GuardedModule, Modules
from sandboxes.restricted_policy.runtime.ownership import Ownership, refused
from sandboxes.restricted_policy.runtime.printing import Printer

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
# Names that RestrictedPython's `safer_getattr` checks, in addition to all that begin with an underscore.
WATCHED_NAMES = INSPECT_ATTRIBUTES | {*FORMATS, "get_field", "get_value", "vformat", "obj", "evaluate", "mro"}
# Objects of exactly these classes are data. Their only attributes that a program must not have are `str.format`'s.
PLAIN_KINDS = frozenset((int, float, str, bool, list, dict, tuple, set, bytes, type(None)))


def inplace(operation: str, value: Any, other: Any) -> Any:
    """Return what `value += other` gives, for any of the operations: the guard `_inplacevar_`.

    Raises:
        ValueError: if there is no such operation.
    """
    if operation not in IN_PLACE:
        raise ValueError(f"there is no operation {operation!r}")
    return IN_PLACE[operation](value, other)


def apply(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function with starred arguments: the guard `_apply_`."""
    return function(*args, **kwargs)


class Guards(NotCopyable):
    """The guards of one program."""

    modules: Modules
    """The modules that the program may have."""

    def __init__(self, allow_str_format: bool, private_names: bool):
        """Take the options of the sandbox's user."""
        self.own = Ownership()
        # The functions that we provide read and write through these, which may be replaced by the user's guards.
        self.read: Callable[..., Any] = self.get_attribute
        self.change: Callable[[Any], Any] = self.write
        self.item: Callable[[Any, Any], Any] = default_guarded_getitem
        self._formatter = (
            SafeFormatter(lambda *args: self.read(*args), lambda *args: self.item(*args)) if allow_str_format else None
        )
        self._private_names = private_names
        self.reads_items_directly = True

    def names(self) -> dict[str, Any]:
        """Return the guards by the names that restricted code calls. The user may override each of them."""
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
        """Return the guards that return their argument, or do what Python does. Code may leave their calls out.

        `_write_` is among them for augmented assignment only, where the write itself still calls it.
        """
        ours = self.names()
        return {name: ours[name] for name in IDLE}

    def reader(self) -> Callable[[Any, str], Any]:
        """Return the guard `_getattr_`: a faster `get_attribute`, which checks most names only at their first use."""
        harmless: set[str] = set()
        watched = self.modules.watched

        def read(value: Any, name: str) -> Any:
            if name in harmless:
                if type(value) in PLAIN_KINDS or type(value) is GuardedModule:
                    # A view returns only what a program may have.
                    return getattr(value, name)
                if type(value) is not ModuleType:
                    attribute = getattr(real_type(value) if type(value) is GuardedType else value, name)
                    kind = type(attribute)
                    if kind in PLAIN_KINDS or (kind is MethodType and id(attribute.__func__) not in watched):
                        return attribute
                    return self.modules.admitted(attribute, name)
            elif type(name) is str and name[:1] != "_" and name not in WATCHED_NAMES:
                harmless.add(name)
            return self.get_attribute(value, name)

        return read

    def get_attribute(self, value: Any, name: str, *default: Any) -> Any:
        """Read an attribute: the builtin `getattr`.

        Raises:
            AttributeError: if it does not exist and there is no default, or if a program may not read it.
            NotImplementedError: for methods that read attributes without a guard.
            TypeError: if the name is not a str.
        """
        if len(default) > 1:
            raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
        if type(name) is str:
            if name[:1] == "_":
                return self._hidden(value, name, *default)
            if type(value) is ModuleType:
                # A function's result may hold a module without its view.
                value = self.modules.view(value, value.__name__)
            if name == "obj" and isinstance(value, AttributeError):
                # The object without this attribute may be one that no guard has seen (CVE-2024-47532).
                raise AttributeError('"obj" of an AttributeError can\'t be had here')
            if name in FORMATS and self._formatter is not None and is_text(value):
                return self._formatter.bound(value, name)
        attribute = safer_getattr(  # type: ignore[no-untyped-call]
            real_type(value), name, *(default or (raise_,))
        )
        if name == "mro" and type(attribute) is BuiltinFunctionType:
            return lambda: guarded_mro(value)
        if name == "mro" and type(attribute) is MethodDescriptorType:
            return guarded_mro
        return self.modules.admitted(attribute, name)

    def _hidden(self, value: Any, name: str, *default: Any) -> Any:
        """Return an attribute whose name begins with an underscore, if a program may read it from this object."""
        kind = type(value)
        if kind is GuardedModule:
            raise refused(name)
        if kind is GuardedType and name == "__call__":
            return make_of(value)
        if name == "__init__" and kind is not super and not self.own.owns(value):
            return self._initializer(value)
        if name in names.CALLABLE_METHODS or (
            kind is super and name in names.SUPER_METHODS and self.own.owns_super_object(value)
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
        """Return `__init__` of a class that is not the program's own, which then accepts only the program's objects."""
        real_init = getattr(real_type(value), "__init__")  # noqa: B009

        def initialize(new: Any, /, *args: Any, **kwargs: Any) -> None:
            if not self.own.owns(new):
                raise TypeError(f"{new!r} is not the program's own, so it can't be initialized again")
            real_init(new, *args, **kwargs)

        return initialize

    def _item_method(self, value: Any, name: str, *default: Any) -> Any:
        """Return a method that works without a guard, if the guards allow a program the same.

        Raises:
            AttributeError: if it does not exist, or if the user has guards for items.
            TypeError: when `__new__` gets a class that is not the program's own, and as `write` does for writing.
        """
        if not self.reads_items_directly:
            raise AttributeError(f'"{name}" is an invalid attribute name because it starts with "_"')
        method = getattr(value, name, *default)
        if name == "__new__":
            return lambda cls, *args, **kwargs: self._make(method, cls, *args, **kwargs)
        if name not in names.WRITING_METHODS:
            return method
        if isinstance(value, type):
            return lambda written, *args: method(self.write(written), *args)
        self.write(value)
        return method

    def _make(self, new: Callable[..., Any], cls: Any, *args: Any, **kwargs: Any) -> Any:
        # The same rule as for super().__new__(), which only a class of the program's own can call.
        if not isinstance(cls, type) or issubclass(cls, type) or not self.own.is_own(cls):
            raise TypeError("__new__ makes instances of the program's own classes alone here")
        return new(cls, *args, **kwargs)

    def has_attribute(self, value: Any, name: str) -> bool:
        """Return whether an object has an attribute that a program can read, or a special method: `hasattr`."""
        if type(name) is str and name in names.TESTABLE_NAMES:
            # The program learns that the method exists, as from isinstance(value, Iterable), but can't read it.
            return hasattr(real_type(value), name)
        try:
            self.read(value, name)
        except (AttributeError, NotImplementedError):
            return False
        return True

    def write(self, value: Any) -> Any:
        """Return an object whose attributes or items are about to be set or deleted: the guard `_write_`.

        Objects of any class can be changed, but not shared objects: modules, and others' classes and functions.

        Raises:
            TypeError: if a program may not change the object.
        """
        kind = type(value)
        if kind is not dict and kind is not list and not self.own.may_change(value):
            raise TypeError(f"{value!r} is not the program's own, so it can't be changed")
        return value

    def write_by_both(self, value: Any) -> Any:
        """Check an object with the user's guard and ours, for a library's function that changes the object itself."""
        self.change(value)
        return self.write(value)

    def write_private(self, value: Any) -> Any:
        """Return an object whose private attribute is about to be set or deleted: the guard `_own_`.

        Raises:
            AttributeError: if the object is not the program's own.
        """
        if not self.own.owns(value):
            raise AttributeError(f"{value!r} is not the program's own, so no name in it may begin with an underscore")
        return value

    def set_attribute(self, value: Any, name: str, new: Any) -> None:
        """Set an attribute: the builtin `setattr`. Raise TypeError or AttributeError if a program may not set it."""
        setattr(self._changing(value, name), name, new)

    def delete_attribute(self, value: Any, name: str) -> None:
        """Delete an attribute: the builtin `delattr`. Raise TypeError or AttributeError if a program may not."""
        delattr(self._changing(value, name), name)

    def _changing(self, value: Any, name: str) -> Any:
        if type(name) is not str:
            raise TypeError("type(name) must be str")
        if names.is_refused_attribute(name) or (name[:1] == "_" and not self._private_names):
            raise refused(name)
        return self.change(self.write_private(value) if name[:1] == "_" else value)


def guarded_mro(cls: Any) -> list[Any]:
    """Return the classes that a class is looked up in, without the real ones of those that programs may not call."""
    known = inspectable_types()
    return [known.get(each, each) for each in type.mro(real_type(cls))]


def is_text(value: Any) -> bool:
    """Return whether a value is a str, or a class of strings."""
    return issubclass(value if isinstance(value, type) else type(value), str)
