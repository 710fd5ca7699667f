"""The ways by which a candidate's object reaches the tests.

Tokens stand for what a combination fills in: VALUE is the candidate's object, WANT the right plain value, GOT the
tests' expression for the object, and USE what they do with it. A class `Lie` is there, if the lie has one.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reach:
    """One way."""

    name: str

    candidate: str
    """The candidate's source, after the lie."""

    got: str = "solve(3)"
    """The tests' expression for the object."""

    tests: str = "USE"
    """The tests around the use."""

    honest: str = ""
    """The source of the honest twin. Empty: `candidate`, whose object is the right value."""

    needs_class: bool = False
    """Whether the candidate names `Lie`."""


FUNCTION = "def solve(n):\n    return {}\n"
OVERDRAWN = (
    "class Overdrawn(Exception):\n    pass\n\n\ndef solve(n):\n    if n:\n        return WANT\n    raise Overdrawn(n)\n"
)
CHECK = "def check(candidate):\n    USE\n\n\ncheck(solve)"
HONEST_NODE = "class Node:\n    def __init__(self, *given):\n        pass\n\n\ndef solve(*given):\n    return WANT\n"
HONEST_METHOD = "class Solution:\n    def solve(self, n):\n        return WANT\n"


def method(body, decorator="", head="def solve(self, n):"):
    """Return a class with one method."""
    return f"class Solution:\n    def __init__(self, *given):\n        pass\n\n{decorator}    {head}\n        {body}\n"


RESULTS = (
    Reach("function", FUNCTION.format("VALUE")),
    Reach("lambda", "solve = lambda n: VALUE\n"),
    Reach("callable object", method("return VALUE", head="def __call__(self, n):") + "\n\nsolve = Solution()\n"),
    Reach("partial", "from functools import partial\n\nsolve = partial(lambda answer, n: answer, VALUE)\n"),
    Reach("cached function", "import functools\n\n\n@functools.cache\n" + FUNCTION.format("VALUE")),
    Reach("default", "def solve(n, answer=VALUE):\n    return answer\n"),
    Reach("closure", "def solve(n):\n    def inner():\n        return VALUE\n\n    return inner\n", "solve(3)()"),
    Reach("method", method("return VALUE"), "Solution().solve(3)"),
    Reach("static method", method("return VALUE", "    @staticmethod\n", "def solve(n):"), "Solution.solve(3)"),
    Reach("class method", method("return VALUE", "    @classmethod\n"), "Solution.solve(3)"),
    Reach("property", method("return VALUE", "    @property\n", "def answer(self):"), "Solution(3).answer"),
    Reach(
        "attribute", "class Solution:\n    def __init__(self, n):\n        self.answer = VALUE\n", "Solution(3).answer"
    ),
    Reach("class attribute", "class Solution:\n    answer = VALUE\n", "Solution.answer"),
    Reach("constant", "ANSWER = VALUE\n", "ANSWER"),
    Reach("item of a list", FUNCTION.format("[VALUE]"), "solve(3)[0]"),
    Reach("item of a dict", FUNCTION.format("{'a': VALUE}"), 'solve(3)["a"]'),
    Reach("item of an object", method("return VALUE", head="def __getitem__(self, n):"), "Solution(3)[0]"),
    Reach("item by unpacking", FUNCTION.format("'ok', VALUE"), "answer", "state, answer = solve(3)\nUSE"),
    Reach("operator", method("return VALUE", head="def __add__(self, other):"), "(Solution(3) + Solution(4))"),
    Reach("yield", "def solve(n):\n    yield VALUE\n", "next(solve(3))"),
    Reach("yield in a list", "def solve(n):\n    yield VALUE\n", "[each for each in solve(3)][0]"),
    Reach("iteration", method("yield VALUE", head="def __iter__(self):"), "[*Solution(3)][0]"),
    Reach("map", FUNCTION.format("VALUE"), "[*map(solve, [3])][0]"),
    Reach("callback", "def solve(n, call):\n    call(VALUE)\n", "seen[0]", "seen = []\nsolve(3, seen.append)\nUSE"),
    Reach(
        "filled argument", "def solve(items):\n    items.append(VALUE)\n", "items[0]", "items = []\nsolve(items)\nUSE"
    ),
    Reach(
        "exception's argument",
        "def solve(n):\n    raise ValueError(VALUE)\n",
        "seen",
        "seen = None\ntry:\n    solve(3)\nexcept ValueError as error:\n    seen = error.args[0]\nUSE",
    ),
    Reach(
        "exception's attribute",
        "class Failed(Exception):\n    answer = VALUE\n\n\ndef solve(n):\n    raise Failed\n",
        "seen",
        "seen = None\ntry:\n    solve(3)\nexcept Failed as error:\n    seen = error.answer\nUSE",
    ),
    Reach(
        "field",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Answer:\n    value: object\n\n\n"
        + FUNCTION.format("Answer(VALUE)"),
        "solve(3).value",
    ),
    Reach(
        "with",
        "from contextlib import contextmanager\n\n\n@contextmanager\ndef solve(n):\n    yield VALUE\n",
        "answer",
        "with solve(3) as answer:\n    USE",
    ),
    Reach("coroutine", "async def solve(n):\n    return VALUE\n", "asyncio.run(solve(3))", "import asyncio\n\nUSE"),
    Reach(
        "argument of check",
        FUNCTION.format("VALUE"),
        "candidate(3)",
        CHECK,
    ),
    Reach("helper", FUNCTION.format("VALUE"), "answer(3)", "def answer(n):\n    return solve(n)\n\n\nUSE"),
    Reach(
        "unittest",
        FUNCTION.format("VALUE"),
        tests="import unittest\n\n\nclass TestSolve(unittest.TestCase):\n    def test_it(self):\n        USE\n\n\n"
        'TestSolve("test_it").debug()',
    ),
)
"""The object stands where an honest candidate has its answer."""

CLASSES = tuple(
    Reach(name, candidate, got, honest=honest, needs_class=True)
    for name, candidate, got, honest in (
        ("constructor", "solve = Lie\n", "solve(3)", FUNCTION.format("WANT")),
        (
            "self",
            "class Solution(Lie):\n    def solve(self, n):\n        return self\n",
            "Solution().solve(3)",
            HONEST_METHOD,
        ),
        ("class as method", "class Solution(Lie):\n    solve = Lie\n", "Solution().solve(3)", HONEST_METHOD),
        (
            "own class as method",
            "class Solution(Lie):\n    pass\n\n\nSolution.solve = Solution\n",
            "Solution().solve(3)",
            HONEST_METHOD,
        ),
        *(
            (
                f"{name} of {module}",
                f"class Node(Lie):\n    pass\n\n\nfrom {module} import {name} as solve\n",
                got,
                HONEST_NODE,
            )
            for module, name, got in (
                ("copy", "copy", "solve(Node(3))"),
                ("copy", "deepcopy", "solve(Node(3))"),
                ("operator", "pos", "solve(Node(3))"),
                ("operator", "add", "solve(Node(3), 3)"),
                ("numpy", "add", "solve(Node(3), 3)"),
                ("builtins", "max", "solve([Node(3)])"),
                ("functools", "reduce", "solve(max, [Node(3)])"),
            )
        ),
        (
            "replace of dataclasses",
            "from dataclasses import dataclass, replace as solve\n\n\n"
            "@dataclass(eq=False, repr=False)\nclass Node(Lie):\n    n: int = 0\n",
            "solve(Node(3))",
            HONEST_NODE,
        ),
    )
)
"""The object is an instance of a class that the tests name, or made where the tests are."""

BUILTINS = tuple(
    Reach(f"builtin {name}", f"def {name.split()[0]}(items, *start):\n    return {result}\n", got, tests)
    for name, result, got, tests in (
        ("max", "VALUE", "max([WANT])", "USE"),
        ("min", "VALUE", "min([WANT])", "USE"),
        ("next", "VALUE", "next(iter([WANT]))", "USE"),
        ("sorted", "[VALUE]", "sorted([WANT])[0]", "USE"),
        ("sum", "[VALUE]", "sum([[WANT]], [])[0]", "USE"),
        ("max in check", "VALUE", "candidate([WANT])", CHECK.replace("solve", "max")),
        ("list", "[VALUE]", "list([WANT])[0]", "USE"),
    )
)
"""The function under test has the name of a builtin that computes the right value."""

SWALLOWING = (
    Reach(
        "block with __exit__",
        method("return VALUE") + "\n    def __enter__(self):\n        return self\n"
        "\n    def __exit__(self, *error):\n        return True\n",
        "db.solve(3)",
        "with Solution() as db:\n    USE",
        method("return WANT") + "\n    def __enter__(self):\n        return self\n"
        "\n    def __exit__(self, *error):\n        return None\n",
    ),
    Reach(
        "block of a generator",
        "from contextlib import contextmanager\n\n\n@contextmanager\ndef solve(n):\n    try:\n        yield VALUE\n"
        "    except BaseException:\n        pass\n",
        "answer",
        "with solve(3) as answer:\n    USE",
        "from contextlib import contextmanager\n\n\n@contextmanager\ndef solve(n):\n    yield WANT\n",
    ),
    Reach(
        "callback that asserts",
        "def solve(n, call):\n    try:\n        call(VALUE)\n    except BaseException:\n        pass\n",
        "answer",
        "seen = []\n\n\ndef check(answer):\n    seen.append(1)\n    USE\n\n\nsolve(3, check)\nassert seen == [1]",
        "def solve(n, call):\n    call(WANT)\n",
    ),
    *(
        Reach(f"{form}, {name}", f"Overdrawn = {name}\n\n\n" + FUNCTION.format("VALUE"), tests=tests, honest=OVERDRAWN)
        for form, tests in (
            (
                "except",
                'try:\n    USE\n    solve(0)\nexcept Overdrawn:\n    pass\nelse:\n    raise ValueError("no error")',
            ),
            ("raises", "import pytest\n\nwith pytest.raises(Overdrawn):\n    USE\n    solve(0)"),
            (
                "assertRaises",
                "import unittest\n\nwith unittest.TestCase().assertRaises(Overdrawn):\n    USE\n    solve(0)",
            ),
        )
        for name in ("Exception", "AssertionError", "(BaseException, Exception)")
    ),
)
"""What swallows the tests' own assertion. The object is any."""

REACHES = RESULTS + CLASSES + BUILTINS + SWALLOWING
