"""open-r1-codeforces is read as it is published, and judged with its checkers, files and limits."""

import json

import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.readers import InputError
from sandboxes import Evaluator
from sandboxes.languages.judge_programs import CheckerProgram
from sandboxes.tasks.io_cases import IOCase, parse_cases
from support.languages import shared_pool
from support.pools import require_layers

RECORD = {
    "id": "1234/A",
    "contest_id": "1234",
    "title": "Sum",
    "time_limit": 1.5,
    "memory_limit": 64.5,
    "input_mode": "stdio",
    "interaction_format": None,
    "executable": True,
    "official_tests": [{"input": "3\r\n4\r\n", "output": "yes\r\n\r\n7\r\n"}],
    "generated_checker": None,
}
ADD = "print('Yes')\nprint()\nprint(int(input()) + int(input()), end='')"


def load(tmp_path, **fields):
    """Return the one problem of a file with a record."""
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps({**RECORD, **fields}) + "\n", encoding="utf-8")
    return load_benchmark("open-r1-codeforces", path)


def passed(loaded, candidates):
    """Return whether each candidate passes."""
    config = loaded.benchmark.eval_config({"on_sandbox_error": "exclude"})
    with Evaluator(config) as evaluator:
        return [verdict.passed for verdict in evaluator.run(loaded.tasks({"1234/A": candidates}, config))]


def test_a_record_as_it_is_published(tmp_path):
    """Cases lose the carriage returns of their lines and empty lines of outputs; limits are the record's own."""
    problem = load(tmp_path).problems["1234/A"]
    cases = parse_cases(problem.tests)
    assert cases.cases == (IOCase("3\n4\n", "yes\n7\n"),)
    assert (cases.checker, cases.uses_files, problem.prompt, problem.language) == ("open-r1", False, "", "")
    assert problem.limits == {"wall_seconds": 1.5, "memory_bytes": 64.5 * (1 << 20)}


def test_records_without_limits(tmp_path):
    """Codeforces's usual limits hold where the record has none."""
    problem = load(tmp_path, time_limit=None, memory_limit=None).problems["1234/A"]
    assert problem.limits == {"wall_seconds": 2.0, "memory_bytes": 256 << 20}


def test_the_language_of_a_record(tmp_path):
    """The configurations with prompts name a language, and others don't."""
    assert load(tmp_path, language="cpp").problems["1234/A"].language == "cpp"
    assert load(tmp_path, language="python").problems["1234/A"].language == "python"


def test_the_grader_s_comparison(tmp_path):
    """Words are compared, and "yes" and "no" in any case, also within a word; other words have their case."""
    candidates = [ADD, ADD.replace("Yes", "YES 7\\n").replace("print(int", "len(str(int"), "print('y', 'es', 7)"]
    assert passed(load(tmp_path, time_limit=10.0), candidates) == [True, False, False]


def test_the_generated_checker(tmp_path):
    """A checker is called with input, expected output and output, and prints 1 for a right one."""
    checker = "import sys\na, b, c = (open(f).read() for f in sys.argv[1:])\nprint(int(sorted(b) == sorted(c)))"
    loaded = load(tmp_path, generated_checker=checker, time_limit=10.0)
    assert parse_cases(loaded.problems["1234/A"].tests).checker == CheckerProgram(checker)
    assert passed(loaded, ["print('sey')\n\n\nprint(7)", "print('yes')"]) == [True, False]


def test_an_interactive_problem_with_an_interactor(tmp_path):
    """A field that users add decides in place of a checker, as data or as JSON. Official tests are its input."""
    require_layers(shared_pool(), "pid")
    interactor = {"source": "import sys\nsys.exit(int(input()) != int(open(sys.argv[1]).readline()) + 1)"}
    for form in (interactor, json.dumps(interactor)):
        loaded = load(tmp_path, interaction_format="Say more", interactor=form, time_limit=10.0)
        assert passed(loaded, ["print(4)", "print(3)"]) == [True, False]


def test_files_as_input_and_output(tmp_path):
    """In the input mode "file", candidates read input.txt and write output.txt."""
    files = "a, b = open('input.txt')\nprint('yes', int(a) + int(b), file=open('output.txt', 'w'))"
    assert passed(load(tmp_path, input_mode="file", time_limit=10.0), [files, ADD]) == [True, False]


@pytest.mark.languages("cpp")
def test_a_program_in_cpp(tmp_path):
    """C++ is compiled as on a judge: with ONLINE_JUDGE, so that programs don't read their authors' files."""
    source = """
#include <cstdio>
int main() {
#ifndef ONLINE_JUDGE
    freopen("local.txt", "r", stdin);
#endif
    int a, b;
    scanf("%d %d", &a, &b);
    printf("yes\\n%d\\n", a + b);
}
"""
    assert passed(load(tmp_path, language="cpp", time_limit=10.0), [source]) == [True]


@pytest.mark.languages("cpp")
def test_a_deep_recursion_in_cpp(tmp_path):
    """The memory limit alone limits the stack, as in the grader."""
    source = """
#include <cstdio>
int depth(int n) { volatile char frame[100]; frame[n % 100] = 1; return n ? depth(n - 1) + frame[n % 100] : 0; }
int main() { std::printf("yes\\n%d\\n", depth(200000) == 200000 ? 7 : 0); }
"""
    assert passed(load(tmp_path, language="cpp", time_limit=10.0, memory_limit=256), [source]) == [True]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"official_tests": []}, "'official_tests' has no cases"),
        ({"official_tests": [{"input": "1"}]}, "has no texts 'input' and 'output'"),
        ({"interaction_format": "Print a query and read"}, "the problem is interactive, and has no 'interactor'"),
        ({"input_mode": "socket"}, "input_mode must be one of stdio, file"),
        ({"time_limit": -1}, "time_limit must be a finite number of seconds above 0"),
        ({"language": "pascal"}, "unknown language 'pascal'"),
        ({"id": None}, "'id'"),
    ],
)
def test_records_that_can_t_be_judged(tmp_path, fields, message):
    """Each is an error with its file and line."""
    with pytest.raises(InputError, match=r"problems.jsonl:1: .*" + message):
        load(tmp_path, **fields)
