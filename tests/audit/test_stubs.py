"""Stubs solve nothing, and have the shape of a right candidate."""

import json
from dataclasses import replace

import pytest

from code_tasks.audit.stubs import EMPTY, EQUAL_OBJECT, FIRST_ARGUMENT, stubs_of, zero_stub
from code_tasks.benchmarks.problems import Problem

PROMPT = 'def helper(a):\n    return a\n\n\ndef add(a, b):\n    """Add."""\n'
ADD = Problem(
    "t/0", PROMPT, "assert add(2, 3) == 5", "python", entry_point="add", canonical_solution="    return a + b\n"
)
SCRIPT = Problem("t/1", "", json.dumps([{"input": "1\n", "output": "2\n"}]), "python")
CALLS = Problem("t/2", "", json.dumps({"inputs": [[1]], "outputs": [2], "fn_name": "f"}), "python", entry_point="f")


def sources(problem, language="python"):
    """Return {name: program} of a problem's stubs."""
    return {stub.name: stub.program for stub in stubs_of(problem, language)}


def run(source, call):
    """Return the value of a call in one of our own sources."""
    space = {}
    exec(source, space)  # noqa: S102 (our own text)
    return eval(call, space)  # noqa: S307 (our own text)


@pytest.mark.parametrize(
    ("name", "value"),
    [("return None", None), ("return -1", -1), ("return []", []), (FIRST_ARGUMENT, 7)],
)
def test_functions(name, value):
    """A stub of a function returns the same for all arguments, or the first of them."""
    assert run(sources(ADD)[name], "add(7, 8)") == value


def test_arrays_for_tests_with_numpy():
    """Tests that compare with NumPy get an array without elements, and an infinite number, as results."""
    found = sources(replace(ADD, tests="import numpy as np\nassert np.allclose(add(2, 3), 5)"))
    assert run(found["return numpy.array([])"], "add(7, 8)").shape == (0,)
    assert run(found["return numpy.float16('inf')"], "float(add(7, 8))") == float("inf")
    assert "return numpy.array([])" not in sources(ADD)


def test_helpers_of_the_prompt_stay():
    """A function that ends in the prompt is no stub, because tests may use it."""
    for problem in (ADD, replace(ADD, entry_point="")):
        assert run(sources(problem)["return 0"], "helper(5), add(5, 5)") == (5, 0)


def test_methods():
    """In a class, the method that the tests call is the stub, and its first argument comes after `self`."""
    code = (
        "class Solution:\n    def __init__(self):\n        self.n = 1\n    def add(self, a, b):\n        return a + b\n"
    )
    problem = Problem("t/3", "", "x", "python", entry_point="Solution().add", canonical_solution=code)
    assert run(sources(problem)[FIRST_ARGUMENT], "Solution().add(7, 8), Solution().n") == (7, 1)


def test_all_functions_if_none_is_named():
    """Without an entry point, all functions of the canonical solution are stubs."""
    code = "def f(a):\n    return g(a)\n\n\ndef g(a):\n    return a + 1\n"
    problem = Problem("t/4", "", "assert f(1) == 2", "python", canonical_solution=code)
    assert run(sources(problem)["return 1"], "f(5), g(5)") == (1, 1)


@pytest.mark.parametrize("problem", [CALLS, Problem("t/5", PROMPT, "x", "python", entry_point="add")])
def test_without_a_canonical_solution(problem):
    """Stubs need no canonical solution where the function's name or the prompt is known."""
    assert {EMPTY, "return 0", FIRST_ARGUMENT, EQUAL_OBJECT} <= sources(problem).keys()


def test_scripts():
    """A stub of a script prints a constant, or the first line of its input."""
    assert sources(SCRIPT)["print YES"] == "print('YES')\n"
    assert sources(SCRIPT)["print the first line"] == "print(input())\n"
    assert sources(SCRIPT)[EMPTY] == ""


@pytest.mark.parametrize("code", ["x = 1\n", "x =\n", f"def f():\n    return {'-' * 5000}1\n"])
def test_code_without_functions(code):
    """Where there is no function, or code that is too deep, the empty completion is the only stub."""
    assert list(sources(Problem("t/6", "", "assert x == 1", "python", canonical_solution=code))) == [EMPTY]


def test_stubs_are_different():
    """No two stubs of a problem are the same program."""
    empty = Problem("t/7", "def f():\n", "assert f() is None", "python", canonical_solution="    return None\n")
    assert len({stub.program for stub in stubs_of(empty, "python")}) == len(stubs_of(empty, "python"))
    assert FIRST_ARGUMENT not in sources(empty)


@pytest.mark.parametrize(
    ("language", "prompt", "stub"),
    [
        (
            "go",
            "func helper(n int) bool {\n    return true\n}\n\nfunc f(a int) (int, error) {\n",
            "*new(int), *new(error)",
        ),
        ("java", "class A {\n    public boolean f(int n) {\n", "return false;"),
        ("cpp", "#include <vector>\nusing namespace std;\nvector<int> f(vector<int> n){\n", "return {};"),
        ("cpp", "void f(int *n) {\n", "return;"),
        ("cpp", "int f(int n);\n", ""),
        ("javascript", "function f(n) {\n", "return null;"),
        ("javascript", "const f = (n) => {\n", "return null;"),
        ("rust", "fn f(n: Vec<&str>) -> &str {\n", "Default::default()"),
        ("lua", "local function f(n)\n", ""),
    ],
)
def test_other_languages(language, prompt, stub):
    """Some languages have a stub with a constant result of the right type; the others have the empty one alone."""
    assert stub in zero_stub(language, prompt)
    problem = Problem("t/8", prompt, "x", language)
    assert len(stubs_of(problem, language)) == (2 if stub else 1)


def test_a_completion_that_the_benchmark_closes():
    """Where a problem adds the last brackets, its stub has none."""
    problem = Problem("t/9", "class A {\n    public static int f(int n) {\n", "x", "java", suffix="\n    }\n}\n")
    stub = stubs_of(problem, "java")[-1]
    assert stub.program == problem.prompt + "        return 0;\n" + problem.suffix
