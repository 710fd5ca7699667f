"""The page `docs/coming-from/code_eval.md`: its rows hold."""

import json

import pytest

from support.metric_and_command import RIGHT, TESTS, load_metric

PASSES = "passed"
EQUAL = "class A:\n    def __eq__(self, other): return True\ndef add(a, b): return A()"
# (candidate, tests, options, the beginning of the result's text)
VERDICTS = [
    ("raise ValueError", "assert True", {}, "failed: ValueError"),
    ("assert 1==2", "assert True", {}, "failed: AssertionError: 1==2"),
    ("raise ValueError('a\\nb')", "assert True", {}, "failed: a b"),
    ("import os; os._exit(0)", "assert True", {}, "failed: left before its tests were done"),
    ("import ctypes; ctypes.string_at(0)", "assert True", {}, "failed: killed by signal 11"),
    ("x = 'a' * (3 << 30)", "assert True", {}, "failed: MemoryError"),
    ("while True: pass", "assert True", {"timeout": 0.3}, "timed out"),
    ("import sys; assert sys.stdin.read() == ''", "assert True", {}, PASSES),
    ("import os; os.getcwd(); open('f', 'w').close(); os.remove('f')", "assert True", {}, PASSES),
    ("import os\nif os.fork() == 0: os._exit(0)", "assert True", {}, PASSES),
    ("import resource, subprocess, sys; subprocess.run([sys.executable, '-c', '1'])", "assert True", {}, PASSES),
    (RIGHT, "from __future__ import annotations\n" + TESTS, {}, PASSES),
    ("def add(a, b): return 0", "def test_a(): assert add(2, 3) == 5", {}, "failed: of 1 tests these failed: test_a"),
    ("def add(a, b):\n    x = a + b", "    return x\nassert add(2, 3) == 5", {}, PASSES),
    (EQUAL, "assert add(2, 3) == 5", {"grading": "shared"}, "failed: "),
    (EQUAL, "assert add(2, 3) == 5", {}, "failed: "),
]


@pytest.fixture(scope="module")
def metric():
    """Provide the metric."""
    return load_metric()


@pytest.mark.parametrize(("candidate", "tests", "options", "text"), VERDICTS)
def test_rows_of_verdicts(metric, candidate, tests, options, text):
    """A candidate or tests of the page's table end as the page says."""
    _, results = metric.compute(predictions=[[candidate]], references=[tests], k=1, **{"timeout": 20.0, **options})
    assert results[0][0][1]["result"].startswith(text)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"predictions": [], "references": []}, ValueError, "nothing to score"),
        ({"predictions": [[], [RIGHT]], "references": [TESTS] * 2}, ValueError, r"no candidates for task\(s\) 0"),
        ({"timeout": None}, TypeError, "timeout must be a number of seconds, not None"),
        ({"foo": 1}, TypeError, "no option 'foo'; the options are"),
        ({"references": [""]}, ValueError, "every candidate would pass"),
        ({"references": ["def check(f): assert f(2, 3) == 5"]}, ValueError, "every candidate would pass"),
    ],
)
def test_rows_of_errors(metric, arguments, error, message):
    """Calls that can't be right are the page's errors."""
    with pytest.raises(error, match=message):
        metric.compute(**{"predictions": [[RIGHT]], "references": [TESTS], "k": 1, **arguments})


def test_scores_are_json(metric):
    """Scores are Python floats in a dict, and results are in a dict, not in a defaultdict."""
    scores, results = metric.compute(predictions=[[RIGHT]], references=[TESTS], k=1)
    assert json.loads(json.dumps(scores)) == {"pass@1": 1.0}
    with pytest.raises(KeyError):
        results[1]


def test_copies(metric):
    """Identical candidates are run once, unless `dedupe=False` asks for each."""
    for options, copy_of in (({}, [0, 0]), ({"dedupe": False}, None)):
        _, results = metric.compute(predictions=[[RIGHT, RIGHT]], references=[TESTS], k=1, **options)
        assert results[0][1][1]["duplicate_of"] == copy_of
