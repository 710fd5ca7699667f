"""Containers that both processes hold a copy of: each tells the other what it changed before the other goes on.

So a candidate can sort the list that a test gave it, and a test can append to the list that an object of the candidate
holds, as if there were one. A container is one of these while a call that it went along with lasts, and longer if the
process that got it, or the candidate it came from, holds on to it.
"""

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from operator import is_

# The longest-known are forgotten when there are more: a crossing looks at all of them.
MOST_COPIES = 100
ALL_OF_IT = slice(None)


def refill_dict(value, parts):
    half = len(parts) // 2
    type(value).clear(value) if type(value) is OrderedDict else dict.clear(value)
    for key, item in zip(parts[:half], parts[half:]):
        dict.__setitem__(value, key, item)


def refill_ordered(value, parts):
    half = len(parts) // 2
    OrderedDict.clear(value)
    for key, item in zip(parts[:half], parts[half:]):
        OrderedDict.__setitem__(value, key, item)


def refill_set(value, parts):
    set.clear(value)
    set.update(value, parts)


def refill_deque(value, parts):
    deque.clear(value)
    deque.extend(value, parts)


def refill_bytearray(value, parts):
    bytearray.__setitem__(value, ALL_OF_IT, bytes(parts))


def refill_array(value, parts):
    if len(parts) == 1 and type(parts[0]) is type(value):
        value[...] = parts[0]


def pairs_of(kind):
    def parts(value):
        return [*kind.keys(value), *kind.values(value)]

    return parts


# Of each kind of container: what is in it, as a list of values, and how it is given another content. Through the type
# itself, since a subclass may do something else.
CONTAINERS = {
    list: (lambda value: list(list.__iter__(value)), lambda value, parts: list.__setitem__(value, ALL_OF_IT, parts)),
    dict: (pairs_of(dict), refill_dict),
    set: (lambda value: list(set.__iter__(value)), refill_set),
    deque: (lambda value: list(deque.__iter__(value)), refill_deque),
    bytearray: (lambda value: list(bytearray.__iter__(value)), refill_bytearray),
    OrderedDict: (pairs_of(OrderedDict), refill_ordered),
    Counter: (pairs_of(dict), refill_dict),
    defaultdict: (pairs_of(dict), refill_dict),
}


class Array:
    """Stands for numpy's arrays, which are told from other types by name."""


def array_parts(value):
    return [value.copy()]


CONTAINERS[Array] = (array_parts, refill_array)


def container_kind(kind):
    """The key of CONTAINERS for a type; None if it is no container."""
    if kind in CONTAINERS:
        return kind
    if kind.__module__ == "numpy" and kind is getattr(sys.modules.get("numpy"), "ndarray", None):
        return Array
    return None


class Copy:
    """One such container."""

    __slots__ = ("value", "key", "parts_of", "refill", "parts", "is_array")

    def __init__(self, value, key, kind):
        self.value, self.key = value, key
        self.parts_of, self.refill = CONTAINERS[kind]
        self.is_array = kind is Array
        self.parts = self.parts_of(value)

    def has_changed(self):
        """Whether it holds other objects than when it last crossed, which is now."""
        parts, before = self.parts_of(self.value), self.parts
        if self.is_array and before[0] is not self:
            same = parts[0].tobytes() == before[0].tobytes()
        else:
            same = len(parts) == len(before) and all(map(is_, parts, before))
        self.parts = parts
        return not same


class Copies:
    """The containers of which this process and the other each have a copy.

    A key is positive for one that this process sent first, and negative for one that came from the other.
    """

    def __init__(self, names):
        """Takes {id of a value: the node that names it to the other process}, to keep it up to date."""
        self.by_key = {}
        self.names = names
        # containers of this process that the other has changed, by id
        self.changed = {}
        self.sent = self.received = 0

    def add(self, value, key, kind):
        self.by_key[key] = Copy(value, key, kind)
        self.names.setdefault(id(value), ["copy", key])

    def forget(self, key):
        copy = self.by_key.pop(key, None)
        if copy is not None and self.names.get(id(copy.value)) == ["copy", key]:
            del self.names[id(copy.value)]

    def add_sent(self, packer):
        """Notes the containers of a message that is being sent. Returns their keys."""
        keys, key = [], self.sent
        for value, node in zip(packer.values, packer.nodes):
            key += 1
            kind = container_kind(type(value))
            if kind is not None and node[0] != "copy":
                self.add(value, key, kind)
                keys.append(key)
        self.sent = key
        return keys

    def add_received(self, values, new, still):
        """Notes the containers of a message that was received. Returns their keys.

        Args:
            values: of its nodes.
            new: for each node, whether it is a container's content and not the name of one.
            still: keys of those to note; all of them if None.
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

    def changes(self, packer):
        """What has changed since the last crossing: a list of [key, node...]."""
        return [[copy.key, *packer.children(copy.parts)] for copy in list(self.by_key.values()) if copy.has_changed()]

    def apply(self, changes, resolve):
        """Makes the changes that the other process tells of."""
        for key, *children in changes:
            copy = self.by_key.get(-key)
            if copy is not None:
                if key < 0:
                    self.changed[id(copy.value)] = copy.value
                copy.refill(copy.value, resolve(children))
                copy.parts = copy.parts_of(copy.value)

    def send_all_again(self):
        """Has the next message tell of all containers, because one that told of some was not sent."""
        for copy in self.by_key.values():
            copy.parts = [copy]

    def held(self, keys):
        """Those of the containers just received that something else in this process refers to, and what is in those."""
        within = {}
        copies = [self.by_key[key] for key in keys if key in self.by_key]
        if len(copies) > 1:
            for copy in copies:
                within.setdefault(id(copy.value), 0)
            for copy in copies:
                # Its own reference, and that in the list of its parts.
                for part in copy.parts:
                    if id(part) in within:
                        within[id(part)] += 2
        # The copy's own reference, and that of the call.
        held = [copy for copy in copies if sys.getrefcount(copy.value) > 2 + within.get(id(copy.value), 0)]
        if 0 < len(held) < len(copies):
            left = {id(copy.value): copy for copy in copies}
            for copy in held:
                left.pop(id(copy.value), None)
            for copy in held:
                held += [left.pop(id(part)) for part in copy.parts if id(part) in left]
        return [copy.key for copy in held]

    def too_many(self):
        """Keys of those that have to be forgotten."""
        return list(self.by_key)[: max(0, len(self.by_key) - MOST_COPIES)]
