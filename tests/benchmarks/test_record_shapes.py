"""A field of a problem that may decide on its verdict is read, or refused."""

import json

import pytest

from code_tasks.benchmarks import BENCHMARKS, load_benchmark
from code_tasks.benchmarks.readers import InputError
from code_tasks.benchmarks.record_shapes import SHAPES
from support.case_records import RECORDS
from support.human_eval_records import ADD
from support.judged_records import judged
from support.published_records import read

APPS = {"problem_id": 1, "question": "Echo.", "input_output": json.dumps({"inputs": ["1\n"], "outputs": ["1\n"]})}
CASES = json.dumps([{"input": "1", "output": "1", "testtype": "stdin"}])
EVALPLUS = {
    **{name: ADD[name] for name in ("task_id", "prompt", "entry_point")},
    **{"canonical_solution": "    return a + b\n", "base_input": [[1, 2]], "plus_input": [[0, 0]], "atol": 0},
}
OWN = {
    **RECORDS,
    "": [ADD, {"task_id": "t/0", "input_output": APPS["input_output"]}],
    "humaneval": [ADD],
    "evoeval": [ADD],
    "humanevalplus": [ADD, EVALPLUS],
    "mbppplus": [EVALPLUS],
    "apps": [APPS],
    "taco": [APPS],
    "livecodebench": [{"question_id": "a", "public_test_cases": CASES, "private_test_cases": "[]"}],
    "open-r1-codeforces": [{"id": "1/A", "official_tests": CASES, "input_mode": "stdio"}],
    "mhpp": [{"id": 1, "question": "", "function_name": "f", "difficulty_types": "", "test": "assert f() == 1"}],
    "kodcode": [{"question_id": "1", "solution": "def f(): return 1", "test": "assert f() == 1", "test_info": []}],
    "multipl-e": [{"name": "f", "language": "py", "prompt": "def f():\n", "tests": "assert f() == 1\n"}],
}
"""Records of our own by their benchmark's name; "" for none."""

EACH = [pytest.param(name, record, id=f"{name}-{number}") for name in OWN for number, record in enumerate(OWN[name])]


@pytest.fixture
def load(tmp_path):
    """Return a function that loads one record as a benchmark's."""

    def load_record(name, record, **options):
        path = tmp_path / "records.jsonl"
        path.write_text(json.dumps(record) + "\n")
        return load_benchmark(name or None, path, **options)

    return load_record


class Observed(dict):
    """A record that notes which of its fields are read."""

    def __init__(self, record):
        super().__init__(record)
        self.read = set()

    def __getitem__(self, name):
        """Note and return a field."""
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        if name in self:
            self.read.add(name)
        return super().get(name, default)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_benchmark_has_shapes(name):
    """Every benchmark's fields are known."""
    assert SHAPES[name]


@pytest.mark.parametrize(("name", "record"), EACH)
def test_fields_that_readers_read(name, record):
    """A reader reads no field that its shape does not name, so that no such field is refused."""
    observed = Observed(record)
    if name:
        BENCHMARKS[name].parse(observed, 0)
    fitting = [shape for shape in SHAPES[name] if observed.keys() >= {*shape.needed}]
    assert observed.read <= {*fitting[0].needed, *fitting[0].read}


@pytest.mark.parametrize(("name", "record"), EACH)
@pytest.mark.parametrize("field", ["checker", "specialJudge", "setup_code", "timeout", "tolerance", "unit_tests"])
def test_a_field_that_decides(load, name, record, field):
    """An unknown field that may decide is an error with the record, the field and the way out."""
    with pytest.raises(
        InputError, match=rf"records.jsonl:1: '{field}' may decide .* --ignore-field NAME of `code-eval"
    ):
        load(name, {**record, field: "print(1)"})


@pytest.mark.parametrize(("name", "record"), EACH)
def test_own_columns(load, name, record):
    """Columns of one's own change nothing."""
    own = {"my_note": "hard", "difficulty": 3, "tags": ["a"], "checker": "", "num_tests": 12, "grader": "me"}
    assert load(name, {**record, **own}).problems == load(name, record).problems


@pytest.mark.parametrize(
    ("name", "file"),
    [
        *(("mbpp", "mbpp"), ("classeval", "classeval"), ("cruxeval-input", "cruxeval")),
        *(("humanevalpack", f"humanevalpack_{language}") for language in ("cpp", "go", "java", "js", "python", "rust")),
    ],
)
def test_published_records(load, name, file):
    """No published field is refused."""
    for record in read(f"benchmarks/{file}.jsonl"):
        assert load(name, record).problems


PUBLISHED = {
    "taco": {"time_limit": "2.0 seconds", "memory_limit": "256 MB", "Expected Time Complexity": "O(n)"},
    "open-r1-codeforces": {"generated_tests": 12, "time_limit": 2.0, "memory_limit": 256.0, "executable": True},
    "humanevalplus": {"contract": "assert a", "assertion": "assert add(1, 2) == 3"},
    "codecontests": {"input_file": "input.txt", "output_file": "output.txt", "incorrect_solutions": []},
    "xcodeeval": {"time_limit": "1 second", "memory_limit": "256 megabytes", "sample_inputs": ["1"]},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_fields_that_graders_do_not_use(load, name):
    """Fields that look decisive, and that the benchmark's own grader does not use, may stand there."""
    assert load(name, {**OWN[name][-1], **PUBLISHED[name]}).problems


def test_files_of_codecontests(load):
    """A problem whose programs ought to read a file says so, because the runner gives them standard input."""
    [problem] = load("codecontests", {**OWN["codecontests"][0], "input_file": "input.txt"}).problems.values()
    assert problem.caveat.startswith("its statement names files")


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("kodcode", {**OWN["kodcode"][0], "test_code": "assert f() == 2"}),
        ("deepcoder", {**OWN["deepcoder"][0], "reward_model": {"ground_truth": "{}"}, "verification_info": {"a": 1}}),
        ("", {**ADD, "tests": "assert add(1, 2) == 4"}),
        ("", {**ADD, "test_list": ["assert add(1, 2) == 4"]}),
    ],
)
def test_fields_of_two_shapes(load, name, record):
    """A record with the tests of two shapes is an error; no reader chooses one of them by itself."""
    with pytest.raises(InputError, match="may decide on verdicts, and (is|are) not read here"):
        load(name, record)


@pytest.mark.parametrize("name", ["humanevalplus", "mbppplus"])
def test_inputs_of_evalplus_beside_other_tests(load, name):
    """EvalPlus's own file may have HumanEval's tests too: its inputs, base and plus, are what decides."""
    record = {**EVALPLUS, "test": "def check(candidate):\n    assert False\n", "test_imports": []}
    assert load(name, record).problems == load(name, EVALPLUS).problems


def test_an_ignored_field(load):
    """A field that is left out decides nothing."""
    record = {**ADD, "tests": "assert add(1, 2) == 4", "timeout": 1}
    assert load("", record, ignored_fields=["tests", "timeout"]).problems == load("", ADD).problems


def test_an_ignored_field_that_is_not_there(load):
    """A name that no record has is an error with the fields that there are."""
    with pytest.raises(InputError, match="no problem has the field 'absent', which is to be left out; there are 'task"):
        load("", ADD, ignored_fields=["absent"])


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("apps", {**APPS, "input_output": json.dumps({**json.loads(APPS["input_output"]), "checker": "x"})}),
        ("livecodebench", {**OWN["livecodebench"][0], "public_test_cases": CASES[:-2] + ', "time_limit": 1}]'}),
        ("deepcoder", {"problem": "", "tests": [{"input": "1", "output": "1", "spj": "x"}]}),
        ("xcodeeval", {"src_uid": "a", "hidden_unit_tests": [{"input": "1", "output": ["1"], "checker": "x"}]}),
        ("intellect3", {"question": "", "info": {"tests": {"inputs": ["1"], "outputs": ["1"], "checker": "x"}}}),
        (
            "synthetic1",
            {**OWN["synthetic1"][0], "verification_info": {"test_cases": [], "checker": "x"}}
            | {"verification_info": {"test_cases": [{"input": "1", "output": "1"}], "checker": "x"}},
        ),
    ],
)
def test_fields_inside_of_tests(load, name, record):
    """Such a field is also an error inside of the tests."""
    with pytest.raises(InputError, match="records.jsonl:1: '[a-z_]+' may decide on verdicts, and is not read in cases"):
        load(name, record)


def test_a_record_in_another_language(load):
    """A programming language that a reader of Python's problems does not read is an error."""
    assert load("livecodebench", {**OWN["livecodebench"][0], "language": "en"}).problems
    with pytest.raises(InputError, match="'language' may decide"):
        load("livecodebench", {**OWN["livecodebench"][0], "language": "java"})


def test_the_language_of_humaneval_x(load):
    """A language beside the one of the task_id makes no other problem."""
    record = read("humaneval_x_go.jsonl.gz")[0]
    assert load("", {**record, "language": "go"}).problems == load("", record).problems


def test_a_suffix():
    """A completion is the middle of its function where the record has a suffix, as in HumanEval's infilling."""
    record = {**ADD, "prompt": "def add(a, b):\n    total = a", "suffix": "    return total\n"}
    assert judged("humaneval", record, [" + b\n", " - b\n"]) == [True, False]
