"""The official forms of problems run candidates as the official graders do, with what is wrong in them."""

import json

import pytest

from code_tasks.benchmarks import BENCHMARKS, load_benchmark
from code_tasks.benchmarks.official.calls import is_right_in_apps, is_right_in_prime_code, with_int_keys
from code_tasks.benchmarks.official.scripts import BufferOfText, StdinWithBuffer, script_in_function
from code_tasks.benchmarks.official.taco_scripts import is_right_for_taco, taco_programs
from sandboxes import Evaluator, Outcome

pytestmark = pytest.mark.slow

ADD = "a, b = map(int, input().split())\nprint(a + b)\n"
CASES = {"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]}
CALLS = {"inputs": [[[1, 2]], [[3]]], "outputs": [[[2, 3]], [[4]]], "fn_name": "f"}
EVALPLUS = {
    "task_id": "Mbpp/1000",
    "prompt": "def f(a):\n",
    "canonical_solution": "    return [x + 1 for x in a]\n",
    "entry_point": "f",
    "base_input": [[[1]]],
    "plus_input": [[[2, 3]]],
    "atol": 0,
}
MAIN_BLOCK = f"if __name__ == '__main__':\n    {ADD.replace(chr(10), chr(10) + '    ')}\n"


def stdin_problem(name):
    """Return a record of a benchmark, with the cases of a sum."""
    if name == "livecodebench":
        pairs = zip(CASES["inputs"], CASES["outputs"], strict=True)
        cases = [{"input": one, "output": other, "testtype": "stdin"} for one, other in pairs]
        return {
            **{"question_id": "0", "metadata": "{}", "contest_date": "2024-05-01"},
            **{"public_test_cases": json.dumps(cases), "private_test_cases": "[]"},
        }
    if name == "prime_code":
        return {"data_source": "taco", "reward_model": {"ground_truth": json.dumps(CASES)}, "extra_info": {"index": 0}}
    if name == "synthetic2":
        info = {"language": "python", "test_cases": json.dumps(CASES)}
        return {"problem_id": "0", "task_type": "prime_rl_code", "prompt": "", "verification_info": info}
    if name == "deepcoder":
        cases = json.loads(stdin_problem("livecodebench")["public_test_cases"])
        return {"problem": "", "tests": json.dumps([{**case, "metadata": {}} for case in cases])}
    return {"problem_id": 0, "question": "", "input_output": json.dumps(CASES)}


@pytest.fixture
def verdicts(tmp_path):
    """Return a function that returns the official verdicts of candidates of one problem."""

    def run(name, record, candidates):
        path = tmp_path / "problems.jsonl"
        path.write_text(json.dumps(record) + "\n")
        loaded = load_benchmark(name, path)
        config = loaded.benchmark.eval_config({"grading": "auto"})
        [task_id] = loaded.problems
        with Evaluator(config) as evaluator:
            return evaluator.run(loaded.official_tasks({task_id: candidates}, config))

    return run


def passed(results):
    """Return whether each result passed."""
    return [result.passed for result in results]


@pytest.mark.parametrize("name", ["livecodebench", "apps", "prime_code", "taco"])
def test_right_and_wrong_scripts(verdicts, name):
    """A plain script and one with a top-level return pass, and wrong output, exceptions and syntax errors fail."""
    results = verdicts(name, stdin_problem(name), [ADD, f"{ADD}return", "print(3)", f"{ADD}1 / 0", "print("])
    assert passed(results) == [True, True, False, False, False]


@pytest.mark.parametrize(("name", "runs"), [("livecodebench", True), ("apps", False), ("prime_code", True)])
def test_main_block_at_the_end(verdicts, name, runs):
    """A `__main__` block at the end runs in LiveCodeBench and verl, and not in APPS. Before the end it runs nowhere."""
    assert passed(verdicts(name, stdin_problem(name), [MAIN_BLOCK, f"{MAIN_BLOCK}x = 1"])) == [runs, False]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("livecodebench", [True, False, False]), ("apps", [False, True, True]), ("prime_code", [False, True, False])],
)
def test_mocked_stdin(verdicts, name, expected):
    """A mocked stdin has a buffer in LiveCodeBench, is iterated elsewhere, and is an opened file in APPS."""
    read = "import io, sys\nsys.stdin = io.StringIO({})\n"
    texts = ["sys.stdin.buffer.read().decode()", "''.join(line for line in sys.stdin)", "open(0).read()"]
    assert passed(verdicts(name, stdin_problem(name), [read.format(text) + ADD for text in texts])) == expected


@pytest.mark.parametrize("name", ["livecodebench", "apps", "prime_code", "synthetic2", "deepcoder"])
def test_global_and_missing_modules(verdicts, name):
    """`global` names nothing in a wrapped script, and the module resource has been taken away."""
    uses_global = f"n = 0\ndef f():\n    global n\n    n += 1\nf()\n{ADD}"
    assert passed(verdicts(name, stdin_problem(name), [uses_global, f"import resource\n{ADD}"])) == [False, False]


@pytest.mark.parametrize(("name", "expected"), [("livecodebench", False), ("apps", True), ("prime_code", True)])
def test_a_script_with_a_class_solution(verdicts, name, expected):
    """LiveCodeBench's grader takes a script whose text has `class Solution` for a class, and finds none."""
    script = f"class Solution:\n    pass\n{ADD}"
    assert passed(verdicts(name, stdin_problem(name), [script])) == [expected]


ASYNC = """\
import asyncio

async def main():
    await asyncio.sleep(0)
    print(sum(map(int, input().split())))

asyncio.run(main())
"""


def test_asyncio_of_verl(verdicts):
    """Verl has imported asyncio when its grader takes functions away."""
    assert passed(verdicts("prime_code", stdin_problem("prime_code"), [ASYNC])) == [True]


def test_alarm_of_a_case(verdicts):
    """A case that takes longer than the grader's limit fails, and names the limit."""
    [result] = verdicts("apps", stdin_problem("apps"), [f"{ADD}while True:\n    pass"])
    assert (result.outcome, result.detail.count("longer than the grader's limit")) == (Outcome.FAILED, 1)


def test_alarm_of_verl(verdicts):
    """An alarm of verl's grader ends the process."""
    [result] = verdicts("prime_code", stdin_problem("prime_code"), [f"{ADD}while True:\n    pass"])
    assert result.outcome in (Outcome.CRASHED, Outcome.TIMED_OUT)


def test_calls(verdicts):
    """The first item passes for the list in APPS. It does not as the result of a candidate without that item."""
    record = {"problem_id": 0, "question": "", "input_output": json.dumps(CALLS)}
    right = "def f(a):\n    return [x + 1 for x in a]"
    candidates = [right, f"class Solution:\n    {right.replace('(a)', '(self, a)').replace(chr(10), chr(10) + '    ')}"]
    candidates += ["def f(a):\n    return [[x + 1 for x in a]]", "def f(a):\n    return a", "def g(a):\n    return a"]
    assert passed(verdicts("apps", record, candidates)) == [True, True, True, False, False]


INNER = "    def g(a: {}):\n        return [x + 1 for x in a]\n    return g(a)\n"
"""The body of `f`, with an annotation that is evaluated when `f` is called, if at all."""


@pytest.mark.parametrize(
    ("name", "record", "head"),
    [
        ("mbppplus", EVALPLUS, ""),
        ("apps", {"problem_id": 0, "question": "", "input_output": json.dumps(CALLS)}, "def f(a):\n"),
    ],
    ids=["evalplus", "calls"],
)
def test_annotations_are_evaluated(verdicts, name, record, head):
    """A name that an annotation alone uses has to be there, as without `from __future__ import annotations`."""
    assert passed(verdicts(name, record, [head + INNER.format(kind) for kind in ("list", "Missing")])) == [True, False]


def test_groups_of_evalplus_have_a_process_each(verdicts):
    """A function that works only once passes with one base input and one plus input."""
    once = "    f.calls = getattr(f, 'calls', 0) + 1\n    return [x + 1 for x in a] if f.calls == 1 else None\n"
    candidates = [once, EVALPLUS["canonical_solution"], "    return [0]\n", "    exit()\n"]
    assert passed(verdicts("mbppplus", EVALPLUS, candidates)) == [True, True, False, False]


def test_slow_input_of_evalplus(verdicts):
    """An input may take a second, whatever all inputs may take together."""
    [result] = verdicts("mbppplus", EVALPLUS, ["    import time; time.sleep(1.5)\n    return [x + 1 for x in a]\n"])
    assert "longer than the grader's limit" in result.detail


def test_uncounted_problem(verdicts):
    """No answer to HumanEval/32 passes with evalplus 0.3.1."""
    record = {**EVALPLUS, "task_id": "HumanEval/32"}
    assert passed(verdicts("humanevalplus", record, [EVALPLUS["canonical_solution"]])) == [False]


@pytest.mark.parametrize(("name", "other"), [("synthetic2", "prime_code"), ("deepcoder", "livecodebench")])
def test_parts_of_data_sets_have_the_form_of_their_grader(name, other):
    """SYNTHETIC-2's problems in verl's shape have verl's form, and DeepCoder's of LiveCodeBench have that one's."""
    forms = [BENCHMARKS[each].official_form(BENCHMARKS[each].parse(stdin_problem(each), 0)) for each in (name, other)]
    assert (forms[0].is_text, forms[0].limits) == (True, forms[1].limits)


@pytest.mark.parametrize("name", ["verifiable_coding", "synthetic1", "synthetic2"])
def test_other_languages_have_no_other_form(name):
    """Problems in C++ are judged as without the option."""
    cases = [{"input": "1 2", "output": "3", "type": "stdin_stdout"}]
    info = {"language": "cpp", "test_cases": cases}
    problem = BENCHMARKS[name].parse({"problem_id": "0", "problem": "", "verification_info": info}, 0)
    assert BENCHMARKS[name].official_form(problem) is problem


def test_tests_that_are_finished_have_no_other_form(tmp_path):
    """The Hub's shape of MBPP+ brings its own tests, which are the official ones."""
    record = {"task_id": 2, "code": "", "test_imports": [], "test": "assert f(1) == 2", "test_list": []}
    problem = BENCHMARKS["mbppplus"].parse(record, 0)
    assert BENCHMARKS["mbppplus"].official_form(problem) is problem


def test_forms_are_shared_whatever_the_run_has():
    """The official form runs in the candidate's interpreter, and its candidate is a text."""
    problem = BENCHMARKS["apps"].parse(stdin_problem("apps"), 0)
    form = BENCHMARKS["apps"].official_form(problem)
    assert (form.grading, form.candidate("x = '\"'", "python")) == (
        "shared",
        "code_eval_candidate_text = 'x = \\'\"\\''\n",
    )


def test_lines_become_a_function():
    """Lines before the first that imports nothing stay in the module, and imports after it are in the function."""
    assert script_in_function("import a\nx = 1\nimport b", "", "apps").split("\n")[:6] == [
        "import a",
        "stdin = sys.stdin",
        "stdout = sys.stdout",
        "def code():",
        "\tx = 1",
        "\timport b",
    ]


def test_statements_become_a_function():
    """All imports come first in LiveCodeBench, and a `__main__` block at the end is opened."""
    source = "x = 1\nimport b\nif __name__ == '__main__':\n    y = 2"
    assert script_in_function(source, "", "livecodebench").split() == ("import b def code(): x = 1 y = 2".split())


def test_programs_of_taco():
    """The grader's imports come before the first line that is none, and a star import leaves the function."""
    plain, in_function = taco_programs("import a\nx = 1\n    from m import *", "P")
    assert plain.startswith("import a\nP\nstdin = sys.stdin")
    assert "from m import *" not in in_function.partition("def code():")[2]


@pytest.mark.parametrize("output", ["1 2", " 1 2\n", "12", "2 1", "2\n1", "21 12"])
def test_unordered_words_of_taco(output):
    """A word passes for the set of its characters in TACO."""
    assert is_right_for_taco("1 2\n", output) == (output not in ("2 1", "2\n1"))


def test_numbers_of_taco():
    """Digits that stand together pass for numbers in lines of their own, and nothing else does."""
    assert [is_right_for_taco("1\n2\n", output) for output in ("12", "1\n2", "1 3", "")] == [True, True, False, False]


def test_first_item_passes_in_calls():
    """The first item of what is expected passes, also with tuples as rows; verl wants what JSON can hold."""
    assert is_right_in_apps(1, [1, 2])
    assert is_right_in_apps([(1, 2)], [[[1, 2]]])
    assert is_right_in_prime_code([1], [1])
    assert not is_right_in_prime_code(2, [1])
    with pytest.raises(TypeError):
        is_right_in_prime_code({1}, [1])


def test_int_keys_of_calls():
    """A dict that comes first has int keys, and nothing else remains beside it."""
    assert with_int_keys([{"1": 2}, 3], {"4": 5}) == ([{1: 2}], [{4: 5}])
    assert with_int_keys([{"a": 2}, 3], [1]) == ([{"a": 2}, 3], [1])


def test_stdin_of_livecodebench():
    """`read` gives all of the text each time, and the buffer's `readline` the first line."""
    stdin = StdinWithBuffer("a\nb")
    assert (stdin.readline(), stdin.read(), stdin.readline(), stdin.readlines()) == ("a\n", "a\nb", "b", ["a", "b"])
    buffer = BufferOfText("a\nb")
    assert (buffer.readline(), buffer.readline(), buffer.read()) == (b"a\n", b"a\n", b"a\nb")
