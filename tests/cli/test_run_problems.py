"""The command `code-eval run` on problems in other languages, and with tests of other kinds."""

import json

import pytest

from support.humaneval_x_samples import build_stub
from support.languages import each_of
from support.metric_and_command import DATA, PROBLEM, ROOT, code_eval, results_of
from support.published_records import read
from support.requirements import require_testify

pytestmark = [pytest.mark.slow, pytest.mark.languages]

ADD = "a, b = map(int, input().split())\nprint(a + b)\n"
CASES = {"inputs": ["2 3\n", "1 1\n", "10 20\n"], "outputs": ["5", "3", "30"]}


@pytest.fixture
def scored(files, tmp_path):
    """Return a function that scores samples with problems, and returns the results in the samples' order."""

    def score(samples, problems, *options):
        done = code_eval(*files(samples, problems), *options, "--output", tmp_path / "results.jsonl", PYTHONPATH=PATHS)
        assert done.returncode == 0, done.stderr
        return results_of(tmp_path / "results.jsonl")

    PATHS = f"{ROOT}:{tmp_path}"
    return score


def sample(completion, task_id="t/0"):
    """Return a sample."""
    return {"task_id": task_id, "completion": completion}


def outcomes(results):
    """Return the results' outcomes."""
    return [each["outcome"] for each in results]


@pytest.mark.parametrize("language", each_of(["java", "go"]))
def test_humaneval_x(tmp_path, language):
    """The command reads problems of HumanEval-X as they are: solutions pass, and stubs fail."""
    if language == "go":
        require_testify()
    name = f"humaneval_x_{language}.jsonl.gz"
    chosen = read(name)[7::60]
    samples = [sample(each, record["task_id"]) for record in chosen for each in completions_of(record)]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    options = ["--problems", DATA / name, "--timeout", 60, "--compile-timeout", 120, "--output", tmp_path / "out.jsonl"]
    done = code_eval("run", tmp_path / "samples.jsonl", *options, "--missing", "ignore")
    assert done.returncode == 0, done.stderr
    results = results_of(tmp_path / "out.jsonl")
    assert outcomes(results) == ["passed", "failed"] * len(chosen), [each["detail"] for each in results]


def completions_of(record):
    """Return a right completion, and a wrong one."""
    return record["canonical_solution"], build_stub(record)


def test_languages_of_records(scored):
    """A record may have a language of its own. --language applies to all other records."""
    problems = [
        {"task_id": "t/0", "test": '[ "$(add 2 3)" = 5 ] || exit 1'},
        {"task_id": "t/1", "test": "assert add(2, 3) == 5", "language": "python"},
    ]
    samples = [sample("def add(a, b): return a + b", "t/1"), *map(sample, ["add() { echo 5; }", "add() { echo 6; }"])]
    assert outcomes(scored(samples, problems, "--language", "bash")) == ["passed", "passed", "failed"]


@pytest.mark.parametrize("field", ["test", "input_output"])
def test_cases(scored, field):
    """Inputs and outputs are tests too, under each of their names. The result names the first one that fails."""
    [result] = scored([ADD], [{"task_id": "t/0", field: CASES}])
    assert result["detail"] == "case 2: expected '3', but it wrote '2'"
    assert [each["outcome"] for each in result["tests"]] == ["passed", "failed"]


def test_partial_credit(scored):
    """--partial-credit runs all tests and writes the share that passed. Without the option no share is written."""
    problem = {"task_id": "t/0", "test": json.dumps(CASES)}
    [result] = scored([ADD], [problem], "--partial-credit")
    assert result["partial_credit"] == pytest.approx(2 / 3)
    assert "partial_credit" not in scored([ADD], [problem])[0]


def test_no_stop_at_first_failure(scored):
    """With --no-stop-at-first-failure the tests after the first failure run too."""
    [result] = scored([ADD], [{"task_id": "t/0", "test": CASES}], "--no-stop-at-first-failure")
    assert [each["outcome"] for each in result["tests"]] == ["passed", "failed", "passed"]


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ([], "failed"),
        (["--checker", "floats"], "failed"),
        (["--checker", "floats", "--tolerance", "0.2"], "passed"),
        (["--checker", "checking:is_near"], "passed"),
    ],
    ids=["default", "floats", "tolerance", "function"],
)
def test_checker(scored, tmp_path, options, outcome):
    """--checker and --tolerance decide which output is right, and a checker may be the user's own function."""
    (tmp_path / "checking.py").write_text(
        "def is_near(given, wanted, written):\n    return abs(float(wanted) - float(written)) < 0.2\n"
    )
    problem = {"task_id": "t/0", "test": [{"input": "", "output": "1.0"}]}
    assert outcomes(scored(["print(1.1)\n"], [problem], *options)) == [outcome]


def test_extract(scored):
    """--extract takes the code from an answer's fenced blocks. Without the option the whole answer is the code."""
    answer = "Like so:\n```python\ndef add(a, b):\n    return a + b\n```\nIt adds.\n"
    assert outcomes(scored([answer], [PROBLEM], "--extract", "defining")) == ["passed"]
    assert outcomes(scored([answer], [PROBLEM])) == ["compile_error"]


def test_unittest_classes(scored):
    """Tests may be unittest classes, which run without a call."""
    tests = "import unittest\nclass T(unittest.TestCase):\n    def test_add(self): self.assertEqual(add(2, 3), 5)\n"
    samples = [f"def add(a, b): return a {sign} b" for sign in "+*"]
    assert outcomes(scored(samples, [{"task_id": "t/0", "test": tests}])) == ["passed", "failed"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--language", "cobol"], "unknown language 'cobol'; choose one of python, java"),
        (["--compile-timeout", "0"], "--compile-timeout must be a finite number of seconds above 0"),
        (["--checker", "words"], "not 'words'"),
        (["--checker", "no_such_module:f"], "can't be imported"),
        (["--tolerance", "-1"], "--tolerance must be a finite number"),
        (["--extract", "first"], "--extract must be one of auto, last, all, defining, none"),
        (["--partial-credit", "--stop-at-first-failure"], "--partial-credit counts all tests"),
    ],
    ids=str,
)
def test_options_that_cannot_be_right(files, options, said):
    """An invalid option is a usage error that names it, before anything runs."""
    done = code_eval(*files(["    return a + b\n"]), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.replace("│", " ").split())


CALLS = {"fn_name": "f", "inputs": [[1]], "outputs": [1]}


@pytest.mark.parametrize(
    ("problem", "options", "said"),
    [
        ({"test": {**CASES, "outputs": []}}, [], "problems.jsonl:1: there are 3 inputs, but 0 outputs"),
        ({"test": "x", "language": "cobol"}, [], "problems.jsonl:1: unknown language 'cobol'"),
        ({"test": "x", "language": "go"}, ["--sandbox", "restricted"], "--sandbox restricted runs Python only, not go"),
        ({"test": CALLS, "language": "bash"}, [], "problem 't/0': cases that call a function"),
        (
            {"test": "import pytest\ndef test_a(): ..."},
            ["--grading", "separate"],
            "problem 't/0': the tests are for pytest, so that they run with the candidate; choose --grading auto or ",
        ),
    ],
    ids=["cases", "language", "restricted", "calls", "pytest"],
)
def test_problem_that_cannot_be_run(files, problem, options, said):
    """A problem that can't be run is an error with its place or its name and status 2, before anything runs."""
    done = code_eval(*files(["while True: pass"], [{"task_id": "t/0", **problem}]), "--timeout", 1000, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
