"""The official forms of the graders that start a process for each case, and of those that judge an answer's text."""

import json

import pytest

from code_tasks.benchmarks import BENCHMARKS
from code_tasks.benchmarks.official.answers import text_of_answer
from code_tasks.benchmarks.official.classes import code_of_answer, with_static_methods
from code_tasks.benchmarks.official.programs import is_right_for_intellect, owner_of
from code_tasks.benchmarks.official.rllm_scripts import is_right_by_words
from support.official_verdicts import official_results

pytestmark = pytest.mark.slow

ADD = "a, b = map(int, input().split())\nprint(a + b)\n"
DATA = {"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]}
CASES = [{"input": "1 2\n", "output": "3", "type": "stdin_stdout"}]
CALL_CASES = [{"input": [1], "output": 2, "type": "function_call", "fn_name": "f"}]
CALLS = {"inputs": [[1], [3]], "outputs": [[2], [4]], "fn_name": "f"}
INCREMENT = "def f(n):\n    return n + 1\n"
ONCE = "calls = []\ndef f(n):\n    calls.append(n)\n    return n + 1 if len(calls) == 1 else None\n"
CRUXEVAL = {"id": "sample_0", "code": "def f(n):\n    return n + 1", "input": "1", "output": "2"}
CLASS = "class A:\n    def one(self):\n        return 1\n"
CLASS_TEST = (
    "import unittest\n\n\nclass {name}(unittest.TestCase):\n    def test_one(self):\n"
    "        self.assertEqual(A().one(), 1)\n"
)


def verification(cases):
    """Return a record of open-r1 or SYNTHETIC-1 with these cases."""
    return {"problem_id": "0", "problem": "", "verification_info": {"language": "python", "test_cases": cases}}


def intellect(data):
    """Return a record of INTELLECT-3 with these tests."""
    return {"question": "", "info": json.dumps({"tests": json.dumps(data), "source": "own"})}


def classeval(*names):
    """Return a record of ClassEval whose list names these test classes."""
    return {
        **{"task_id": "ClassEval_0", "test": "".join(CLASS_TEST.format(name=name.strip()) for name in names)},
        **{"skeleton": "", "import_statement": ["import math"], "solution_code": CLASS, "class_name": "A"},
        "test_classes": list(names),
    }


@pytest.fixture
def passed(tmp_path):
    """Return a function that returns whether each candidate passes officially."""

    def judge(name, record, candidates):
        return [result.passed for result in official_results(tmp_path, name, record, candidates)]

    return judge


def test_open_r1_compares_the_lines_that_both_outputs_have(passed):
    """An output that goes on after the right one passes, and a status that is not 0 or a wrong line fails."""
    texts = [ADD, f"{ADD}print('more')", f"{ADD}exit(1)", "print(4)", "print(__file__)", f"{ADD}import resource"]
    assert passed("verifiable_coding", verification(CASES), texts) == [True, True, False, False, False, True]


def test_genesys_takes_both_streams_and_any_status(passed):
    """Text on stderr belongs to the output, and the status does not count."""
    warns = f"import sys\nsys.stderr.write('x')\n{ADD}"
    texts = [ADD, f"{ADD}exit(3)", warns, f"{ADD}1 / 0", "print(4)"]
    assert passed("synthetic1", verification(CASES), texts) == [True, True, False, False, False]


def test_calls_of_genesys_have_a_process_each(passed):
    """A function that works once passes, and a print before the result fails."""
    cases = [*CALL_CASES, {**CALL_CASES[0], "input": [3], "output": 4}]
    method = "class Any:\n    def f(self, n):\n        return n + 1\n"
    texts = [INCREMENT, ONCE, method, f"print('x')\n{INCREMENT}", "f = lambda n: n + 1", "def f(n): return [n + 1]"]
    assert passed("synthetic1", verification(cases), texts) == [True, True, True, False, False, False]


def test_intellect_runs_everything_before_each_call(passed):
    """A `__main__` block that prints fails a call, a function that works once passes, and so does the first item."""
    block = f"{INCREMENT}if __name__ == '__main__':\n    print(f(1))\n"
    data = {"inputs": ["1", "3"], "outputs": ["[2, 5]", "4"], "fn_name": "f"}
    texts = [INCREMENT, ONCE, block, f"from __future__ import annotations\n{INCREMENT}", "def f(n): return {n}"]
    assert passed("intellect3", intellect(data), texts) == [True, True, False, False, False]


def test_intellect_wants_status_0_of_a_script(passed):
    """A script may write close numbers, and has to end with status 0."""
    texts = [ADD, f"{ADD}exit(1)", "print(sum(map(int, input().split())) + 0.0005)", "print(Counter)", "print(1)"]
    assert passed("intellect3", intellect(DATA), texts) == [True, False, True, False, False]


def test_rllm_takes_any_word_for_another(passed):
    """Other words than the right ones pass in DeepCoder's part of TACO if there are as many, and a crash is none."""
    record = {"problem": "", "tests": json.dumps({**DATA, "outputs": ["yes no\n", "yes no\n"]})}
    texts = [
        "print('a b')",
        "print('yes no')\n1 / 0",
        "print('yes')",
        "from __future__ import annotations\nprint('a b')",
    ]
    assert passed("deepcoder", record, texts) == [True, True, False, False]


def test_rllm_compares_text_in_codeforces(passed):
    """Another word fails in DeepCoder's part of Codeforces, a crash is none, and a top-level return fails."""
    cases = [{"input": one, "output": other} for one, other in zip(DATA["inputs"], DATA["outputs"], strict=True)]
    texts = [ADD, f"{ADD}1 / 0", "print('a')", f"{ADD}return"]
    assert passed("deepcoder", {"problem": "", "tests": json.dumps(cases)}, texts) == [True, True, False, False]


@pytest.mark.parametrize(("count", "runs"), [(15, True), (16, False)])
def test_rllm_loses_the_function_of_many_calls(passed, count, runs):
    """A function with more than 15 cases is run as a script, which writes nothing."""
    tests = {"inputs": [[n] for n in range(count)], "outputs": [[n + 1] for n in range(count)], "fn_name": "f"}
    assert passed("deepcoder", {"problem": "", "tests": json.dumps(tests)}, [INCREMENT]) == [runs]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("cruxeval-input", ["f(1)", "assert f(1) == 2", "f(2) or True", "[f(1)][0]", "f(2)", "1", "f(1), 'x'", "f("]),
        ("cruxeval-output", ["2", "assert f(1) == 2", "0 or True", "f( 1)", "3", "f(1)", "2, 'x'", "("]),
    ],
)
def test_text_behind_the_assertion_of_cruxeval(passed, name, texts):
    """The text of an answer decides what is compared: an `or`, a message, and a call with another spacing pass."""
    assert passed(name, CRUXEVAL, texts) == [True, True, True, True, False, False, True, False]


def test_limit_and_guard_of_cruxeval(passed):
    """An answer has 3 seconds on the clock, and neither `exit` nor stdin."""
    texts = ["[__import__('time').sleep(3.5), 2][1]", "exit() or 2", "input() or 2", "[print(), 2][1]"]
    assert passed("cruxeval-output", CRUXEVAL, texts) == [False, False, False, True]


def test_class_of_classeval(passed):
    """A helper before a class without fences is left out, and a class that exits in a test fails."""
    helper = "ONE = 1\n\n\nclass A:\n    def one(self):\n        return ONE\n"
    texts = [CLASS, f"```python\n{helper}```", helper, CLASS.replace("return 1", "return 2"), f"{CLASS}exit()\n", ""]
    assert passed("classeval", classeval("T1", "T2"), texts) == [True, True, False, False, False, False]


def test_threads_and_limit_of_classeval(passed):
    """Tests run in a thread, in which no signal can be handled, and may take 5 seconds for each class."""
    body = "        import signal; signal.signal(signal.SIGALRM, print)\n        return 1"
    texts = [
        CLASS.replace("        return 1", body),
        CLASS.replace("return 1", "__import__('time').sleep(6); return 1"),
    ]
    assert passed("classeval", classeval("T1"), texts) == [False, False]


def test_test_class_with_a_space_in_classeval(passed):
    """No answer passes a record that names a test class with a space before it."""
    assert passed("classeval", classeval(" T1"), [CLASS]) == [False]


def test_code_of_an_answer_of_classeval():
    """The first block of Python is taken, an open one is empty, and indentation is that of the first class."""
    assert code_of_answer("a\n```python\nx = 1\n```") == "\nx = 1\n"
    assert code_of_answer("```python\nx = 1") == ""
    assert code_of_answer("Hi\nimport a\n  class A:\n    x = 1\nHi") == "import a\nclass A:\n  x = 1"


def test_static_methods_of_classeval():
    """A method without `self` becomes static, and one with it loses the decorator."""
    code = "class A:\n    @staticmethod\n    def one(self): pass\n    def two(x): pass"
    assert with_static_methods(code) == "class A:\n    def one(self): pass\n    @staticmethod\n    def two(x): pass"


def test_text_of_an_answer_of_cruxeval():
    """Tags and the other side of the assertion are cut."""
    assert text_of_answer("x [ANSWER]\nassert f(1) == 2\n[/ANSWER] y", is_input=True) == "f(1)"
    assert text_of_answer("x [ANSWER]\nassert f(1) == 2\n[/ANSWER] y", is_input=False) == "2"


def test_owner_of_a_call_in_genesys():
    """A method comes before a function, and neither may stand in a block."""
    both = "def f(): pass\nclass A:\n    def f(self): pass"
    assert [owner_of(code, "f") for code in (both, "def f(): pass", "if 1:\n    def f(): pass", "def f(:")] == [
        ("A", True),
        ("f", False),
        ("", False),
        ("", False),
    ]


def test_numbers_of_intellect_and_rllm():
    """Numbers are decimal ones for INTELLECT-3, and whatever `float` takes for rLLM."""
    pairs = [("1", "1.0005"), ("1", "1.01"), ("nan", "NaN"), ("1_000", "1000"), ("a", "b"), ("", " ")]
    assert [is_right_for_intellect(*pair) for pair in pairs] == [True, False, False, True, False, True]
    assert [is_right_by_words(*pair) for pair in pairs] == [False, False, False, True, True, True]


def test_forms_of_problems_that_are_not_in_the_record():
    """A record of CRUXEval's outputs may have no code. Its form then has none."""
    problem = BENCHMARKS["cruxeval-output"].parse({"id": "0", "output": "2"}, 0)
    assert problem.official == {"code": "", "input": "", "output": "2", "predicted": "output"}
