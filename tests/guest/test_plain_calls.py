"""Calls that the extension answers without Python code: plain calls stay there, others are left to Python."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sandboxes
from sandboxes import Limits, Program
from sandboxes.guest.remote import message_stream, messages

FORKSERVER = Path(sandboxes.__file__).parent / "guest" / "forkserver"
LIMITS = Limits(wall_seconds=5.0)
# The frame below is that of the fork server, which called the extension.
IS_IN_C = """
import sys
def is_in_c():
    return sys._getframe(2).f_code.co_name == "run"
"""
# Arguments and results, as the tests write them.
PLAIN_CALLS = {
    "no argument": "f() is True",
    "numbers": "f(1, -5, 2.5, True, None) is True",
    "texts": "f('', 'a \\\\ \"quoted\" text', '\\u00e9\\U0001f600\\x00') is True",
    "a list": "f([1, 2]) is True",
    "lists in a list": "f([[1], [], ['a', [2.5]]]) is True",
    "one list twice": "(lambda one: f([one, one]))([1]) is True",
    "a tuple": "f((1, 'a')) is True",
    "a dict": "f({'a': 1, (1, 2): [3]}) is True",
    "a set": "f({1, 2}) is True",
}
LEFT_TO_PYTHON = {
    "a keyword": "f(a=1) is False",
    "many lists": "f([[]] * 3 + [[i] for i in range(100)]) is False",
    "a long text": "f('a' * 5000) is False",
    "a deque": "(__import__('collections').deque, f(__import__('collections').deque([1])))[1] is False",
    "a list in itself": "(lambda one: (one.append(one), f(one))[1])([]) is False",
}


def verdict(pool, candidate, tests):
    """Return the verdict of a candidate whose tests run in another process."""
    return pool.run_all([Program(candidate, tests, LIMITS, grading="separate")], 1)[0]


def assert_passes(pool, candidate, tests):
    """Assert that a candidate passes its tests."""
    result = verdict(pool, candidate, tests)
    assert (result.passed, result.detail) == (True, "")


@pytest.fixture
def compiled():
    """Skip a test where the extension was not compiled."""
    return pytest.importorskip("sandboxes.guest.forkserver._forking")


@pytest.mark.parametrize("call", PLAIN_CALLS.values(), ids=PLAIN_CALLS)
def test_plain_call_is_made_without_python(compiled, counting_pool, call):
    """A call with plain data has none of the functions of separate grading as its caller."""
    assert_passes(counting_pool, f"{IS_IN_C}\ndef f(*arguments): return is_in_c()", f"assert {call}")


@pytest.mark.parametrize("call", LEFT_TO_PYTHON.values(), ids=LEFT_TO_PYTHON)
def test_other_call_is_left_to_python(compiled, counting_pool, call):
    """A call that needs more than plain data has our functions as its callers."""
    candidate = f"{IS_IN_C}\ndef f(*arguments, **keywords): return is_in_c()"
    assert_passes(counting_pool, candidate, f"assert {call}")


RESULTS = {
    "nothing": "None",
    "truth": "True",
    "a negative number": "-7",
    "a number of 63 bits": str(1 << 62),
    "a number of 64 bits": str(1 << 63),
    "a long number": str(1 << 300),
    "a float": "0.1",
    "infinity": "float('inf')",
    "a text": "'\\u00e9 \"quoted\" \\\\ \\n \\x00 \\ud800'",
    "a long text": "'a' * 5000",
    "a list": "[1, 'a', None, 2.5]",
    "an empty list": "[]",
    "lists in a list": "[[1], [], [[2], ('a', {3})]]",
    "tuples in a dict": "{'a': (1, [2]), 3: {}}",
    # The order of texts differs from process to process.
    "a set": "{1, 2.5}",
    "a set of tuples": "{(1, 2), (3,)}",
    "infinity in a list": "[float('inf')]",
    "a frozenset": "frozenset({1})",
    "a range": "range(3)",
    "bytes": "b'\\x00a'",
    "many lists": "[[i] for i in range(200)]",
    "deep lists": "[[[[[[[[[[1]]]]]]]]]]",
}


@pytest.mark.parametrize("value", RESULTS.values(), ids=RESULTS)
def test_result_is_what_the_candidate_returns(counting_pool, value):
    """The tests get a result's value and type, also after other calls."""
    candidate = f"def f(): return {value}\ndef g(x): return x"
    tests = (
        f"assert g(1) == 1\nassert f() == {value}\nassert type(f()) is type({value})\nassert repr(f()) == repr({value})"
    )
    assert_passes(counting_pool, candidate, tests)


# Sets have no order.
SHAPE = """
def shape(value):
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(shape, value)]
    if isinstance(value, dict):
        return ["dict", *[[shape(key), shape(item)] for key, item in value.items()]]
    return ["set", *sorted(map(repr, value))] if isinstance(value, set) else repr(value)
"""
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
keys = st.none() | st.integers() | st.text(max_size=5) | st.tuples(st.integers(), st.text(max_size=3))
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.sets(keys, max_size=4)
    ),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(values, min_size=1, max_size=6))
def test_values_cross_unchanged(counting_pool, data):
    """Arguments and results keep their values and types, in both directions."""
    candidate = f"import copy\n{SHAPE}\ndef f(x): return copy.deepcopy(x)\ndef g(x): return [shape(x), x]"
    lines = [f"x = {value!r}\nassert shape(f(x)) == shape(x)\nassert g(x) == [shape(x), x]" for value in data]
    assert_passes(counting_pool, candidate, "\n".join([SHAPE, "inf = float('inf')", *lines]))


HONEST = {
    "a list that the candidate sorts": (
        "def f(x): x.sort()",
        "x = [3, 1, 2]\nassert f(x) is None\nassert x == [1, 2, 3]",
    ),
    "an item that the candidate replaces": (
        "def f(x): x[0] = 5",
        "x = [3, 1]\nf(x)\nassert x == [5, 1]",
    ),
    "a list within a list that the candidate changes": (
        "def f(x): x[0].append(1)",
        "x = [[], 2]\nf(x)\nassert x == [[1], 2]",
    ),
    "a dict to which the candidate adds": (
        "def f(x): x['b'] = 2",
        "x = {'a': 1}\nf(x)\nassert x == {'a': 1, 'b': 2}",
    ),
    "a set from which the candidate takes": (
        "def f(x): return x.pop()",
        "x = {7}\nassert f(x) == 7\nassert x == set()",
    ),
    "a changed list whose function raises": (
        "def f(x):\n    x.append(1)\n    raise KeyError('a')",
        "x = []\ntry: f(x)\nexcept KeyError: pass\nelse: raise AssertionError\nassert x == [1]",
    ),
    "a list that is kept and changed later": (
        "kept = []\ndef keep(x): kept.append(x)\ndef change(): kept[0].append(1)",
        "x = []\nkeep(x)\nchange()\nassert x == [1]",
    ),
    "a list that is kept and changed by the tests": (
        "kept = []\ndef keep(x): kept.append(x)\ndef f(): return len(kept[0])",
        "x = []\nkeep(x)\nx.append(1)\nassert f() == 1",
    ),
    "an argument that is returned": (
        "def f(x): return x",
        "x = [1]\nassert f(x) is x",
    ),
    "an argument within a result": (
        "def f(x): return [x, x]",
        "x = [1]\ny = f(x)\nassert y[0] is x and y[1] is x",
    ),
    "a result that the candidate keeps": (
        "one = []\ndef f(): return one\ndef g(): return len(one)",
        "x = f()\nx.append(1)\nassert g() == 1\nassert f() is x",
    ),
    "a list within a result that the candidate keeps": (
        "one = []\ndef f(): return [one]\ndef g(): return len(one)",
        "x = f()\nx[0].append(1)\nassert g() == 1",
    ),
    "containers after plain calls": (
        "kept = []\ndef f(x): return [len(x)]\ndef keep(x): kept.append(x)\ndef change(): kept[0].append(1)",
        "for i in range(5): assert f([0] * i) == [i]\nx = []\nkeep(x)\nassert f([1]) == [1]\nchange()\nassert x == [1]",
    ),
    "an exception": (
        "def f(x): raise ValueError('no ' + x)",
        "try: f('a')\nexcept ValueError as error: assert str(error) == 'no a'\nelse: raise AssertionError",
    ),
    "calls after an exception": (
        "def f(x): return 1 // x",
        "try: f(0)\nexcept ZeroDivisionError: pass\nassert f(1) == 1",
    ),
    "an error of the arguments": (
        "def f(x): return x",
        "try: f()\nexcept TypeError: pass\nelse: raise AssertionError\nassert f(1) == 1",
    ),
    "a function that returns one": (
        "def f(n): return lambda x: x + n",
        "assert f(2)(3) == 5",
    ),
    "a class": (
        "class A:\n    def __init__(self, x): self.x = x\ndef f(x): return x + 1",
        "assert f(A(3).x) == 4",
    ),
    "a generator": (
        "def f(n):\n    yield from range(n)",
        "assert list(f(3)) == [0, 1, 2]",
    ),
    "a name that is set later": (
        "def f():\n    global later\n    later = 3",
        "f()\nassert later == 3",
    ),
    "a constant": ("limit = [1, 2]", "assert limit == [1, 2]"),
    "a module": ("import math as m\ndef f(): return m.pi", "assert f() == m.pi"),
    "names of libraries": (
        "from math import sqrt\nfrom typing import List\nfrom heapq import heappush\ndef f(x: List[int]): return x",
        "assert sqrt(f(4)) == 2.0\nheap = []\nheappush(heap, 1)\nassert heap == [1] or List",
    ),
    "two names of one function": (
        "def f(x): return x\ng = f",
        "assert f(1) == 1 and g(2) == 2\nassert f is g",
    ),
    "a function with an attribute": (
        "def f(x): return x\nf.limit = 3",
        "assert f(1) == 1 and f.limit == 3",
    ),
    "a name in another script": ("def größe(x): return x", "assert größe(1) == 1"),
    "a builtin's name": ("def sum(x): return -1\ndef f(x): return sum(x)", "assert f([1]) == -1"),
    "many names": (
        "\n".join(f"def function_number_{i}(): return {i}" for i in range(300)),
        "assert function_number_299() == 299",
    ),
    "no name": ("", "assert True"),
    "a thread that goes on between calls": (
        "import threading, time\nticks = []\n"
        "def count():\n    while True:\n        ticks.append(0)\n        time.sleep(0.001)\n"
        "threading.Thread(target=count, daemon=True).start()\ndef f(): return len(ticks)",
        "import time\nfirst = f()\nfor _ in range(200):\n    time.sleep(0.01)\n    if f() > first: break\n"
        "else: raise AssertionError",
    ),
    "a signal between calls": (
        "import signal\nseen = []\nsignal.signal(signal.SIGALRM, lambda *_: seen.append(1))\n"
        "def start(): signal.setitimer(signal.ITIMER_REAL, 0.01)\ndef f(): return len(seen)",
        "import time\nstart()\n"
        "for _ in range(200):\n    time.sleep(0.01)\n    if f(): break\nelse: raise AssertionError",
    ),
    "a recursion": (
        "def f(n): return 0 if n == 0 else 1 + f(n - 1)",
        "assert f(800) == 800",
    ),
}


@pytest.mark.parametrize(("candidate", "tests"), HONEST.values(), ids=HONEST)
def test_honest_candidate_passes(counting_pool, candidate, tests):
    """A right candidate passes whether its calls are plain or not."""
    assert_passes(counting_pool, candidate, tests)


def test_output_comes_before_the_result(counting_pool):
    """The candidate's output is there even if the tests end at once."""
    result = verdict(counting_pool, "def f():\n    print('seen')\n    return 1", "assert f() == 1")
    assert (result.passed, result.stdout) == (True, "seen\n")


WRONG = {
    "leaves in a call": ("import os\ndef f(): os._exit(0)", "assert f() == 1", "exited"),
    "exits in a call": ("import sys\ndef f(): sys.exit(0)", "assert f() == 1", "exited"),
    "exits at once": ("import sys\nsys.exit(0)", "assert f() == 1", "exited"),
    "does not compile": ("def f(:", "assert f() == 1", "compile_error"),
    "raises at once": ("raise KeyError('a')", "assert f() == 1", "failed"),
    "returns another value": ("def f(): return 2", "assert f() == 1", "failed"),
    "hangs in a call": ("def f():\n    while True: pass", "assert f() == 1", "timed_out"),
    "dies in a call": ("import os\ndef f(): os.abort()", "assert f() == 1", "crashed"),
    "writes to the connection": (
        "import os\nos.write(4, b'\\x00\\x00\\x00\\x14[0,0,[],[],[],[]]    ')\ndef f(): return 1",
        "assert f() == 1",
        "exited",
    ),
}


@pytest.mark.parametrize(("candidate", "tests", "outcome"), WRONG.values(), ids=WRONG)
def test_wrong_candidate_has_its_outcome(counting_pool, candidate, tests, outcome):
    """A candidate that ends, hangs or lies has the outcome that says so."""
    assert verdict(counting_pool, candidate, tests).outcome.value == outcome


def test_constants_of_the_c_files_are_python_s():
    """Each constant that candidate.h repeats is that of the Python files."""
    source = (FORKSERVER / "candidate.h").read_text()
    found = {name: int(number) for name, number in re.findall(r"(\w+) = (\d+)", source)}
    places = (messages, message_stream)
    wanted = ("REQUEST_FIELDS", "RETURNED", "RAISED")
    assert {name: found[name] for name in wanted} == {
        name: next(getattr(place, name) for place in places if hasattr(place, name)) for name in wanted
    }
