"""Match statements under the policy of the sandbox "restricted" do what CPython's own do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from restricted_programs import outcome_here, outcome_in_python

CLASSES = '''
class Point:
    """Has its attributes by place, too."""

    __match_args__ = ("x", "y")

    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class Point3(Point):
    pass


class Bare:
    pass


class Odd:
    def __eq__(self, other):
        log.append(other)
        return other == 7


class Dict(dict):
    def __missing__(self, key):
        return "missing"


class Int(int):
    pass


class Color:
    RED = 1
    BLUE = "b"
'''

PATTERNS = """
0
-1
1.5
-2+3j
"a"
b"a"
None
True
False
x
_
[]
[x]
(x,)
[x, y]
[x, *rest]
[*start, x]
[x, *_, y]
[*_]
[_, _]
[[x], y]
[(a, b), *rest]
[1, 2]
[1 | 2 as x, y]
"a", "b"
{}
{"a": x}
{"a": 1}
{"a": x, **rest}
{**rest}
{"a": {"b": x}}
{1: x, "a": y}
{None: x}
{Color.BLUE: x}
Color.RED
Color.BLUE | None
int()
int(x)
int(1 | 2)
str()
str(x)
float(x)
bool(x)
bytes(x)
list()
list(x)
list([x, y])
tuple((x, y))
dict(x)
set(x)
frozenset()
bytearray()
object()
range()
int() | str()
(int() | float()) as n
[int(a), str(b)]
Point()
Point(1)
Point(x)
Point(x, y)
Point(x, y=2)
Point(x=1, y=y)
Point(x=Point(y=z))
Point(Point(x), y)
Point3(x)
Point(nothing=x)
Bare()
Bare(x=1)
Odd()
7
[Point(x=0, y=0), *rest]
{"p": Point(x, y), **rest}
(1 | 2) | 3
[1, [2, [3, x]]]
["go", ("north" | "south") as direction]
""".strip().splitlines()

SUBJECTS = """
0
1
2
3
7
-1
1.5
True
False
None
-2+3j
"a"
"b"
""
b"a"
bytearray(b"a")
[]
[0]
[1, 2]
(1, 2)
(2, "b")
[1, [2, [3, 4]]]
[[1], 2]
[(1, 2), 3, 4]
["a", "b"]
"ab"
["go", "north"]
["go", "east"]
{}
{"a": 1}
{"a": 2, "b": 3}
{"a": {"b": 5}}
{1: 2, "a": 3}
{None: 4}
{"b": 1}
Dict(a=1)
Dict()
{1, 2}
frozenset((1,))
range(2)
range(0)
iter([1, 2])
Point(1)
Point(1, 2)
Point(0)
Point3(1, 2)
Point(Point(3, 4), 2)
[Point(0), 1]
{"p": Point(1, 2), "q": 3}
Bare()
Odd()
Int(1)
Int(0)
int
Point
1e0
object
""".strip().splitlines()

NAMES = ("x", "y", "z", "a", "b", "n", "rest", "start", "direction")
SHOWN = "{name: text(value) for name, value in (" + "".join(f'("{name}", {name}),' for name in NAMES) + ")}"
TEXT = 'def text(value):\n    return repr(value) if "object at" not in repr(value) else "object"\n'


def program(pattern, guard=""):
    """One function for each pattern, called with every subject; `out` has what the names were bound to."""
    return (
        f"{CLASSES}\n{TEXT}\nlog = []\n\ndef f(subject):\n    {' = '.join(NAMES)} = 'unbound'\n    match subject:\n"
        f"        case {pattern}{guard}:\n            return 'yes', {SHOWN}\n    return 'no', {SHOWN}\n\nout = []\n"
        f"for make in ({''.join(f'lambda: {each}, ' for each in SUBJECTS)}):\n"
        "    try:\n        out.append(f(make()))\n    except Exception as error:\n        out.append(repr(error))\n"
        "out.append(len(log))\n"
    )


@pytest.mark.parametrize("pattern", PATTERNS)
def test_pattern(pattern):
    """A pattern matches the same subjects, binds the same values and raises the same errors as in plain Python."""
    source = program(pattern)
    assert outcome_here(source) == outcome_in_python(source)


@pytest.mark.parametrize("pattern", ["x", "[x, *rest]", '{"a": x, **rest}', "Point(x, y)", "int() as x"])
def test_pattern_with_guard(pattern):
    """A guard sees what the pattern bound, and those names stay bound when it says no."""
    source = program(pattern, " if text(x) > '2'")
    assert outcome_here(source) == outcome_in_python(source)


FURTHER = {
    "the first case that applies is taken, and no other": """
out = []
for value in (0, 1, 2, 3):
    match value:
        case 0:
            out.append("zero")
        case 1 | 2 if value > 1:
            out.append("two")
        case 1:
            out.append("one")
        case _:
            out.append("other")
""",
    "the subject is evaluated once": """
out = []
def subject():
    out.append("evaluated")
    return 3
match subject():
    case 1: pass
    case 2: pass
    case other: out.append(other)
""",
    "several subjects are a tuple": """
def f(a, b):
    match a, b:
        case 0, 0: return "both"
        case 0, _: return "first"
        case (_, 0): return "second"
        case x, *y: return x, y
out = f(0, 0), f(0, 1), f(1, 0), f(1, 2)
""",
    "return, break and continue leave from within a case": """
out = []
for i in range(6):
    match i:
        case 1: continue
        case 4: break
        case x: out.append(x)
def f(value):
    while True:
        match value:
            case [first, *_]: return first
            case _: return None
out += f([7]), f([])
""",
    "a match within a match": """
def f(value):
    match value:
        case [kind, *rest]:
            match rest:
                case [x]: return kind, x
                case [x, y]: return kind, x, y
            return kind
    return None
out = f(["a", 1]), f(["a", 1, 2]), f(["a"]), f(5)
""",
    "names of a module and of a class are bound": """
match [1, 2]:
    case [a, b]: pass
class C:
    match 5:
        case n if n > 3: big = True
out = a, b, C.n, C.big
""",
    "global and nonlocal names are bound": """
g = 0
def f():
    global g
    local = 0
    def inner():
        nonlocal local
        match 5:
            case local: pass
    inner()
    match [6]:
        case [g]: pass
    return local
out = f(), g
""",
    "nothing is bound where a pattern fails": """
x = "before"
match [1, 2]:
    case [x, 3]: pass
out = x
""",
    "a match in a generator": """
def f(values):
    for value in values:
        match value:
            case int(): yield "int"
            case str() as s: yield s
            case [*items]: yield from f(items)
out = list(f([1, "a", [2, ["b"]], None]))
""",
    "augmented assignment and print in a case": """
d = {"n": 0}
for value in "aab":
    match value:
        case "a":
            d["n"] += 1
            print(value, d["n"])
        case _:
            print("other")
out = d
""",
    "a guard that raises": """
try:
    match 5:
        case x if x / 0: pass
except ZeroDivisionError as error:
    out = str(error)
""",
    "a walk over a tree of tuples": """
def calculate(node):
    match node:
        case int() | float(): return node
        case ("+", a, b): return calculate(a) + calculate(b)
        case ("*", a, b): return calculate(a) * calculate(b)
        case ("-", a): return -calculate(a)
        case (op, *_): raise ValueError(f"no operator {op}")
out = [calculate(("+", 1, ("*", 2, ("-", 3))))]
try:
    calculate(("/", 1, 2))
except ValueError as error:
    out.append(str(error))
""",
    "a sequence of the program's own is none": """
class S:
    def __len__(self): return 2
    def __getitem__(self, i): return (1, 2)[i]
match S():
    case [a, b]: out = "sequence"
    case _: out = "none"
""",
    "a subclass of list or dict is one": """
class L(list): pass
class D(dict): pass
def f(value):
    match value:
        case [a, *b]: return "sequence", a, b
        case {"k": v, **rest}: return "mapping", v, rest
out = f(L([1, 2])), f(D(k=1, j=2))
""",
    "a list of a pattern is of a list's class": """
match (1, 2, 3):
    case [a, *b]: out = type(b) is list, b
""",
    "__match_args__ that are no tuple, or too few": """
class A:
    __match_args__ = ["x"]
class B:
    __match_args__ = ("x",)
    x = 1
class C:
    __match_args__ = ("x", 5)
    x = 1
out = []
for cls in (A, B, C):
    try:
        match cls():
            case cls(a, b): pass
    except TypeError as error:
        out.append(str(error))
""",
    "an attribute given twice": """
class B:
    __match_args__ = ("x",)
    x = 1
try:
    match B():
        case B(1, x=1): pass
except TypeError as error:
    out = str(error)
""",
    "no class in a class pattern": """
f = 5
try:
    match 5:
        case f(): pass
except TypeError:
    out = "no class"
""",
    "a mapping is asked for its keys alone": """
from collections import OrderedDict, defaultdict, deque, namedtuple
P = namedtuple("P", "a b")
d = defaultdict(list)
def f(value):
    match value:
        case {"k": v}: return v
        case P(a, b): return "P", a, b
        case [a, *b]: return a, b
    return "none"
out = f(d), dict(d), f(OrderedDict(k=2)), f(deque([1, 2])), f(P(3, 4))
""",
    "dataclasses and enums": """
from dataclasses import dataclass
from enum import Enum
@dataclass
class Circle:
    radius: float
@dataclass
class Box:
    width: float
    height: float = 1
class Kind(Enum):
    A = 1
    B = 2
def f(value):
    match value:
        case Circle(radius=r) if r > 9: return "big"
        case Circle(r): return r
        case Box(w, h): return w, h
        case Kind.A: return "A"
        case Kind(): return value.name
out = f(Circle(10)), f(Circle(1)), f(Box(2)), f(Kind.A), f(Kind.B)
""",
}


@pytest.mark.parametrize("source", FURTHER.values(), ids=FURTHER)
def test_statement(source):
    """A match statement does what it does in plain Python."""
    assert outcome_here(source) == outcome_in_python(source)


scalars = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["a", "b", "", b"a", 1.5, 0.0])
keys = st.sampled_from(["a", "b", 1, None])
subjects = st.recursive(
    scalars,
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.lists(inside, max_size=3).map(tuple)
        | st.dictionaries(keys, inside, max_size=3)
    ),
    max_leaves=8,
)
literals = scalars.filter(lambda value: value != "").map(repr)
singles = literals | st.sampled_from(["_", "int()", "str()", "list()", "dict()", "bool()", "float()", "tuple()"])


def compound(inside):
    """Patterns of patterns, without names."""
    key = keys.map(repr)
    return (
        st.lists(inside, max_size=3).map(lambda parts: "[" + ", ".join(parts) + "]")
        | st.lists(inside, max_size=2).map(lambda parts: "[" + ", ".join([*parts, "*_"]) + "]")
        | st.lists(inside, max_size=2).map(lambda parts: "[" + ", ".join(["*_", *parts]) + "]")
        | st.dictionaries(key, inside, max_size=2).map(
            lambda found: "{" + ", ".join(f"{name}: {each}" for name, each in found.items()) + "}"
        )
        | st.tuples(inside, inside).filter(lambda pair: "_" not in pair).map(lambda pair: f"({pair[0]} | {pair[1]})")
        | inside.map(lambda pattern: f"int({pattern})")
    )


def named(patterns):
    """Patterns as cases, each of which binds names of its own."""
    return [f"({pattern}) as x{place}" if pattern != "_" else f"x{place}" for place, pattern in enumerate(patterns)]


patterns = st.recursive(singles, compound, max_leaves=6)


@given(subjects, st.lists(patterns, min_size=1, max_size=4))
def test_any_statement(subject, found):
    """Of any cases, the one that plain Python takes is taken."""
    cases = [*dict.fromkeys(named([pattern for pattern in found if pattern != "_"])), "other"]
    source = f"match {subject!r}:\n" + "".join(
        f"    case {case}:\n        out = {place}, {case.split()[-1]}\n" for place, case in enumerate(cases)
    )
    assert outcome_here(source) == outcome_in_python(source)
