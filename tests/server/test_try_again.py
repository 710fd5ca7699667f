"""A broken sandbox and a full queue are 504 to the clients of other services, and never an answer about a program."""

import threading

import pytest

from code_tasks.server.service import Service
from sandboxes import SandboxUnavailable
from support.observers import wait_until
from support.server_client import serving

pytestmark = pytest.mark.slow
PROGRAM = {"code": "print(1)", "language": "python"}
CASE = {"input": {"stdin": ""}, "output": {"stdout": "1"}}
SUBMISSION = {
    "dataset": "any",
    "id": 1,
    "completion": "```python\nprint(1)\n```",
    "config": {"dataset_type": "CommonOJDataset", "language": "python", "provided_data": {"id": 1, "test": [CASE]}},
}
JOB = {"language": "python", "version": "*", "files": [{"content": "print(1)"}]}
JUDGED = {
    "language": "cf_python3",
    "version": "*",
    "files": [
        {"name": "main.python", "content": "print(1)"},
        {"name": "input.txt", "content": ""},
        {"name": "correct_output.txt", "content": "1"},
    ],
}
BATCH = {"scripts": ["1"], "languages": ["python"], "timeout": 5, "request_timeout": 5}
REQUESTS = [("/run_code", PROGRAM), ("/submit", SUBMISSION), ("/api/v2/execute", JOB), ("/api/v2/execute", JUDGED)]


@pytest.fixture(scope="module")
def client():
    """Serve one program at a time."""
    with serving(max_queue=1) as client:
        yield client


def assert_try_again(client, reason):
    """Assert that each request is told to try again, and that a script of a batch has no execution."""
    for path, body in REQUESTS:
        answer = client.post(path, json=body)
        assert (answer.status_code, reason in answer.text) == (504, True), (path, answer.text)
    answer = client.post("/execute_batch", json=BATCH)
    assert answer.status_code == 200
    [script] = answer.json()
    assert (script["execution"], script["text"], reason in script["exception_str"]) == (None, None, True)


def test_each_request_works(client):
    """The requests of these tests work while there is room."""
    for path, body in REQUESTS:
        assert client.post(path, json=body).status_code == 200


def test_a_full_queue(client):
    """A request that finds the queue full is told to try again."""
    slow = {"code": "import time\ntime.sleep(8)", "language": "python"}

    def occupy():
        # A request of the test may have taken the only place.
        wait_until(lambda: client.post("/run_code", json=slow).status_code == 200, 60)

    thread = threading.Thread(target=occupy)
    thread.start()
    try:
        assert wait_until(lambda: client.post("/run_code", json=PROGRAM).status_code == 504, 30)
        assert_try_again(client, "too many programs are waiting")
    finally:
        thread.join()


def test_a_broken_sandbox(client, monkeypatch):
    """A sandbox that can't run a program says nothing about it, and no path of the server."""

    async def execute(self, run, client):
        raise SandboxUnavailable("the guest in /srv/secret broke")

    async def evaluate(self, task, options, client):
        return SandboxUnavailable("the guest in /srv/secret broke")

    monkeypatch.setattr(Service, "execute", execute)
    monkeypatch.setattr(Service, "evaluate", evaluate)
    assert_try_again(client, "broke")
    assert "/srv" not in client.post("/run_code", json=PROGRAM).text
    assert "/srv" not in client.post("/execute_batch", json=BATCH).text
