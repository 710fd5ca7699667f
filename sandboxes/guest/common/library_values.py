"""Encodes data of libraries by value: dates, decimals, fractions, arrays, and types by their names.

No library is imported to encode a value, because whoever holds one has imported it.
"""

from __future__ import annotations

import builtins
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Protocol

    from .values import Child, Node

    class Side(Protocol):
        """The end that sends a message, as `EncodingSide` describes it in full."""

        def encode(self, encoder: Any, value: Any) -> Node:
            """Return the node for a value that is not data."""

    class ChildEncoder(Protocol):
        """The `Encoder` of a message, as far as a library's value needs it."""

        @property
        def side(self) -> Side:
            """The end that sends the message."""

        def child(self, value: Any) -> Child:
            """Return the child for a value."""


# Modules that the tests' process imports when a candidate names one of them: data and pure functions.
SAFE_MODULES = frozenset(
    "abc array bisect calendar cmath collections collections.abc copy dataclasses datetime decimal enum fractions "
    "functools hashlib heapq itertools json math numbers numpy operator random re statistics string textwrap time "
    "typing types uuid zoneinfo base64 binascii struct contextlib asyncio bz2 zlib html csv unicodedata difflib".split()
)
# Attributes that are read from an instance of a type, by name, and given to its constructor.
FIELDS: dict[tuple[str, str], tuple[str, ...]] = {
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


def library_encoder(kind: type) -> Callable[[ChildEncoder, Any], Node] | None:
    """Return the function that encodes values of a type; None if they are not data of a library."""
    module = kind.__module__
    if kind is type:
        return encode_type
    name = (module, kind.__name__)
    if not is_from_library(kind, module):
        return None
    if name in FIELDS:
        return fields_encoder(name)
    if module == "numpy":
        numpy = sys.modules["numpy"]
        if kind is numpy.ndarray or issubclass(kind, numpy.generic):
            return encode_array
    return LIBRARY_ENCODERS.get(name)


def is_from_library(kind: type, module: object) -> bool:
    """Tell by identity whether a type is the one of that name in a library."""
    library = sys.modules.get(module) if type(module) is str else None
    return library is not None and getattr(library, kind.__name__, None) is kind


def fields_encoder(name: tuple[str, str]) -> Callable[[ChildEncoder, Any], Node]:
    """Return a function that encodes a value by its FIELDS. The name is a key of FIELDS."""
    fields = FIELDS[name]

    def encode(encoder: ChildEncoder, value: Any) -> Node:
        return ["data", name[0], name[1], *[encoder.child(getattr(value, field)) for field in fields]]

    return encode


def encode_timezone(encoder: ChildEncoder, value: Any) -> Node:
    """Return the node for a `datetime.timezone`."""
    return ["data", "datetime", "timezone", encoder.child(value.utcoffset(None)), value.tzname(None)]


def encode_array(encoder: ChildEncoder, value: Any) -> Node:
    """Return the node for a numpy array or scalar. One that holds objects or records is not data."""
    dtype = value.dtype
    if dtype.hasobject or dtype.names or dtype.kind not in "biufcSUMm":
        return encoder.side.encode(encoder, value)
    scalar = not hasattr(value, "__setitem__")
    shape = " ".join(map(str, value.shape))
    return ["scalar" if scalar else "array", dtype.str, shape, value.tobytes().hex()]


def encode_type(encoder: ChildEncoder, value: Any) -> Node:
    """Return the node for a class: its name, if it is one of the standard library and none of exceptions."""
    module = value.__module__
    if module in TYPE_MODULES and is_from_library(value, module) and not issubclass(value, BaseException):
        return ["type", module, value.__name__]
    return encoder.side.encode(encoder, value)


LIBRARY_ENCODERS: dict[tuple[str, str], Callable[[ChildEncoder, Any], Node]] = {
    ("datetime", "timezone"): encode_timezone,
    ("decimal", "Decimal"): lambda encoder, value: ["data", "decimal", "Decimal", str(value)],
    ("uuid", "UUID"): lambda encoder, value: ["data", "uuid", "UUID", str(value)],
    ("zoneinfo", "ZoneInfo"): lambda encoder, value: ["data", "zoneinfo", "ZoneInfo", value.key],
}
BUILT_DATA = frozenset(
    [*FIELDS, ("datetime", "timezone"), ("decimal", "Decimal"), ("uuid", "UUID"), ("zoneinfo", "ZoneInfo")],
)


def build_data(module: str, name: str, parts: list[Any]) -> Any:
    """Return a value of a library's type.

    Args:
        module: of the type.
        name: of the type.
        parts: values that `fields_encoder` and its like read.

    Raises:
        KeyError: if the type is not one of the known ones.
    """
    if (module, name) not in BUILT_DATA:
        raise KeyError(name)
    kind = getattr(import_module(module), name)
    if (module, name) == ("datetime", "datetime") or (module, name) == ("datetime", "time"):
        return kind(*parts[:-1], fold=parts[-1])
    if (module, name) == ("datetime", "timezone") and parts[0] == kind.utc.utcoffset(None):
        return kind.utc if parts[1] == "UTC" else kind(*parts)
    return kind(*parts)


def build_array(kind: str, dtype: Any, shape: str, content: str) -> Any:
    """Return a numpy array or scalar that has its own memory.

    Args:
        kind: "array" or "scalar".
        dtype: as numpy writes it.
        shape: lengths, with blanks between them.
        content: bytes, in hexadecimal.

    Raises:
        ValueError: if the array would hold objects.
    """
    numpy: Any = import_module("numpy")
    dtype = numpy.dtype(str(dtype))
    if dtype.hasobject:
        raise ValueError("objects in an array")
    lengths = tuple(map(int, shape.split()))
    array = numpy.frombuffer(bytes.fromhex(content), dtype=dtype).reshape(lengths).copy()
    return array[()] if kind == "scalar" else array


def build_exact_array(kind: str, dtype: Any, shape: str, content: str) -> Any:
    """Return the same as `build_array`, but an infinite number as one of 64 bits.

    Large integers equal an infinite number of fewer bits, because numpy compares in the array's own type.
    """
    array = build_array(kind, dtype, shape, content)
    if array.dtype.kind in "fc" and not import_module("numpy").isfinite(array).all():
        return array.astype("complex128" if array.dtype.kind == "c" else "float64")
    return array


def build_type(module: str, name: str) -> type:
    """Return a type of the standard library by its name. Nothing else can be had by name.

    Raises:
        KeyError: if there is no such type, or it is one of exceptions.
    """
    if module not in TYPE_MODULES:
        raise KeyError(module)
    kind = getattr(builtins if module == "builtins" else import_module(module), name, None)
    if not isinstance(kind, type) or issubclass(kind, BaseException):
        raise KeyError(name)
    return kind
