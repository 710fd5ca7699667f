"""Data of libraries that crosses by value: dates, decimals, fractions, arrays, and types by their names.

No library is imported to pack a value, since whoever holds one has imported it.
"""

import builtins
import sys
from importlib import import_module

# Modules that the tests' process imports when a candidate names one of them: data and pure functions.
SAFE_MODULES = frozenset(
    "abc array bisect calendar cmath collections collections.abc copy dataclasses datetime decimal enum fractions "
    "functools hashlib heapq itertools json math numbers numpy operator random re statistics string textwrap time "
    "typing types uuid zoneinfo base64 binascii struct contextlib asyncio bz2 zlib html csv unicodedata difflib".split()
)
# Only these are read off a type's instances, by name, and given to its constructor.
FIELDS = {
    ("datetime", "date"): ("year", "month", "day"),
    ("datetime", "time"): ("hour", "minute", "second", "microsecond", "tzinfo", "fold"),
    ("datetime", "datetime"): (
        *("year", "month", "day", "hour", "minute", "second", "microsecond"),
        *("tzinfo", "fold"),
    ),
    ("datetime", "timedelta"): ("days", "seconds", "microseconds"),
    ("fractions", "Fraction"): ("numerator", "denominator"),
}
TYPE_MODULES = ("builtins", "collections", "datetime", "decimal", "fractions", "uuid", "numpy")


def packer_of(kind):
    """How values of a type are packed; None if they are not a library's data."""
    module = kind.__module__
    if kind is type:
        return pack_type
    name = (module, kind.__name__)
    if not is_own(kind, module):
        return None
    if name in FIELDS:
        return pack_fields(name)
    if module == "numpy":
        numpy = sys.modules["numpy"]
        if kind is numpy.ndarray or issubclass(kind, numpy.generic):
            return pack_array
    return LIBRARY_PACKERS.get(name)


def is_own(kind, module):
    """Whether a type is really the one of that name in a library, by identity."""
    library = sys.modules.get(module) if type(module) is str else None
    return library is not None and getattr(library, kind.__name__, None) is kind


def pack_fields(name):
    fields = FIELDS[name]

    def pack(packer, value):
        return ["data", name[0], name[1], *[packer.child(getattr(value, field)) for field in fields]]

    return pack


def pack_timezone(packer, value):
    return ["data", "datetime", "timezone", packer.child(value.utcoffset(None)), value.tzname(None)]


def pack_array(packer, value):
    dtype = value.dtype
    if dtype.hasobject or dtype.names or dtype.kind not in "biufcSUMm":
        return packer.side.pack(packer, value)
    scalar = not hasattr(value, "__setitem__")
    shape = " ".join(map(str, value.shape))
    return ["scalar" if scalar else "array", dtype.str, shape, value.tobytes().hex()]


def pack_type(packer, value):
    module = value.__module__
    if module in TYPE_MODULES and is_own(value, module):
        return ["type", module, value.__name__]
    return packer.side.pack(packer, value)


LIBRARY_PACKERS = {
    ("datetime", "timezone"): pack_timezone,
    ("decimal", "Decimal"): lambda packer, value: ["data", "decimal", "Decimal", str(value)],
    ("uuid", "UUID"): lambda packer, value: ["data", "uuid", "UUID", str(value)],
    ("zoneinfo", "ZoneInfo"): lambda packer, value: ["data", "zoneinfo", "ZoneInfo", value.key],
}
BUILT_DATA = frozenset(
    [*FIELDS, ("datetime", "timezone"), ("decimal", "Decimal"), ("uuid", "UUID"), ("zoneinfo", "ZoneInfo")],
)


def build_data(module, name, parts):
    """A value of a library's type, from what `pack_fields` and its like read.

    Raises:
        KeyError: if it is none of the known types.
    """
    if (module, name) not in BUILT_DATA:
        raise KeyError(name)
    kind = getattr(import_module(module), name)
    if (module, name) == ("datetime", "datetime") or (module, name) == ("datetime", "time"):
        return kind(*parts[:-1], fold=parts[-1])
    if (module, name) == ("datetime", "timezone") and parts[0] == kind.utc.utcoffset(None):
        return kind.utc if parts[1] == "UTC" else kind(*parts)
    return kind(*parts)


def build_array(kind, dtype, shape, content):
    """A numpy array or scalar of its own memory."""
    numpy = import_module("numpy")
    dtype = numpy.dtype(str(dtype))
    if dtype.hasobject:
        raise ValueError("objects in an array")
    lengths = tuple(map(int, shape.split()))
    array = numpy.frombuffer(bytes.fromhex(content), dtype=dtype).reshape(lengths).copy()
    return array[()] if kind == "scalar" else array


def build_type(module, name):
    """A type of the standard library by its name, nothing else of it.

    Raises:
        KeyError: if there is none.
    """
    if module not in TYPE_MODULES:
        raise KeyError(module)
    found = getattr(builtins if module == "builtins" else import_module(module), name, None)
    if not isinstance(found, type):
        raise KeyError(name)
    return found
