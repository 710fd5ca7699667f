"""Classifies the tests' objects: what a candidate may have of them, call, and read."""

from __future__ import annotations

from ..common.containers import CONTAINERS
from .exporter import data_base
from .special_methods import TEST_RUNNERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Collection

# Classes of libraries whose instances a candidate may use if it gets one.
EXPOSED_TYPES = frozenset(
    [("_io", "StringIO"), ("_io", "BytesIO"), ("random", "Random"), ("re", "Pattern"), ("re", "Match")]
    + [("types", "SimpleNamespace"), ("builtins", "memoryview"), ("array", "array")]
)
CALL_ONLY_TYPES = frozenset([("functools", "partial"), ("functools", "_lru_cache_wrapper")])
CALL_ONLY_TYPES |= {("operator", name) for name in ("itemgetter", "attrgetter", "methodcaller")}
METHOD_DESCRIPTOR = type(str.upper)
GENERATOR_METHODS = frozenset(("__next__", "__iter__", "send", "close", "__anext__", "__aiter__"))
ITERATORS = frozenset(("generator", "coroutine", "async_generator"))
TESTS_MODULE = "candidate"


def is_tests_class(kind: type) -> bool:
    """Tell whether the tests define a class, and no test runner uses it."""
    modules = {base.__module__.partition(".")[0] for base in kind.__mro__}
    return kind.__module__ == TESTS_MODULE and not modules & TEST_RUNNERS


def all_within(value: Any) -> Collection[Any]:
    """Return a value, and if it is a container of plain data all that is in it."""
    values: dict[int, Any] = {}
    pending = [value]
    while pending:
        value = pending.pop()
        if id(value) not in values:
            values[id(value)] = value
            base: Any = data_base(type(value))
            if base in CONTAINERS:
                pending += CONTAINERS[base][0](value)
            elif base is tuple or base is frozenset:
                pending += base.__iter__(value)
    return values.values()


def is_iterator(kind: type) -> bool:
    """Tell whether a type is a builtin iterator."""
    return kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__")


def is_exposed(value: Any, kind: type) -> bool:
    """Tell whether a candidate may use an object of the tests in other ways than by calling it."""
    if isinstance(value, type):
        return is_tests_class(value)
    return is_tests_class(kind) or (kind.__module__, kind.__name__) in EXPOSED_TYPES


def is_public(name: Any) -> bool:
    """Tell whether an attribute's name is a public one."""
    return type(name) is str and name.isidentifier() and name[:1] != "_"
