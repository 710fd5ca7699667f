"""The metric with the sandbox "restricted"."""

import pytest

from support.metric_and_command import RIGHT, TESTS, TWO_TASKS, WRONG, load_metric, texts

FAILING = {"predictions": [["output = {1: [2]}\nraise ValueError('no')"]], "references": ["assert output"]}
MORE_KEYS = {"exception_description", "output"}


@pytest.fixture(scope="module")
def metric():
    """Provide the metric, loaded for this sandbox."""
    return load_metric("restricted")


def first_result(metric, **options):
    """Return the result of the only candidate."""
    return metric.compute(**options, k=1)[1][0][0][1]


def test_configuration_name(metric):
    """`evaluate.load(path, "restricted")` chooses the sandbox, in which right candidates pass."""
    pass_at_k, results = metric.compute(**TWO_TASKS, k=1)
    assert pass_at_k == {"pass@1": 0.5}
    assert texts(results)[0] == ["passed", "failed: not the sum"]


def test_sandbox_argument():
    """`compute(sandbox="restricted")` chooses the sandbox too."""
    result = first_result(load_metric(), predictions=[["import os"]], references=["assert True"], sandbox="restricted")
    assert not result["passed"]


def test_exception_description(metric):
    """A result has the exception's message under the name that the original uses too."""
    result = first_result(metric, **FAILING)
    assert (result["exception_type"], result["exception_description"]) == ("ValueError", "no")
    assert "output" not in result


@pytest.mark.slow
@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_output(metric, grading):
    """With `return_output` a result has the output, also of a candidate that failed."""
    assert first_result(metric, **FAILING, return_output=True, grading=grading)["output"] == {1: [2]}
    other = {"predictions": [["answer = 'x'"]], "references": ["assert answer"], "grading": grading}
    assert first_result(metric, **other, return_output=True, output_variable="answer")["output"] == "x"
    assert first_result(metric, **other, return_output=True)["output"] is None


def test_other_sandboxes_have_no_such_keys():
    """Results of the subprocess sandbox have neither an output nor an exception_description."""
    assert MORE_KEYS & set(first_result(load_metric(), **FAILING)) == set()


@pytest.mark.slow
def test_names_are_for_candidates_alone(metric):
    """A name that is allowed in one call is not allowed in the next."""
    one = {"predictions": [["def f(x):\n    return twice(x)"]], "references": ["assert f(2) == 4"]}
    result = first_result(metric, **one, additional_globals={"twice": "math:sqrt"})["result"]
    assert result == "failed: AssertionError: f(2) == 4"
    assert "twice" in first_result(metric, **one)["detail"]


def test_default_arguments_by_name(metric):
    """The defaults can be given by the names in the original's documentation."""
    defaults = {"use_safe_builtins": True, "use_limited_builtins": True, "use_utility_builtins": True}
    defaults |= {"additional_globals": None, "additional_locals": None, "allowed_imports": None}
    defaults |= {"allow_str_format": False, "allow_underscore_variable_names": False, "return_output": False}
    defaults |= {"output_variable": "output", "policy": None, "custom_builtins": None}
    result = first_result(metric, predictions=[[RIGHT, WRONG]], references=[TESTS], **defaults)
    assert result["passed"]
