"""References with checker programs: their shape, their errors, and the way through the metric."""

import json

import pytest

from sandboxes import EvalConfig, Evaluator, Task
from sandboxes.languages.judge_programs import CheckerProgram
from sandboxes.tasks.io_cases import parse_cases
from support.checker_programs import SUM, TRIPLE, checked
from support.languages import shared_pool
from support.metric_and_command import load_metric
from support.pools import require_layers

CASES = {"inputs": ["1"], "outputs": ["4"]}
RIGHT, WRONG = "print(3 * int(input()) + 1)", "print(3 * int(input()))"
FAULTS = {
    "no source": ({"language": "python"}, "the source of a checker must be a program, not null"),
    "an empty source": ({"source": " \n"}, "the source of a checker must be a program"),
    "an unknown name": ({"source": "1", "name": "x"}, "checker has 'name'; it may have source, language"),
    "a language": ({"source": "1", "language": "pascal"}, "must be one of python, cpp, not 'pascal'"),
    "a convention": ({"source": "1", "convention": "x"}, "must be one of open-r1, testlib, not 'x'"),
    "a time": ({"source": "1", "timeout": 0}, "the timeout of a checker must be a finite number of seconds above 0"),
    "a size": ({"source": "1", "memory_mb": 0.5}, "the memory_mb of a checker must be a whole number"),
    "a list": (["1"], "checker must be a name, or an object with 'source', not"),
    "a name": ("nobody", "checker must be one of tokens, exact"),
}


@pytest.mark.parametrize(("checker", "message"), FAULTS.values(), ids=FAULTS)
def test_a_checker_that_can_t_be_right(checker, message):
    """An invalid checker is an error that names the value and the choices."""
    with pytest.raises((ValueError, TypeError), match=message):
        parse_cases({**CASES, "checker": checker})


def test_defaults_depend_on_the_language():
    """Python's checkers print their points, and C++'s end with testlib's statuses, unless the reference says more."""
    python = parse_cases({**CASES, "checker": {"source": "1"}}).checker
    cpp = parse_cases(json.dumps({**CASES, "checker": {"source": "1", "language": "cpp", "timeout": 3}})).checker
    assert python == CheckerProgram("1", "python", "open-r1", 10.0, 1024)
    assert cpp == CheckerProgram("1", "cpp", "testlib", 3.0, 1024)


@pytest.mark.parametrize("more", [{"checker": {"source": "1"}}, {"input_mode": "file"}])
def test_calls_have_neither_checkers_nor_files(more):
    """Cases that call a function are an error with a checker program or with files."""
    with pytest.raises(ValueError, match="not for calls of a function"):
        parse_cases({"inputs": [[1]], "outputs": [1], "fn_name": "f", **more})


def test_an_unknown_input_mode():
    """An input mode is one of two."""
    with pytest.raises(ValueError, match="input_mode must be one of stdio, file, not 'socket'"):
        parse_cases({**CASES, "input_mode": "socket"})


def test_the_metric_takes_checkers():
    """`compute` takes a reference with a checker, as data and as JSON."""
    reference = checked(TRIPLE, **CASES)
    for form in (reference, json.dumps(reference)):
        pass_at_k, results = load_metric().compute(predictions=[[RIGHT, WRONG]], references=[form], k=1, timeout=20.0)
        assert pass_at_k == {"pass@1": 0.5}
        assert results[0][1][1]["detail"] == "case 1: the checker gives 0 points"


def test_an_option_replaces_the_checker():
    """A checker that is chosen for the run decides in place of the task's."""
    reference = checked("print(0)", **CASES)
    for checker in ("tokens", lambda given, expected, output: output.strip() == expected):
        pass_at_k, _ = load_metric().compute(
            predictions=[[RIGHT]], references=[reference], k=1, timeout=20.0, checker=checker
        )
        assert pass_at_k == {"pass@1": 1.0}


def test_a_sandbox_with_a_policy():
    """The sandbox that refuses files refuses checker programs, with one error."""
    config = EvalConfig.from_options({"sandbox": "restricted"})
    with Evaluator(config) as evaluator, pytest.raises(ValueError, match="checker programs read files"):
        evaluator.assemble([Task(checked(TRIPLE, **CASES), [RIGHT])])


def test_languages_of_checkers_are_looked_for():
    """A run needs the compilers of its checkers too, and the packages that their sources import."""
    config = EvalConfig.from_options({})
    with Evaluator(config) as evaluator:
        tasks = [
            Task(checked({"source": SUM, "language": "cpp"}, **CASES), [RIGHT]),
            Task(checked("import numpy", **CASES), [RIGHT]),
        ]
        batch = evaluator.assemble(tasks)
    assert batch.languages == {"python", "cpp"}
    assert "import numpy" in list(batch.sources())


def test_the_checker_is_a_part_of_the_tests(tmp_path):
    """A cached verdict counts for the same checker alone."""
    # Programs that could write the caller's files could write results there, so nothing is cached.
    require_layers(shared_pool(), "mount")
    options = {"predictions": [[WRONG]], "k": 1, "timeout": 20.0, "cache_dir": str(tmp_path)}
    metric = load_metric()
    for source, cached in (("print(1)", False), ("print(1)", True), ("print(0)", False)):
        _, results = metric.compute(references=[checked(source, **CASES)], **options)
        assert (results[0][0][1]["cached"], results[0][0][1]["passed"]) == (cached, source == "print(1)")
