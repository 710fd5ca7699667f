"""Encodes objects that cannot be copied as references, of which the other process builds proxies."""

from __future__ import annotations

import builtins
import sys
from collections import Counter, OrderedDict, defaultdict, deque

from ..common.containers import CONTAINER_NAMES
from ..common.value_encoder import ENCODERS
from ..common.values import NotTransferable
from .proxies import ADVICE
from .special_methods import OPERATORS, is_special

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn

    from ..common.value_encoder import Encoder
    from .shared_containers import SharedContainers

    Node = list[Any]

BaseExceptionGroup: Any = getattr(builtins, "BaseExceptionGroup", ())
# Exceptions that keep a name apart from their arguments. Before Python 3.10 only one did.
NAMING: list[Any] = [kind for kind in (AttributeError, ImportError, NameError) if hasattr(kind, "name")]
FUNCTION = type(is_special)
BUILTIN_FUNCTION, MODULE = type(len), type(sys)
BOUND_METHOD: type = type(Counter().elements)
GENERATOR = type(_ for _ in ())
# For each type of plain data, a function that copies a value exactly. Instances of subclasses cross by such a copy, and
# have a number besides. The copy is made through the type itself, because a subclass may do something else.
EXACT_COPIES: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    complex: lambda value: complex.__add__(value, 0j),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: lambda value: bytearray.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    list: lambda value: list.__getitem__(value, slice(None)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    OrderedDict: lambda value: OrderedDict(OrderedDict.items(value)),
    Counter: lambda value: Counter(dict(dict.items(value))),
    defaultdict: lambda value: defaultdict(value.default_factory, dict.items(value)),
    dict: lambda value: dict(dict.items(value)),
    deque: lambda value: deque(deque.__iter__(value), value.maxlen),
}
COROUTINE_FUNCTION = 0x80
# Keys of containers that have a number are above those of containers that are counted.
FIRST_NUMBERED_KEY = 1 << 40


def data_base(kind: type) -> type | None:
    """Return the type of plain data that a class derives from; None if there is none."""
    for base in kind.__mro__:
        if base in EXACT_COPIES:
            return base
    return None


def defined_operators(kind: type) -> list[str]:
    """Return the special methods that a class itself defines."""
    own = vars(kind)
    return [name for name in own if name in OPERATORS and own[name] is not None]


def subscripts(kind: Any) -> str:
    """Return the flag of a class that can be subscripted: "generic", or "subscript" if it says itself what it gives."""
    try:
        method = kind.__class_getitem__
    except Exception:
        return ""
    own = sys.modules.get(getattr(getattr(method, "__func__", method), "__module__", None) or "")
    return "generic" if own is None or own is sys.modules.get("typing") else "subscript"


class ForcedClass:
    """A class that is encoded as one of this process, even if the other process has a class of that name."""

    def __init__(self, kind: type) -> None:
        """Take the class."""
        self.kind = kind


class Exporter:
    """The part of a Connection that encodes the values that are not data."""

    # for the id of a value, the node that refers to it
    references: dict[int, Node]
    # for a number, the value of this process that the other knows by it
    exported: dict[int, Any]
    # ids of the values that got a number in the message that is being encoded
    newly_exported: list[int]
    forced_classes: dict[int, ForcedClass]
    shared: SharedContainers

    def known_node(self, value: Any) -> Node | None:
        """Return the node that refers to a value; None if the other process does not know the value."""
        return self.references.get(id(value))

    def export(self, value: Any) -> int:
        """Give a value a number, by which the other process can refer to it."""
        number = len(self.exported) + 1
        self.exported[number] = value
        self.references[id(value)] = ["sender", number]
        self.newly_exported.append(id(value))
        return number

    def encode(self, encoder: Encoder, value: Any) -> Node:
        """Return the node for a value that is not data."""
        kind = type(value)
        if kind is ForcedClass:
            return self.encode_class(encoder, value.kind)
        self.check_may_leave(value, kind)
        if issubclass(kind, BaseException):
            return self.encode_exception(encoder, value, kind)
        if issubclass(kind, type):
            return self.encode_class(encoder, value)
        base = data_base(kind)
        if base is not None:
            return self.encode_subclass(encoder, value, kind, base)
        if kind is FUNCTION or kind is BOUND_METHOD:
            return self.encode_function(encoder, value)
        if kind is MODULE:
            return ["module", value.__name__]
        if kind.__name__ in ("generator", "coroutine", "async_generator") and kind.__module__ == "builtins":
            return [kind.__name__, self.export(value), value.__name__]
        return ["object", self.export(value), self.refer_to_class(encoder, kind)]

    def refer_to_class(self, encoder: Encoder, kind: type) -> list[int]:
        """Return the child for an object's class, described even if the other process has a class of that name."""
        if id(kind) in self.references:
            return encoder.refer(kind)
        return encoder.refer(self.forced_classes.setdefault(id(kind), ForcedClass(kind)))

    def refuse(self, reason: str) -> NoReturn:
        """Refuse an operation that is possible only in one process.

        Raises:
            NotTransferable: always.
        """
        raise NotTransferable(reason + ADVICE)

    def check_may_leave(self, value: Any, kind: type) -> None:
        """Raise NotTransferable if this process keeps such values to itself."""

    def encode_function(self, encoder: Encoder, function: Any) -> Node:
        """Return the node for a function. Each of the two ends has its own form."""
        raise NotImplementedError

    def encode_subclass(self, encoder: Encoder, value: Any, kind: type, base: type) -> Node:
        """Return the node for an instance of a subclass of plain data: the data, a number, and the class."""
        node = ENCODERS[base](encoder, EXACT_COPIES[base](value))
        number = self.export(value)
        if node[0] in CONTAINER_NAMES:
            self.shared.add(value, FIRST_NUMBERED_KEY + number, base)
        return ["value", number, encoder.refer(kind), *node]

    def encode_exception(self, encoder: Encoder, error: Any, kind: type) -> Node:
        """Return the node for an exception: its class, arguments, attributes, and cause."""
        attributes = dict(vars(error)) or None
        for naming in NAMING:
            if issubclass(kind, naming) and (name := naming.name.__get__(error)) is not None:
                attributes = {**(attributes or {}), "name": name}
        cause = error.__cause__
        number = self.export(error)
        arguments: Any = BaseException.args.__get__(error)  # type: ignore[attr-defined]
        if issubclass(kind, OSError) and len(arguments) == 2 and error.filename is not None:
            arguments = (*arguments, error.filename)
        if issubclass(kind, BaseExceptionGroup):
            # In a tuple they are there before the group is made of them, which a list is filled after.
            arguments = (*arguments[:1], BaseExceptionGroup.exceptions.__get__(error))
        arguments = encoder.refer(arguments)
        return ["exception", number, encoder.refer(kind), arguments, encoder.child(attributes), encoder.child(cause)]

    def encode_class(self, encoder: Encoder, kind: type) -> Node:
        """Return the node for a class: its names, its docstring, and the names of its methods."""
        own = vars(kind)
        methods = [name for name in own if type(own[name]) is FUNCTION and not is_special(name)]
        flags = "unhashable " if own.get("__hash__", 1) is None else ""
        flags += "dataclass " if "__dataclass_fields__" in own else ""
        flags += subscripts(kind)
        metaclass: Any = type(kind)
        metaclasses = [base for base in metaclass.__mro__ if base is not type and base is not object]
        meta = [name for base in metaclasses for name in vars(base)]
        return [
            "class",
            self.export(kind),
            kind.__name__,
            kind.__module__ if type(kind.__module__) is str else "",
            kind.__qualname__,
            kind.__doc__ if type(kind.__doc__) is str else None,
            " ".join(defined_operators(kind)),
            " ".join(methods),
            " ".join(name for name in meta if name in OPERATORS),
            flags,
            *[encoder.refer(base) for base in kind.__bases__ if base is not object],
        ]
