"""A queue in which clients take turns, so that nobody waits behind all that another client has asked for."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items of several clients. Items of one client keep their order."""

    def __init__(self) -> None:
        """Start empty."""
        self._items: dict[str, deque[T]] = {}
        """The items of each client that has some. The first client is the next one."""
        self._length = 0

    def __len__(self) -> int:
        """Return the number of items, over all clients."""
        return self._length

    def append(self, client: str, item: T) -> None:
        """Add an item behind the others of its client. A client that had none is the last one to have a turn."""
        self._items.setdefault(client, deque()).append(item)
        self._length += 1

    def put_back(self, client: str, item: T) -> None:
        """Make an item the oldest one of its client. A client that had none is the last one to have a turn."""
        self._items.setdefault(client, deque()).appendleft(item)
        self._length += 1

    def peek(self) -> T:
        """Return the item that `popleft` would remove. Call it only if there is one."""
        return next(iter(self._items.values()))[0]

    def popleft(self) -> T:
        """Remove and return the oldest item of the next client, whose next turn comes after all others'.

        Raises:
            IndexError: if the queue is empty.
        """
        if not self._items:
            raise IndexError("the queue is empty")
        client = next(iter(self._items))
        items = self._items.pop(client)
        item = items.popleft()
        if items:
            self._items[client] = items
        self._length -= 1
        return item

    def discard(self, client: str, item: T) -> None:
        """Remove an item of a client, if it is there."""
        items = self._items.get(client, deque())
        if item in items:
            items.remove(item)
            self._length -= 1
            if not items:
                del self._items[client]

    def clear(self) -> list[T]:
        """Remove and return all items."""
        items = [item for of_client in self._items.values() for item in of_client]
        self._items, self._length = {}, 0
        return items
