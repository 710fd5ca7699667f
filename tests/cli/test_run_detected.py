"""`code-eval run` without --benchmark judges problems as the benchmark's grader whose fields they have."""

import json

import pytest

from support.case_records import CODECONTESTS, DEEPCODER, INTELLECT_3, INTELLECT_3_CALLS, SUM, SYNTHETIC_1, XCODEEVAL
from support.metric_and_command import code_eval, results_of

pytestmark = pytest.mark.slow

CPP = "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b; }\n"


@pytest.fixture
def scored(files, tmp_path):
    """Return a function that scores completions of a problem, and returns what passed and the lines on stderr."""

    def score(record, task_id, completions, *options):
        arguments = files(completions, [record], task_id=task_id)
        done = code_eval(*arguments, *options, "--output", tmp_path / "results.jsonl")
        assert done.returncode == 0, done.stderr
        return [each["passed"] for each in results_of(tmp_path / "results.jsonl")], done.stderr

    return score


def test_the_line_on_stderr(scored, tmp_path):
    """A line names the benchmark and the way to another one."""
    passed, stderr = scored(CODECONTESTS, "1_A. Sums", [SUM, SUM.replace("+", "-"), SUM.replace("b)", "b + 1e-6)")])
    assert passed == [True, False, True]
    assert (
        f"{tmp_path / 'problems.jsonl'} has the fields of codecontests, and is judged as by its grader; "
        "--benchmark NAME chooses another"
    ) in " ".join(stderr.split())


def test_another_language(scored):
    """Programs of CodeContests are in the language of the run."""
    assert scored(CODECONTESTS, "1_A. Sums", [CPP, CPP.replace("+", "*")], "--language", "cpp")[0] == [True, False]


def test_several_right_outputs(scored):
    """Each accepted output of a case of xCodeEval passes."""
    completions = ["print(3)", "print('three')", "print('3.0')", "print('Three')", "print('three 3')"]
    assert scored(XCODEEVAL, "5f40", completions)[0] == [True, True, True, False, False]


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_printed_results(scored, grading):
    """Results of SYNTHETIC-1's calls are right if they print as the expected ones do, with or without their list."""
    function = "def add(a: List[int], b):\n    return "
    right = ["a + b", "[a + b]", "str(a + b)"]
    wrong = ["a - b - 1", "float(a + b)", "(a + b,)"]
    completions = [function + result for result in right + wrong]
    assert scored(SYNTHETIC_1, "vcp_1", completions, "--grading", grading)[0] == [True] * 3 + [False] * 3


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_results_as_json(scored, grading):
    """Results of INTELLECT-3's calls are right if JSON holds them as it holds the expected ones."""
    function = "def f(a, b):\n    return "
    right = ["[[1, 2]]", "((1, 2),)", "[1, 2]", "deque([[1, 2]]) and list([(1, 2)])"]
    wrong = ["{(1, 2)}", "[1, 2, 3]", "'[[1, 2]]'"]
    completions = [function + result for result in right + wrong]
    assert scored(INTELLECT_3_CALLS, "0", completions, "--grading", grading)[0] == [True] * 4 + [False] * 3


def test_keys_in_json(scored):
    """In JSON the keys of a dict are texts, also in dicts of other classes."""
    tests = {"inputs": ["1"], "outputs": ['{"1": [2], "true": null}'], "fn_name": "f"}
    record = {**INTELLECT_3, "info": json.dumps({"tests": json.dumps(tests)})}
    right = ["{1: (2,), True: None}".replace("True", "'true'"), "OrderedDict({'1': [2], 'true': None})"]
    completions = [f"def f(a):\n    return {result}" for result in [*right, "{1: 2, 'true': None}"]]
    assert scored(record, "0", completions)[0] == [True, True, False]


def test_preamble_of_deepcoder(scored):
    """Names that DeepCoder's grader imports are there, and a script may exit with any status."""
    completions = [
        "a, b = map(int, stdin.readline().split())\nstdout.write(str(reduce(add, [a, b])))".replace(
            "add", "int.__add__"
        ),
        f"{SUM}sys.exit(ceil(0.5))",
        f"{SUM}return",
        f"{SUM}1 / 0",
    ]
    assert scored(DEEPCODER, "0", completions)[0] == [True, True, False, False]


def test_unknown_fields(files):
    """Fields of no benchmark end the command with what they are."""
    done = code_eval(*files(["x"], [{"a": 1}]))
    assert done.returncode == 2
    assert "no benchmark is known to have the fields 'a'; --benchmark NAME says which it is" in done.stderr
