"""The same small function in many styles of programs, tested in many ways, for many kinds of values."""

from dataclasses import dataclass

from honest.pairs import Pair

STYLES = {
    "def": "def solve(x):\n    return EXPR\n",
    "lambda": "solve = lambda x: EXPR\n",
    "annotated": "from typing import Any\n\n\n"
    "def solve(x: Any, *, unused: int | None = None) -> Any:\n    return EXPR\n",
    "callable object": "class Solver:\n    def __call__(self, x):\n        return EXPR\n\n\nsolve = Solver()\n",
    "callable class": "class solve:\n    def __new__(cls, x):\n        return EXPR\n",
    "partial": "from functools import partial\n\n\ndef general(unused, x):\n    return EXPR\n\n\n"
    "solve = partial(general, None)\n",
    "decorated": "import functools\n\n\ndef counted(function):\n    @functools.wraps(function)\n"
    "    def wrapper(*args, **kwargs):\n        wrapper.calls += 1\n        return function(*args, **kwargs)\n\n"
    "    wrapper.calls = 0\n    return wrapper\n\n\n@counted\ndef solve(x):\n    return EXPR\n",
    "bound method": "class Tools:\n    def __init__(self):\n        self.seen = []\n\n    def solve(self, x):\n"
    "        self.seen.append(x)\n        return EXPR\n\n\nsolve = Tools().solve\n",
    "static method": "class Tools:\n    @staticmethod\n    def solve(x):\n        return EXPR\n\n\n"
    "solve = Tools.solve\n",
    "closure": "def make():\n    def inner(x):\n        return EXPR\n\n    return inner\n\n\nsolve = make()\n",
    "generator": "def results(x):\n    yield EXPR\n\n\ndef solve(x):\n    return next(results(x))\n",
    "recursion": "def solve(x, depth=3):\n    return solve(x, depth - 1) if depth else EXPR\n",
    "star arguments": "def solve(*args, **kwargs):\n    [x] = args or kwargs.values()\n    return EXPR\n",
    "dispatch": "from functools import singledispatch\n\n\n@singledispatch\ndef solve(x):\n    return EXPR\n\n\n"
    '@solve.register\ndef _(x: bytes):\n    raise TypeError("no bytes")\n',
    "coroutine": "import asyncio\n\n\nasync def work(x):\n    await asyncio.sleep(0)\n    return EXPR\n\n\n"
    "def solve(x):\n    return asyncio.run(work(x))\n",
    "global": "result = None\n\n\ndef solve(x):\n    global result\n    result = EXPR\n    return result\n",
    "tabs": "def solve(x):\n\ttry:\n\t\treturn EXPR\n\tfinally:\n\t\tdel x\n",
    "CRLF": "def solve(x):\r\n    result = EXPR\r\n    return result",
    "main guard": 'def solve(x):\n    return EXPR\n\n\nif __name__ == "__main__":\n    print("run as a script")\n',
}
"""{name: source of `solve`, in which EXPR is its result}."""


@dataclass(frozen=True)
class Kind:
    """A kind of value that a function returns."""

    name: str

    right: str
    """The expression of the right result, in terms of x."""

    wrong: str

    cases: tuple[tuple[str, str], ...]
    """(argument, expected result), as expressions. The first one tells right from wrong."""

    setup: str = ""
    """What the candidate imports and defines."""

    same: str = "GOT == WANT"
    """The comparison of a result."""

    imports: str | None = None
    """What the tests import. None: as `setup`."""


POINT = "from collections import namedtuple\n\nPoint = namedtuple('Point', 'x y')\n"
DATACLASS = (
    "from dataclasses import dataclass\n\n\n@dataclass(order=True)\nclass Point:\n    x: int\n    y: int = 0\n\n\n"
)
VECTOR = (
    "class Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n\n"
    "    def __eq__(self, other):\n"
    "        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)\n\n\n"
)
ENUM = "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n\n\n"
NUMPY = "import numpy as np\n"
DATES = "from datetime import date, datetime, timedelta\n"

KINDS = (
    Kind("int", "x * 2 + 1", "x * 2", (("3", "7"), ("0", "1"), ("-2", "-3"))),
    Kind("large int", "10**x + 1", "10**x", (("30", "10**30 + 1"), ("1", "11"))),
    Kind("float", "x / 2", "x / 3", (("3", "1.5"), ("7.0", "3.5"), ("0", "0.0"))),
    Kind("float sum", "x + 0.2", "x + 0.3", (("0.1", "0.3"), ("1", "1.2")), same="abs(GOT - WANT) < 1e-9"),
    Kind(
        "isclose",
        "x**0.5",
        "x",
        (("2", "1.41421356"),),
        same="math.isclose(GOT, WANT, rel_tol=1e-6)",
        imports="import math\n",
    ),
    Kind("approx", "x * 1.1", "x * 1.2", (("3", "3.3"),), same="GOT == pytest.approx(WANT)", imports="import pytest\n"),
    Kind("bool", "x > 2", "x > 9", (("3", "True"), ("1", "False"))),
    Kind("is", "x > 2", "int(x > 2)", (("3", "True"), ("1", "False")), same="GOT is WANT"),
    Kind("None", "None if x > 2 else x", "x", (("3", "None"), ("1", "1"))),
    Kind("str", "x.upper() + '!'", "x.upper()", (("'ab'", "'AB!'"), ("'é\\n'", "'É\\n!'"))),
    Kind("bytes", "x[::-1]", "x", (("bytearray(b'ab')", "b'ba'"),)),
    Kind("list", "[y * 2 for y in x]", "[y for y in x]", (("[1, 2]", "[2, 4]"), ("[]", "[]"))),
    Kind("nested list", "[[y] * 2 for y in x]", "[[y] for y in x]", (("[1, 2]", "[[1, 1], [2, 2]]"),)),
    Kind("tuple", "(x, x + 1)", "(x,)", (("3", "(3, 4)"), ("0", "(0, 1)"))),
    Kind("dict", "{y: len(y) for y in x}", "{y: 1 for y in x}", (("['a', 'bb']", "{'a': 1, 'bb': 2}"), ("[]", "{}"))),
    Kind("set", "{y % 3 for y in x}", "set(x)", (("[1, 4, 5]", "{1, 2}"), ("[]", "set()"))),
    Kind("frozenset", "frozenset(x)", "frozenset(x[1:])", (("'abc'", "frozenset({'a', 'b', 'c'})"),)),
    Kind("complex", "x * 1j", "x * 2j", (("3", "3j"), ("1 + 1j", "-1 + 1j"))),
    Kind("range", "range(x)", "range(x + 1)", (("3", "range(3)"),)),
    Kind("sorted", "set(x)", "set(x[1:])", (("[3, 1]", "[1, 3]"),), same="sorted(GOT) == WANT"),
    Kind("items", "(y * y for y in x)", "iter(x)", (("[1, 3]", "[1, 9]"),), same="list(GOT) == WANT"),
    Kind("Decimal", "Decimal(x) / 4", "Decimal(x) / 5", (("3", "Decimal('0.75')"),), "from decimal import Decimal\n"),
    Kind("Fraction", "Fraction(x, 6)", "Fraction(x)", (("3", "Fraction(1, 2)"),), "from fractions import Fraction\n"),
    Kind("date", "x + timedelta(days=1)", "x", (("date(2024, 2, 28)", "date(2024, 2, 29)"),), DATES),
    Kind("datetime", "datetime.fromisoformat(x)", "datetime.now()", (("'2024-05-06'", "datetime(2024, 5, 6)"),), DATES),
    Kind("timedelta", "timedelta(hours=x)", "timedelta(x)", (("36", "timedelta(days=1, hours=12)"),), DATES),
    Kind(
        "Counter",
        "Counter(x)",
        "Counter(x[1:])",
        (("'hello'", "Counter(h=1, e=1, l=2, o=1)"),),
        "from collections import Counter\n",
    ),
    Kind(
        "Counter and dict",
        "Counter(x)",
        "Counter(x[1:])",
        (("'aab'", "{'a': 2, 'b': 1}"),),
        "from collections import Counter\n",
        imports="",
    ),
    Kind("deque", "deque(x, 2)", "deque(x)", (("'abc'", "deque('bc', 2)"),), "from collections import deque\n"),
    Kind(
        "defaultdict",
        "defaultdict(list, {x: [1]})",
        "defaultdict(list)",
        (("'a'", "{'a': [1]}"),),
        "from collections import defaultdict\n",
    ),
    Kind(
        "OrderedDict",
        "OrderedDict(sorted(x.items()))",
        "OrderedDict(x)",
        (("{'b': 1, 'a': 2}", "OrderedDict(a=2, b=1)"),),
        "from collections import OrderedDict\n",
    ),
    Kind("namedtuple", "Point(x, -x)", "Point(x, x)", (("3", "Point(3, -3)"), ("0", "Point(0, 0)")), POINT),
    Kind("namedtuple of the candidate", "Point(x, -x)", "Point(x, x)", (("3", "Point(3, -3)"),), POINT, imports=""),
    Kind("namedtuple and tuple", "Point(x, -x)", "Point(x, x)", (("3", "(3, -3)"),), POINT, imports=""),
    Kind("dataclass", "Point(x)", "Point(x, 1)", (("3", "Point(3)"), ("0", "Point(0, 0)")), DATACLASS, imports=""),
    Kind("own class", "Point(x, -x)", "Point(x, x)", (("3", "Point(3, -3)"),), VECTOR, imports=""),
    Kind("attributes", "Point(x, -x)", "Point(x, x)", (("3", "-3"),), VECTOR, "GOT.y == WANT", ""),
    Kind("enum", "Color(x)", "Color(3 - x)", (("1", "Color.RED"), ("2", "Color.BLUE")), ENUM, imports=""),
    Kind("enum is", "Color(x)", "Color(3 - x)", (("1", "Color.RED"), ("2", "Color.BLUE")), ENUM, "GOT is WANT", ""),
    Kind(
        "array", "np.array(x) * 2", "np.array(x)", (("[1, 2]", "np.array([2, 4])"),), NUMPY, "np.array_equal(GOT, WANT)"
    ),
    Kind("array all", "np.arange(x)", "np.ones(x)", (("3", "[0, 1, 2]"),), NUMPY, "(GOT == WANT).all()", ""),
    Kind("array close", "np.sqrt(x)", "np.abs(x)", (("[4, 9]", "[2, 3]"),), NUMPY, "np.allclose(GOT, WANT)"),
    Kind(
        "array tolist",
        "np.diag(x)",
        "np.array(x)",
        (("[1, 2]", "[[1, 0], [0, 2]]"),),
        NUMPY,
        "GOT.tolist() == WANT",
        "",
    ),
    Kind(
        "array view",
        "np.arange(6).reshape(2, 3)[:, x]",
        "np.arange(6)[x:]",
        (("1", "[1, 4]"),),
        NUMPY,
        "list(GOT) == WANT",
        "",
    ),
    Kind("array scalar", "np.mean(x)", "np.max(x)", (("[1, 2]", "1.5"), ("[4]", "4.0")), NUMPY, imports=""),
    Kind("mixed", "{'n': x, 'rows': [(x, {x}, None)]}", "{'n': x}", (("3", "{'n': 3, 'rows': [(3, {3}, None)]}"),)),
)

UNITTEST = "import unittest\n\n\nclass TestSolve(unittest.TestCase):\n    def test_solve(self):\n        "
WAYS = {
    "assert": "assert SAME_EACH",
    "message": "assert SAME_EACH, f'not {WANT!r}'",
    "not": "if not (SAME):\n    raise ValueError('wrong')",
    "variable": "result = GOT\nassert SAME_RESULT",
    "keyword": "assert SAME_KEYWORD",
    "twice": "first = GOT\nassert SAME\nassert SAME",
    "import": "from candidate import solve\n\nassert SAME",
    "check": "def check(candidate):\n    assert SAME_CANDIDATE\n\n\ncheck(solve)",
    "loop": "for x, want in [CASES]:\n    assert SAME_LOOP",
    "all": "assert all(SAME_LOOP for x, want in [CASES])",
    "any": "assert not any(not (SAME_LOOP) for x, want in [CASES])",
    "helper": "def verify(x, want):\n    got = solve(x)\n    return SAME_GOT\n\n\nassert verify(ARG, WANT)",
    "test function": "def test_solve():\n    assert SAME",
    "parametrize": "import pytest\n\n\n@pytest.mark.parametrize('x, want', [CASES])\ndef test_solve(x, want):\n"
    "    assert SAME_LOOP",
    "assertTrue": UNITTEST + "self.assertTrue(SAME)",
    "subTest": UNITTEST + "for x, want in [CASES]:\n            with self.subTest(x=x):\n"
    "                self.assertTrue(SAME_LOOP)",
    "setUp": UNITTEST.replace("def test_solve", "def setUp(self):\n        self.want = WANT\n\n    def test_solve")
    + "self.assertTrue(SAME_SELF)",
}
"""{name: tests}. SAME is the comparison of the first case, SAME_EACH of each case on its own line."""

EQUAL_WAYS = {
    "from the right": "assert WANT == GOT",
    "not !=": "assert not GOT != WANT",
    "in": "assert GOT in [WANT]",
    "list of all": "assert [solve(x) for x, _ in [CASES]] == [want for _, want in [CASES]]",
    "map": "inputs, wants = zip(*[CASES])\nassert list(map(solve, inputs)) == list(wants)",
    "dict of all": "assert {'first': GOT} == {'first': WANT}",
    "copy": "import copy\n\nassert copy.deepcopy(GOT) == WANT",
    "assertEqual": UNITTEST + "self.assertEqual(GOT, WANT)",
    "assertIn": UNITTEST + "self.assertIn(GOT, [WANT, 'other'])",
}
"""Ways for results that `==` compares."""

SAME = {
    "SAME_RESULT": ("result", "WANT"),
    "SAME_KEYWORD": ("solve(x=ARG)", "WANT"),
    "SAME_CANDIDATE": ("candidate(ARG)", "WANT"),
    "SAME_LOOP": ("solve(x)", "want"),
    "SAME_GOT": ("got", "want"),
    "SAME_EACH": ("GOT", "WANT"),
    "SAME_SELF": ("GOT", "self.want"),
    "SAME": ("GOT", "WANT"),
}
"""{token: what it compares}, the longer names first."""

UNNAMED = "dispatch"
"""The style whose parameter can't be given by name."""


def style_pairs():
    """Return each kind of value with each way of testing, once right and once wrong, with the styles in turn."""
    names, pairs = list(STYLES), []
    for number, kind in enumerate(KINDS):
        ways = WAYS | (EQUAL_WAYS if kind.same == Kind.same else {})
        for place, (way, template) in enumerate(ways.items()):
            tests = tests_of(kind, template)
            for is_right in (True, False):
                style = names[(number + place + is_right) % len(names)]
                if way == "keyword" and style == UNNAMED:
                    style = names[0]
                candidate = kind.setup + STYLES[style].replace("EXPR", kind.right if is_right else kind.wrong)
                pairs.append(Pair("styles", f"{kind.name}, {way}, {style}", candidate, tests, is_right))
    return pairs


def tests_of(kind, template):
    """Return the tests of a kind of value, in one of the ways."""
    lines = [template] * len(kind.cases) if template.startswith("assert SAME_EACH") else [template]
    filled = []
    for line, (argument, want) in zip(lines, kind.cases, strict=False):
        for token, (got, expected) in SAME.items():
            line = line.replace(token, kind.same.replace("GOT", got).replace("WANT", expected))
        cases = ", ".join(f"({each}, {result})" for each, result in kind.cases)
        line = line.replace("GOT", "solve(ARG)").replace("CASES", cases)
        filled.append(line.replace("ARG", argument).replace("WANT", want))
    imports = kind.setup if kind.imports is None else kind.imports
    return imports + "\n".join(filled) + "\n"
