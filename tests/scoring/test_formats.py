"""Results in the formats of other tools: the fields that their scripts read, and what they mean there."""

import csv
import json
from pathlib import Path

import pytest

from code_tasks.benchmarks.problems import Problem
from code_tasks.scoring import Results
from code_tasks.scoring.formats.base import GradedRun
from code_tasks.scoring.formats.registry import FORMATS, checked_formats, write_format
from sandboxes import Outcome, SandboxUnavailable, TaskOptions, TestResult, Verdict, result_dict
from support.run_files import write_lines

SCORES = {"base": ("test_base",), "plus": ("test_base", "test_plus")}
QUESTION = {"question_title": "Sum", "platform": "atcoder", "contest_date": "2024-05-01T00:00:00", "difficulty": "easy"}
PASSED = Verdict(Outcome.PASSED, wall_seconds=0.5, isolation=("pid",))
TIMED_OUT = Verdict(Outcome.TIMED_OUT, "ran for more than 3 s")
CRASHED = Verdict(Outcome.CRASHED, "ended by SIGSEGV", tests=(TestResult("case 1", Outcome.CRASHED, "SIGSEGV"),))
BROKEN = SandboxUnavailable("the engine is gone")


def failed(*outcomes, kind="AssertionError", names="case {}"):
    """Return a failed verdict whose tests had these outcomes."""
    tests = [TestResult(names.format(n), outcome, "no" * (not n)) for n, outcome in enumerate(outcomes, 1)]
    return Verdict(Outcome.FAILED, f"{kind}: wrong", kind, "wrong", tests=tuple(tests))


def of_evalplus(base, plus):
    """Return a failed verdict of EvalPlus's two tests."""
    tests = (TestResult("test_base", base), TestResult("test_plus", plus))
    return Verdict(Outcome.FAILED, "AssertionError: wrong", "AssertionError", "wrong", tests=tests)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes verdicts by task_id in a format, and returns the files' contents by their names."""

    def run(name, verdicts, problems=None, samples=(), form=None):
        problems = problems or {task_id: Problem(task_id, "def f():\n", "tests") for task_id in verdicts}
        form = {} if form is None else {"form": form}
        records = [
            {"task_id": task_id, "completion": f"    {number}\ud800", **form, **result_dict(task_id, number, verdict)}
            for task_id, task in verdicts.items()
            for number, verdict in enumerate(task)
        ]
        output = write_lines(tmp_path / "model--bigcodebench-x.jsonl", [*records, {"summary": {}}])
        graded = GradedRun(
            Results.read(output), problems, TaskOptions(), lambda: iter(samples), "model--bigcodebench-x"
        )
        paths = write_format(FORMATS[name], graded, output)
        files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
        return {file.relative_to(tmp_path).as_posix().removeprefix(output.stem): file.read_bytes() for file in files}

    return run


def test_evalplus(write):
    """Base and plus have a status each, and a sample counts for plus only if it passes both."""
    problems = {"HumanEval/0": Problem("HumanEval/0", "def f():\n", "tests", "python", scores=SCORES)}
    ok, bad = Outcome.PASSED, Outcome.FAILED
    verdicts = [PASSED, of_evalplus(ok, bad), of_evalplus(bad, ok), TIMED_OUT, BROKEN]
    files = write("evalplus", {"HumanEval/0": verdicts}, problems)
    results = json.loads(files["_eval_results.json"])
    samples = results["eval"]["HumanEval/0"]
    statuses = [("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("timeout", "timeout")]
    assert [(each["base_status"], each["plus_status"]) for each in samples] == statuses
    assert results["pass_at_k"] == {"base": {"pass@1": 0.5}, "plus": {"pass@1": 0.25}}
    assert samples[1] == {
        "task_id": "HumanEval/0",
        "solution": "def f():\n    1\ud800",
        "base_status": "pass",
        "plus_status": "fail",
        "base_fail_tests": [],
        "plus_fail_tests": [],
    }
    assert set(results) == {"date", "hash", "eval", "pass_at_k"}


def test_evalplus_without_inputs(write):
    """Where the tests don't tell base from plus, both have the verdict of the whole."""
    results = json.loads(write("evalplus", {"t": [failed(Outcome.FAILED), PASSED]})["_eval_results.json"])
    samples = results["eval"]["t"]
    assert [(each["base_status"], each["plus_status"]) for each in samples] == [("fail", "fail"), ("pass", "pass")]


def test_whole_programs_have_no_prompt(write):
    """A sample that was a whole program is one in the files, too."""
    results = json.loads(write("evalplus", {"t": [PASSED]}, form="program")["_eval_results.json"])
    assert results["eval"]["t"][0]["solution"] == "    0\ud800"


def test_bigcodebench(write):
    """Details are the messages of the tests that failed. Facts that a run does not know are null."""
    verdicts = {
        "BigCodeBench/0": [PASSED, failed(Outcome.PASSED, Outcome.FAILED, names="TestCases.test_{}"), TIMED_OUT],
        "BigCodeBench/1": [PASSED],
    }
    files = write("bigcodebench", verdicts)
    results, scores = json.loads(files["_eval_results.json"]), json.loads(files["_pass_at_k.json"])
    samples = results["eval"]["BigCodeBench/0"]
    assert [each["status"] for each in samples] == ["pass", "fail", "timeout"]
    assert [each["details"] for each in samples] == [{}, {"test_2": ""}, {"ALL": "ran for more than 3 s"}]
    assert set(results) == {"date", "eval"} and set(samples[0]) == {"task_id", "solution", "status", "details"}
    assert scores == {
        **{"pass@1": pytest.approx(2 / 3), "model": "model", "split": None, "subset": None, "calibrated": None},
        **{"gt_pass_rate": None, "failed_tasks": None},
    }


def test_livecodebench(write):
    """Questions stand in the order of their ids, with their fields and a code for each test up to the first failure."""
    problems = {
        "b_2": Problem("b_2", "", "{}", published={**QUESTION, "name": "left out"}),
        "a_1": Problem("a_1", "", "{}", entry_point="f", published=QUESTION),
    }
    wrong, right = failed(Outcome.PASSED, Outcome.FAILED, Outcome.PASSED), failed(Outcome.FAILED)
    slow = Verdict(Outcome.TIMED_OUT, "slow", tests=(TestResult("case 1", Outcome.PASSED),))
    verdicts = {"b_2": [PASSED, wrong, slow, CRASHED], "a_1": [right, failed(kind="ZeroDivisionError"), PASSED, PASSED]}
    files = write("livecodebench", verdicts, problems)
    metrics, results, metadata = json.loads(files["_eval.json"])
    assert metrics == {"pass@1": 0.375, "detail": {"pass@1": {"0": 0.5, "1": 0.25}}}
    assert results == {"0": [[False], [-4], [True], [True]], "1": [[True], [True, -2], [True, -3], [-4]]}
    assert json.loads(metadata[1][1]) == {
        "error": "AssertionError: wrong",
        "error_code": -2,
        "error_message": "Wrong Answer",
    }
    first, second = json.loads(files["_eval_all.json"])
    assert (first["question_id"], first["graded_list"], first["pass@1"]) == ("a_1", [False, False, True, True], 0.5)
    assert {name: second[name] for name in QUESTION} == QUESTION
    assert set(second) == {*QUESTION, "question_id", "output_list", "code_list", "graded_list", "pass@1", "metadata"}
    assert second["code_list"] == [f"    {number}\ud800" for number in range(4)]


def test_multipl_e(write):
    """Each problem has a file, with the fields of its file of completions and a status for each program."""
    given = {"name": "HumanEval_0_add", "language": "sh", "prompt": "# p\n", "temperature": 0.8, "completions": ["x"]}
    compile_error = Verdict(Outcome.COMPILE_ERROR, "no")
    verdicts = {"HumanEval_0_add": [PASSED, TIMED_OUT, compile_error, CRASHED], "../x": [PASSED]}
    files = write("multipl-e", verdicts, samples=[given])
    assert sorted(files) == [".multipl-e/.._x.results.json", ".multipl-e/HumanEval_0_add.results.json"]
    data = json.loads(files[".multipl-e/HumanEval_0_add.results.json"])
    results = [(each["status"], each["exit_code"]) for each in data["results"]]
    assert results == [("OK", 0), ("Timeout", -1), ("SyntaxError", 1), ("Exception", 1)]
    assert data["results"][0]["program"] == "def f():\n    0\ud800\ntests"
    assert set(data["results"][0]) == {"program", "timestamp", "stdout", "stderr", "exit_code", "status"}
    assert (data["temperature"], data["prompt"], data["tests"]) == (0.8, "# p\n", "tests")
    assert "completions" not in data


def test_two_problems_with_one_name(write):
    """Two problems that would have one file of results are an error."""
    with pytest.raises(ValueError, match="'a/b' and 'a_b' would have one file"):
        write("multipl-e", {"a/b": [PASSED], "a_b": [PASSED]})


def test_human_eval(write):
    """Each line is a sample with its result. Neither a summary nor a sample that was not run is among them."""
    lines = write("human-eval", {"t": [PASSED, BROKEN, TIMED_OUT]})["_results.jsonl"].splitlines()
    assert [json.loads(line) for line in lines] == [
        {"task_id": "t", "completion": "    0\ud800", "result": "passed", "passed": True},
        {"task_id": "t", "completion": "    2\ud800", "result": "timed out", "passed": False},
    ]


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_tables(write, tmp_path, name):
    """A table has a row for each sample, also for one that was not run, and columns of the right types."""
    import pandas

    write(name, {"t": [PASSED, BROKEN, failed(Outcome.PASSED, Outcome.FAILED)]})
    path = tmp_path / f"model--bigcodebench-x.{name}"
    table = pandas.read_csv(path) if name == "csv" else pandas.read_parquet(path)
    assert list(table.task_id) == ["t"] * 3
    assert [bool(each) if isinstance(each, bool) else None for each in table.passed] == [True, None, False]
    assert table.wall_seconds[0] == 0.5
    assert list(table.completion) == ["    0?", "    1?", "    2?"]
    tests = json.loads(table.tests[2]) if name == "csv" else list(table.tests[2])
    assert [(test["name"], test["outcome"]) for test in tests] == [("case 1", "passed"), ("case 2", "failed")]


def test_csv_cells_keep_line_breaks(tmp_path):
    """Code with line breaks, commas and quotation marks is one cell."""
    code = 'print("a,b")\r\n\nx = 1'
    record = {"task_id": "t", "completion": code, **result_dict("t", 0, PASSED)}
    Results([record]).to_csv(tmp_path / "results.csv")
    with open(tmp_path / "results.csv", newline="", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert row["completion"] == code


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["evalplus", "bigcodebench"], "write the same file; give one"),
        (["json"], "unknown format 'json'; choose one of"),
    ],
)
def test_formats_that_cannot_be_written(names, message):
    """An unknown format, and formats whose files have one name, are an error."""
    with pytest.raises(ValueError, match=message):
        checked_formats(names)


def test_each_format_is_documented():
    """The page on benchmarks has a row for each format."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text()
    assert [name for name in FORMATS if f"| `{name}` |" not in page] == []
