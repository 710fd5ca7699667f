"""POST /evaluate: tasks in, verdicts out."""

import json

import pytest

from support.server_client import serving

RIGHT, WRONG = "def add(a, b): return a + b", "def add(a, b): return a - b"
TESTS = "assert add(2, 3) == 5"


@pytest.fixture(scope="module")
def client():
    """Serve with the defaults."""
    with serving() as client:
        yield client


def results_of(answer):
    """Return the results of an answer."""
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


def test_each_candidate_has_a_verdict(client):
    """A request has results in the order of its candidates, with all fields of a verdict, and a summary."""
    task = {"task_id": "add", "tests": TESTS, "candidates": [RIGHT, WRONG]}
    answer = client.post("/evaluate", json={"tasks": [task, {"tests": "assert x", "candidates": ["x = 1"]}]})
    results = results_of(answer)
    assert [(each["task_id"], each["completion_id"], each["passed"]) for each in results] == [
        ("add", 0, True),
        ("add", 1, False),
        (1, 0, True),
    ]
    assert results[1]["exception_type"] == "AssertionError"
    assert {"wall_seconds", "peak_memory_bytes", "isolation", "tests", "traceback"} <= results[0].keys()
    assert answer.json()["summary"] == {
        "candidates": 3,
        "passed": 2,
        "not_run": 0,
        "outcomes": {"passed": 2, "failed": 1},
    }


def test_cases(client):
    """Inputs and outputs are tests too."""
    task = {"cases": [{"input": "2\n", "output": "4"}], "candidates": ["print(2 * int(input()))", "print(5)"]}
    assert [each["passed"] for each in results_of(client.post("/evaluate", json={"tasks": [task]}))] == [True, False]


def test_a_prompt_and_an_entry_point(client):
    """Completions of HumanEval's form are joined with the prompt, and `check` is called."""
    task = {
        "prompt": "def add(a, b):\n",
        "entry_point": "add",
        "tests": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
        "candidates": ["    return a + b\n", "    return a\n"],
    }
    assert [each["passed"] for each in results_of(client.post("/evaluate", json={"tasks": [task]}))] == [True, False]


def test_options_of_a_task(client):
    """A task's options replace those of the request."""
    hangs = "while True: pass"
    tasks = [
        {"tests": "assert True", "candidates": [hangs], "options": {"timeout": 0.2}},
        {"tests": "assert True\nassert False\nassert True", "candidates": ["x = 1"]},
    ]
    answer = client.post("/evaluate", json={"tasks": tasks, "options": {"timeout": 30, "partial_credit": True}})
    first, second = results_of(answer)
    assert first["outcome"] == "timed_out"
    assert first["wall_seconds"] < 30
    assert second["partial_credit"] == pytest.approx(2 / 3)


def test_a_stream_of_events(client):
    """A client that accepts events gets each result with its index, and then the summary."""
    task = {"tests": TESTS, "candidates": [RIGHT, WRONG]}
    headers = {"accept": "text/event-stream"}
    with client.stream("POST", "/evaluate", json={"tasks": [task]}, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        parts = answer.read().decode().rstrip("\n").split("\n\n")
    events = [dict(line.split(": ", 1) for line in part.split("\n")) for part in parts]
    assert [each["event"] for each in events] == ["result", "result", "summary"]
    data = [json.loads(each["data"]) for each in events]
    assert {each["index"]: each["passed"] for each in data[:2]} == {0: True, 1: False}
    assert data[2]["candidates"] == 2


INVALID = {
    "no tasks": ({"tasks": []}, ["tasks"]),
    "no candidates": ({"tasks": [{"tests": TESTS, "candidates": []}]}, ["tasks", 0, "candidates"]),
    "no tests": ({"tasks": [{"candidates": [RIGHT]}]}, ["tasks", 0]),
    "a number": ({"tasks": [{"tests": TESTS, "candidates": [1]}]}, ["tasks", 0, "candidates", 0]),
    "an unknown field": ({"tasks": [{"tests": TESTS, "candidates": [RIGHT], "test": ""}]}, ["tasks", 0, "test"]),
    "an option of the owner": (
        {"tasks": [{"tests": TESTS, "candidates": [RIGHT]}], "options": {"network": True}},
        ["options", "network"],
    ),
    "a checker of the owner": (
        {"tasks": [{"tests": TESTS, "candidates": [RIGHT]}], "options": {"checker": "os:system"}},
        ["options", "checker"],
    ),
    "empty tests": ({"tasks": [{"tests": "  ", "candidates": [RIGHT]}]}, ["tasks", 0, "tests"]),
    "invalid cases": ({"tasks": [{"cases": [{"input": "1"}], "candidates": [RIGHT]}]}, ["tasks", 0, "cases"]),
    "a long time": ({"tasks": [{"tests": TESTS, "candidates": [RIGHT]}], "options": {"timeout": 61}}, ["timeout"]),
    "much memory": (
        {"tasks": [{"tests": TESTS, "candidates": [RIGHT]}], "options": {"memory_mb": 8192}},
        ["memory_mb"],
    ),
    "many candidates": ({"tasks": [{"tests": TESTS, "candidates": [RIGHT] * 257}]}, ["tasks"]),
    "many cases": (
        {"tasks": [{"cases": [{"input": "1", "output": "1"}] * 2000, "candidates": [RIGHT]}]},
        ["tasks", 0, "cases"],
    ),
    "another language": (
        {"tasks": [{"tests": TESTS, "candidates": [RIGHT], "language": "rust"}]},
        ["tasks", 0, "language"],
    ),
}


@pytest.mark.parametrize(("request_", "field"), INVALID.values(), ids=INVALID)
def test_an_invalid_field_is_named(client, request_, field):
    """A request that is invalid, or exceeds a limit, is an error that names the field."""
    answer = client.post("/evaluate", json=request_)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"][0]["loc"] == field


def test_json_that_is_nested_deeply(client):
    """A request that is nested deeply is refused."""
    assert client.post("/evaluate", content=b'{"tasks":' + b"[" * 100_000).status_code == 422
    cases = b'{"tasks":[{"candidates":["x"],"cases":' + b"[" * 100_000 + b"]" * 100_000 + b"}]}"
    assert client.post("/evaluate", content=cases).status_code == 422


def test_output_that_json_lacks(client):
    """Whatever a candidate prints, the answer is valid JSON."""
    candidate = r"import sys; sys.stdout.buffer.write(b'\xff\xfe'); print(chr(0x1f600)); raise ValueError('\ud800')"
    [result] = results_of(client.post("/evaluate", json={"tasks": [{"tests": "assert 1", "candidates": [candidate]}]}))
    assert result["exception_type"] == "ValueError"


def test_sandboxes(client):
    """Clients can ask for layers, languages and limits."""
    answer = client.get("/sandboxes").json()
    assert answer["sandbox"] == "subprocess"
    assert answer["languages"].keys() == {"python"}
    assert answer["limits"]["timeout"] == 60
    assert "rlimits" in answer["layers"]


def test_the_documentation_names_the_fields(client):
    """The OpenAPI document has the fields of a request, and of its tasks."""
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    assert {"candidates", "tests", "cases", "language"} <= schemas["RequestTask"]["properties"].keys()
    assert "timeout" in schemas["RequestOptions"]["properties"]


@pytest.mark.slow
@pytest.mark.parametrize(("sandbox", "candidate"), [("restricted", "x = 1"), ("subprocess", "import os\nx = 1")])
def test_other_sandboxes(sandbox, candidate):
    """The owner chooses the sandbox, and its languages are found out."""
    with serving(options={"sandbox": sandbox}, allowed_languages=()) as client:
        answer = client.get("/sandboxes").json()
        assert (answer["sandbox"], "python" in answer["languages"]) == (sandbox, True)
        assert answer["languages"].keys() == {"python"} or sandbox == "subprocess"
        task = {"tests": "assert x == 1", "candidates": [candidate]}
        assert results_of(client.post("/evaluate", json={"tasks": [task]}))[0]["passed"]


@pytest.mark.parametrize(("name", "value"), [("timeout", 61), ("memory_mb", 5000)])
@pytest.mark.parametrize("kind", ["checker", "interactor"])
def test_limits_of_programs_that_decide(client, kind, name, value):
    """A judge program gets no more than the owner allows."""
    cases = {"inputs": ["1"], "outputs": ["1"], kind: {"source": "pass", name: value}}
    answer = client.post("/evaluate", json={"tasks": [{"candidates": ["print(1)"], "cases": cases}]})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (400, ["tasks", 0, "cases", kind, name])


def test_languages_of_programs_that_decide(client):
    """A judge program in a language that the server lacks is an error of the request, and no broken sandbox."""
    cases = {"inputs": ["1"], "outputs": ["1"], "checker": {"source": "int main() {}", "language": "cpp"}}
    answer = client.post("/evaluate", json={"tasks": [{"candidates": ["print(1)"], "cases": cases}]})
    assert (answer.status_code, answer.json()["detail"][0]["loc"][-1]) == (422, "language")
