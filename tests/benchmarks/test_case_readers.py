"""Benchmarks whose tests are cases are read in their published shapes, with what their graders do."""

import json

import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.readers import InputError
from sandboxes.languages.judge_programs import Interactor
from sandboxes.tasks.io_cases import IOCase, parse_cases
from support.case_records import (
    CALL,
    CASE,
    CODECONTESTS,
    DEEPCODER,
    DEEPCODER_CODEFORCES,
    DEEPCODER_LIVECODEBENCH,
    DEEPCODER_TACO,
    EURUS,
    INTELLECT_3,
    INTELLECT_3_CALLS,
    RECORDS,
    SUM,
    SYNTHETIC_1,
    SYNTHETIC_2,
    VERIFIABLE_CODING,
    XCODEEVAL,
)


@pytest.fixture
def load(tmp_path):
    """Return a function that writes records as JSON lines, and loads them as a benchmark."""

    def load_records(name, *records):
        path = tmp_path / "records.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return load_benchmark(name, path).problems

    return load_records


def test_codecontests(load):
    """All three kinds of tests count, in the limits of the record, and a solution in Python 3 is the gold one."""
    problem = load("codecontests", CODECONTESTS)["1_A. Sums"]
    cases = parse_cases(problem.tests)
    assert cases.cases == (IOCase("1 2\n", "3\n"), IOCase("3 4\n", "7\n"))
    assert (cases.checker, problem.language, problem.canonical_solution) == ("codecontests", "", SUM)
    assert problem.limits == {"wall_seconds": 2.5, "memory_bytes": 96 << 20}


def test_codecontests_without_limits(load):
    """A problem of CodeContests without limits has the test runner's own."""
    record = {**CODECONTESTS, "time_limit": None, "memory_limit_bytes": 0}
    assert load("codecontests", record)["1_A. Sums"].limits == {"wall_seconds": 10.0, "memory_bytes": 288 << 20}


def test_codecontests_with_an_interactor(load):
    """A field that users add to an interactive problem decides in place of the comparison."""
    problem = load("codecontests", {**CODECONTESTS, "interactor": {"source": "input()"}})["1_A. Sums"]
    cases = parse_cases(problem.tests)
    assert cases.interactor == Interactor("input()")
    assert cases.cases[0].input == "1 2\n"


def test_codecontests_as_lists_of_objects(load):
    """Tests and solutions of CodeContests may be objects, with languages by their names."""
    tests = [{"input": "1 2\n", "output": "3\n"}]
    gold = [{"language": "PYTHON3", "solution": SUM}]
    problem = load("codecontests", {**CODECONTESTS, "public_tests": tests, "solutions": gold})["1_A. Sums"]
    assert (len(parse_cases(problem.tests).cases), problem.canonical_solution) == (2, SUM)


def test_xcodeeval(load):
    """Each output of a case is accepted, without carriage returns, and an interpreter has three times as long."""
    problem = load("xcodeeval", XCODEEVAL)["5f40"]
    cases = parse_cases(problem.tests)
    assert cases.cases == (IOCase("1 2\n", ("3", "three")),)
    assert (cases.checker, problem.language) == ("xcodeeval", "")
    assert problem.limits == {"wall_seconds": 6.0, "memory_bytes": 2 << 30}


@pytest.mark.parametrize(
    ("lang", "language", "seconds"),
    [
        ("GNU C++", "cpp", 2.0),
        ("GNU C++0x", "cpp11", 2.0),
        ("GNU C++17 (64)", "cpp17", 2.0),
        ("C++20 (GCC 13-64)", "cpp20", 2.0),
        ("MS C++ 2017", "cpp", 2.0),
        ("Clang++20 Diagnostics", "cpp20", 2.0),
        ("GNU C11", "c", 2.0),
        ("PyPy 3-64", "python", 6.0),
        ("Python 3 + libs", "python", 6.0),
        ("Java 11", "java", 6.0),
        ("Node js", "javascript", 6.0),
        ("Rust 2021", "rust", 2.0),
        ("Go 1.19", "go", 2.0),
    ],
)
def test_languages_of_xcodeeval(load, lang, language, seconds):
    """The name of a compiler in `lang` gives the language and its time."""
    problem = load("xcodeeval", {**XCODEEVAL, "lang": lang})["5f40"]
    assert (problem.language, problem.limits["wall_seconds"]) == (language, seconds)


@pytest.mark.parametrize("lang", ["Python 2", "PyPy 2", "Delphi 7"])
def test_unknown_language_of_xcodeeval(load, lang):
    """A language that can't be run is an error that names it."""
    with pytest.raises(InputError, match=f"records.jsonl:1: 'lang' is '{lang}': unknown language"):
        load("xcodeeval", {**XCODEEVAL, "lang": lang})


def test_verifiable_coding(load):
    """Cases of open-r1's problems run for 5 seconds each, and the gold solution comes out of its fence."""
    problem = load("verifiable_coding", VERIFIABLE_CODING)["vcp_1"]
    cases = parse_cases(problem.tests)
    assert cases.cases == (IOCase("1 2\n", "3\n"), IOCase("3 4", "7"))
    assert (cases.checker, cases.any_status, problem.preamble) == ("lines-exact", False, "")
    assert (problem.language, problem.canonical_solution) == ("python", SUM)
    assert problem.limits["wall_seconds"] == 5.0


@pytest.mark.parametrize("info", [json.dumps, str, lambda value: value])
def test_verification_info_is_data_or_a_text(load, info):
    """`verification_info` may be an object, or a text of JSON or Python."""
    record = {**VERIFIABLE_CODING, "verification_info": info(VERIFIABLE_CODING["verification_info"])}
    assert len(parse_cases(load("verifiable_coding", record)["vcp_1"].tests).cases) == 2


def test_inputs_that_are_no_texts(load):
    """A script's input or output may be a number, a list of lines, or None for nothing."""
    cases = [{**CASE, "input": 5, "output": [1, "x"]}, {**CASE, "input": None, "output": 2.5}]
    record = {**VERIFIABLE_CODING, "verification_info": {"language": "python", "test_cases": cases}}
    read = parse_cases(load("verifiable_coding", record)["vcp_1"].tests)
    assert read.cases == (IOCase("5", "1\nx"), IOCase("", "2.5"))


def test_synthetic_1_calls(load):
    """Calls of SYNTHETIC-1 are compared as they print, and may take 120 seconds together."""
    problem = load("synthetic1", SYNTHETIC_1)["vcp_1"]
    cases = parse_cases(problem.tests)
    assert (cases.function, cases.results, cases.is_wrapped, problem.entry_point) == ("add", "printed", True, "add")
    assert cases.cases == (IOCase([1, 2], [3]), IOCase([0, 0], [0]))
    assert problem.limits["wall_seconds"] == 120.0


def test_arguments_as_a_text(load):
    """The arguments of a call may be written as a list in Python."""
    info = {"language": "python", "test_cases": [{**CALL, "input": "[(1,), None]"}]}
    problem = load("synthetic1", {**SYNTHETIC_1, "verification_info": info})["vcp_1"]
    assert parse_cases(problem.tests).cases[0].input == [[1], None]


@pytest.mark.parametrize(("name", "language"), [("javascript", "javascript"), ("CPP", "cpp"), ("rust", "rust")])
def test_synthetic_1_in_other_languages(load, name, language):
    """A record of SYNTHETIC-1 names its language, and its scripts may end with any status."""
    info = {"language": name, "test_cases": [CASE]}
    problem = load("synthetic1", {**SYNTHETIC_1, "verification_info": info})["vcp_1"]
    assert (problem.language, parse_cases(problem.tests).any_status) == (language, True)


def test_answers_to_one_problem(load):
    """SYNTHETIC-1 has a record for each answer of a model, and equal problems are one."""
    assert list(load("synthetic1", SYNTHETIC_1, {**SYNTHETIC_1, "llm_response": "x"})) == ["vcp_1"]


def test_two_problems_of_one_name(load):
    """Two problems with the same name and other tests are an error."""
    info = {"language": "python", "test_cases": [CASE]}
    with pytest.raises(InputError, match="records.jsonl:2: duplicate task_id 'vcp_1'"):
        load("synthetic1", SYNTHETIC_1, {**SYNTHETIC_1, "verification_info": info})


def test_tasks_without_code_are_left_out(load):
    """A record of SYNTHETIC-1 that asks for a number is left out, whatever its verification is."""
    mathematics = {**SYNTHETIC_1, "task_type": "verifiable_math", "verification_info": "{'ground_truth': '4'}"}
    assert list(load("synthetic1", mathematics, SYNTHETIC_1)) == ["vcp_1"]


def test_synthetic_2(load):
    """SYNTHETIC-2's cases are judged as verl judges them."""
    problem = load("synthetic2", SYNTHETIC_2)["prime_rl_code_1"]
    assert (parse_cases(problem.tests).checker, problem.limits["wall_seconds"]) == ("prime_code", 5.0)


def test_intellect_3(load):
    """Scripts of INTELLECT-3 have 20 seconds for each case, and have to end with status 0."""
    problem = load("intellect3", INTELLECT_3)["0"]
    cases = parse_cases(problem.tests)
    assert (cases.checker, cases.any_status, problem.is_script) == ("intellect3", False, False)
    assert problem.limits["wall_seconds"] == 20.0


def test_intellect_3_calls(load):
    """Arguments are lines of Python, results are compared as JSON, and the position is the name."""
    problem = load("intellect3", INTELLECT_3, INTELLECT_3_CALLS)["1"]
    cases = parse_cases(problem.tests)
    assert (cases.cases, cases.results) == ((IOCase([[1], "x"], [[1, 2]]),), "json")
    assert (problem.entry_point, problem.limits["wall_seconds"]) == ("f", 20.0)


@pytest.mark.parametrize(
    ("record", "checker", "seconds", "is_script"),
    [
        (DEEPCODER, "deepcoder", 12.0, False),
        (DEEPCODER_TACO, "deepcoder", 12.0, False),
        (DEEPCODER_CODEFORCES, "taco", 12.0, False),
        ({**DEEPCODER, "tests": [{**CASE, "testtype": "stdin"}]}, "lines", 6.0, True),
    ],
)
def test_shapes_of_deepcoder(load, record, checker, seconds, is_script):
    """The shape of `tests` chooses the comparison and the time of DeepCoder's grader."""
    problem = load("deepcoder", record)["0"]
    cases = parse_cases(problem.tests)
    assert (cases.checker, problem.limits["wall_seconds"], problem.is_script) == (checker, seconds, is_script)
    assert cases.any_status


def test_calls_of_deepcoder(load):
    """DeepCoder's problems of LiveCodeBench have their function in `metadata`, and those of APPS in `tests`."""
    calls = {**DEEPCODER, "tests": json.dumps([CALL, CALL])}
    problems = load("deepcoder", DEEPCODER_LIVECODEBENCH, calls)
    assert [problem.entry_point for problem in problems.values()] == ["add", "add"]
    assert parse_cases(problems["0"].tests).cases == (IOCase([1, 2], 3),)
    assert problems["1"].limits["wall_seconds"] == 24.0


def test_the_longest_cases_of_deepcoder(load):
    """DeepCoder's grader takes the 15 longest inputs, beginning with the longest."""
    cases = [{**CASE, "input": "1" * number, "output": str(number)} for number in range(1, 21)]
    read = parse_cases(load("deepcoder", {**DEEPCODER, "tests": json.dumps(cases)})["0"].tests)
    assert [case.output for case in read.cases] == [str(number) for number in range(20, 5, -1)]


def test_deepcoder_in_verls_files(load):
    """DeepCoder's problems may stand in verl's files, under `ground_truth`."""
    record = {"reward_model": {"ground_truth": DEEPCODER["tests"]}, "data_source": "primeintellect"}
    assert parse_cases(load("deepcoder", record)["0"].tests).cases == (IOCase("1 2\n", "3\n"),)


def test_eurus(load):
    """Problems of Eurus-2-RL have their position as name, because all have the index 0; mathematics is left out."""
    mathematics = {**EURUS, "ability": "math", "reward_model": {"ground_truth": "4"}}
    assert list(load("prime_code", EURUS, mathematics, EURUS)) == ["0", "2"]


def test_only_mathematics(load):
    """A file without a code problem is an error."""
    with pytest.raises(InputError, match="there are no problems in it"):
        load("eurus", {**EURUS, "ability": "math"})


@pytest.mark.parametrize("name", ["SYNTHETIC-1", "Synthetic_1", "synthetic1"])
def test_names_in_other_forms(load, name):
    """A benchmark's name may be written in any case, with hyphens or underscores."""
    assert list(load(name, SYNTHETIC_1)) == ["vcp_1"]


@pytest.mark.parametrize("name", RECORDS)
def test_gold_solutions(load, name):
    """A gold solution is a whole program, as samples are."""
    problems = load(name, *RECORDS[name]).values()
    assert {problem.canonical_solution for problem in problems} <= {None, SUM}
    assert {problem.prompt for problem in problems} == {""}
