"""Lists what `len(x)`, `x + y` and `for y in x` do in the candidate's process, if tests have only a handle of `x`."""

from __future__ import annotations

import math
import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

COMPARISONS = tuple("__%s__" % name for name in "eq ne lt le gt ge".split())
ARITHMETIC = "add sub mul truediv floordiv mod matmul pow lshift rshift and or xor".split()
# For each special method with two operands, the function that the operator is.
OF_TWO: dict[str, Callable[[Any, Any], Any]] = {name: getattr(operator, name) for name in COMPARISONS}
OF_TWO.update(("__%s__" % name, getattr(operator, "__%s__" % name)) for name in ARITHMETIC)
# For each special method of one operand, the function that calls it. What follows the operand is an argument.
OF_ONE: dict[str, Callable[..., Any]] = {
    "__abs__": abs,
    "__bool__": bool,
    "__bytes__": bytes,
    "__ceil__": math.ceil,
    "__complex__": complex,
    "__float__": float,
    "__floor__": math.floor,
    "__format__": format,
    "__getitem__": operator.getitem,
    "__hash__": hash,
    "__index__": operator.index,
    "__int__": int,
    "__invert__": operator.invert,
    "__iter__": iter,
    "__len__": len,
    "__neg__": operator.neg,
    "__next__": next,
    "__pos__": operator.pos,
    "__repr__": repr,
    "__reversed__": reversed,
    "__round__": round,
    "__str__": str,
    "__trunc__": math.trunc,
}
# Whether an object has one of these decides what Python takes it for.
TELLING = frozenset(
    "__call__ __complex__ __float__ __getitem__ __index__ __int__ __iter__ __len__ __next__ __reversed__".split()
)
FUNCTIONS: dict[str, Callable[..., Any]] = {**OF_ONE, **OF_TWO}
