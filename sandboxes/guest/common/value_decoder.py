"""Builds Python values from the nodes of a message: see `values`."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from struct import unpack as unpack_bytes

from .containers import EMPTY_CONTAINERS, FILLERS
from .library_values import build_array, build_data, build_type
from .values import ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Protocol

    from .values import Child, Node

    class DecodingSide(Protocol):
        """The end that receives a message: it builds the values that are not data."""

        def parts_needed(self, node: Node, decoder: Decoder) -> list[Child]:
            """Return the children that must be there before the value of a node is."""

        def build(self, decoder: Decoder, node: Node) -> Any:
            """Return the value for a node that is not data."""


UNBUILT = object()


def build_float(children: list[Any]) -> float:
    """Return a float from its bytes in hexadecimal, big-endian."""
    value: float = unpack_bytes(">d", bytes.fromhex(children[0]))[0]
    # `[math.nan] == [math.nan]` holds in one process, where the two are one object.
    return math.nan if children[0] == "7ff8000000000000" else value


# Values that are made at once from their children.
BUILDERS: dict[str, Callable[[list[Any]], Any]] = {
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
    "keys": lambda children: dict.fromkeys(children).keys(),
    "values": lambda children: dict(enumerate(children)).values(),
    "items": lambda children: dict(children).items(),
    "deque": lambda children: deque((), children[0]),
    "defaultdict": lambda children: defaultdict(children[0]),
    "data": lambda children: build_data(children[0], children[1], children[2:]),
    "array": lambda children: build_array("array", *children),
    "scalar": lambda children: build_array("scalar", *children),
    "type": lambda children: build_type(*children),
    "float": build_float,
}
# Containers that are made from their first child, and filled with the others.
FILLED_AFTER_FIRST = ("deque", "defaultdict")


class Decoder:
    """The values of one message."""

    builders = BUILDERS

    def __init__(self, side: DecodingSide, nodes: list[Node]) -> None:
        """Begin with the nodes of a message.

        Args:
            side: builds the values that are not data.
            nodes: of the message. `build` changes them.
        """
        self.side = side
        self.nodes = nodes
        self.values: list[Any] = []
        # (value, filler, children) of values that are filled when all nodes are there
        self.unfilled: list[tuple[Any, Callable[[Any, list[Any]], None] | None, list[Child]]] = []

    def build(self) -> list[Any]:
        """Make the values of all nodes.

        Raises:
            ProtocolError: if no Encoder makes such nodes.
        """
        nodes, values = self.nodes, self.values
        later = False
        for node in nodes:
            kind = node[0]
            value: Any = UNBUILT
            if kind == "list":
                # The list that JSON made becomes the value.
                del node[0]
                value = node
                if list in set(map(type, node)):
                    self.unfilled.append((node, None, node))
            elif kind in EMPTY_CONTAINERS:
                value = EMPTY_CONTAINERS[kind]()
                self.unfilled.append((value, FILLERS[kind], node[1:]))
            else:
                later = True
            values.append(value)
        if later:
            for k in range(len(nodes) - 1, -1, -1):
                if values[k] is UNBUILT:
                    self.build_with_parts(k)
        for value, fill, children in self.unfilled:
            parts = self.resolve(children)
            if fill is None:
                value[:] = parts
            else:
                fill(value, parts)
        return values

    def resolve(self, children: list[Child]) -> list[Any]:
        """Return the values of children."""
        values = self.values
        return [values[child[0]] if type(child) is list else child for child in children]

    def build_with_parts(self, k: int) -> None:
        """Make the value of the k-th node, after the values that it is made from."""
        nodes, values, pending = self.nodes, self.values, [k]
        begun: set[int] = set()
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
                raise ProtocolError("a value that is part of itself")
            else:
                begun.add(k)
                pending += missing

    def parts_needed(self, node: Node) -> list[Child]:
        """Return the children that must be there before a node's value can be made."""
        kind = node[0]
        if kind in FILLED_AFTER_FIRST:
            return node[1:2]
        return node[1:] if kind in self.builders else self.side.parts_needed(node, self)

    def make(self, node: Node) -> Any:
        """Make the value of a node whose parts are there."""
        kind = node[0]
        if kind in self.builders:
            value = self.builders[kind](self.resolve(self.parts_needed(node)))
            if kind in FILLED_AFTER_FIRST:
                self.unfilled.append((value, FILLERS[kind], node[2:]))
            return value
        return self.side.build(self, node)
