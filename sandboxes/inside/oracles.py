"""Which classes of the candidate the tests' own text uses as classes: the tests trust those, as their oracle.

Only instances of such a class may meet data of the tests in the candidate's process (`Money(5) < 10`). A candidate that
makes the function it was asked for a class gains nothing: its name is not written like a class, and nothing in the
tests says that it is one.
"""

import ast
from collections import Counter, OrderedDict, deque

DATA_ATTRIBUTES = frozenset(
    name
    for kind in (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, Counter, OrderedDict, deque)
    for name in dir(kind)
)
CLASS_CHECKS = ("isinstance", "issubclass", "raises", "assertRaises", "assertIsInstance", "assertRaisesRegex")


def is_class_name(name):
    """Whether a name is written like a class's: in CapWords."""
    bare = name.lstrip("_")
    return bare[:1].isupper() and "_" not in bare and (bare != bare.upper() or len(bare) == 1)


def oracle_classes(text):
    """Names that the tests call and use as classes."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return frozenset()
    found, made_from = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and called_name(node.value):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    made_from.setdefault(target.id, set()).add(called_name(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called_name(node, any_name=True) in CLASS_CHECKS:
            found.update(each.id for argument in node.args for each in ast.walk(argument) if isinstance(each, ast.Name))
        elif isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
            found.add(node.type.id)
        elif isinstance(node, ast.Attribute) and node.attr not in DATA_ATTRIBUTES:
            found.update(names_behind(node.value, made_from))
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            found.update(filter(None, map(called_name, node.comparators)))
    return frozenset(filter(is_class_name, found))


def called_name(node, any_name=False):
    """The name that is called, where a node is a call of one that is written like a class; else None."""
    if not isinstance(node, ast.Call):
        return None
    name = getattr(node.func, "id", None) or (any_name and getattr(node.func, "attr", None)) or ""
    return name if any_name or is_class_name(name) else None


def names_behind(node, made_from):
    """The classes that a value comes from: one that is called there, or that made the variable, or is itself named."""
    if isinstance(node, ast.Name):
        return {node.id} | made_from.get(node.id, set())
    if isinstance(node, ast.BinOp):
        return names_behind(node.left, made_from) | names_behind(node.right, made_from)
    return {called_name(node)} - {None}
