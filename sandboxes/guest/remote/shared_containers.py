"""Keeps lists, dicts and sets in sync between two processes: before control passes to the other, changes are sent.

A candidate can sort the list that a test gave it. A test can append to the list that an object of the candidate holds.
Both work as if there were one list. A container is shared while the call that it went along with lasts. It stays shared
if the process that received it, or the candidate that it came from, still refers to it.
"""

from __future__ import annotations

import sys
from operator import is_

from ..common.containers import CONTAINERS, Array, container_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

    from ..common.value_encoder import Encoder

# The oldest are forgotten when there are more, because each message looks at all of them: many may be there at first,
# and few when messages have looked at so many.
MAX_SHARED_CONTAINERS, MAX_AT_FIRST, MAX_LOOKS_AT_FIRST = 100, 10_000, 100_000


class SharedContainer:
    """One container of which each process has a copy."""

    __slots__ = ("value", "key", "get_parts", "refill", "parts", "is_array")

    def __init__(self, value: Any, key: int, kind: type) -> None:
        """Note a container's content as both processes have it now.

        Args:
            value: the container.
            key: as in SharedContainers.
            kind: a key of CONTAINERS.
        """
        self.value, self.key = value, key
        self.get_parts, self.refill = CONTAINERS[kind]
        self.is_array = kind is Array
        self.parts = self.get_parts(value)

    def has_changed(self) -> bool:
        """Tell whether it holds other objects than at its last crossing. The next answer compares with now."""
        parts, before = self.get_parts(self.value), self.parts
        self.parts = parts
        return not self.is_same(parts, before)

    def differs(self) -> bool:
        """Tell the same, and go on comparing with the last crossing."""
        return not self.is_same(self.get_parts(self.value), self.parts)

    def is_same(self, parts: list[Any], before: list[Any]) -> bool:
        """Tell whether its parts are those of an earlier time."""
        if self.is_array and before[0] is not self:
            return bool(parts[0].tobytes() == before[0].tobytes())
        return len(parts) == len(before) and all(map(is_, parts, before))


class SharedContainers:
    """The containers of which this process and the other each have a copy.

    A key is positive for one that this process sent first, and negative for one that came from the other.
    """

    def __init__(self, references: dict[int, list[Any]]) -> None:
        """Begin with no containers.

        Args:
            references: for the id of a value, the node that refers to it. Containers are entered there.
        """
        self.by_key: dict[int, SharedContainer] = {}
        self.references = references
        self.sent = self.received = 0
        # how many containers messages have looked at
        self.looks = 0

    def add(self, value: Any, key: int, kind: type) -> None:
        """Share a container under a key. Its kind is a key of CONTAINERS."""
        self.by_key[key] = SharedContainer(value, key, kind)
        self.references.setdefault(id(value), ["container", key])

    def forget(self, key: int) -> None:
        """Stop sharing a container, if it still is shared."""
        container = self.by_key.pop(key, None)
        if container is not None and self.references.get(id(container.value)) == ["container", key]:
            del self.references[id(container.value)]

    def add_sent(self, encoder: Encoder) -> list[int]:
        """Share the containers of a message that is being sent. Return their keys."""
        keys, key = [], self.sent
        for value, node in zip(encoder.values, encoder.nodes):
            key += 1
            kind = container_kind(type(value))
            if kind is not None and node[0] != "container":
                self.add(value, key, kind)
                keys.append(key)
        self.sent = key
        return keys

    def add_received(self, values: list[Any], new: list[bool], still: set[int] | None) -> list[int]:
        """Share the containers of a message that was received. Return their keys.

        Args:
            values: of the message's nodes.
            new: for each node, whether it is a container's content and does not refer to a known one.
            still: keys of the containers to share; all of them if None.
        """
        keys, key = [], self.received
        for value, is_new in zip(values, new):
            key -= 1
            kind = container_kind(type(value)) if is_new and (still is None or key in still) else None
            if kind is not None:
                self.add(value, key, kind)
                keys.append(key)
        self.received = key
        return keys

    def changes(self, encoder: Encoder) -> list[list[Any]]:
        """Return what has changed since the last crossing: a list of [key, child...]."""
        containers = list(self.by_key.values())
        self.looks += len(containers)
        return [[entry.key, *encoder.children(entry.parts)] for entry in containers if entry.has_changed()]

    def have_changed(self) -> bool:
        """Return whether a container is not as both processes know it. The next message reports it all the same."""
        return any(container.differs() for container in self.by_key.values())

    def apply(self, changes: Iterable[list[Any]], resolve: Callable[[list[Any]], list[Any]]) -> None:
        """Make the changes that the other process reports.

        Args:
            changes: as from `changes`.
            resolve: returns the values of children.
        """
        for key, *children in changes:
            container = self.by_key.get(-key)
            if container is not None:
                container.refill(container.value, resolve(children))
                container.parts = container.get_parts(container.value)

    def resend_all(self) -> None:
        """Have the next message report all containers, because a message with changes was not sent."""
        for container in self.by_key.values():
            container.parts = [container]

    def keys_in_use(self, keys: list[int]) -> list[int]:
        """Return the keys of containers that something else in this process refers to, and of those within them.

        Args:
            keys: of the containers just received.
        """
        within: dict[int, int] = {}
        containers = [self.by_key[key] for key in keys if key in self.by_key]
        if len(containers) > 1:
            for container in containers:
                within.setdefault(id(container.value), 0)
            for container in containers:
                # One reference is the container's own, and one that of the list of its parts.
                for part in container.parts:
                    if id(part) in within:
                        within[id(part)] += 2
        # One reference is the SharedContainer's, and one that of the call.
        used = [entry for entry in containers if sys.getrefcount(entry.value) > 2 + within.get(id(entry.value), 0)]
        if 0 < len(used) < len(containers):
            left = {id(container.value): container for container in containers}
            for container in used:
                left.pop(id(container.value), None)
            for container in used:
                used += [left.pop(id(part)) for part in container.parts if id(part) in left]
        return [container.key for container in used]

    def surplus_keys(self) -> list[int]:
        """Return the keys of the containers that have to be forgotten because there are too many."""
        most = MAX_AT_FIRST if self.looks < MAX_LOOKS_AT_FIRST else MAX_SHARED_CONTAINERS
        return list(self.by_key)[: max(0, len(self.by_key) - most)]
