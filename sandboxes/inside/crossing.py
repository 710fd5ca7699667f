"""Python values as JSON and back, between a candidate's process and its tests': plain data by value, the rest by name.

A message holds *children* and *nodes*. A child is None, a bool, a str, a number that JSON keeps exactly, or ``[k]``:
the k-th node. A node is ``[kind, ...]``, most often with children, so that shared references and cycles keep their
shape and nothing here recurses. What is not data (`pack` and `build` of a side) is left to the two ends.

Nothing that is received is called, imported or compared: what is rebuilt has exact builtin types.
"""

import json
import math
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from struct import pack as pack_bytes
from struct import unpack as unpack_bytes

from .copies import CONTAINERS
from .libraries import build_array, build_data, build_type, packer_of

# Numbers between these are exact in JSON, and short.
MOST_INT = 1 << 64
NONE, ELLIPSIS = type(None), type(Ellipsis)
ALWAYS_PLAIN = frozenset((NONE, bool, str))
PLAIN = ALWAYS_PLAIN | {int, float}
INTS, FLOATS = {int}, {float}
UNBUILT = object()

if hasattr(sys, "set_int_max_str_digits"):
    scan = json.JSONDecoder().scan_once
else:

    def short_int(text):
        # Older Pythons take minutes over a million digits.
        if len(text) > 40:
            raise ValueError("a number this long crosses in another form")
        return int(text)

    scan = json.JSONDecoder(parse_int=short_int).scan_once
quote = json.encoder.encode_basestring


def refuse(value):
    raise TypeError("%r is in no message" % type(value))


# As JSONEncoder makes it anew for each text: markers, default, strings, indent, separators, sort keys, skip keys, NaN.
write = json.encoder.c_make_encoder(None, refuse, quote, None, ":", ",", False, False, False)


class CannotCross(TypeError):
    """A value that can't be sent to the other process."""


class Nonsense(Exception):
    """What the other process sent is not a message."""


def is_plain(value, kind):
    """Whether JSON itself keeps a value of a PLAIN type exactly."""
    if kind is int:
        return -MOST_INT < value < MOST_INT
    return kind is not float or math.isfinite(value)


class Packer:
    """Values as the children and nodes of one message."""

    def __init__(self, side):
        self.side = side
        self.nodes = []
        # The value of each node, also so that no other value gets its id meanwhile.
        self.values = []
        self.index = {}
        self.uses = []

    def child(self, value):
        kind = type(value)
        return value if kind in PLAIN and is_plain(value, kind) else self.refer(value)

    def children(self, values):
        """The children for a list of values; the common lists at the speed of C."""
        kinds = set(map(type, values))
        if kinds <= ALWAYS_PLAIN:
            return values
        if kinds == INTS and -MOST_INT < min(values) and max(values) < MOST_INT:
            return values
        if kinds == FLOATS and math.isfinite(sum(values)):
            return values
        return [self.child(value) for value in values]

    def refer(self, value):
        k = self.index.get(id(value))
        if k is None:
            k = self.index[id(value)] = len(self.values)
            self.values.append(value)
            self.uses.append(1)
        else:
            self.uses[k] += 1
        return [k]

    def finish(self):
        """Describes what was referred to, and what that refers to. Returns the nodes."""
        nodes, values = self.nodes, self.values
        while len(nodes) < len(values):
            nodes.append(self.node(values[len(nodes)]))
        return nodes

    def node(self, value):
        known = self.side.known(value)
        if known is not None:
            return known
        kind = type(value)
        pack = PACKERS.get(kind) or late_packers(kind)
        if pack is not None:
            return pack(self, value)
        return self.side.pack(self, value)


def pack_items(name):
    def pack(packer, value):
        return [name, *packer.children(list(value))]

    return pack


def pack_pairs(name):
    def pack(packer, value):
        return [name, *packer.children([*value, *value.values()])]

    return pack


def pack_float(packer, value):
    return ["float", pack_bytes(">d", value).hex()]


def pack_deque(packer, value):
    return ["deque", value.maxlen, *packer.children(list(value))]


def pack_defaultdict(packer, value):
    return ["defaultdict", packer.child(value.default_factory), *packer.children([*value, *value.values()])]


PACKERS = {
    list: pack_items("list"),
    tuple: pack_items("tuple"),
    set: pack_items("set"),
    frozenset: pack_items("frozenset"),
    dict: pack_pairs("dict"),
    OrderedDict: pack_pairs("OrderedDict"),
    Counter: pack_pairs("Counter"),
    defaultdict: pack_defaultdict,
    deque: pack_deque,
    int: lambda packer, value: ["int", hex(value)],
    float: pack_float,
    # Only of subclasses: others are plain.
    str: lambda packer, value: ["str", value],
    complex: lambda packer, value: ["complex", packer.child(value.real), packer.child(value.imag)],
    bytes: lambda packer, value: ["bytes", value.hex()],
    bytearray: lambda packer, value: ["bytearray", value.hex()],
    range: lambda packer, value: ["range", *packer.children([value.start, value.stop, value.step])],
    slice: lambda packer, value: ["slice", *packer.children([value.start, value.stop, value.step])],
    ELLIPSIS: lambda packer, value: ["Ellipsis"],
    type(NotImplemented): lambda packer, value: ["NotImplemented"],
    type({}.keys()): pack_items("keys"),
    type({}.values()): pack_items("values"),
    type({}.items()): pack_items("items"),
}


def late_packers(kind):
    """How values of a library's type are packed: known only once the library has been imported by someone else."""
    pack = packer_of(kind)
    if pack is not None:
        PACKERS[kind] = pack
    return pack


def build_keys(children):
    return dict.fromkeys(children).keys()


def build_values(children):
    return dict(enumerate(children)).values()


def build_items(children):
    return dict(children).items()


def build_float(children):
    value = unpack_bytes(">d", bytes.fromhex(children[0]))[0]
    # So that `[math.nan] == [math.nan]` is as in one process, where the two are one object.
    return math.nan if children[0] == "7ff8000000000000" else value


# Of what is made empty and filled once all nodes are there: how it is filled.
FILLERS = {kind.__name__: refill for kind, (_, refill) in CONTAINERS.items()}
SHELLS = {"set": set, "dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
# Of what is made at once, from its children: how.
BUILDERS = {
    "tuple": tuple,
    "frozenset": frozenset,
    "int": lambda children: int(children[0], 16),
    "str": lambda children: str(children[0]),
    "complex": lambda children: complex(*map(float, children)),
    "bytes": lambda children: bytes.fromhex(children[0]),
    "bytearray": lambda children: bytearray.fromhex(children[0]),
    "range": lambda children: range(*children),
    "slice": lambda children: slice(*children),
    "Ellipsis": lambda children: Ellipsis,
    "NotImplemented": lambda children: NotImplemented,
    "keys": build_keys,
    "values": build_values,
    "items": build_items,
    "deque": lambda children: deque((), children[0]),
    "defaultdict": lambda children: defaultdict(children[0]),
    "data": lambda children: build_data(children[0], children[1], children[2:]),
    "array": lambda children: build_array("array", *children),
    "scalar": lambda children: build_array("scalar", *children),
    "type": lambda children: build_type(*children),
    "float": build_float,
}
# Made from their first child, and filled with the others.
FILLED_AFTER_FIRST = ("deque", "defaultdict")


class Unpacker:
    """The values of one message."""

    def __init__(self, side, nodes):
        self.side = side
        self.nodes = nodes
        self.values = []
        # (value, filler, children) of what is filled when all nodes are there
        self.unfilled = []
        self.kinds, self.numbered = [], None

    def node_of(self, number):
        """The child for the node that describes the value of a number."""
        if self.numbered is None:
            kinds = enumerate(self.kinds)
            self.numbered = {self.nodes[k][1]: k for k, kind in kinds if kind in self.side.DESCRIBES}
        return [self.numbered[number]]

    def build(self):
        """Makes the values of all nodes.

        Raises:
            Nonsense: if they are not such as a Packer makes.
        """
        nodes, values = self.nodes, self.values
        later = False
        for node in nodes:
            kind = node[0]
            self.kinds.append(kind)
            value = UNBUILT
            if kind == "list":
                # The list that JSON made becomes the value.
                del node[0]
                value = node
                if list in set(map(type, node)):
                    self.unfilled.append((node, None, node))
            elif kind in SHELLS:
                value = SHELLS[kind]()
                self.unfilled.append((value, FILLERS[kind], node[1:]))
            else:
                later = True
            values.append(value)
        if later:
            for k in range(len(nodes) - 1, -1, -1):
                if values[k] is UNBUILT:
                    self.build_with_parts(k)
        for value, fill, children in self.unfilled:
            found = self.resolve(children)
            if fill is None:
                value[:] = found
            else:
                fill(value, found)
        return values

    def resolve(self, children):
        """The values of children."""
        values = self.values
        return [values[child[0]] if type(child) is list else child for child in children]

    def build_with_parts(self, k):
        """Makes the value of the k-th node, and first of those that it is made from."""
        nodes, values, pending, begun = self.nodes, self.values, [k], set()
        while pending:
            k = pending[-1]
            if values[k] is not UNBUILT:
                pending.pop()
                continue
            needed = self.parts_needed(nodes[k])
            missing = [child[0] for child in needed if type(child) is list and values[child[0]] is UNBUILT]
            if not missing:
                values[k] = self.make(nodes[k])
                pending.pop()
            elif k in begun:
                raise Nonsense("a value that is part of itself")
            else:
                begun.add(k)
                pending += missing

    def parts_needed(self, node):
        """The children that must be there before a node's value can be made."""
        kind = node[0]
        if kind in FILLED_AFTER_FIRST:
            return node[1:2]
        return node[1:] if kind in BUILDERS else self.side.parts_needed(node, self)

    def make(self, node):
        kind = node[0]
        if kind in BUILDERS:
            value = BUILDERS[kind](self.resolve(self.parts_needed(node)))
            if kind in FILLED_AFTER_FIRST:
                self.unfilled.append((value, FILLERS[kind], node[2:]))
            return value
        return self.side.build(self, node)
