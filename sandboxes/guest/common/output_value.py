"""Encodes the value of a program's output variable as JSON text: as data if it is data, otherwise its repr."""

from __future__ import annotations

import json
import re

from .value_decoder import Decoder
from .value_encoder import PLAIN, Encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping, NoReturn

MAX_JSON_CHARS, MAX_REPR_CHARS = 16 << 10, 4000
MAX_VALUES, MAX_DEPTH = 10_000, 50
# Kinds of nodes that hold other values, and the number of items before these.
ITEMS_BEFORE_CHILDREN = {
    **dict.fromkeys(("list", "tuple", "set", "frozenset", "dict", "OrderedDict", "Counter"), 1),
    **dict.fromkeys(("complex", "range"), 1),
    "deque": 2,
    "data": 3,
}
SIZED = (list, tuple, set, frozenset, dict, bytes, bytearray)
LEAVES = frozenset(("int", "float", "bytes", "bytearray"))
LIBRARY_DATA = {
    "datetime": ("date", "time", "datetime", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "uuid": ("UUID",),
}
DTYPE = re.compile(r"[<>|][biufcSU]\d{1,4}|[<>][mM]8(\[[a-zA-Z]{1,2}\])?")
SHAPE = re.compile(r"(\d{1,6}( \d{1,6})*)?")


class NotPlainData(Exception):
    """A value that is more than data, or too large."""


class DataOnly:
    """The side of an Encoder and a Decoder that knows data alone, and only a little of it."""

    def known_node(self, value: Any) -> None:
        """Return None: nothing has been sent before.

        Raises:
            NotPlainData: if the value is too large.
        """
        # An item is a character at least, and a byte of an array two.
        if type(value) in SIZED and len(value) > MAX_JSON_CHARS or getattr(value, "nbytes", 0) > MAX_JSON_CHARS:
            raise NotPlainData
        return None

    def encode(self, encoder: Encoder, value: Any) -> NoReturn:
        """Raise NotPlainData, because the value is not data."""
        raise NotPlainData

    def parts_needed(self, node: list[Any], decoder: Decoder) -> NoReturn:
        """Raise NotPlainData, because the node is not one of data."""
        raise NotPlainData

    def build(self, decoder: Decoder, node: list[Any]) -> NoReturn:
        """Raise NotPlainData, because the node is not one of data."""
        raise NotPlainData


def encode_output(namespace: Mapping[str, Any], name: str | None) -> str:
    """Return the value that a program left in a variable, as JSON text in ASCII.

    Args:
        namespace: the program's.
        name: the variable's; None if none is wanted.

    Returns:
        At most MAX_JSON_CHARS characters; "" if there is no such variable.
    """
    try:
        if name is None or name not in namespace:
            return ""
        value = namespace[name]
    except BaseException:
        return ""
    try:
        text = data_as_json(value)
    except BaseException:
        text = ""
    return text or text_as_json(short_repr(value))


def data_as_json(value: Any) -> str:
    """Return a value as JSON text; "" if that is too long.

    Raises:
        Exception: if it is not data.
    """
    encoder = Encoder(DataOnly())
    root = encoder.child(value)
    if type(root) is str and len(root) > MAX_JSON_CHARS:
        return ""
    nodes = encoder.finish()
    if not are_data(root, nodes):
        return ""
    text = json.dumps([root, nodes], separators=(",", ":"))
    return text if len(text) <= MAX_JSON_CHARS else ""


def short_repr(value: Any) -> str:
    """Return a value's repr, cut, or the error that the repr raised."""
    try:
        text = str.__str__(repr(value))
    except BaseException as error:
        return "<%s: its repr raised %s>" % (type(value).__name__, type(error).__name__)
    return text if len(text) <= MAX_REPR_CHARS else text[: MAX_REPR_CHARS - 3] + "..."


def text_as_json(text: str) -> str:
    """Return a text as JSON text, which is cut if it is too long."""
    while len(encoded := json.dumps([text, []])) > MAX_JSON_CHARS:
        text = text[: len(text) // 2] + "..."
    return encoded


def is_output(text: str) -> bool:
    """Tell whether a text is in the form that `encode_output` gives it, whatever it describes.

    Raises:
        ValueError, RecursionError: if it is not JSON.
    """
    if len(text) > MAX_JSON_CHARS:
        return False
    parts = json.loads(text)
    return type(parts) is list and len(parts) == 2 and type(parts[1]) is list


def decode_output(text: str) -> Any:
    """Return the value that `encode_output` was given, or its repr; None for any other text.

    Nothing that is named in the text is called or imported, and the value is not much larger than the text.
    """
    try:
        if not is_output(text):
            return None
        root, nodes = json.loads(text)
        if not are_data(root, nodes):
            return None
        decoder = Decoder(DataOnly(), nodes)
        decoder.build()
        return decoder.resolve([root])[0]
    except Exception:  # the text may be anything, and so the error
        return None


def are_data(root: Any, nodes: list[Any]) -> bool:
    """Tell whether an Encoder makes such nodes of plain data: all of it shown, little, and not nested deeply.

    Args:
        root: the child for the value.
        nodes: as from an Encoder.
    """
    pending: list[tuple[Any, int]] = [(root, 0)]
    seen = set()
    values = 0
    while pending:
        child, depth = pending.pop()
        values += 1
        if values > MAX_VALUES or depth > MAX_DEPTH:
            return False
        if type(child) is not list:
            if type(child) not in PLAIN:
                return False
            continue
        [k] = child
        if type(k) is not int or k < 0:
            return False
        seen.add(k)
        children = children_of(nodes[k])
        if children is None:
            return False
        pending += [(part, depth + 1) for part in children]
    # Nodes that nothing refers to would be built too.
    return len(seen) == len(nodes)


def children_of(node: list[Any]) -> list[Any] | None:
    """Return the children of a node; None if it describes more than data."""
    kind = node[0]
    if kind == "data" and node[2] not in LIBRARY_DATA.get(node[1], ()):
        return None
    if kind == "deque" and type(node[1]) not in (int, type(None)):
        return None
    if kind in ITEMS_BEFORE_CHILDREN:
        return node[ITEMS_BEFORE_CHILDREN[kind] :]
    if kind in LEAVES:
        return node[1:] if len(node) == 2 and type(node[1]) is str else None
    if kind in ("array", "scalar"):
        _, dtype, shape, content = node
        return [content] if DTYPE.fullmatch(dtype) and SHAPE.fullmatch(shape) else None
    return None
