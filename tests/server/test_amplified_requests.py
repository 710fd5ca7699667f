"""Requests that are small as they come and large as they are run are refused, and their honest relatives are not."""

import pytest

from code_tasks.server import assembled_task
from code_tasks.server.assembled_task import MAX_CASES
from code_tasks.server.errors import LimitExceeded
from code_tasks.server.evaluation_request import MAX_ID_CHARS, MAX_PROMPT_CHARS, EvaluationRequest, problem_with_tests
from support.server_client import serving

pytestmark = pytest.mark.slow

CANDIDATES = 256
PROMPT = "# a prompt of a megabyte".ljust(1 << 20) + "\n"


def request(**fields):
    """Return a request with one task."""
    return EvaluationRequest(tasks=[{"candidates": ["x = 1"], "tests": "assert x", **fields}])


def test_a_long_prompt_for_many_candidates():
    """A prompt is counted for each candidate, because each program has a copy of it."""
    few = MAX_PROMPT_CHARS // len(PROMPT)
    request(prompt=PROMPT, candidates=["x = 1"] * few).check_sizes(CANDIDATES)
    with pytest.raises(LimitExceeded, match="characters of prompts"):
        request(prompt=PROMPT, candidates=["x = 1"] * (few + 1)).check_sizes(CANDIDATES)


@pytest.mark.parametrize("fields", [{"prompt": PROMPT}, {"prompt": "", "entry_point": "f" * len(PROMPT)}])
def test_long_texts_are_not_kept(fields):
    """Only problems whose texts are all short are kept for later requests."""
    problem_with_tests.cache_clear()
    request(**fields).tasks[0].problem(0)
    assert problem_with_tests.cache_info().currsize == 0
    request(prompt="# short\n").tasks[0].problem(0)
    assert problem_with_tests.cache_info().currsize == 1


@pytest.fixture(scope="module")
def client():
    """Serve Python."""
    with serving(options={"num_workers": 1}) as client:
        yield client


def evaluate(client, *tasks):
    """Return the answer to a request."""
    return client.post("/evaluate", json={"tasks": tasks})


def with_cases(number):
    """Return a task with so many cases."""
    return {"candidates": ["print(1)"], "cases": {"inputs": [""] * number, "outputs": ["1"] * number}}


@pytest.mark.slow
def test_a_long_id(client):
    """A task's id comes back with each candidate, and has a bound."""
    task = {"candidates": ["x = 1"] * 2, "tests": "assert x"}
    refused = evaluate(client, {**task, "task_id": "i" * (MAX_ID_CHARS + 1)})
    assert (refused.status_code, refused.json()["detail"][0]["loc"][:3]) == (422, ["tasks", 0, "task_id"])
    taken = evaluate(client, {**task, "task_id": "i" * MAX_ID_CHARS})
    assert [result["task_id"] for result in taken.json()["results"]] == ["i" * MAX_ID_CHARS] * 2


@pytest.mark.slow
def test_many_cases(client):
    """The number of cases is bounded before they are assembled, in a task and in all tasks of a request."""
    short = {"options": {"timeout": 0.001}}
    half = {**with_cases(MAX_CASES // 2 + 1), **short}
    for tasks in ([{**with_cases(MAX_CASES + 1), **short}], [half, half]):
        refused = evaluate(client, *tasks)
        assert refused.status_code == 400
        assert f"at most {MAX_CASES}" in refused.json()["detail"][0]["msg"]
    assert evaluate(client, *[with_cases(3)] * 2).json()["summary"]["passed"] == 2


@pytest.mark.slow
def test_tasks_that_are_large_once_they_are_assembled(client, monkeypatch):
    """Large tasks have a bound together. One that is refused may come again, and small ones are not concerned."""
    large, small = with_cases(20_000) | {"options": {"timeout": 0.01}}, with_cases(3)
    monkeypatch.setattr(assembled_task, "MAX_HELD_CHARS", 2 << 20)
    assert evaluate(client, large).status_code == 429
    assert client.post("/evaluate", json={"tasks": [large]}, headers={"accept": "text/event-stream"}).status_code == 429
    assert evaluate(client, *[small] * 9).json()["summary"]["passed"] == 9
    monkeypatch.undo()
    assert evaluate(client, large).status_code == 200
