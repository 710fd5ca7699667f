"""The value of a program's output variable as JSON text: data where it is data, else its repr."""

import json
import re

from .crossing import PLAIN, Packer, Unpacker

MOST_JSON_BYTES, MOST_REPR_CHARS = 16 << 10, 4000
MOST_VALUES, MOST_DEPTH = 10_000, 50
# Nodes that hold other values, and how many fields they have before these.
CONTAINERS = {
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


class NoData(Exception):
    """A value that is more than data, or too large."""


class DataOnly:
    """A Packer's side that knows data alone, and little of it."""

    def known(self, value):
        """None.

        Raises:
            NoData: for what is too large.
        """
        # An item is a character at least, and a byte of an array two.
        if type(value) in SIZED and len(value) > MOST_JSON_BYTES or getattr(value, "nbytes", 0) > MOST_JSON_BYTES:
            raise NoData
        return None

    def pack(self, packer, value):
        """Raises NoData: it is asked for what is no data."""
        raise NoData


def output_of(namespace, name):
    """What a program left in a variable, as JSON text in ASCII.

    Args:
        namespace: the program's.
        name: the variable's.

    Returns:
        At most MOST_JSON_BYTES characters; "" if there is no such variable.
    """
    try:
        if name not in namespace:
            return ""
        value = namespace[name]
    except BaseException:
        return ""
    try:
        text = as_data(value)
    except BaseException:
        text = ""
    return text or as_text(repr_of(value))


def as_data(value):
    """A value as JSON text; "" if that is too long.

    Raises:
        Exception: if it is no data.
    """
    packer = Packer(DataOnly())
    root = packer.child(value)
    if type(root) is str and len(root) > MOST_JSON_BYTES:
        return ""
    nodes = packer.finish()
    if not are_data(root, nodes):
        return ""
    text = json.dumps([root, nodes], separators=(",", ":"))
    return text if len(text) <= MOST_JSON_BYTES else ""


def repr_of(value):
    """A value's repr, cut, or what is wrong with it."""
    try:
        text = str.__str__(repr(value))
    except BaseException as error:
        return "<%s: its repr raised %s>" % (type(value).__name__, type(error).__name__)
    return text if len(text) <= MOST_REPR_CHARS else text[: MOST_REPR_CHARS - 3] + "..."


def as_text(text):
    """A text as JSON text, cut again if need be."""
    while len(found := json.dumps([text, []])) > MOST_JSON_BYTES:
        text = text[: len(text) // 2] + "..."
    return found


def is_output(text):
    """Whether a text is in the form that `output_of` gives it, whatever it describes.

    Raises:
        ValueError, RecursionError: if it is no JSON.
    """
    if len(text) > MOST_JSON_BYTES:
        return False
    found = json.loads(text)
    return type(found) is list and len(found) == 2 and type(found[1]) is list


def value_of(text):
    """The value that `output_of` was given, or its repr; None for any other text.

    Nothing that is named in the text is called or imported, and what comes of it is not much larger than the text.
    """
    try:
        if not is_output(text):
            return None
        root, nodes = json.loads(text)
        if not are_data(root, nodes):
            return None
        unpacker = Unpacker(None, nodes)
        unpacker.build()
        return unpacker.resolve([root])[0]
    except Exception:  # whatever is wrong with it
        return None


def are_data(root, nodes):
    """Whether nodes are such as a Packer makes of plain data: no more of it than is shown, not nested deeply."""
    pending, seen = [(root, 0)], set()
    values = 0
    while pending:
        child, depth = pending.pop()
        values += 1
        if values > MOST_VALUES or depth > MOST_DEPTH:
            return False
        if type(child) is not list:
            if type(child) not in PLAIN:
                return False
            continue
        [k] = child
        if type(k) is not int or k < 0:
            return False
        seen.add(k)
        parts = parts_of(nodes[k])
        if parts is None:
            return False
        pending += [(part, depth + 1) for part in parts]
    # The others would be built too.
    return len(seen) == len(nodes)


def parts_of(node):
    """The children of a node; None if it describes more than data."""
    kind = node[0]
    if kind == "data" and node[2] not in LIBRARY_DATA.get(node[1], ()):
        return None
    if kind == "deque" and type(node[1]) not in (int, type(None)):
        return None
    if kind in CONTAINERS:
        return node[CONTAINERS[kind] :]
    if kind in LEAVES:
        return node[1:] if len(node) == 2 and type(node[1]) is str else None
    if kind in ("array", "scalar"):
        _, dtype, shape, content = node
        return [content] if DTYPE.fullmatch(dtype) and SHAPE.fullmatch(shape) else None
    return None
