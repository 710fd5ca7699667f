"""A record that can't be right is an error with its place, and one that is read can be run."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_tasks.benchmarks import BENCHMARKS, load_benchmark
from code_tasks.benchmarks.readers import InputError
from sandboxes import EvalConfig
from sandboxes.tasks.batch import ProgramBatch
from support.case_records import (
    CALL,
    CASE,
    CODECONTESTS,
    DEEPCODER,
    EURUS,
    INTELLECT_3,
    RECORDS,
    SYNTHETIC_1,
    XCODEEVAL,
)

OTHER_VALUES = st.sampled_from(
    [None, "", "x", "[", "[]", "{}", "[1]", 0, -1, 1.5, 1e999, True, [], {}, [[]], [None], [1], {"input": 1}, "\ud800"]
)


def with_info(record, **info):
    """Return a record with another `verification_info`."""
    return {**record, "verification_info": {"language": "python", **info}}


def with_tests(**tests):
    """Return a record of INTELLECT-3 with other tests."""
    return {**INTELLECT_3, "info": json.dumps({"tests": json.dumps(tests)})}


BROKEN = {
    "no name": ("codecontests", {**CODECONTESTS, "name": 5}, "'name' is not a string, but 5"),
    "no tests": ("codecontests", {"name": "x"}, "missing key 'public_tests'"),
    "unequal lengths": (
        "codecontests",
        {**CODECONTESTS, "public_tests": {"input": ["1"], "output": []}},
        "'public_tests' has 1 of 'input', but 0 of 'output'",
    ),
    "tests of another type": (
        "codecontests",
        {**CODECONTESTS, "public_tests": "x"},
        "has no lists 'input' and 'output'",
    ),
    "no time": ("codecontests", {**CODECONTESTS, "time_limit": {"seconds": "2"}}, "'time_limit' has no seconds"),
    "no memory": ("codecontests", {**CODECONTESTS, "memory_limit_bytes": -1}, "is not a number of bytes, but -1"),
    "an interactor without a source": (
        "codecontests",
        {**CODECONTESTS, "interactor": "{}"},
        "the source of an interactor must be a program",
    ),
    "an interactor that is a program": (
        "codecontests",
        {**CODECONTESTS, "interactor": "input()"},
        "'interactor' is not JSON",
    ),
    "no cases": (
        "codecontests",
        {**CODECONTESTS, **dict.fromkeys(("public_tests", "private_tests", "generated_tests"), [])},
        "there are no cases",
    ),
    "tests that are no JSON": ("xcodeeval", {**XCODEEVAL, "hidden_unit_tests": "["}, "'hidden_unit_tests' is not JSON"),
    "an empty list": ("xcodeeval", {**XCODEEVAL, "hidden_unit_tests": []}, "there are no cases"),
    "no accepted output": (
        "xcodeeval",
        {**XCODEEVAL, "hidden_unit_tests": [{"input": "1", "output": []}]},
        "the accepted outputs of a case must be a list of texts",
    ),
    "outputs that are numbers": (
        "xcodeeval",
        {**XCODEEVAL, "hidden_unit_tests": [{"input": "1", "output": [5]}]},
        "an output of a case is not a text, but 5",
    ),
    "no verification": ("verifiable_coding", {"problem_id": "x"}, "missing key 'verification_info'"),
    "verification in no form": (
        "synthetic1",
        {**SYNTHETIC_1, "verification_info": "x("},
        "neither of JSON nor of Python",
    ),
    "an unknown language": (
        "synthetic1",
        with_info(SYNTHETIC_1, language="cobol", test_cases=[CASE]),
        "unknown language 'cobol'",
    ),
    "both kinds of cases": (
        "synthetic1",
        with_info(SYNTHETIC_1, test_cases=[CASE, CALL]),
        "have the type 'function_call', and others not",
    ),
    "calls in another language": (
        "synthetic1",
        with_info(SYNTHETIC_1, language="rust", test_cases=[CALL]),
        "are for Python, not for rust",
    ),
    "calls of two functions": (
        "synthetic1",
        with_info(SYNTHETIC_1, test_cases=[CALL, {**CALL, "fn_name": "f"}]),
        "must call one function, not 'add', 'f'",
    ),
    "a call of nothing": (
        "synthetic1",
        with_info(SYNTHETIC_1, test_cases=[{**CALL, "fn_name": None}]),
        "need 'fn_name'",
    ),
    "no arguments": (
        "synthetic1",
        with_info(SYNTHETIC_1, test_cases=[{**CALL, "input": 5}]),
        "must be a list of its arguments, not 5",
    ),
    "a case without output": (
        "synthetic1",
        with_info(SYNTHETIC_1, test_cases=[{"input": "1"}]),
        "missing key 'output'",
    ),
    "fewer outputs": ("intellect3", with_tests(inputs=["1"], outputs=[]), 'lists of the same length, not ["1"] and []'),
    "no list": ("intellect3", with_tests(inputs="1", outputs=["1"]), "'inputs' and 'outputs' must be lists"),
    "mathematics": ("intellect3", {**INTELLECT_3, "info": "{}"}, "missing key 'tests'"),
    "an empty text": ("deepcoder", {**DEEPCODER, "tests": "[]"}, "'tests' has neither cases nor lists"),
    "a list of numbers": ("deepcoder", {**DEEPCODER, "tests": [1]}, "'tests' has neither cases nor lists"),
    "inputs without outputs": (
        "deepcoder",
        {**DEEPCODER, "tests": {"inputs": ["1"], "outputs": []}},
        "must be lists of the same length",
    ),
    "no function": (
        "deepcoder",
        {**DEEPCODER, "tests": [{"input": "1", "output": "1", "testtype": "functional"}]},
        "need a 'func_name' in 'metadata'",
    ),
    "an answer": ("prime_code", {**EURUS, "reward_model": {"ground_truth": "x"}}, "'ground_truth' is not JSON"),
}


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """Return a function that writes a record as JSON lines, and loads it as a benchmark."""
    path = tmp_path_factory.mktemp("broken") / "records.jsonl"

    def load_record(name, record):
        path.write_text(json.dumps(record) + "\n")
        return load_benchmark(name, path)

    return load_record


@pytest.mark.parametrize(("name", "record", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_records(load, name, record, message):
    """The error of a broken record has the file, the line and what was found."""
    with pytest.raises(InputError) as caught:
        load(name, record)
    [line] = str(caught.value).splitlines()
    assert "records.jsonl:1: " in line
    assert message in line


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
@pytest.mark.parametrize("name", RECORDS)
def test_any_change_of_a_record(load, name, data):
    """A record with any part left out or replaced is an error with its line, or is read and gives a program."""
    record = copy.deepcopy(data.draw(st.sampled_from(RECORDS[name])))
    change(record, data)
    try:
        loaded = load(name, record)
    except InputError as error:
        assert all("records.jsonl" in line for line in str(error).splitlines())
        return
    config = EvalConfig.from_options({})
    tasks = loaded.tasks(dict.fromkeys(loaded.problems, ["x = 1"]), config)
    assert ProgramBatch.assemble(tasks, config.tasks, config.limits, "auto").programs


def change(value, data):
    """Leave out or replace a part of a value, at any depth, also of values in texts of JSON."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = data.draw(st.sampled_from(keys))
    inner = value[key]
    if isinstance(inner, str) and inner.startswith(("{", "[")) and "\n" not in inner:
        inner = json.loads(inner)
    if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
        change(inner, data)
        value[key] = json.dumps(inner) if isinstance(value[key], str) else inner
    elif data.draw(st.booleans()):
        del value[key]
    else:
        value[key] = data.draw(OTHER_VALUES)


def test_every_reader_of_cases_has_records():
    """The records are those of benchmarks that are in the registry."""
    assert {*RECORDS} <= {*BENCHMARKS}
