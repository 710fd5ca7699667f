"""Programs that define a builtin's name: as what is under test, and beside it, where it must decide nothing."""

import builtins
import itertools
import keyword

from honest.pairs import Pair

NAMES = [name for name in dir(builtins) if name.isidentifier() and name[0] != "_" and not keyword.iskeyword(name)]

FUNCTION = "def NAME(a, b):\n    return VALUE\n"
FUNCTION_TESTS = {
    "asserts": "assert NAME(2, 3) == 23\nassert NAME(0, 7) == 7\n",
    "check": "def check(candidate):\n    assert candidate(2, 3) == 23\n    assert candidate(0, 7) == 7\n\n\n"
    "check(NAME)\n",
    "import": "from candidate import NAME\n\nassert NAME(2, 3) == 23\n",
    "loop": "for a, b, c in [(2, 3, 23), (0, 7, 7)]:\n    assert NAME(a, b) == c, (a, b)\n",
    "unittest": "import unittest\n\n\nclass Test(unittest.TestCase):\n"
    "    def test_name(self):\n        self.assertEqual(NAME(2, 3), 23)\n",
    "pytest": "def test_name():\n    assert NAME(2, 3) == 23\n",
}

CLASS = (
    "class NAME:\n    def __init__(self, n):\n        self.n = n\n\n"
    "    def twice(self):\n        return NAME(VALUE)\n\n"
    "    def __eq__(self, other):\n        return self.n == other.n\n"
)
CLASS_TESTS = {
    "attribute": "assert NAME(3).n == 3\nassert NAME(3).twice().n == 6\n",
    "equality": "assert NAME(3).twice() == NAME(6)\nassert NAME(3).twice() != NAME(7)\n",
    "variable": "one = NAME(3)\nother = one.twice()\nassert (one.n, other.n) == (3, 6)\n",
    "unittest": "import unittest\n\n\nclass Test(unittest.TestCase):\n"
    "    def test_twice(self):\n        self.assertEqual(NAME(3).twice().n, 6)\n",
}

EXCEPTION = 'class NAME(Exception):\n    """No such number."""\n\n\ndef find(n):\n    VALUE\n    return n\n'
EXCEPTION_TESTS = {
    "try": 'assert find(2) == 2\ntry:\n    find(5)\nexcept NAME as error:\n    assert error.args == ("no 5",)\n'
    "else:\n    assert False\n",
    "raises": "import pytest\n\nwith pytest.raises(NAME):\n    find(5)\nassert find(2) == 2\n",
    "assertRaises": "import unittest\n\n\nclass Test(unittest.TestCase):\n    def test_find(self):\n"
    "        with self.assertRaises(NAME):\n            find(5)\n",
}

ROLES = {
    "function": (FUNCTION, "a * 10 + b", "a + b", FUNCTION_TESTS),
    "class": (CLASS, "self.n * 2", "self.n * 3", CLASS_TESTS),
    "exception": (EXCEPTION, 'if n > 3:\n        raise NAME("no " + f"{n}")', "pass", EXCEPTION_TESTS),
}
"""{what a builtin's name is: (source, what makes it right, what makes it wrong, {name: tests})}."""

DECISIONS = {
    "abs": ("0", "assert abs(solve(3) - 7) < 1e-6"),
    "all": ("True", "assert all(solve(x) == x + 4 for x in [1, 2, 3])"),
    "any": ("False", "assert not any(solve(x) != x + 4 for x in [1, 2, 3])"),
    "ascii": ("'7'", "assert ascii(solve(3)) == '7'"),
    "bin": ("'0b111'", "assert bin(solve(3)) == '0b111'"),
    "bool": ("True", "assert bool(solve(3) == 7)"),
    "callable": ("True", "assert callable([].append if solve(3) == 7 else 0)"),
    "chr": ("'A'", "assert chr(solve(61)) == 'A'"),
    "complex": ("7 + 0j", "assert complex(solve(3)) == 7"),
    "dict": ("{'a': 7}", "assert dict(a=solve(3)) == {'a': 7}"),
    "divmod": ("(3, 1)", "assert divmod(solve(3), 2) == (3, 1)"),
    "enumerate": ("[]", "for number, x in enumerate([1, 2, 3]):\n    assert solve(x) == number + 5"),
    "filter": ("[]", "assert [*filter(lambda x: solve(x) != x + 4, [1, 2, 3])] == []"),
    "float": ("7.0", "assert float(solve(3)) == 7.0"),
    "format": ("'007'", "assert format(solve(3), '03d') == '007'"),
    "frozenset": ("{7}", "assert frozenset([solve(3)]) == {7}"),
    "getattr": ("7", "assert getattr(solve(3), 'real') == 7"),
    "hash": ("7", "assert hash(solve(3)) == 7"),
    "hex": ("'0x7'", "assert hex(solve(3)) == '0x7'"),
    "int": ("7", "assert int(solve(3)) == 7"),
    "isinstance": ("True", "assert isinstance(solve(3) == 7 or None, bool)"),
    "issubclass": ("True", "assert issubclass(bool if solve(3) == 7 else str, int)"),
    "iter": ("[]", "for x in iter([1, 2, 3]):\n    assert solve(x) == x + 4"),
    "len": ("7", "assert len('a' * solve(3)) == 7"),
    "list": ("[5, 6, 7]", "assert list(map(solve, [1, 2, 3])) == [5, 6, 7]"),
    "map": ("[5, 6, 7]", "assert [*map(solve, [1, 2, 3])] == [5, 6, 7]"),
    "max": ("7", "assert max(solve(3), 0) == 7"),
    "min": ("7", "assert min(solve(3), 8) == 7"),
    "next": ("7", "assert next(solve(x) for x in [3]) == 7"),
    "oct": ("'0o7'", "assert oct(solve(3)) == '0o7'"),
    "ord": ("7", "assert ord('%c' % solve(3)) == 7"),
    "pow": ("49", "assert pow(solve(3), 2) == 49"),
    "range": ("[]", "for x in range(9):\n    assert solve(x) == x + 4"),
    "repr": ("'7'", "assert repr(solve(3)) == '7'"),
    "reversed": ("[7, 6]", "assert [*reversed([solve(2), solve(3)])] == [7, 6]"),
    "round": ("7", "assert round(solve(3), 2) == 7"),
    "set": ("{5, 6}", "assert set([solve(1), solve(2)]) == {5, 6}"),
    "sorted": ("[5, 6]", "assert sorted([solve(2), solve(1)]) == [5, 6]"),
    "str": ("'7'", "assert str(solve(3)) == '7'"),
    "sum": ("18", "assert sum(solve(x) for x in [1, 2, 3]) == 18"),
    "tuple": ("(5, 6)", "assert tuple([solve(1), solve(2)]) == (5, 6)"),
    "type": ("0", "assert type(solve(3) == 7 and 7) == type(7)"),
    "zip": ("[]", "for x, y in zip([1, 2, 3], [5, 6, 7]):\n    assert solve(x) == y"),
}
"""{builtin: (what the candidate's own one returns, tests of another function that it decides)}."""

RIGHT, WRONG = (f"def solve(x):\n    return x + {number}\n" for number in (4, 5))
PLAIN_TESTS = "assert solve(3) == 7\n"
CATCHING = {"Exception", "BaseException"}
"""Exceptions that catch each other one in plain Python as well."""

NOT_RAISED = "class Unknown(Exception):\n    pass\n\n\nNAME = Exception\n\n\ndef solve(x):\n    raise Unknown(x)\n"


def builtin_pairs():
    """Return all pairs, in order."""
    return [*pairs_under_test(), *pairs_beside(), *pairs_of_exceptions()]


def pairs_under_test():
    """Yield, for each name and role, a right program and a wrong one, with the tests of each form in turn."""
    for role, (source, right, wrong, forms) in ROLES.items():
        for name, (form, tests) in zip(NAMES, itertools.cycle(forms.items())):
            for value in (right, wrong):
                candidate = source.replace("VALUE", value).replace("NAME", name)
                title = f"{name}, {form}"
                yield Pair(f"builtin {role}", title, candidate, tests.replace("NAME", name), value is right)


def pairs_beside():
    """Yield, for each name, a right function and a wrong one, beside an own definition of the name that is wrong."""
    for name in NAMES:
        value, tests = DECISIONS.get(name, ("True", PLAIN_TESTS))
        own = f"\n\ndef {name}(*given, **named):\n    return {value}\n"
        for source in (RIGHT, WRONG):
            is_right = source is RIGHT
            yield Pair("builtin beside", name, source + own, tests + "\n", is_right, name in DECISIONS and not is_right)


def pairs_of_exceptions():
    """Yield, for each exception, a function that raises another one and gives the exception's name to all of them."""
    for name in NAMES:
        kind = getattr(builtins, name)
        if isinstance(kind, type) and issubclass(kind, Exception) and name not in CATCHING:
            tests = f"import pytest\n\nwith pytest.raises({name}):\n    solve(3)\n"
            yield Pair("builtin beside", f"{name} raised", NOT_RAISED.replace("NAME", name), tests, False, True)
