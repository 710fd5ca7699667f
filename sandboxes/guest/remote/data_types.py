"""Lists the types of plain data from which classes of the candidate may derive."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# For each type, a function that copies a value exactly. The copy is made through the type itself, because a subclass
# may do something else.
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
# Values of these types never change, so that instances of their subclasses cross by value.
UNCHANGING = (int, float, complex, str, bytes, tuple, frozenset)


def data_base(kind: type) -> type | None:
    """Return the type of plain data that a class derives from; None if there is none."""
    for base in kind.__mro__:
        if base in EXACT_COPIES:
            return base
    return None
