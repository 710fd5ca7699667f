"""The allow-list of what tests may use that run apart from their candidate: modules, builtins and assertions."""

from __future__ import annotations

import builtins
import operator

MODULES: dict[str, frozenset[str] | None] = {
    "__future__": None,
    "bisect": None,
    "candidate": None,
    "cmath": None,
    "collections": frozenset("Counter OrderedDict defaultdict deque".split()),
    "copy": frozenset("copy deepcopy".split()),
    "datetime": None,
    "decimal": frozenset(("Decimal", "InvalidOperation")),
    "fractions": None,
    "functools": frozenset(("reduce",)),
    "hashlib": frozenset(["sha256"]),
    "heapq": None,
    "itertools": None,
    "json": frozenset("JSONDecodeError dumps loads".split()),
    "marshal": frozenset(["dumps"]),
    "math": None,
    "numpy": frozenset(
        "abs allclose arange array array_equal asarray bool_ complex128 e eye float32 float64 full inf int32 int64 "
        "isclose linalg linspace nan ndarray ones pi random reshape testing uint8 zeros".split()
    ),
    "operator": frozenset(dir(operator)) - {"attrgetter", "itemgetter", "methodcaller"},
    "pytest": frozenset("approx raises".split()),
    "random": frozenset("Random choice choices gauss randint random randrange sample shuffle uniform".split()),
    "re": frozenset("findall fullmatch match search split sub".split()),
    "signal": frozenset("ITIMER_PROF ITIMER_REAL SIGALRM SIGPROF setitimer signal".split()),
    "statistics": None,
    "string": None,
    "sys": frozenset("float_info maxsize version_info".split()),
    "time": frozenset("monotonic perf_counter process_time sleep time".split()),
    "typing": None,
    "unittest": frozenset("TestCase main".split()),
}
"""The modules that tests may import, and the names that they may use of each; None for all names."""

ORACLE = "code_eval_oracle"
"""A function that makes a benchmark's own solution, which is never given anything of the candidate."""

UNREAD = frozenset(("METADATA", "_"))
"""What tests may assign without reading it. Another such name may be one that the candidate reads."""

NUMPY_RANDOM = frozenset("RandomState default_rng rand randint randn random uniform".split())
"""The names of `numpy.random` that tests may use. A seed would reach the candidate's own numbers."""

GENERATORS = frozenset("random.Random numpy.random.RandomState numpy.random.default_rng".split())
"""Functions of libraries that make an object of the tests."""

TAKES_RESULTS = frozenset(
    "cmath.isclose collections.Counter copy.copy copy.deepcopy hashlib.sha256 marshal.dumps math.ceil math.fabs "
    "math.floor math.isclose math.isinf math.isnan math.sqrt numpy.abs numpy.allclose numpy.array "
    "numpy.array_equal numpy.asarray numpy.isclose numpy.linalg.norm numpy.testing.assert_allclose "
    "numpy.testing.assert_almost_equal numpy.testing.assert_array_almost_equal numpy.testing.assert_array_equal "
    "pytest.approx".split()
)
"""Functions of libraries that may get a result of the candidate."""

READING = frozenset(
    "ascii bin bool bytes callable chr complex divmod float format hasattr hash hex int isinstance len oct ord print "
    "repr str".split()
)
"""Builtins that make plain data of a result, without the candidate's being told what is expected."""

SELECTING = frozenset(
    "abs all any bytearray dict frozenset getattr list max min next pow range round set slice sorted sum tuple".split()
)
"""Builtins whose result consists of what they are given."""

ITERATING = frozenset("enumerate filter iter map reversed zip".split())
"""Builtins that return an iterator, which stays in the tests' process."""

ADDING = frozenset("pow round sum".split())
"""Builtins that use operators."""

CALLED = READING | SELECTING | ITERATING
BUILTINS = frozenset(dir(builtins))
EXCEPTIONS = frozenset(name for name in BUILTINS if isinstance(getattr(builtins, name), type) and name[0].isupper())
EXPECTED = EXCEPTIONS - frozenset("AssertionError GeneratorExit StopAsyncIteration StopIteration".split())
"""Exceptions that tests may expect. The others are failures of tests, or ends of what is iterated over."""

TYPES = frozenset("bool bytearray bytes complex dict float frozenset int list object range set str tuple".split())

COLLECTING = frozenset("add append appendleft extend insert setdefault update".split())
"""Methods by which tests put a value into a container of their own."""

JUDGING = frozenset(
    "count difference endswith find index intersection rfind rindex startswith symmetric_difference".split()
).union(name for kind in (str, bytes, float, set) for name in dir(kind) if name[:2] == "is")
"""Methods by which a result would judge itself, or be told what is expected."""

METHODS = frozenset(
    name for kind in (bytes, dict, float, list, set, str) for name in dir(kind) if callable(getattr(kind, name))
)
"""Methods of plain data. What tests take from an object under such a name, without calling it, is no plain data."""

RAISING = frozenset("assertRaises assertRaisesRegex raises".split())
"""Functions that expect an exception, and name its class first."""

COMPARING_TWO = frozenset(
    "assertAlmostEqual assertCountEqual assertDictEqual assertEqual assertGreater assertGreaterEqual assertIs "
    "assertIsNot assertLess assertLessEqual assertListEqual assertMultiLineEqual assertNotAlmostEqual assertNotEqual "
    "assertSequenceEqual assertSetEqual assertTupleEqual".split()
)
ASSERTIONS = COMPARING_TWO.union(
    "assertFalse assertIsInstance assertIsNone assertIsNotNone assertTrue fail".split(), RAISING - {"raises"}
)
"""The methods of a TestCase that tests may call."""


class NotOnTheList(Exception):
    """A form that is not on the list. Its text follows the words "the tests"."""


def check_module(name: str) -> str:
    """Return the top module of a dotted name, if tests may import it."""
    top = name.partition(".")[0]
    if top not in MODULES:
        raise NotOnTheList(f"import {name}")
    return top


def check_part(name: str) -> str:
    """Return a dotted name of a library, if tests may use it."""
    top, part, *more = f"{name}..".split(".")
    names = MODULES[top]
    if any(each[:1] == "_" or each in COLLECTING for each in (part, *more)):
        raise NotOnTheList(f"use {name}")
    if part and names is not None and part not in names:
        raise NotOnTheList(f"use {name}")
    if (top, part) == ("numpy", "random") and more[0] and more[0] not in NUMPY_RANDOM:
        raise NotOnTheList(f"use {name}")
    return name
