"""What tests do with an object, each decided on plain expected data.

A plain wrong value fails each use in plain Python, and the right value passes: `oracle.py` checks both.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Use:
    """One use."""

    name: str

    want: str
    """The right plain value."""

    tests: str
    """Source, in which GOT is the expression for the object and WANT the right value. Imports come first."""


ANY_VALUE = {
    "==": "assert GOT == WANT",
    "== from the right": "assert WANT == GOT",
    "not !=": "assert not GOT != WANT",
    "if !=": 'if GOT != WANT:\n    raise ValueError("wrong")',
    "in a list": "assert GOT in [WANT]",
    "list ==": "assert [GOT] == [WANT]",
    "dict ==": "assert {'a': (GOT,)} == {'a': (WANT,)}",
    "for": "for each in [GOT]:\n    assert each == WANT",
    "all": "assert all(x == y for x, y in zip([GOT], [WANT], strict=True))",
    "any": "assert any(x == GOT for x in [WANT])",
    "index": "assert [WANT].index(GOT) == 0",
    "count": "assert [GOT].count(WANT) == 1",
    "operator": "import operator\n\nassert operator.eq(GOT, WANT)",
    "isinstance": "got = GOT\nassert isinstance(got, type(WANT)) and got == WANT",
    "with": "import contextlib\n\nwith contextlib.nullcontext(GOT) as got:\n    assert got == WANT",
    "try": "try:\n    assert GOT == WANT\nexcept ValueError:\n    raise AssertionError",
    "raises": "import pytest\n\nwith pytest.raises(AssertionError):\n    assert GOT != WANT",
    "match": "got = GOT\nexpected = {'value': WANT}\nif (got, 1) != (expected['value'], 1):\n    raise ValueError(got)",
    "helper": "def same(one, other):\n    return one == other\n\n\nassert same(GOT, WANT)",
    "str": "assert str(GOT) == str(WANT)",
    "f-string": "assert f'{GOT}' == f'{WANT}'",
    "repr": "assert repr(GOT) == repr(WANT)",
    "percent": "assert '%s' % [GOT] == '%s' % [WANT]",
    "assertEqual": "import unittest\n\nunittest.TestCase().assertEqual(GOT, WANT)",
    "assertEqual from the right": "import unittest\n\nunittest.TestCase().assertEqual(WANT, GOT)",
    "assertTrue": "import unittest\n\nunittest.TestCase().assertTrue(GOT == WANT)",
    "assertFalse": "import unittest\n\nunittest.TestCase().assertFalse(GOT != WANT)",
    "assertIn": "import unittest\n\nunittest.TestCase().assertIn(GOT, [WANT])",
    "assertListEqual of one": "import unittest\n\nunittest.TestCase().assertListEqual([GOT], [WANT])",
}
NUMBER = {
    "<": "assert 6 < GOT < 8 and GOT == 7",
    "<= and >=": "assert GOT <= 7 and GOT >= 7",
    "abs() <": "assert abs(GOT - 7) < 1e-6",
    "abs() < from the right": "assert abs(7 - GOT) < 1e-6",
    "round": "assert round(GOT, 2) == 7",
    "+": "assert GOT + 1 == 8",
    "sum": "assert sum([GOT, 1]) == 8",
    "max": "got = GOT\nassert max(got, 6) == 7 and min(got, 8) == 7",
    "int": "assert int(GOT) == 7",
    "format": "assert f'{GOT:03d}' == '007'",
    "dict key": "assert {7: 'seven'}[GOT] == 'seven'",
    "in a set": "assert GOT in {7}",
    "set ==": "assert {GOT} == {7}",
    "match statement": "match GOT:\n    case 7:\n        pass\n    case _:\n        raise AssertionError",
    "isclose": "import math\n\nassert math.isclose(GOT, 7)",
    "approx": "import pytest\n\nassert GOT == pytest.approx(7)",
    "approx from the left": "import pytest\n\nassert pytest.approx(7) == GOT",
    "allclose": "import numpy as np\n\nassert np.allclose(GOT, 7)",
    "array": "import numpy as np\n\nassert np.array_equal([GOT], [7])",
    "assertAlmostEqual": "import unittest\n\nunittest.TestCase().assertAlmostEqual(GOT, 7)",
    "assertGreaterEqual": "import unittest\n\ngot = GOT\ncase = unittest.TestCase()\ncase.assertGreaterEqual(got, 7)\n"
    "case.assertLessEqual(got, 7)",
    "assertCountEqual of one": "import unittest\n\nunittest.TestCase().assertCountEqual([GOT], [7])",
    "json": "import json\n\nassert json.dumps({'a': GOT}) == '{\"a\": 7}'",
}
LIST = {
    "len and zip": "got = GOT\nassert len(got) == len(WANT) and all(a == b for a, b in zip(got, WANT))",
    "zip and len": "got = GOT\nassert all(a == b for a, b in zip(got, WANT)) and len(got) == len(WANT)",
    "len and for": "got = GOT\nassert len(got) == 3\n"
    "for number, each in enumerate(got):\n    assert each == WANT[number]",
    "zip_longest": "import itertools\n\nassert all(a == b for a, b in itertools.zip_longest(GOT, WANT))",
    "count of items": "count = 0\nfor each, right in zip(GOT, WANT):\n"
    "    assert each == right\n    count += 1\nassert count == 3",
    "index of items": "got = GOT\nfor number in range(3):\n    assert got[number] == WANT[number]",
    "first and last": "got = GOT\nassert got[0] == 7 and got[-1] == 9 and len(got) == 3",
    "slice": "assert GOT[::-1] == [9, 8, 7]",
    "list()": "assert list(GOT) == WANT",
    "tuple()": "assert tuple(GOT) == (7, 8, 9)",
    "sorted": "assert sorted(GOT) == WANT",
    "reversed": "assert [*reversed(GOT)] == [9, 8, 7]",
    "set()": "assert set(GOT) == {7, 8, 9}",
    "sum of items": "assert sum(GOT) == 24",
    "join": "assert ' '.join(map(str, GOT)) == '7 8 9'",
    "unpacking": "a, b, c = GOT\nassert (a, b, c) == (7, 8, 9)",
    "star": "first, *rest = GOT\nassert first == 7 and rest == [8, 9]",
    "map": "import operator\n\ngot = GOT\nassert len(got) == 3 and all(map(operator.eq, got, WANT))",
    "Counter": "from collections import Counter\n\nassert Counter(GOT) == Counter(WANT)",
    "approx of items": "import pytest\n\nassert GOT == pytest.approx(WANT)",
    "allclose of items": "import numpy as np\n\nassert np.allclose(GOT, WANT)",
    "array of items": "import numpy as np\n\nassert np.array_equal(GOT, WANT)",
    "assertListEqual": "import unittest\n\nunittest.TestCase().assertListEqual(GOT, WANT)",
    "assertSequenceEqual": "import unittest\n\nunittest.TestCase().assertSequenceEqual(GOT, WANT)",
    "assertCountEqual": "import unittest\n\nunittest.TestCase().assertCountEqual(GOT, WANT)",
    "json of items": "import json\n\nassert json.dumps(GOT) == '[7, 8, 9]'",
}
OTHERS = (
    Use("is True", "True", "assert GOT is True"),
    Use("== True", "True", "got = GOT\nassert got == True and isinstance(got, bool)"),
    Use("is None", "None", "assert GOT is None"),
    Use("float ==", "2.5", "assert GOT == 2.5"),
    Use("float approx", "2.5", "import pytest\n\nassert GOT == pytest.approx(2.5, abs=1e-6)"),
    Use("float abs() <", "2.5", "assert abs(GOT - 2.5) < 1e-9"),
    Use("text ==", '"seven"', "assert GOT == 'seven'"),
    Use("text upper", '"seven"', "assert GOT.upper() == 'SEVEN'"),
    Use("text split", '"seven"', "assert GOT.split('v') == ['se', 'en']"),
    Use("text +", '"seven"', "assert GOT + '!' == 'seven!'"),
    Use("text join", '"seven"', "assert ''.join(GOT) == 'seven'"),
    Use("text f-string", '"seven"', "assert f'{GOT:>6}' == ' seven'"),
    Use("text len and zip", '"seven"', "got = GOT\nassert len(got) == 5 and all(a == b for a, b in zip(got, 'seven'))"),
    Use("text fullmatch", '"seven"', "import re\n\nassert re.fullmatch('se.en', GOT)"),
    Use(
        "text assertMultiLineEqual",
        '"seven"',
        "import unittest\n\nunittest.TestCase().assertMultiLineEqual(GOT, 'seven')",
    ),
    Use("pair unpacking", "(7, 8)", "a, b = GOT\nassert a == 7 and b == 8"),
    Use("pair ==", "(7, 8)", "assert GOT == (7, 8)"),
    Use("pair items", "(7, 8)", "got = GOT\nassert got[0] == 7 and got[1] == 8"),
    Use("set ==", "{7, 8}", "assert GOT == {7, 8}"),
    Use("set operators", "{7, 8}", "got = GOT\nassert got | set() == {7, 8} and got - {7} == {8}"),
    Use("set <=", "{7, 8}", "got = GOT\nassert got <= {7, 8} and got >= {7, 8}"),
    Use("set len and for", "{7}", "got = GOT\nassert len(got) == 1\nfor each in got:\n    assert each in {7}"),
    Use("assertSetEqual", "{7, 8}", "import unittest\n\nunittest.TestCase().assertSetEqual(GOT, {7, 8})"),
    Use("dict items ==", "{'a': 7, 'b': 8}", "got = GOT\nassert got['a'] == 7 and got['b'] == 8"),
    Use("dict get", "{'a': 7, 'b': 8}", "assert GOT.get('a') == 7"),
    Use("dict()", "{'a': 7, 'b': 8}", "assert dict(GOT) == {'a': 7, 'b': 8}"),
    Use("dict sorted", "{'a': 7, 'b': 8}", "assert sorted(GOT.items()) == [('a', 7), ('b', 8)]"),
    Use("dict values", "{'a': 7, 'b': 8}", "assert [*GOT.values()] == [7, 8]"),
    Use("dict json", "{'a': 7}", "import json\n\nassert json.dumps(GOT) == '{\"a\": 7}'"),
    Use("dict ==", "{'a': 7, 'b': 8}", "assert GOT == {'a': 7, 'b': 8}"),
    Use("assertDictEqual", "{'a': 7}", "import unittest\n\nunittest.TestCase().assertDictEqual(GOT, {'a': 7})"),
)
USES = (
    *(Use(f"number {name}", "7", tests) for name, tests in (ANY_VALUE | NUMBER).items()),
    *(Use(f"list {name}", "[7, 8, 9]", tests) for name, tests in (ANY_VALUE | LIST).items()),
    *OTHERS,
)
