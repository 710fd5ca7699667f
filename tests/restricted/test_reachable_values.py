"""A walk over all that a program reaches by attributes, from builtins and modules: it meets no way to new code."""

import contextlib
import dataclasses
import importlib
import sys
import types
import typing

import pytest

from sandboxes.restricted_policy.runtime.builtins_provided import real_type
from sandboxes.restricted_policy.runtime.modules import GuardedModule
from support.escape_programs import LIBERAL, MODULES
from support.restricted_programs import policy

DEPTH = 4
MAX_VALUES = 60_000
RAW = (
    *(
        type,
        types.FunctionType,
        types.CodeType,
        types.ModuleType,
        dataclasses.Field,
        typing.ForwardRef,
    ),
    *(eval, exec, compile, open, vars, globals, getattr, setattr, __import__),
)
"""What no program may hold. Our replacements of these are other objects."""

KINDS = (types.CodeType, types.FrameType, types.ModuleType, types.TracebackType)


def faults(value):
    """Return what is wrong with a value that a program has reached; "" if nothing is."""
    if any(value is each for each in RAW):
        return "it is real"
    if type(value) in KINDS:
        return f"it is of {type(value).__name__}"
    return "it makes classes" if isinstance(value, type) and issubclass(value, type) else ""


OWN = """
class A(list):
    x: int = 0
    def method(self):
        return self
    @property
    def value(self):
        return 1
    @staticmethod
    def of(y=None):
        return y
def generate():
    yield 1
def caught():
    try:
        return [].missing
    except AttributeError as error:
        return error
method = type(A().method)
a = A()
samples = [A, a, a.method, A.of, A.value, generate, generate(), caught(), lambda: 0, type[int], list[int], int | None]
samples += [method(type[int], 1), method(list[int], 1), type(generate), type(A), type(type), super(A, a)]
"""
"""A program that makes a value of each kind. Under LIBERAL it makes more."""

WITH_MODULES = """
import dataclasses, functools, typing, types, enum, collections, weakref, contextlib, abc, copy, operator
@dataclasses.dataclass
class D:
    x: int = dataclasses.field(default=1)
class E(enum.Enum):
    one = 1
P = collections.namedtuple("P", "a b")
field = dataclasses.fields(D)[0]
samples += [D, D(), field, type(field), E, E.one, P(1, 2), functools.partial(int, "1"),
            functools.GenericAlias(type[int], ()), typing.Annotated[type[int], 1], typing.Optional[type[int]],
            typing.Callable[[int], type[int]], weakref.ref(A), weakref.proxy(a), functools.cached_property(generate),
            functools.lru_cache(generate), contextlib.contextmanager(generate)(), types.SimpleNamespace(a=type[int]),
            types.MappingProxyType({"a": type[int]}), collections.defaultdict(list), copy.copy(type[int]),
            operator.attrgetter("real"), typing.TypeVar("T", bound=type[int]), typing.NewType("N", type[int])]
"""


def names_of(value):
    """Return the names of a value's attributes that a program may write, the dangerous ones of types included."""
    known = dir(importlib.import_module(repr(value)[9:-2])) if type(value) is GuardedModule else dir(real_type(value))
    return {name for name in known if name[:1] != "_"} | {"real", "make", "mro"}


def values_given(value):
    """Return what a value gives without arguments that matter: the classes of its class, and its elements."""
    found = list(value)[:50] if type(value) in (list, tuple, set, frozenset) else []
    return found + (list(value.values())[:50] if type(value) is dict else [])


@pytest.mark.parametrize("settings", [{}, LIBERAL], ids=["default", "liberal"])
def test_no_attribute_leads_to_what_makes_code(settings):
    """Attributes of attributes, methods without arguments that return classes, and elements are all harmless."""
    used, module = policy(**settings), types.ModuleType("candidate")
    used.prepare(module)
    space = vars(module)
    imports = settings.get("allowed_imports", ())
    read = space["_getattr_"]
    builtins = space["__builtins__"]
    sys.modules["candidate"] = module
    try:
        exec(used.compile(OWN + WITH_MODULES * bool(imports), "candidate.py"), space)
    finally:
        del sys.modules["candidate"]
    pending = [(name, value) for name, value in builtins.items() if name[:1] != "_"]
    pending += [(name, builtins["__import__"](name, space, {}, None, 0)) for name in imports]
    pending += [(f"samples[{number}]", value) for number, value in enumerate(space["samples"])]
    seen, kept, met = set(), [], []
    for _ in range(DEPTH):
        following = []
        for path, value in pending:
            for name in sorted(names_of(value)):
                try:
                    reached = read(value, name)
                except Exception:
                    continue
                given = [reached, *values_given(reached)]
                with contextlib.suppress(TypeError):
                    # Classes with a metaclass of their own have no class here.
                    given.append(builtins["type"](reached))
                with contextlib.suppress(TypeError):
                    given += reached() if name == "mro" else []
                for each in given:
                    if id(each) in seen or len(seen) > MAX_VALUES:
                        continue
                    seen.add(id(each))
                    kept.append(each)
                    if fault := faults(each):
                        met.append(f"{path}.{name}: {each!r}: {fault}")
                    following.append((f"{path}.{name}", each))
        pending = following
    assert met == []
    assert len(seen) > (3_000 if imports else 500)
    assert not imports or len(imports) == len(MODULES)
