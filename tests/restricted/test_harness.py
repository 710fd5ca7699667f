"""Tests that a framework runs are outside of the restricted policy, and the candidate gets nothing of theirs."""

import pytest

from support.metric_and_command import load_metric

pytestmark = pytest.mark.slow

RIGHT, WRONG = "def add(a, b):\n    return a + b\n", "def add(a, b):\n    return 0\n"
UNITTEST = """import os, sys, unittest

class AddTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(add(1, 2), 3)

    def test_platform(self):
        self.assertTrue(os.getcwd() and sys.platform)
"""
SEPARABLE = """import math, unittest

class AddTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(add(1, 2), math.sqrt(9))
"""
MOCK = """import unittest
from unittest import mock

class AddTest(unittest.TestCase):
    @mock.patch("os.getcwd", return_value="x")
    def test_sum(self, getcwd):
        self.assertEqual(add(1, 2), 3)
"""
PYTEST = "import pytest\n\n@pytest.mark.parametrize('a', [1, 2])\ndef test_sum(a):\n    assert add(a, 2) == a + 2\n"
FUNCTION = "import os\n\ndef test_sum():\n    assert add(1, 2) == 3 and os.getcwd()\n"
DOCTEST = "import doctest, sys\n\ndoctest.testmod(sys.modules['candidate'])\n"
EXAMPLE = '''def add(a, b):
    """
    >>> print(add(1, 2))
    3
    >>> x = 2
    >>> add(x, x)
    4
    """
    return {}
'''
CASES = {"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}
KINDS = {
    "unittest": (UNITTEST, RIGHT, WRONG, {}),
    "unittest with mocks": (MOCK, RIGHT, WRONG, {}),
    "pytest": (PYTEST, RIGHT, WRONG, {}),
    "functions": (FUNCTION, RIGHT, WRONG, {}),
    "doctest": (DOCTEST, EXAMPLE.format("a + b"), EXAMPLE.format("0"), {}),
    "calls": (CASES, RIGHT, WRONG, {}),
    "every assert": ("assert add(1, 2) == 3\nassert add(0, 0) == 0", RIGHT, WRONG, {"stop_at_first_failure": False}),
}


def results_of(references, predictions, **options):
    """Return the results of candidates in the restricted sandbox, task by task."""
    chosen = {"k": [1], "num_workers": 1, "grading": "shared", **options}
    _, results = load_metric("restricted").compute(references=references, predictions=predictions, **chosen)
    return [[result for _, result in task] for task in results.values()]


@pytest.mark.parametrize("policy", [None, "strict", "original"])
@pytest.mark.parametrize("kind", KINDS)
def test_harness_is_outside_of_the_policy(kind, policy):
    """Tests of each kind tell a right candidate from a wrong one in the candidate's interpreter, without imports."""
    reference, right, wrong, options = KINDS[kind]
    [[passed, failed]] = results_of([reference], [[right, wrong]], policy=policy, **options)
    assert (passed["outcome"], failed["outcome"]) == ("passed", "failed"), passed["result"]
    assert passed["grading"] == "shared"


def test_fixtures_of_a_module_run():
    """The tests' `setUpModule` runs, although the tests are in a namespace of their own."""
    tests = UNITTEST + "\ndef setUpModule():\n    global ready\n    ready = True\n"
    [[result]] = results_of(
        [tests.replace("self.assertEqual(", "self.assertTrue(ready)\n        self.assertEqual(")], [[RIGHT]]
    )
    assert result["passed"], result["result"]


def test_unittest_in_two_processes():
    """Tests in a process of their own import what they need too."""
    [[passed, failed]] = results_of([SEPARABLE], [[RIGHT, WRONG]], grading="separate")
    assert (passed["outcome"], failed["outcome"]) == ("passed", "failed"), passed["result"]


def test_plain_asserts_obey_the_policy():
    """Tests without a framework are a part of the program, as in `restrictedpython_code_eval`."""
    [[result]] = results_of(["import os\nassert add(1, 2) == 3"], [[RIGHT]])
    assert "import of 'os' is not allowed" in result["result"]


CALLS = """import os, sys, unittest
from unittest import mock

class T(unittest.TestCase):
    def test(self):
        {}
"""
PASSED_ON = CALLS.format("probe(self)")
MOCKED = CALLS.format("with mock.patch('os.getcwd') as getcwd:\n            probe(getcwd)")
MIXIN = "import os, unittest\n\nclass T(Probe, unittest.TestCase):\n    def test(self):\n        pass\n"
RAISES = CALLS.format("with self.assertRaises(ValueError) as caught:\n            probe(self)\n        probe(caught)")
EXAMPLES = 'def probe(x):\n    """\n    {}\n    """\n'
# (tests, candidate, part of the result). A candidate that reaches a module raises "got it".
ATTACKS = {
    "name of the tests": (
        PASSED_ON,
        "def probe(x):\n    os.getcwd()\n    raise Exception('got it')",
        "name 'os' is not",
    ),
    "name of the harness": (
        PASSED_ON,
        "def probe(x):\n    unittest.case\n    raise Exception('got it')",
        "name 'unittest' is not",
    ),
    "loaded module": (
        PASSED_ON,
        "def probe(x):\n    import unittest\n    raise Exception('got it')",
        "import of 'unittest' is not allowed",
    ),
    "method of the test": (
        PASSED_ON,
        "def probe(x):\n    getattr(x.assertEqual, '__globals__')\n    raise Exception('got it')",
        "invalid attribute name",
    ),
    "outcome of the test": (
        PASSED_ON,
        "def probe(x):\n    getattr(x, '_outcome')\n    raise Exception('got it')",
        "invalid attribute name",
    ),
    "logger of the test": (
        PASSED_ON,
        "def probe(x):\n    with x.assertLogs() as logs:\n        logs.sys\n    raise Exception('got it')",
        "has no attribute 'sys'",
    ),
    "mock": (
        MOCKED,
        "def probe(x):\n    getattr(x, '_mock_parent')\n    raise Exception('got it')",
        "invalid attribute name",
    ),
    "self of a mixin": (
        MIXIN,
        "class Probe:\n    def setUp(self):\n        getattr(self.run, '__func__')\n        raise Exception('got it')",
        "invalid attribute name",
    ),
    "class of the test": (
        MIXIN,
        "class Probe:\n    def setUp(self):\n        getattr(self, '__class__')\n        raise Exception('got it')",
        "invalid attribute name",
    ),
    "traceback": (
        RAISES,
        "def probe(x):\n    try:\n        x.fail('a')\n    except Exception as error:\n"
        "        getattr(error, '__traceback__')\n        raise Exception('got it')",
        "invalid attribute name",
    ),
    "frame": (
        PASSED_ON,
        "def probe(x):\n    frame = getattr((i for i in []), 'gi_frame')\n    raise Exception('got it')",
        "gi_frame",
    ),
    "example that imports": (DOCTEST, EXAMPLES.format(">>> import os"), "examples in docstrings 1 failed"),
    "example with builtins": (
        DOCTEST,
        EXAMPLES.format(">>> open('/proc/self/stat') and None"),
        "examples in docstrings 1 failed",
    ),
    "example with names of the tests": (
        "import doctest, os\n\ndoctest.run_docstring_examples(probe, globals())\n",
        EXAMPLES.format(">>> os and None\n    >>> doctest and None"),
        "2 examples in docstrings 2 failed",
    ),
    "namespace": (
        "import doctest, sys\n\ndoctest.testmod(sys.modules['candidate'])\nprobe(0)\n",
        'own = {}\ndef globals():\n    return own\ndef probe(x):\n    """\n    >>> 1\n    1\n    """\n'
        "    if own: raise Exception('got it')\n    raise Exception('has nothing')",
        "has nothing",
    ),
    "harness of its own": (
        CALLS.format("self.fail()"),
        "def run_unittests_of_code_eval(cases, may_skip, record):\n    pass\n",
        "these failed: tests.T.test",
    ),
}


def test_candidates_reach_nothing_of_the_harness():
    """No object, name or text of the tests leads a candidate to a module, an interpreter's frame or a builtin."""
    references, candidates = (
        [tests for tests, _, _ in ATTACKS.values()],
        [[source] for _, source, _ in ATTACKS.values()],
    )
    for attack, [result] in zip(ATTACKS, results_of(references, candidates), strict=True):
        texts = result["result"] + str(result["tests"]) + result["stdout"]
        assert ATTACKS[attack][2] in texts, (attack, texts)
        assert "got it" not in texts, attack
