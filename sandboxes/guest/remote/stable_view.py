"""Keeps what was read of an object of the other process, so that a second reading sees the same."""

from __future__ import annotations

import operator

from .exporter import data_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, Sequence

    from .proxy_connection import ProxyConnection

# So many items of a slice are compared, if it is an object that has no length.
MAX_SLICE_ITEMS = 1000
# These make a number of an object, and differ by one at most.
ROUNDING = ("__int__", "__index__", "__float__", "__trunc__", "__floor__", "__ceil__", "__round__")
MAX_EXACT = 1 << 53
COLLECTIONS = (list, tuple, dict, set, frozenset)


class StableView:
    """An object of the other process as it was read once. A second reading sees the same, until there is a request.

    Otherwise the object could have no items while they are compared, and the right number while they are counted. Its
    items could be the right ones in a loop, and in order by their indices.
    """

    def __init__(self, connection: ProxyConnection, value: Any) -> None:
        """Begin with nothing read.

        Args:
            connection: to the other process.
            value: the proxy of the object.
        """
        self.connection, self.value = connection, value
        self.seen: list[Any] = []
        self.ended = False
        self.iterator: Iterator[Any] | None = None
        self.claimed: Any = None
        # the lowest index at which it had no item
        self.missing: int | None = None
        # what special methods said, by name and arguments
        self.said: dict[tuple[Any, ...], Any] = {}
        # items by their keys, and those that are not the ones at these places in a loop
        self.by_key: dict[Any, Any] = {}
        self.as_mapping: list[int] = []

    def kept(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Return what a special method says."""
        key = (name, *map(repr, arguments))
        if key not in self.said:
            self.said[key] = self.connection.request_method(self.value, name, arguments, {})
            self.check_numbers()
        return self.said[key]

    def check_numbers(self) -> None:
        """Refuse an object that is different numbers when it is rounded in different ways."""
        numbers = [self.said[name,] for name in ROUNDING if (name,) in self.said]
        numbers = [number for number in numbers if type(number) in (int, float) and abs(number) < MAX_EXACT]
        if numbers and max(numbers) - min(numbers) > 1:
            self.connection.refuse("it is %r and %r; " % (min(numbers), max(numbers)))

    def length(self) -> Any:
        """Return its length."""
        if self.claimed is None:
            self.claimed = self.connection.request_method(self.value, "__len__", (), {})
            self.check()
        return self.claimed

    def items(self) -> Iterator[Any]:
        """Yield its items."""
        k = 0
        while True:
            if k == len(self.seen):
                if self.ended or not self.advance():
                    return
            yield self.seen[k]
            k += 1

    def advance(self) -> bool:
        """Request one more item. Return whether there was one."""
        if self.iterator is None:
            self.iterator = iter(self.connection.request_method(self.value, "__iter__", (), {}))
        try:
            self.seen.append(next(self.iterator))
        except StopIteration:
            self.ended = True
            if hasattr(type(self.value), "__len__"):
                self.length()
            self.check()
            return False
        self.compare(len(self.seen) - 1)
        return True

    def end_at(self, index: int) -> None:
        """Note that it has no item at an index."""
        self.missing = index if self.missing is None else min(index, self.missing)
        self.check()

    def note_item(self, key: Any, value: Any) -> None:
        """Note what it has under a key, an index or a slice."""
        kind = type(key)
        if kind is slice:
            self.note_slice(key, value)
            return
        if hasattr(kind, "__index__") and not hasattr(kind, "_proxy_connection"):
            key = operator.index(key)
        elif kind is not str:
            return
        if key in self.by_key and differ(self.by_key[key], value):
            self.refuse(key)
        self.by_key[key] = value
        if type(key) is int and 0 <= key < len(self.seen):
            self.compare(key)
        elif type(key) is int and key < 0 <= key + self.known_length() and not self.has_keys():
            self.note_item(key + self.known_length(), value)

    def note_slice(self, key: slice, value: Any) -> None:
        """Note the items of a slice as items of their own."""
        parts = (key.start, key.stop, key.step)
        if not hasattr(type(value), "__iter__") or not all(part is None or isinstance(part, int) for part in parts):
            return
        begin, step = key.start or 0, key.step or 1
        if length := self.known_length():
            indices: Sequence[int] = range(*key.indices(length))
        elif begin >= 0 and step > 0:
            indices = range(begin, begin + MAX_SLICE_ITEMS * step, step)
        else:
            return
        for index, item in zip(indices, value):
            self.note_item(index, item)

    def known_length(self) -> int:
        """Return its length; 0 if it is not known."""
        if hasattr(type(self.value), "__len__"):
            length = self.length()
            return length if type(length) is int else 0
        return len(self.seen) if self.ended else 0

    def compare(self, index: int) -> None:
        """Refuse an object whose item by an index is not the one that it has in a loop.

        Only a mapping from numbers may be such an object: it has `keys`, or collections as values. Its items in a loop
        are its keys.
        """
        if index not in self.by_key:
            return
        item, value = self.seen[index], self.by_key[index]
        if differ(item, value):
            may_be_key = isinstance(value, COLLECTIONS) and not isinstance(item, COLLECTIONS)
            if not may_be_key and not self.has_keys():
                self.refuse(index)
            self.as_mapping.append(index)
            self.check()

    def has_keys(self) -> bool:
        """Return whether it is a mapping by its own words."""
        return hasattr(type(self.value), "keys")

    def check(self) -> None:
        """Refuse an object whose length is not the number of its items, or that is neither sequence nor mapping."""
        if self.ended and not all(index in self.seen for index in self.as_mapping):
            self.refuse(self.as_mapping[0])
        if self.claimed is None:
            return
        if self.ended and self.claimed != len(self.seen):
            self.connection.refuse("its length, %r, is not its number of items, %d; " % (self.claimed, len(self.seen)))
        if self.missing is not None and self.claimed > self.missing:
            self.connection.refuse("its length is %r, but it has no item %d; " % (self.claimed, self.missing))

    def find(self, name: str, arguments: Sequence[Any], result: float) -> None:
        """Refuse an object whose method says that items are elsewhere than they are.

        Args:
            name: one of SEARCHING.
            arguments: of the method.
            result: what it said.
        """
        items: Any = list(self.items())
        wanted, *bounds = arguments
        if isinstance(wanted, (str, bytes)) and all(type(part) is str for part in items):
            items = "".join(items)
        try:
            if name.startswith("r") and not isinstance(items, str):
                right: Any = len(items) - 1 - items[::-1].index(wanted)
            else:
                right = getattr(items, name if hasattr(items, name) else "index")(wanted, *bounds)
        except ValueError:
            right = -1
        if result != right:
            self.connection.refuse("%s() says %r, where it is %r; " % (name, result, right))

    def refuse(self, key: Any) -> None:
        """Refuse the object, because it has several items under one key."""
        self.connection.refuse("its item %r is not always the same; " % (key,))


def differ(first: Any, second: Any) -> bool:
    """Return whether two values that were read at one place differ. Two objects may be made anew each time."""
    if first is second:
        return False
    data = [data_base(type(value)) is not None or not hasattr(value, "_proxy_connection") for value in (first, second)]
    if not all(data):
        return any(data)
    try:
        # A number that is none is not equal to itself.
        return not first == second and (first == first or second == second)
    except Exception:
        # Such as arrays, whose equality is an array.
        return repr(first) != repr(second)
