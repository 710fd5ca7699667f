"""Which classes of the candidate the tests' own text uses as classes: the tests trust those, as their oracle.

Only instances that the tests make of such a class may meet data of the tests in the candidate's process
(`Money(5) < 10`). A candidate that makes the function it was asked for a class gains nothing: its name is not written
like a class, or nothing in the tests says that it is one. That its result is compared says nothing, nor do attributes
that functions, arrays or other data have.
"""

import ast
import re
import types
from collections import Counter, OrderedDict, deque

DATA = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, Counter, OrderedDict, deque, range, slice)
OTHERS = (type(re.compile("")), type(re.match("", "")), types.FunctionType, types.GeneratorType, types.CoroutineType)
# Attributes of libraries' data, which is not imported for them: arrays, dates and decimals.
LIBRARY_ATTRIBUTES = frozenset(
    "T adjusted all any argmax argmin argsort as_tuple astimezone astype byteswap cache_clear cache_info choose "
    "clip columns compare compress conj ctime cumprod cumsum data date day days diagonal dot dst dtype dump dumps "
    "equals exp fill flat flatten fold func getfield hour iloc is_finite is_infinite is_nan is_signed is_zero "
    "isocalendar isoformat isoweekday item itemset itemsize keywords limit_denominator ln loc log10 max mean "
    "microsecond microseconds min minute month nbytes ndim newbyteorder nonzero normalize prod ptp put quantize "
    "ravel repeat reshape resize round scaleb searchsorted second seconds setfield setflags shape size sqrt squeeze "
    "std strftime strides sum swapaxes take time timestamp timetuple to_dict to_list tobytes tofile tolist "
    "toordinal tostring total_seconds trace transpose tzinfo tzname utcoffset var view weekday year".split()
)
DATA_ATTRIBUTES = LIBRARY_ATTRIBUTES.union(*map(dir, DATA + OTHERS))
# Calls that take a class, and which of their arguments that is.
CLASS_ARGUMENTS = {"isinstance": 1, "issubclass": 1, "assertIsInstance": 1, "assertNotIsInstance": 1}
CLASS_ARGUMENTS.update(raises=0, assertRaises=0, assertRaisesRegex=0)


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
        if isinstance(node, ast.Call) and called_name(node, any_name=True) in CLASS_ARGUMENTS:
            first = CLASS_ARGUMENTS[called_name(node, any_name=True)]
            # Before the class a bare name is one too: what is called there may be a function.
            parts = [*node.args[:first], *(each for part in node.args[first : first + 1] for each in ast.walk(part))]
            found.update(each.id for each in parts if isinstance(each, ast.Name))
        elif isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
            found.add(node.type.id)
        elif isinstance(node, ast.Attribute) and node.attr not in DATA_ATTRIBUTES:
            found.update(names_behind(node.value, made_from))
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
