"""Lists of special methods: those that `len(x)`, `x + y` and `for y in x` call on the other process's objects."""

from __future__ import annotations

ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
ARITHMETIC = "add sub mul truediv floordiv mod matmul divmod pow lshift rshift and or xor".split()
# In these, plain data of one process would meet code of the other that decides the result.
GUARDED = frozenset(
    [
        *("__eq__", "__ne__", "__contains__"),
        *ORDER,
        *["__%s%s__" % (prefix, name) for prefix in ("", "r", "i") for name in ARITHMETIC],
    ]
)
COMPARISONS = frozenset((*ORDER, "__eq__", "__ne__", "__hash__"))
# These read data: an instance of a subclass of list, say, as a list.
READING = frozenset(
    "__len__ __iter__ __getitem__ __contains__ __reversed__ __bool__ __int__ __float__ __complex__ __index__ __round__ "
    "__trunc__ __floor__ __ceil__ __abs__ __neg__ __pos__ __invert__ __next__ __length_hint__ __fspath__".split()
)
# What these say of an object that the tests do not trust is kept until a request may change it.
KEPT = frozenset(
    "__int__ __float__ __complex__ __index__ __round__ __trunc__ __floor__ __ceil__ __abs__ __neg__ __pos__ __invert__ "
    "__str__ __repr__ __format__ __bytes__".split()
)
# These change no object.
UNCHANGING = READING | KEPT | COMPARISONS | (GUARDED - {"__i%s__" % name for name in ARITHMETIC})
# Methods that tell where, or how often, there is something. Their numbers must be those of the items.
SEARCHING = frozenset("index rindex find rfind count".split())
# Methods by which data judges itself, or learns what it is compared with: `assertSetEqual` calls `difference`.
JUDGING = frozenset("startswith endswith difference symmetric_difference".split()).union(
    *[[name for name in dir(kind) if name[:2] == "is"] for kind in (str, bytes, float, set)]
)
# The same of data of the tests alone: shapes have an intersection with each other.
JUDGING_DATA = frozenset(("intersection",))
# All special methods that cross.
OPERATORS = (
    GUARDED
    | READING
    | frozenset(
        "__setitem__ __delitem__ __call__ __enter__ __exit__ __hash__ __repr__ __str__ __format__ __await__ __aiter__ "
        "__anext__ __aenter__ __aexit__ __missing__ __bytes__".split()
    )
)
# Attributes that are read from the object itself, although a proxy has them too.
READABLE = frozenset(
    "__dict__ __name__ __qualname__ __wrapped__ __members__ __annotations__ __defaults__ __kwdefaults__ __self__ "
    "__func__ __version__ __dataclass_fields__ __match_args__ __cached__".split()
)
# A test runner treats exceptions of these modules as its own: as a skipped test, say.
TEST_RUNNERS = frozenset(("unittest", "pytest", "_pytest", "doctest", "nose"))


def is_special(name: str) -> bool:
    """Tell whether a name is one of Python's own, such as `__len__`."""
    return name[:2] == "__" and name[-2:] == "__" and len(name) > 4
