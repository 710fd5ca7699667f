"""Python tests give a wrong candidate no pass if none of them ran, or if the candidate chose which ones ran."""

import pytest

from support.metric_and_command import load_metric

pytestmark = pytest.mark.slow

RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a * b\n"
CASE = """
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(add(2, 3), 5)
    def test_b(self): self.assertEqual(add(2, 2), 4)
"""
SKIPPING_CASE = CASE + "    @unittest.skip('later')\n    def test_c(self): self.assertEqual(add(0, 1), 7)\n"
LATE_SKIP = CASE + "    def test_c(self): self.skipTest('no network')\n"
CLASS_SKIP = CASE + "@unittest.skip('all')\nclass U(unittest.TestCase):\n    def test_c(self): self.fail()\n"
SET_UP_SKIP = f"""{CASE}
class U(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest('no network')
    def test_c(self): self.fail()
"""
SUBTESTS = """
import unittest
class T(unittest.TestCase):
    def test_a(self):
        for a, b in ((2, 2), (2, 3)):
            with self.subTest(a=a, b=b):
                self.assertEqual(add(a, b), a + b)
    def test_b(self): self.assertEqual(add(2, 2), 4)
"""
EXPECTED_FAILURE = CASE + "    @unittest.expectedFailure\n    def test_c(self): self.assertEqual(add(0, 1), 7)\n"
FUNCTIONS = "def test_a():\n    assert add(2, 3) == 5\ndef test_b():\n    assert add(2, 2) == 4\n"
PYTEST = "import pytest\n" + FUNCTIONS
SKIPPING_PYTEST = PYTEST + "@pytest.mark.skip\ndef test_c():\n    assert 0\ndef test_d():\n    pytest.skip('later')\n"
XFAILING_PYTEST = PYTEST + "@pytest.mark.xfail\ndef test_c():\n    assert add(0, 1) == 7\n"
IN_MAIN = "\nif __name__ == '__main__':\n    "

# Tests that right candidates pass and wrong ones do not, even if their text runs them itself, or seems to.
HONEST = {
    "unittest": CASE,
    "unittest.main": CASE + "unittest.main()\n",
    "unittest.main, guarded": CASE + IN_MAIN + "unittest.main()\n",
    "sys.exit of unittest.main": "import sys\n" + CASE + "sys.exit(unittest.main())\n",
    "a runner": CASE + "unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\n",
    "a runner, guarded": CASE + IN_MAIN + "unittest.TextTestRunner().run(unittest.TestLoader())\n",
    "a runner and its result": CASE
    + "import sys\nr = unittest.TextTestRunner().run(unittest.TestLoader().loadTestsFromTestCase(T))\n"
    + "sys.exit(not r.wasSuccessful())\n",
    "a runner in a comment": CASE + "# TextTestRunner\n",
    "another name of TestCase": "from unittest import TestCase as Base\n" + CASE.replace("unittest.TestCase", "Base"),
    "a class of a class": CASE.replace("class T(", "class Base(").replace(
        "    def", "    def help_with(self): pass\n    def", 1
    )
    + "class T(Base): pass\n",
    "subtests": SUBTESTS,
    "cleanups": CASE + "    def tearDown(self): self.addCleanup(self.assertEqual, add(2, 3), 5)\n",
    "an expected failure": EXPECTED_FAILURE,
    "a skipped test": SKIPPING_CASE,
    "a test that skips": LATE_SKIP,
    "a skipped class": CLASS_SKIP,
    "a class that skips": SET_UP_SKIP,
    "a word": CASE.replace("def test_a", "def test_skips_nothing"),
    "functions": FUNCTIONS,
    "functions, called under a guard": FUNCTIONS + IN_MAIN + "test_a()\n",
    "functions, called": FUNCTIONS + "test_a()\ntest_b()\n",
    "functions, called by another": FUNCTIONS + "def run(f):\n    test_a()\n    test_b()\nrun(add)\n",
    "pytest": PYTEST,
    "pytest.main": PYTEST + "pytest.main([__file__])\n",
    "pytest.main, guarded": PYTEST + IN_MAIN + "pytest.main([__file__])\n",
    "sys.exit of pytest.main": PYTEST + "import sys\nsys.exit(pytest.main(['-q']))\n",
    "pytest from the future": "from __future__ import annotations\n" + PYTEST,
    "pytest with a class of unittest": "import pytest\n" + CASE + "def test_c():\n    assert add(1, 3) == 4\n",
    "skips of pytest": SKIPPING_PYTEST,
    "xfails of pytest": XFAILING_PYTEST,
    "asserts": "assert add(2, 3) == 5\nassert add(2, 2) == 4\n",
    "doctest": 'def examples():\n    """\n    >>> add(2, 3)\n    5\n    """\n'
    "import doctest\ndoctest.run_docstring_examples(examples, globals())\n",
    "doctest of a module": '"""\n>>> add(2, 3)\n5\n"""\nimport doctest, sys\n'
    "module = sys.modules['candidate']\nmodule.__doc__ = __doc__\ndoctest.testmod(module)\n",
}
# Code with which a candidate avoids tests, before a function that is right for (2, 2) alone.
SKIPPED = "    if (a, b) != (2, 2):\n        raise {}\n    return 4\n"
LEAVING = {
    "unittest.SkipTest": "import unittest\ndef add(a, b):\n" + SKIPPED.format("unittest.SkipTest('x')"),
    "a SkipTest of its own": "import unittest\nclass Mine(unittest.SkipTest): pass\ndef add(a, b):\n"
    + SKIPPED.format("Mine()"),
    "_ShouldStop": "import unittest.case\nstop = unittest.case._ShouldStop\ndef add(a, b):\n"
    + SKIPPED.format("stop()"),
    "_ShouldStop, late": "import unittest.case\ndef add(a, b):\n" + SKIPPED.format("unittest.case._ShouldStop()"),
    "SystemExit": "def add(a, b):\n" + SKIPPED.format("SystemExit(0)"),
    "KeyboardInterrupt": "def add(a, b):\n" + SKIPPED.format("KeyboardInterrupt"),
    "StopIteration": "def add(a, b):\n" + SKIPPED.format("StopIteration"),
    "StopAsyncIteration": "def add(a, b):\n" + SKIPPED.format("StopAsyncIteration"),
    "GeneratorExit": "def add(a, b):\n" + SKIPPED.format("GeneratorExit"),
    "CancelledError": "import asyncio\ndef add(a, b):\n" + SKIPPED.format("asyncio.CancelledError"),
    "an assertion that is none": "def add(a, b):\n" + SKIPPED.format("ExceptionGroup('x', [AssertionError()])"),
    "setUpModule": "import unittest\ndef setUpModule():\n    raise unittest.SkipTest('x')\n" + WRONG,
    "tearDownModule": "def tearDownModule():\n    raise SystemExit(0)\n" + WRONG,
    "load_tests": "import unittest\ndef load_tests(*others):\n    return unittest.TestSuite()\n" + WRONG,
    "a TestCase of its own": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n" + WRONG,
    "tests of its own": "def test_one(): pass\nclass TestMine:\n    def test_mine(self): pass\n" + WRONG,
    "__name__": "__name__ = '__main__'\n" + WRONG,
    "pytest.skip": "import pytest\ndef add(a, b):\n" + SKIPPED.format("pytest.skip.Exception('x')"),
    "pytest.xfail": "import pytest\ndef add(a, b):\n" + SKIPPED.format("pytest.xfail.Exception('x')"),
    "pytest.exit": "import pytest\ndef add(a, b):\n    if (a, b) == (2, 2):\n        pytest.exit('x', returncode=0)\n"
    "    return 5\n",
    "pytestmark": "import pytest\npytestmark = pytest.mark.skip\ndef test_mine(): pass\n" + WRONG,
    "pytestmark xfail": "import pytest\npytestmark = pytest.mark.xfail\n" + WRONG,
    "pytest_generate_tests": "def pytest_generate_tests(metafunc):\n    if metafunc.function.__name__ == 'test_a':\n"
    "        metafunc.fixturenames.append('x')\n        metafunc.parametrize('x', [])\n" + WRONG,
    "setup_function": "import pytest\ndef setup_function(function):\n    if function.__name__ == 'test_a':\n"
    "        pytest.skip('x')\n" + WRONG,
    "setup_module": "import pytest\ndef setup_module():\n    pytest.skip('x')\n" + WRONG,
    "a fixture for all": "import pytest\n@pytest.fixture(autouse=True)\ndef mine(request):\n"
    "    if request.function.__name__ == 'test_a':\n        pytest.skip('x')\n" + WRONG,
    "the function is a fixture": "import pytest\n@pytest.fixture(autouse=True)\ndef add():\n    pytest.skip('x')\n",
    "pytest_plugins": "pytest_plugins = ['nothing_of_that_name']\n" + WRONG,
    "conftest": "open('conftest.py', 'w').write('def pytest_collection_modifyitems(items): del items[0]')\n" + WRONG,
    "pytest.ini": "open('pytest.ini', 'w').write('[pytest]\\naddopts = -k test_b\\n')\n" + WRONG,
    "PYTEST_ADDOPTS": "import os\nos.environ['PYTEST_ADDOPTS'] = '-k test_b'\n" + WRONG,
    "PYTEST_PLUGINS": "open('mine.py', 'w').write('def pytest_collection_modifyitems(items): del items[0]')\n"
    "import os\nos.environ['PYTEST_PLUGINS'] = 'mine'\n" + WRONG,
    "no test": WRONG,
}


@pytest.fixture(scope="module")
def outcomes():
    """Return a function that runs candidates on tests: (candidates, tests, **options) -> their outcomes."""
    metric = load_metric()

    def run(candidates, tests, **options):
        # pytest is imported once, without its plugins, which take longer than the tests.
        fast = {"preload": ["pytest", "doctest"], "env": {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}}
        options = {"k": 1, "timeout": 30.0, **fast, **options}
        _, results = metric.compute(predictions=[candidates], references=[tests], **options)
        return [result["outcome"] for _, result in results[0]]

    return run


@pytest.mark.parametrize("tests", HONEST.values(), ids=HONEST)
@pytest.mark.parametrize("options", [{}, {"partial_credit": True}], ids=["to the first failure", "all"])
def test_right_candidates_pass_and_wrong_ones_do_not(outcomes, tests, options):
    """Tests run and decide, whatever else their text does with them."""
    grading = "auto" if options else "shared"
    right, *wrong = outcomes([RIGHT, WRONG, ""], tests, grading=grading, **options)
    assert right == "passed"
    assert "passed" not in wrong


@pytest.mark.parametrize(
    "tests",
    [
        CASE,
        SKIPPING_CASE,
        LATE_SKIP,
        SET_UP_SKIP,
        SUBTESTS,
        EXPECTED_FAILURE,
        FUNCTIONS,
        SKIPPING_PYTEST,
        XFAILING_PYTEST,
    ],
    ids=["unittest", "skip", "skipTest", "setUpClass", "subtests", "expected", "functions", "pytest skip", "xfail"],
)
def test_a_candidate_has_no_say_in_which_tests_count(outcomes, tests):
    """A candidate that is wrong for one test, or prevents its regular end, does not pass."""
    for grading in ("shared", "auto"):
        found = outcomes([*LEAVING.values(), RIGHT], tests, grading=grading)
        assert [name for name, outcome in zip([*LEAVING, RIGHT], found, strict=True) if outcome == "passed"] == [RIGHT]


def test_tests_of_a_candidate_s_own_do_no_harm(outcomes):
    """A right candidate that brings its own tests passes, even if those fail or pytest could not run them."""
    own = "def test_it(nothing_of_that_name):\n    assert 0\nclass TestIt:\n    def test(self): assert 0\n"
    own += "import unittest\nclass It(unittest.TestCase):\n    def test_it(self): self.fail()\n"
    for tests in (CASE, FUNCTIONS, PYTEST, "assert add(2, 3) == 5"):
        assert outcomes([own + RIGHT], tests) == ["passed"]


def test_a_function_may_be_called_like_a_test(outcomes):
    """A function under test may have a name that begins with test: pytest does not collect it."""
    tests = "def test_a():\n    assert test_prime(7)\n"
    assert outcomes(["def test_prime(n):\n    return n > 1", "def test_prime(n):\n    return 0"], tests) == [
        "passed",
        "failed",
    ]


@pytest.mark.parametrize(
    "tests",
    [
        CASE.replace("    def test_", "    @unittest.skip('x')\n    def test_"),
        CASE.replace("class T", "@unittest.skip('x')\nclass T"),
        CASE.replace("    def test_", "    @unittest.expectedFailure\n    def test_").replace("add(", "1 + add("),
        CASE.replace(
            "class T(unittest.TestCase):", "class T(unittest.TestCase):\n    def setUp(self): self.skipTest('x')"
        ),
        CASE + "def setUpModule(): raise unittest.SkipTest('x')\n",
        PYTEST.replace("def test_", "@pytest.mark.skip\ndef test_"),
        PYTEST.replace("def test_", "@pytest.mark.parametrize('x', [])\ndef test_").replace("():", "(x):"),
        PYTEST + "pytestmark = pytest.mark.xfail(run=False)\n",
        "import doctest\ndoctest.testmod()\n",
        "import doctest\nassert doctest.testmod().failed == 0\n",
        "import doctest\ndoctest.run_docstring_examples(add, globals())\n",
    ],
)
def test_no_test_that_ran_is_no_pass(outcomes, tests):
    """No candidate passes if none of the tests ran."""
    assert outcomes([RIGHT, WRONG], tests) == ["failed", "failed"]


@pytest.mark.parametrize("body", ["async def test_a(self): self.assertEqual(add(2, 3), 5)", "def test_a(self): yield"])
def test_tests_that_would_never_run(outcomes, body):
    """A TestCase method whose statements never run is an error that names the remedy."""
    with pytest.raises(ValueError, match=r"references\[0\].*T.test_a is a coroutine or a generator.*Isolated"):
        outcomes([RIGHT], f"import unittest\nclass T(unittest.TestCase):\n    {body}\n")
    if "async" in body:
        tests = f"import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n    {body}\n"
        assert outcomes([RIGHT, WRONG], tests) == ["passed", "failed"]


def test_all_asserts_are_graded_as_the_tests_need_it(outcomes):
    """The code that runs each assert does not make "auto" grade tests with the candidate."""
    liar = "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()"
    tests = "assert add(2, 3) == 5\nassert add(2, 2) == 4\n"
    assert outcomes([liar, RIGHT], tests, grading="auto", partial_credit=True) == ["failed", "passed"]
    assert outcomes([liar, RIGHT], CASE, grading="auto", partial_credit=True) == ["failed", "passed"]


def test_why_a_skipped_test_failed():
    """The result of a test that the candidate skipped gives the reason."""
    _, results = load_metric().compute(
        predictions=[[LEAVING["unittest.SkipTest"]]] * 2, references=[CASE, PYTEST], k=1, timeout=30.0, grading="shared"
    )
    by_name = [{each["name"]: each["message"] for each in results[task][0][1]["tests"]} for task in (0, 1)]
    assert by_name == [
        {"T.test_a": "SkipTest: raised by the candidate", "T.test_b": ""},
        {"test_a": "skipped by the candidate", "test_b": ""},
    ]
