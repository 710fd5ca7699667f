"""References with interactors: their shape, their errors, and the way through the metric."""

import json

import pytest

from sandboxes import EvalConfig, Evaluator, Task
from sandboxes.languages.judge_programs import CheckerProgram, Interactor
from sandboxes.tasks.io_cases import IOCase, parse_cases
from support.interactive_programs import CPP_GUESS, GUESS, HONEST, cpp, interactive
from support.languages import shared_pool
from support.metric_and_command import load_metric
from support.pools import require_layers

RIGHT, WRONG = HONEST["python"], "print('! 1')"
FAULTS = {
    "no source": ({"language": "python"}, "the source of an interactor must be a program, not null"),
    "a text": (GUESS, "interactor must be an object with 'source', not"),
    "an unknown name": ({"source": "1", "name": "x"}, "interactor has 'name'; it may have source, language"),
    "a language": ({"source": "1", "language": "go"}, "language of an interactor must be one of python, cpp, not 'go'"),
    "a convention": ({"source": "1", "convention": "open-r1"}, "must be one of testlib, icpc, not 'open-r1'"),
    "a time": ({"source": "1", "timeout": 0}, "the timeout of an interactor must be a finite number of seconds"),
    "a size": ({"source": "1", "memory_mb": "1"}, "the memory_mb of an interactor must be a whole number"),
}
OTHERS = {
    "calls": ({"inputs": [[1]], "outputs": [1], "fn_name": "f"}, "not for calls of a function"),
    "accepted outputs": ({"outputs": None, "accepted": [["1"], ["2"], ["3"]]}, "one output for each input"),
    "files": ({"input_mode": "file"}, 'an interactor talks through pipes; leave out "input_mode"'),
    "a comparison": ({"checker": "tokens"}, "leave out the checker 'tokens'"),
    "fewer outputs": ({"outputs": ["1"]}, "there are 3 inputs, but 1 outputs"),
}


@pytest.fixture
def kept_apart():
    """Skip a test where an interactor and its candidate could see each other, because they would not run."""
    require_layers(shared_pool(), "pid")


@pytest.mark.parametrize(("interactor", "message"), FAULTS.values(), ids=FAULTS)
def test_an_interactor_that_can_t_be_right(interactor, message):
    """An invalid interactor is an error that names the value and the choices."""
    with pytest.raises((ValueError, TypeError), match=message):
        parse_cases({"inputs": ["1"], "interactor": interactor})


@pytest.mark.parametrize(("more", "message"), OTHERS.values(), ids=OTHERS)
def test_what_does_not_go_with_an_interactor(more, message):
    """Other ways to run a candidate or to decide about it are an error beside an interactor."""
    with pytest.raises(ValueError, match=message):
        parse_cases(interactive(**more))


def test_defaults():
    """Interactors of both languages answer as testlib's do, and need no expected outputs."""
    cases = parse_cases(json.dumps(interactive(inputs=["1"])))
    assert cases.interactor == Interactor(GUESS, "python", "testlib", 10.0, 1024)
    assert cases.cases == (IOCase("1", ""),)
    assert parse_cases(interactive(cpp(convention="icpc"))).interactor == Interactor(CPP_GUESS, "cpp", "icpc")
    both = parse_cases(interactive(outputs=["2", "3", "4"], checker={"source": "print(1)"}))
    assert (both.cases[0], both.checker) == (IOCase("1", "2"), CheckerProgram("print(1)"))


@pytest.mark.usefixtures("kept_apart")
def test_the_metric_takes_interactors():
    """`compute` takes a reference with an interactor, as data and as JSON."""
    for form in (interactive(), json.dumps(interactive())):
        pass_at_k, results = load_metric().compute(predictions=[[RIGHT, WRONG]], references=[form], k=1, timeout=20.0)
        assert pass_at_k == {"pass@1": 0.5}
        assert results[0][1][1]["detail"] == "case 2: wrong answer: 1 it is"


@pytest.mark.parametrize("checker", ["tokens", lambda given, expected, output: True])
def test_an_option_does_not_replace_the_interactor(checker):
    """A checker that is chosen for the run has nothing to decide about."""
    with pytest.raises(ValueError, match="the interactor of these cases decides; leave out the option checker"):
        load_metric().compute(predictions=[[RIGHT]], references=[interactive()], k=1, checker=checker)


def test_a_sandbox_with_a_policy():
    """The sandbox that refuses files refuses interactors, with one error."""
    config = EvalConfig.from_options({"sandbox": "restricted"})
    with Evaluator(config) as evaluator, pytest.raises(ValueError, match="interactors read files"):
        evaluator.assemble([Task(interactive(), [RIGHT])])


def test_languages_of_interactors_are_looked_for():
    """A run needs the compilers of its interactors too, and the packages that their sources import."""
    with Evaluator(EvalConfig.from_options({})) as evaluator:
        batch = evaluator.assemble([Task(interactive(cpp()), [RIGHT]), Task(interactive("import numpy"), [RIGHT])])
    assert batch.languages == {"python", "cpp"}
    assert "import numpy" in list(batch.sources())


@pytest.mark.usefixtures("kept_apart")
def test_the_interactor_is_a_part_of_the_tests(tmp_path):
    """A cached verdict counts for the same interactor alone."""
    options = {"predictions": [[WRONG]], "k": 1, "timeout": 20.0, "cache_dir": str(tmp_path)}
    metric = load_metric()
    for source, cached in (("input()", False), ("input()", True), (GUESS, False)):
        _, results = metric.compute(references=[interactive(source, ["777"])], **options)
        assert (results[0][0][1]["cached"], results[0][0][1]["passed"]) == (cached, source == "input()")


@pytest.mark.usefixtures("kept_apart")
def test_equal_candidates_run_once():
    """Copies of a candidate share the verdict of its conversation."""
    _, results = load_metric().compute(predictions=[[RIGHT, RIGHT]], references=[interactive()], k=1, timeout=20.0)
    assert [result["passed"] for _, result in results[0]] == [True, True]
    assert results[0][1][1]["duplicate_of"] == [0, 0]
