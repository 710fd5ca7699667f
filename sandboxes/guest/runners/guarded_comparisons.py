"""Compares plain data with objects of the candidate by the data's own rules, where both share an interpreter.

It is a guard against a lie that a model finds by chance, such as an `__eq__` that always says True. A candidate that
sets out to lie can remove it.
"""

from __future__ import annotations

import ast
import builtins
import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# A builtin whose name no program can write.
NAME = "@compare"
# A candidate without one of these words has no such object. Its tests are compiled once for all candidates, and call no
# function of ours, which costs each child page faults. `may_lie` in child.c has the same words.
WORDS = (b"class ", b"mock")
SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
# For each operator, its function, and the special methods of the left and of the right operand.
METHODS: dict[str, tuple[Callable[[Any, Any], Any], str, str]] = {
    "==": (operator.eq, "__eq__", "__eq__"),
    "!=": (operator.ne, "__ne__", "__ne__"),
    "<": (operator.lt, "__lt__", "__gt__"),
    "<=": (operator.le, "__le__", "__ge__"),
    ">": (operator.gt, "__gt__", "__lt__"),
    ">=": (operator.ge, "__ge__", "__le__"),
}
ITEMS = (list, tuple)
PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset))
# Classes of these modules are the candidate's, or equal everything.
FOREIGN_MODULES = ("candidate", "unittest.mock")


def guarded(node: ast.Compare, classes: tuple[str, ...]) -> ast.expr:
    """Return a comparison of two values as a call of `compare`; any other one as it is.

    Args:
        node: the comparison.
        classes: the names that tests use, which their own objects may be of.
    """
    if len(node.ops) != 1 or type(node.ops[0]) not in SIGNS:
        return node
    names: Any = classes
    arguments = [ast.Constant(SIGNS[type(node.ops[0])]), ast.Constant(names), node.left, *node.comparators]
    call = ast.Call(ast.Name(NAME, ast.Load()), arguments, [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def may_lie(candidate: bytes) -> bool:
    """Return whether a candidate may have an object that compares by rules of its own."""
    return any(word in candidate for word in WORDS)


def install() -> None:
    """Put what comparisons need where code of tests finds it."""
    setattr(builtins, NAME, compare)


def compare(sign: str, classes: tuple[str, ...], first: Any, second: Any) -> Any:
    """Return the result of a comparison of tests.

    Args:
        sign: of the operator.
        classes: names of classes whose objects decide by themselves.
        first: the left operand.
        second: the right operand.
    """
    usual, own, reflected = METHODS[sign]
    kinds = type(first), type(second)
    if kinds[0] in PLAIN and is_foreign(kinds[1], classes):
        result = getattr(kinds[0], own)(first, second)
    elif kinds[1] in PLAIN and is_foreign(kinds[0], classes):
        result = getattr(kinds[1], reflected)(second, first)
    elif sign in ("==", "!=") and kinds[0] is kinds[1] and kinds[0] in ITEMS and len(first) == len(second):
        if not any(is_foreign(type(item), classes) for pair in zip(first, second) for item in pair):
            return usual(first, second)
        result = all(compare("==", classes, *pair) for pair in zip(first, second)) is (sign == "==")
    else:
        return usual(first, second)
    if result is NotImplemented and sign in ("==", "!="):
        return sign == "!="
    if result is NotImplemented:
        names = (sign, kinds[0].__name__, kinds[1].__name__)
        raise TypeError("%r not supported between instances of %r and %r" % names)
    return result


def is_foreign(kind: type, classes: tuple[str, ...]) -> bool:
    """Return whether a class is one of the candidate's that the tests don't name."""
    return kind.__module__ in FOREIGN_MODULES and kind.__name__ not in classes
