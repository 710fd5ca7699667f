"""Tells which of a candidate's global values are a library's: the tests get such a value from the library itself."""

from __future__ import annotations

import functools
import sys

from ..common.library_values import SAFE_MODULES
from .exporter import BUILTIN_FUNCTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@functools.lru_cache(maxsize=None)
def known_values() -> dict[int, tuple[Any, str]]:
    """Return values of the standard library that candidates import, by their ids.

    Returns:
        Each value, so that nothing else gets its id, with its `library_origin` as "module:name", or "" if it has none.
    """
    known = {}
    for module in SAFE_MODULES & sys.modules.keys():
        for name, value in vars(sys.modules[module]).items():
            origin = library_origin(value)
            if name[:1] != "_" and (origin or type(value) is BUILTIN_FUNCTION):
                known[id(value)] = (value, "%s:%s" % origin if origin else "")
    return known


def library_origin(value: Any) -> tuple[str, str] | None:
    """Return the module of the standard library that has a value under the value's own name, and that name.

    Returns:
        None if there is no such module.
    """
    module = getattr(value, "__module__", None)
    name = getattr(value, "__name__", None) or getattr(value, "_name", None)
    if type(module) is not str or type(name) is not str or module not in SAFE_MODULES:
        return None
    return (module, name) if getattr(sys.modules.get(module), name, None) is value else None
