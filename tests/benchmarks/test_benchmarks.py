"""Benchmarks of the registry are read in their published shapes, and each invalid record is an error with its place."""

import base64
import datetime
import gzip
import json
import os
import pickle
import re
import zlib

import pyarrow
import pyarrow.parquet
import pytest

from code_tasks.benchmarks import BENCHMARKS, load_benchmark
from code_tasks.benchmarks.livecodebench import PREAMBLE
from code_tasks.benchmarks.readers import InputError
from sandboxes import EvalConfig
from sandboxes.tasks.io_cases import IOCase, parse_cases
from support.metric_and_command import ROOT

CASE = {"input": "1 2\n", "output": "3\n", "testtype": "stdin"}
CALL = {"input": "[1, 2]\n3", "output": "[6]", "testtype": "functional"}
LIVECODEBENCH = {
    "question_id": "abc301_a",
    "contest_date": "2024-05-01T00:00:00",
    "starter_code": "",
    "public_test_cases": json.dumps([CASE]),
    "private_test_cases": json.dumps([{**CASE, "input": "3 4\n", "output": "7\n"}]),
    "metadata": "{}",
}
LEETCODE = {
    **LIVECODEBENCH,
    "question_id": "3001",
    "contest_date": "2024-07-01T00:00:00",
    "public_test_cases": json.dumps([CALL]),
    "private_test_cases": "[]",
    "metadata": json.dumps({"func_name": "total"}),
}
APPS = {
    "problem_id": 7,
    "question": "Add.",
    "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}),
    "starter_code": "",
}
VERL = {
    "data_source": "taco",
    "reward_model": {"ground_truth": json.dumps({"inputs": ["[1]\n2"], "outputs": ["[3]"], "fn_name": "f"})},
    "extra_info": {"index": 12, "split": "train"},
}
MBPP = {
    "text": "Write a function to add.",
    "code": "def add(a, b):\r\n  return a + b",
    "task_id": 11,
    "test_setup_code": "",
    "test_list": ["assert add(1, 2) == 3", "assert add(0, 0) == 0"],
    "challenge_test_list": [],
}


@pytest.fixture
def load(tmp_path):
    """Return a function that writes records as JSON lines, and loads them as a benchmark."""

    def load_records(name, *records, **options):
        path = tmp_path / "records.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return load_benchmark(name, path, **options).problems

    return load_records


def packed(value):
    """Return a value as LiveCodeBench packs its private cases."""
    return base64.b64encode(zlib.compress(pickle.dumps(value))).decode()


def test_livecodebench_stdin(load):
    """Public and private cases count, lines are compared, and a script may exit with any status within 6 seconds."""
    problem = load("livecodebench", LIVECODEBENCH)["abc301_a"]
    cases = parse_cases(problem.tests)
    assert cases.cases == (IOCase("1 2\n", "3\n"), IOCase("3 4\n", "7\n"))
    assert (cases.checker, cases.any_status, problem.is_script) == ("lines", True, True)
    assert problem.limits == {"wall_seconds": 6.0, "memory_bytes": 4 << 30}


def test_livecodebench_calls(load):
    """Cases of the type "functional" call the function in `metadata`, and all calls share one time limit."""
    problem = load("livecodebench", {**LEETCODE, "public_test_cases": json.dumps([CALL] * 9)})["3001"]
    assert parse_cases(problem.tests).function == problem.entry_point == "total"
    assert parse_cases(problem.tests).cases[0] == IOCase([[1, 2], 3], [6])
    assert problem.limits["wall_seconds"] == 4 * 6.0


def test_packed_private_cases(load):
    """Private cases may be a text of JSON in pickle, zlib and base64."""
    record = {**LIVECODEBENCH, "private_test_cases": packed(json.dumps([CASE, CASE]))}
    assert len(parse_cases(load("livecodebench", record)["abc301_a"].tests).cases) == 3


class Attack:
    """Runs a command when it is unpickled."""

    def __reduce__(self):
        """Return the command."""
        return os.mkdir, ("unpickled",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (packed(Attack()), "it names posix.mkdir, and only a text is read"),
        (packed([CASE]), "and not a text"),
        (packed("[1]"), "a case in 'private_test_cases' has no texts"),
        (packed("[]")[:-8], "neither JSON nor a text in base64, zlib and pickle"),
        ("x", "neither JSON nor a text in base64, zlib and pickle"),
    ],
)
def test_a_pickle_that_is_no_text_is_refused(load, tmp_path, monkeypatch, value, message):
    """Private cases whose pickle holds anything but a text are an error, and nothing of them is run."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        load("livecodebench", {**LIVECODEBENCH, "private_test_cases": value})
    assert not (tmp_path / "unpickled").exists()


def test_dates(load):
    """A window of dates, whose last day is included, chooses problems."""
    days = {"since": datetime.date(2024, 6, 1), "until": datetime.date(2024, 7, 1)}
    assert list(load("livecodebench", LIVECODEBENCH, LEETCODE, **days)) == ["3001"]


def test_releases(tmp_path):
    """A release of LiveCodeBench consists of the first files of its folder, sorted by ids as its grader has them."""
    (tmp_path / "test.jsonl").write_text(json.dumps(LIVECODEBENCH))
    (tmp_path / "test2.jsonl").write_text(json.dumps(LEETCODE))
    assert list(load_benchmark("livecodebench", tmp_path, config="release_v1").problems) == ["abc301_a"]
    assert list(load_benchmark("livecodebench", tmp_path, config="release_v2").problems) == ["3001", "abc301_a"]
    with pytest.raises(ValueError, match="release_v1 to release_v6, not 'v9'"):
        load_benchmark("livecodebench", tmp_path, config="v9")


@pytest.mark.parametrize(("name", "task_id", "checker"), [("apps", "7", "apps"), ("taco", "0", "taco")])
def test_apps_and_taco(load, name, task_id, checker):
    """Each has its own comparison, and a problem of TACO is named by its position."""
    problem = load(name, APPS)[task_id]
    cases = parse_cases(problem.tests)
    assert (cases.checker, cases.any_status) == (checker, name == "apps")
    assert problem.limits["wall_seconds"] == 4.0


def test_verl(load):
    """Arguments and results are lines of JSON, and a result may come without the list around it."""
    problem = load("prime_code", VERL)["12"]
    cases = parse_cases(problem.tests)
    assert (cases.cases, cases.is_wrapped) == ((IOCase([[1], 2], [3]),), True)


def test_mbpp(load):
    """MBPP's asserts are the tests, a number is its name, and completions are whole programs."""
    problem = load("mbpp", MBPP)["11"]
    assert problem.tests.splitlines()[-2:] == MBPP["test_list"]
    assert problem.candidate("x = 1", "python") == "x = 1"


@pytest.mark.parametrize("value", ["", "{}", '{"inputs": [], "outputs": []}'])
def test_apps_without_cases(load, value):
    """A record of APPS or TACO without test cases is a problem with empty tests, which no sample of it can pass."""
    for name in ("apps", "taco"):
        [problem] = load(name, {**APPS, "input_output": value}).values()
        assert (problem.tests, BENCHMARKS[name].official_form(problem)) == ("", problem)


@pytest.mark.parametrize("form", ["array", "gzip", "parquet", "folder"])
def test_forms_of_files(tmp_path, form):
    """Records are read from a JSON array, gzipped JSON lines, Parquet, and a folder of such files."""
    path = tmp_path / {"parquet": "records.parquet"}.get(form, "records.json")
    if form == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([VERL, {**VERL, "extra_info": {"index": 2}}]), path)
    elif form == "gzip":
        path.write_bytes(gzip.compress("\n".join([json.dumps(VERL), json.dumps(VERL).replace("12", "2")]).encode()))
    else:
        path.write_text(json.dumps([VERL, {**VERL, "extra_info": {"index": 2}}]))
    assert list(load_benchmark("prime_code", tmp_path if form == "folder" else path).problems) == ["12", "2"]


@pytest.mark.parametrize(
    ("name", "record", "message"),
    [
        ("humaneval", {"task_id": "a", "prompt": "", "test": "assert 1"}, "records.jsonl:1: missing key 'entry_point'"),
        ("mbpp", {**MBPP, "test_list": "assert 1"}, ":1: 'test_list' is not a list of strings, but 'assert 1'"),
        ("mbpp", {**MBPP, "test_list": []}, ":1: 'test_list': "),
        ("mbpp", {**MBPP, "task_id": None}, ":1: 'task_id' is neither a number nor a string, but null"),
        ("apps", {**APPS, "input_output": "{"}, ":1: 'input_output' is not JSON"),
        ("apps", {**APPS, "input_output": {"outputs": ["1"]}}, ":1: 'input_output' has no inputs"),
        ("taco", {**APPS, "input_output": {"inputs": ["1"], "outputs": []}}, ":1: there are 1 inputs, but 0 outputs"),
        ("livecodebench", {**LIVECODEBENCH, "contest_date": "x", "metadata": "{"}, ":1: 'metadata' is not JSON"),
        ("livecodebench", {**LEETCODE, "metadata": "{}"}, ":1: cases of the testtype 'functional' need a 'func_name'"),
        ("livecodebench", {"id": 1}, ":1: missing key 'public_test_cases'; there are 'id'"),
        ("prime_code", {**VERL, "reward_model": "x"}, ":1: 'reward_model' is not an object, but 'x'"),
    ],
)
def test_invalid_records(load, name, record, message):
    """A record that can't be right is an error with its file and line, and what was found."""
    with pytest.raises(InputError, match=message):
        load(name, record)


def test_errors_of_sources(tmp_path, load):
    """Unknown benchmarks, missing files, files without problems and options that go nowhere are errors."""
    with pytest.raises(ValueError, match="unknown benchmark 'leetcode'; choose one of humaneval, humanevalplus, "):
        load_benchmark("leetcode")
    with pytest.raises(InputError, match="there is no such file"):
        load_benchmark("apps", tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="there are no problems in it"):
        load("apps")
    with pytest.raises(ValueError, match="a config is for a dataset on the Hub"):
        load("mbpp", MBPP, config="full")
    with pytest.raises(ValueError, match="the problems of mbpp have no dates"):
        load("mbpp", MBPP, since=datetime.date(2024, 1, 1))
    with pytest.raises(InputError, match=":2: duplicate task_id '11'"):
        load("mbpp", MBPP, MBPP)


def test_tasks(tmp_path):
    """Tasks have the benchmark's preamble and limits, and keep the run's limits where it has none."""
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(LEETCODE))
    loaded = load_benchmark("livecodebench", path)
    [task] = loaded.tasks({"3001": ["x = 1"]}, EvalConfig.from_options({"max_processes": 5}))
    assert task.candidates == [PREAMBLE + "x = 1"]
    assert (task.limits.wall_seconds, task.limits.processes) == (6.0, 5)
    with pytest.raises(ValueError, match="there is no problem '1' in livecodebench"):
        loaded.tasks({"1": ["x = 1"]}, EvalConfig.from_options({}))
    with pytest.raises(ValueError, match="the sandbox 'restricted' refuses"):
        loaded.tasks({}, EvalConfig.from_options({"sandbox": "restricted"}))


def test_every_benchmark_has_a_row():
    """The page on benchmarks has a row for each benchmark of the registry."""
    # Tables of other sections have some of these names, too.
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").partition("## Samples")[0]
    first_cells = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    assert set(BENCHMARKS) <= set(re.findall("`(.+?)`", first_cells))
