"""Keeps what tests have read of the candidate's objects, and refuses those whose readings contradict each other.

Tests of a property have no expected value: an object could be in order by its indices, and have the right items in a
loop.
"""

from __future__ import annotations

import operator

from .handles import is_handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator

# These make a number of an object, and differ by one at most.
ROUNDING = ("__int__", "__index__", "__float__", "__trunc__", "__floor__", "__ceil__", "__round__")
MAX_EXACT = 1 << 53
# So many items of a slice are compared, if it is one of an object that has no length.
MAX_SLICE_ITEMS = 1000


class Reading:
    """An object as it was read. A second reading sees the same, until something may have changed the object."""

    def __init__(self, value: Any, refuse: Callable[[str], Any]) -> None:
        """Begin with nothing read.

        Args:
            value: the handle of the object.
            refuse: called with a reason; raises.
        """
        self.value, self.refuse = value, refuse
        # what special methods said, by their names and arguments
        self.answers: dict[tuple[str, ...], Any] = {}
        self.items: list[Any] = []
        self.iterator: Iterator[Any] | None = None
        self.ended = False
        self.by_index: dict[int, Any] = {}
        # the lowest index at which it had no item
        self.missing: int | None = None

    def length(self) -> Any:
        """Return what it says that its length is; None if it was not asked."""
        return self.answers.get(("__len__",))

    def note(self, name: str, arguments: tuple[Any, ...], answer: Any) -> None:
        """Note what a special method said."""
        self.answers[(name, *map(repr, arguments))] = answer
        if name == "__getitem__":
            self.note_item(arguments[0], answer)
        self.check()

    def note_item(self, key: Any, item: Any) -> None:
        """Note what it has under an index or a slice."""
        index = index_of(key)
        if index is not None:
            self.by_index[index] = item
        elif isinstance(key, slice) and hasattr(type(item), "__iter__"):
            parts = (key.start, key.stop, key.step)
            if all(part is None or (isinstance(part, int) and part >= 0) for part in parts):
                most = self.length() if isinstance(self.length(), int) else MAX_SLICE_ITEMS
                self.by_index.update(zip(range(*key.indices(most)), item))
            elif isinstance(self.length(), int):
                self.by_index.update(zip(range(*key.indices(self.length())), item))

    def note_missing(self, key: Any) -> None:
        """Note an index at which it has no item."""
        if isinstance(key, int) and key >= 0:
            self.missing = key if self.missing is None else min(key, self.missing)
            self.check()

    def iterate(self, begin: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """Yield its items.

        Args:
            begin: returns an iterator, once.
        """
        self.iterator = self.iterator or begin()
        k = 0
        while True:
            if k == len(self.items):
                if self.ended:
                    return
                try:
                    self.items.append(next(self.iterator))
                except StopIteration:
                    self.ended = True
                    if hasattr(type(self.value), "__len__"):
                        len(self.value)
                self.check()
                continue
            yield self.items[k]
            k += 1

    def next_item(self, ask: Callable[[], Any]) -> Any:
        """Return the next item of an iterator.

        Args:
            ask: returns it.

        Raises:
            StopIteration: as `ask` does.
        """
        try:
            self.items.append(ask())
        except StopIteration:
            self.ended = True
            # What it says at its end may be how many items are left.
            if hasattr(type(self.value), "__len__") and len(self.value) != 0:
                self.check()
            raise
        self.check()
        return self.items[-1]

    def check(self) -> None:
        """Refuse an object whose readings contradict each other."""
        numbers = [self.answers[name,] for name in ROUNDING if (name,) in self.answers]
        numbers = [number for number in numbers if type(number) in (int, float) and abs(number) < MAX_EXACT]
        if numbers and max(numbers) - min(numbers) > 1:
            self.refuse("it is %r and %r; " % (min(numbers), max(numbers)))
        length = self.length()
        if self.ended and length is not None and length != len(self.items):
            self.refuse("its length, %r, is not its number of items, %d; " % (length, len(self.items)))
        if self.missing is not None and length is not None and length > self.missing:
            self.refuse("its length is %r, but it has no item %d; " % (length, self.missing))
        if hasattr(type(self.value), "keys"):
            return
        size = length if isinstance(length, int) else len(self.items) if self.ended else 0
        for index, item in list(self.by_index.items()):
            place = index if index >= 0 else index + size
            others = self.items[place : place + 1] if place >= 0 else []
            others += [self.by_index[place]] if place in self.by_index else []
            if any(differ(item, other) for other in others):
                self.refuse("its item %d is not always the same; " % index)


def index_of(key: Any) -> int | None:
    """Return a key as a number; None if it is none, such as an array of several."""
    try:
        return None if is_handle(key) else operator.index(key)
    except TypeError:
        return None


def differ(first: Any, second: Any) -> bool:
    """Return whether two values that were read at one place differ. Two objects may be made anew each time."""
    if first is second or (is_handle(first) and is_handle(second)):
        return False
    try:
        # A number that is none is not equal to itself.
        return not first == second and (first == first or second == second)
    except Exception:
        # Such as arrays, whose equality is an array.
        return repr(first) != repr(second)
