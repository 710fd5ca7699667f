"""Describes a process's own objects that are not data to the other process, which makes stand-ins of them."""

import sys
from collections import Counter, OrderedDict, defaultdict, deque

from .crossing import PACKERS, CannotCross
from .operators import OPERATORS, is_special
from .stand_ins import ADVICE

FUNCTION = type(is_special)
BUILTIN_FUNCTION, MODULE = type(len), type(sys)
BOUND_METHOD = type(Counter().elements)
GENERATOR = type(_ for _ in ())
# The values of subclasses of these cross as what they are, and have a number besides. An exact copy of each is made
# through the type itself, since a subclass may do something else.
EXACT = {
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
# Keys of containers that have a number are apart from those that are counted.
FIRST_NUMBERED_KEY = 1 << 40


def data_base(kind):
    """The type of plain data that a class derives from; None if there is none."""
    for base in kind.__mro__:
        if base in EXACT:
            return base
    return None


def defined_operators(kind):
    """The special methods that a class itself defines."""
    own = vars(kind)
    return [name for name in own if name in OPERATORS and own[name] is not None]


class Described:
    """A class that is to be packed as one of this process, whatever it is."""

    def __init__(self, kind):
        self.kind = kind


class Names:
    """The part of a Link that packs what is not data."""

    def known(self, value):
        """The node for a value that has a name already; None if it has none."""
        return self.names.get(id(value))

    def export(self, value):
        """Gives a value a number, by which the other process can name it."""
        number = len(self.exported) + 1
        self.exported[number] = value
        self.names[id(value)] = ["mine", number]
        self.just_named.append(id(value))
        return number

    def pack(self, packer, value):
        """The node for a value that is not data."""
        kind = type(value)
        if kind is Described:
            return self.pack_class(packer, value.kind)
        self.check_may_leave(value, kind)
        if issubclass(kind, BaseException):
            return self.pack_exception(packer, value, kind)
        if issubclass(kind, type):
            return self.pack_class(packer, value)
        base = data_base(kind)
        if base is not None:
            return self.pack_value(packer, value, kind, base)
        if kind is FUNCTION or kind is BOUND_METHOD:
            return self.pack_function(packer, value)
        if kind is MODULE:
            return ["module", value.__name__]
        if kind.__name__ in ("generator", "coroutine", "async_generator") and kind.__module__ == "builtins":
            return [kind.__name__, self.export(value), value.__name__]
        return ["object", self.export(value), self.refer_to_class(packer, kind)]

    def refer_to_class(self, packer, kind):
        """The child for an object's class, described even if the other process has a class of that name."""
        if id(kind) in self.names:
            return packer.refer(kind)
        return packer.refer(self.described.setdefault(id(kind), Described(kind)))

    def cannot(self, reason):
        """Refuses what takes both in one process.

        Raises:
            CannotCross: always.
        """
        raise CannotCross(reason + ADVICE)

    def check_may_leave(self, value, kind):
        """Raises CannotCross if this process keeps such values to itself."""

    def pack_value(self, packer, value, kind, base):
        node = PACKERS[base](packer, EXACT[base](value))
        number = self.export(value)
        if node[0] in ("list", "dict", "set", "deque", "bytearray", "OrderedDict", "Counter", "defaultdict"):
            self.copies.add(value, FIRST_NUMBERED_KEY + number, base)
        return ["value", number, packer.refer(kind), *node]

    def pack_exception(self, packer, error, kind):
        attributes = dict(vars(error)) or None
        cause = error.__cause__
        number = self.export(error)
        arguments = BaseException.args.__get__(error)
        if issubclass(kind, OSError) and len(arguments) == 2 and error.filename is not None:
            arguments = (*arguments, error.filename)
        arguments = packer.refer(arguments)
        return ["exception", number, packer.refer(kind), arguments, packer.child(attributes), packer.child(cause)]

    def pack_class(self, packer, kind):
        own = vars(kind)
        methods = [name for name in own if type(own[name]) is FUNCTION and not is_special(name)]
        flags = "unhashable " if own.get("__hash__", 1) is None else ""
        flags += "dataclass" if "__dataclass_fields__" in own else ""
        meta = [name for each in type(kind).__mro__ if each is not type and each is not object for name in vars(each)]
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
            *[packer.refer(base) for base in kind.__bases__ if base is not object],
        ]
