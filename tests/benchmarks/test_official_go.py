"""The official form of HumanEval-X's problems in Go: one file with its tests, which passes with status 0."""

from dataclasses import replace

import pytest

from code_tasks.benchmarks import BENCHMARKS
from code_tasks.benchmarks.official.go_tests import GoTestFile
from support.official_verdicts import official_results
from support.requirements import require_testify

IMPORT = 'import (\n    "math"\n)\n'
RECORD = {
    "task_id": "Go/0",
    "prompt": f"{IMPORT}// Add returns the next number.\nfunc Add(a int) int {{\n",
    "declaration": f"{IMPORT}func Add(a int) int {{\n",
    "import": IMPORT,
    "test_setup": 'package main\n\nimport (\n    "testing"\n    "github.com/stretchr/testify/assert"\n)\n',
    "test": "func TestAdd(t *testing.T) {\n    assert := assert.New(t)\n    assert.Equal(2, Add(1))\n}\n",
    "example_test": "",
    "canonical_solution": "    return a + 1\n}\n",
}
RIGHT = RECORD["canonical_solution"]


@pytest.mark.slow
@pytest.mark.languages("go")
def test_status_decides(tmp_path):
    """Right completions pass, and so does one whose `TestMain` leaves with status 0; leaving in a test fails."""
    require_testify()
    completions = {
        RIGHT: True,
        "    return a\n}\n": False,
        "    return int(math.Floor(float64(a))) + 1\n}\n": True,
        f"{RIGHT}func main() {{ panic(1) }}\n": True,
        "    return a + 1 // sort.Ints would not help\n}\n": False,
        "    return a\n}\nfunc TestMain(m *testing.M) {}\n": True,
        "    return a\n}\nfunc TestMain(m *testing.M) { m.Run() }\n": False,
        "    defer func() { recover() }()\n    panic(1)\n}\n": False,
        f"{RIGHT}func TestOther(t *testing.T) {{ t.Fail() }}\n": False,
        "    for {\n    }\n}\n": False,
    }
    results = official_results(tmp_path, "humaneval-x", RECORD, list(completions))
    assert [result.passed for result in results] == list(completions.values())


def test_file_of_a_completion():
    """A package is imported if its name and a dot stand in the completion, and nothing of the prompt is imported."""
    text = GoTestFile(RECORD["test_setup"], "func f() {\n", RECORD["test"], 5)("    math.Abs(1) // time.Now\n}\n")
    assert 'import (\n"math"\n    "time"\n)\nfunc f() {' in text
    assert '{"TestAdd", TestAdd}' in text


def test_limits_of_the_grader():
    """The limits are the grader's, also where the user's replace those of our verdict."""
    benchmark = BENCHMARKS["humaneval-x"]
    problem = benchmark.parse(RECORD, 0)
    form = benchmark.official_form(replace(problem, limits={}))
    assert (form.limits, form.make_program.seconds) == (problem.limits, 5)


def test_other_languages_have_no_other_form():
    """Problems in Java are judged as without the option."""
    java = {**RECORD, "task_id": "Java/0", "test": "public class Main { public static void main(String[] a) {} }"}
    problem = BENCHMARKS["humaneval-x"].parse(java, 0)
    assert BENCHMARKS["humaneval-x"].official_form(problem) is problem
