"""The corpus of honest programs is large and well formed, and plain Python and "shared" say what it says."""

import ast
import re
from collections import Counter

import pytest

from honest.builtin_names import NAMES, builtin_pairs
from honest.compare import all_pairs, chosen_pairs, evaluated, is_fair
from honest.oracle import passes
from honest.orders import outcomes, programs
from honest.pairs import DATA, Pair, read_pairs, written_pairs
from honest.styles import style_pairs
from sandboxes import close_pools

TOKEN = re.compile(r"\b(NAME|VALUE|EXPR|SAME\w*|GOT|WANT|CASES|ARG)\b")
WANTED, WANTED_WRITTEN = 1000, 300
SAMPLED = 20

TEXT = """About this file.

@@ double
def f(x):
    return x * 2
@@ tests
assert f(2) == 4
@@ wrong
def f(x):
    return x
"""


@pytest.fixture(scope="module")
def pairs():
    """Provide the whole corpus."""
    return all_pairs()


@pytest.fixture(scope="module")
def sampled(pairs):
    """Provide some pairs, and whether each passes in plain Python."""
    chosen = chosen_pairs(number=SAMPLED, seed=1)
    return chosen, passes(chosen)


def test_corpus_is_large(pairs):
    """There are at least 1,000 right programs, of which 300 are written by hand."""
    assert sum(pair.is_right for pair in pairs) >= WANTED
    assert sum(pair.is_right for pair in written_pairs()) >= WANTED_WRITTEN


def test_names_are_unique(pairs):
    """A name finds one program."""
    assert [name for name, count in Counter(pair.name for pair in pairs).items() if count > 1] == []


def test_sources_parse(pairs):
    """Programs and tests are Python."""
    for pair in pairs:
        for source in (pair.candidate, pair.tests):
            ast.parse(source)


def test_all_tokens_are_filled_in():
    """No token of a template is left in what tables made."""
    made = [*builtin_pairs(), *style_pairs()]
    assert [pair.name for pair in made if TOKEN.search(pair.candidate + pair.tests)] == []


def test_wrong_programs_have_right_ones(pairs):
    """A wrong program has the tests of a right one, unless its own builtin decides in plain Python."""
    right = {pair.tests for pair in pairs if pair.is_right}
    assert [pair.name for pair in pairs if pair.tests not in right and not pair.has_own_builtin] == []


def test_each_builtin_is_tried(pairs):
    """Each name of builtins is a function, a class and an exception under test, and stands beside another function."""
    tried = {pair.group: set() for pair in builtin_pairs()}
    for pair in builtin_pairs():
        tried[pair.group].add(pair.title.split(",")[0])
    assert len(tried) == 4 and all(set(NAMES) <= names for names in tried.values())


def test_file_of_pairs_is_read():
    """A text gives the right program and the wrong one, with the same tests."""
    right, wrong = read_pairs("file", TEXT)
    assert right == Pair("file", "double", "def f(x):\n    return x * 2\n", "assert f(2) == 4\n")
    assert wrong == Pair("file", "double", "def f(x):\n    return x\n", "assert f(2) == 4\n", is_right=False)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.txt")), ids=lambda path: path.stem)
def test_files_begin_with_what_they_hold(path):
    """The first line of a file says what it holds."""
    first, second, *_ = path.read_text("utf-8").splitlines()
    assert first.endswith(".") and second == ""


def test_samples_are_reproducible():
    """The same seed gives the same programs, another one gives others."""
    names = [[pair.name for pair in chosen_pairs(number=SAMPLED, seed=seed)] for seed in (1, 1, 2)]
    assert names[0] == names[1] != names[2]


def test_plain_python_agrees(sampled):
    """Right programs of a sample pass in plain Python, and wrong ones fail."""
    assert [pair.name for pair, passed in zip(*sampled, strict=True) if not is_fair(pair, passed)] == []


def test_oracle_tells_right_from_wrong():
    """Plain Python passes no program that raises, fails in unittest or in pytest, or ends with a status."""
    tests = {
        "x = 1": True,
        "assert f() == 1": True,
        "assert f() == 2": False,
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(f(), 2)": False,
        "def test_f():\n    assert f() == 2": False,
        "def test_f():\n    assert f() == 1": True,
        "raise SystemExit(3)": False,
    }
    pairs = [Pair("", text, "def f(): return 1", text) for text in tests]
    assert dict(zip(tests, passes(pairs), strict=True)) == tests


def test_auto_agrees(sampled):
    """Under "auto" too, where most programs run apart from their tests."""
    chosen, _ = sampled
    verdicts = evaluated(chosen, "auto")
    close_pools()
    found = [pair.name for pair, verdict in zip(chosen, verdicts, strict=True) if verdict.passed != pair.is_right]
    assert found == []


def test_shared_agrees(sampled):
    """Under "shared" the programs of a sample have plain Python's verdicts."""
    chosen, answers = sampled
    verdicts = evaluated(chosen, "shared")
    close_pools()
    found = zip(chosen, answers, verdicts, strict=True)
    assert [pair.name for pair, answer, verdict in found if verdict.passed != answer] == []


@pytest.mark.slow
def test_the_order_decides_nothing():
    """Programs have the same outcome in any order, whatever tests before them have left behind."""
    found = outcomes(programs(24, seed=2), orders=2, seed=2, times=1, workers=(1, 2))
    close_pools()
    assert {name: counts for name, counts in found.items() if len(counts) > 1} == {}
