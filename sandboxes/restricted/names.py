"""Which names and attributes a program may use."""

from __future__ import annotations

import re

from RestrictedPython.transformer import FORBIDDEN_FUNC_NAMES, INSPECT_ATTRIBUTES

_ARITHMETIC = "add sub mul matmul truediv floordiv mod pow lshift rshift and xor or"
_CALCULATING = """
    neg pos abs invert complex int float index round trunc floor ceil divmod rdivmod
    lt le eq ne gt ge hash bool repr str bytes format len length_hint contains call init enter exit copy deepcopy
    post_init
"""
_LOOKING_INTO = "new getitem setitem delitem missing iter next reversed init_subclass"
_CALLED_ONLY = "getattr get set delete set_name class_getitem"


def _dunders(words: str) -> frozenset[str]:
    return frozenset(f"__{word}__" for word in words.split())


CALLABLE_METHODS = _dunders(_CALCULATING) | _dunders(
    " ".join(side + each for each in _ARITHMETIC.split() for side in ("", "r", "i"))
)
"""Methods that Python itself calls, and that a program may also call by name, as in `Base.__init__(self)`."""

SUPER_METHODS = CALLABLE_METHODS | _dunders(_LOOKING_INTO)
"""The same for `super()`: on other objects those that are added here would go round `_getitem_` and `_getiter_`."""

DEFINABLE_METHODS = SUPER_METHODS | _dunders(_CALLED_ONLY)
"""Methods that a program's classes may have.

Python calls them for objects of these classes alone, and with values that the program could have anyway. Not among them
are those that decide what a class is (`__class__`, `__instancecheck__`, `__mro_entries__`), that get at attributes by a
name which no guard sees (`__getattribute__`, `__setattr__`, `__delattr__`, `__dir__`), that say how an object is made
(`__reduce__`, `__setstate__`) or that run at no place of the program's (`__del__`).
"""

WRITING_METHODS = _dunders("setitem delitem")
ITEM_METHODS = WRITING_METHODS | _dunders("new getitem missing iter next reversed")
"""Those of SUPER_METHODS that are in no CALLABLE_METHODS: read from other objects, they need a look at what they do."""

ASKED_FOR = DEFINABLE_METHODS | _dunders("name qualname doc dict class module annotations slots")
"""What `hasattr` answers truly about, as in `hasattr(x, "__iter__")`."""

CLASS_LEVEL_NAMES = DEFINABLE_METHODS | {"__slots__", "__match_args__"}
"""Names that may be used right in a class's body, as in `__radd__ = __add__`."""

NAMED_TUPLE_METHODS = frozenset(("_asdict", "_field_defaults", "_fields", "_make", "_replace"))

# `_print` and `_tmp0` are RestrictedPython's own variables; guards and ours end with an underscore too.
_RESERVED = re.compile(r"_print|_tmp\d+|.+_")


def is_private(name: str) -> bool:
    """Whether a name begins with one underscore, as private ones do, and none of ours can have it."""
    return name[:1] == "_" and name[:2] != "__" and name != "_" and not _RESERVED.fullmatch(name)


def is_refused_attribute(name: str) -> bool:
    """Whether no program may read or set an attribute of this name, whatever its options."""
    return name in INSPECT_ATTRIBUTES or name.endswith("__roles__") or (name[:1] == "_" and not is_private(name))


__all__ = [
    "ASKED_FOR",
    "CALLABLE_METHODS",
    "CLASS_LEVEL_NAMES",
    "DEFINABLE_METHODS",
    "FORBIDDEN_FUNC_NAMES",
    "INSPECT_ATTRIBUTES",
    "ITEM_METHODS",
    "NAMED_TUPLE_METHODS",
    "SUPER_METHODS",
    "WRITING_METHODS",
    "is_private",
    "is_refused_attribute",
]
