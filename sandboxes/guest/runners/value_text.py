"""Shows a value of a failed assert as text, without running any code of a program's.

`repr` of an object runs the methods of whatever the object holds, such as a date's tzinfo. So `repr` is called for
exact classes that are written in C and hold no further object, or only such as were looked at before.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from itertools import islice
from types import MemberDescriptorType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Sequence

MAX_VALUE_CHARS, MAX_ITEMS, MAX_DEPTH, MAX_BITS, MAX_ARRAY = 120, 40, 4, 1024, 1000
# Bits of a class's __flags__. A class that a program makes is on the heap, and can be changed.
IMMUTABLE, ON_THE_HEAP = 1 << 8, 1 << 9
# Classes are looked up in the following by identity, because a candidate's metaclass can equal anything.
PLAIN: tuple[type, ...] = (type(None), bool, float, complex, range)
TEXTS = (str, bytes, bytearray)
BRACKETS: tuple[tuple[type, Sequence[str]], ...] = (
    (list, "[]"),
    (tuple, "()"),
    (set, "{}"),
    (frozenset, ("frozenset({", "})")),
    (deque, ("deque([", "])")),
)
DICTS = (dict, OrderedDict, Counter, defaultdict)
LIBRARY_DATA = (("datetime", "date datetime time timedelta"), ("decimal", "Decimal"))


def truncate(text: str, max_chars: int = MAX_VALUE_CHARS) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= max_chars else text[: max_chars - 3] + "..."


def format_value(value: Any, depth: int = 0) -> str:
    """Return a value as text. An object that is not plain data shows only its class."""
    kind = type(value)
    if kind is int:
        return repr(value) if value.bit_length() <= MAX_BITS else "<int of %d bits>" % value.bit_length()
    if is_one_of(kind, PLAIN):
        return repr(value)
    if is_one_of(kind, TEXTS):
        return repr(value[:MAX_VALUE_CHARS]) + ("" if len(value) <= MAX_VALUE_CHARS else "...")
    for bracketed, (begin, end) in BRACKETS:
        if kind is bracketed and (value or bracketed is not set):
            items = format_items(len(value), value, lambda item: format_value(item, depth + 1), depth)
            return begin + items + ("," if kind is tuple and len(value) == 1 else "") + end
    if kind is set:
        return "set()"
    if is_one_of(kind, DICTS):
        # A program can replace the methods of Counter, which is written in Python.
        pairs = (dict if kind is Counter else kind).items(value)
        text = format_items(dict.__len__(value), pairs, lambda pair: format_pair(pair, depth + 1), depth)
        return "{%s}" % text if kind is dict else "%s({%s})" % (kind.__name__, text)
    return library_value(value, kind, depth) or "<%s object>" % type.__dict__["__name__"].__get__(kind)


def library_value(value: Any, kind: type, depth: int) -> str:
    """Return data of a library as text; "" for another object, and for data that holds an object of a program's.

    Args:
        value: the data.
        kind: its class.
        depth: of the value.
    """
    for module, names in LIBRARY_DATA:
        if is_class_of(kind, module, names) and (module == "decimal" or has_plain_zone(value)):
            return repr(value)
    if is_one_of(kind, classes_of("fractions", "Fraction")):
        return fraction_text(value, kind)
    name = type.__dict__["__name__"].__get__(kind)
    if not is_class_of(kind, "numpy", name):
        return ""
    if name == "ndarray" and value.size > MAX_ARRAY:
        return "<array of shape %s>" % (value.shape,)
    # The texts of numpy depend on its print options, which may have functions of a program's.
    plain = value.tolist() if name == "ndarray" else value.item() if hasattr(kind, "item") else value
    shown = "array" if name == "ndarray" else name
    return "" if type(plain) is kind else "%s(%s)" % (shown, format_value(plain, depth))


def is_class_of(kind: type, module: str, names: str) -> bool:
    """Tell whether a class is one of a module's, and written in C.

    Args:
        kind: the class.
        module: the module's name. It may not be imported.
        names: the classes' names, with spaces between them.
    """
    flags = type.__dict__["__flags__"].__get__(kind)
    is_in_c = flags & IMMUTABLE or not flags & ON_THE_HEAP
    return bool(is_in_c) and is_one_of(kind, classes_of(module, names))


def classes_of(module: str, names: str) -> list[Any]:
    """Return what an imported module has under these names. A program can put an object of its own in its place."""
    library = sys.modules.get(module)
    return [library.__dict__.get(name) for name in names.split()] if type(library) is ModuleType else []


def has_plain_zone(value: Any) -> bool:
    """Tell whether a value of `datetime` has no time zone, or one with an offset and a name that are plain data."""
    zone = getattr(value, "tzinfo", None)
    if zone is None:
        return True
    if not is_class_of(type(zone), "datetime", "timezone"):
        return False
    # Both may be of a program's own classes, whose __repr__ the time zone's calls.
    offset, *name = type(zone).__getinitargs__(zone)
    return is_class_of(type(offset), "datetime", "timedelta") and all(type(text) is str for text in name)


def fraction_text(value: Any, kind: type) -> str:
    """Return a Fraction as text; "" if its parts are no plain numbers. Its class is written in Python."""
    slots = [type.__dict__["__dict__"].__get__(kind).get(name) for name in ("_numerator", "_denominator")]
    if not all(type(slot) is MemberDescriptorType for slot in slots):
        return ""
    parts = [slot.__get__(value) for slot in slots]
    return "Fraction(%s)" % ", ".join(map(format_value, parts)) if all(type(part) is int for part in parts) else ""


def format_pair(pair: Iterable[Any], depth: int) -> str:
    """Return a key and a value of a dict as text."""
    return ": ".join(format_value(part, depth) for part in pair)


def is_one_of(kind: type, kinds: Iterable[Any]) -> bool:
    """Tell whether a class is one of these."""
    return any(kind is other for other in kinds)


def format_items(length: int, items: Iterable[Any], show: Callable[[Any], str], depth: int) -> str:
    """Return the first items of a container as text.

    Args:
        length: the number of its items.
        items: its items, or pairs.
        show: returns the text for an item.
        depth: of the container.
    """
    if depth >= MAX_DEPTH:
        return "..." if length else ""
    more = ["..."] if length > MAX_ITEMS else []
    return ", ".join([*map(show, islice(items, MAX_ITEMS)), *more])
