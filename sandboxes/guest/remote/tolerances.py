"""Makes numpy's and pytest's comparisons with a tolerance refuse a result of another shape.

`allclose([], [1.0])` is true, because an array of one item is stretched to the length of any other, and `approx(1.0)`
equals an array without items, because each of its items is near.
"""

from __future__ import annotations

import functools
import inspect
from importlib import import_module

from .handles import is_handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

COMPARING = {
    "numpy": ("allclose", "isclose"),
    "numpy.testing": ("assert_allclose", "assert_almost_equal", "assert_array_almost_equal", "assert_array_equal"),
}
CHECKED: set[str] = set()


def compare_shapes(tests: str) -> None:
    """Replace the comparisons that tests may use by ones that look at shapes, once in this process.

    Args:
        tests: source.
    """
    for module, names in COMPARING.items():
        uses_numpy = "numpy" in tests or "np." in tests
        if module in CHECKED or not uses_numpy or not any(name in tests for name in names):
            continue
        CHECKED.add(module)
        try:
            library: Any = import_module(module)
        except ImportError:  # the tests say so themselves
            continue
        for name in names:
            setattr(library, name, with_shapes(getattr(library, name), raises=name.startswith("assert")))
    if "pytest" not in CHECKED and "approx" in tests and "pytest" in tests:
        CHECKED.add("pytest")
        pytest: Any = import_module("pytest")
        pytest.approx = with_items(pytest.approx)


def with_shapes(compare: Callable[..., Any], raises: bool) -> Callable[..., Any]:
    """Return a comparison of two arrays that is false, or raises, if an array is stretched to the shape of another.

    A single number may be compared with each item of an array that has some.
    """
    numpy: Any = import_module("numpy")
    signature = inspect.signature(compare)

    @functools.wraps(compare)
    def checked(*values: Any, **keywords: Any) -> Any:
        first, second, *_ = signature.bind(*values, **keywords).arguments.values()
        one, other = numpy.shape(first), numpy.shape(second)
        if one == other or ((one == () or other == ()) and 0 not in one + other):
            return compare(*values, **keywords)
        if raises:
            raise AssertionError("Arrays of the shapes %r and %r are not the same." % (one, other))
        return False

    return checked


def with_items(approx: Callable[..., Any]) -> Callable[..., Any]:
    """Return `pytest.approx` for which a number equals no array without items."""

    @functools.wraps(approx)
    def checked(expected: Any, *more: Any, **keywords: Any) -> Any:
        made = approx(expected, *more, **keywords)
        kind: Any = type(made)

        def equals(self: Any, actual: Any) -> Any:
            if (
                is_handle(actual)
                or getattr(actual, "shape", None) not in (None, ())
                and not hasattr(expected, "__len__")
            ):
                return not is_handle(actual) and actual.size > 0 and kind.__eq__(self, actual)
            return kind.__eq__(self, actual)

        made.__class__ = type(kind.__name__, (kind,), {"__eq__": equals, "__hash__": None})
        return made

    return checked
