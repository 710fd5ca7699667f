"""Tells what a name of Python is by how it is written."""

from __future__ import annotations


def is_special(name: str) -> bool:
    """Tell whether a name is one of Python's own, such as `__len__`."""
    return name[:2] == "__" and name[-2:] == "__" and len(name) > 4


def is_class_name(name: str) -> bool:
    """Tell whether a name is written like a class's: in CapWords."""
    bare = name.lstrip("_")
    return bare[:1].isupper() and "_" not in bare and (bare != bare.upper() or len(bare) == 1)
