"""The results of canonical solutions are computed once, kept in the user's cache, and part of the tests."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.evalplus_results import code_eval_encoded
from code_tasks.benchmarks.evalplus_tests import code_eval_values
from code_tasks.benchmarks.expected_results import path_of, with_expected_results
from sandboxes import EvalConfig, Evaluator

RECORD = {
    "task_id": "HumanEval/1000",
    "prompt": "def f(n):\n",
    "entry_point": "f",
    "canonical_solution": "    return (n, {n: [n / 2]}, {n}, None)\n",
    "base_input": [[1]],
    "plus_input": [[2], [3]],
    "atol": 0,
}
pytestmark = pytest.mark.usefixtures("own_cache")
EVALUATOR = EvalConfig.from_options({"num_workers": 1})
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text()
    | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner)
        | st.sets(st.integers())
    ),
    max_leaves=20,
)


@pytest.fixture
def problem(tmp_path):
    """Return a function that returns the problem of a record."""

    def parse(**fields):
        (tmp_path / "records.jsonl").write_text(json.dumps({**RECORD, **fields}))
        return load_benchmark("humanevalplus", tmp_path / "records.jsonl").problems["HumanEval/1000"]

    return parse


def known(problem):
    """Return a problem with its expected results."""
    with Evaluator(EVALUATOR) as evaluator:
        return with_expected_results({"x": problem}, evaluator)["x"]


def passed(problem, *completions):
    """Return whether each completion of a problem passes."""
    with Evaluator(EVALUATOR) as evaluator:
        candidates = [problem.candidate(each, "python") for each in completions]
        return [result.passed for result in evaluator.run([problem.task(candidates, EVALUATOR.limits)])]


@given(PLAIN)
def test_values_are_kept_as_they_are(value):
    """A value of plain data survives the text of JSON, with its types."""
    restored = code_eval_values(json.dumps(code_eval_encoded(value)))
    assert repr(restored) == repr(value) or restored == value


@pytest.mark.slow
def test_results_are_in_the_tests(problem):
    """The tests know what the solution returns, and it is not called again."""
    found = known(problem())
    assert "code_eval_known = {}" in problem().tests
    assert "code_eval_known = {}" not in found.tests
    without = replace(found, tests=found.tests.replace("return (n,", "return (n + 1,"))
    assert passed(without, RECORD["canonical_solution"], "    return (n + 1, {n: [n / 2]}, {n}, None)\n") == [
        True,
        False,
    ]


@pytest.mark.slow
def test_results_are_kept(problem):
    """A later run takes the results of an earlier one."""
    first = known(problem())
    path = path_of(problem().expected)
    path.write_text(path.read_text().replace("0.5", "0.25"))
    later = known(problem())
    assert first.tests != later.tests
    assert "0.25" in later.tests


@pytest.mark.slow
def test_others_can_not_read_results(problem):
    """A candidate that runs as another user does not find what is right."""
    known(problem())
    assert path_of(problem().expected).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_a_solution_that_prints(problem):
    """What a solution prints is no result."""
    found = known(problem(canonical_solution="    print('x', {1})\n    return n\n"))
    assert passed(found, "    return n\n", "    return 1\n") == [True, False]


@pytest.mark.slow
def test_a_file_that_is_broken(problem):
    """A file that is no JSON is written anew."""
    path = path_of(problem().expected)
    path.parent.mkdir(parents=True)
    path.write_text("{broken\n")
    assert "code_eval_known = {}" not in known(problem()).tests
    assert path.read_text() != "{broken\n"


@pytest.mark.slow
def test_a_solution_that_fails(problem):
    """A problem whose solution raises an exception stays as it is."""
    failing = problem(canonical_solution="    return n / (n - 3)\n")
    assert known(failing).tests == failing.tests


@pytest.mark.slow
@pytest.mark.parametrize(
    ("result", "is_right"),
    [
        ("'x' * 50_000 + str(n)", True),
        ("10 ** 100_000 + n", True),
        ("[(n, str(n)), {n: None}] * 20_000", True),
        ("[float('nan')] * 30_000", False),
        ("iter([n])", False),
        ("float('nan')", False),
    ],
)
def test_results_that_are_not_kept(problem, result, is_right):
    """Long results are known by their digest. NaN and what is no plain data are never equal."""
    again = known(problem(canonical_solution=f"    return {result}\n"))
    assert passed(again, f"    return {result}\n", "    return 1\n") == [is_right, False]


@pytest.mark.slow
def test_long_results_may_differ_by_the_tolerance(problem):
    """A long result with another digest is compared with the canonical solution's."""
    again = known(problem(canonical_solution="    return [n / 3] * 30_000\n"))
    near, far = (f"    return [n / 3 + {step}] * 30_000\n" for step in (1e-9, 1e-3))
    assert passed(again, near, far) == [True, False]


@pytest.mark.slow
def test_a_folder_that_can_not_be_written(problem, tmp_path, monkeypatch):
    """Without a cache the results are computed in each run."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert "code_eval_known = {}" not in known(problem()).tests
