"""Texts that UTF-8 can't encode, and other odd values of JSON, get an answer that JSON can hold."""

import json

import pytest

from support.server_client import serving

ODD = "x = '\ud800'\nprint(x)"
FENCED = f"```python\n{ODD}\n```"
ROW = {"id": "\ud800", "content": ODD, "test": [{"input": {"stdin": "\ud800"}, "output": {"stdout": "\ud800"}}]}
CONFIG = {"dataset_type": "CommonOJDataset", "language": "python", "provided_data": ROW}
LOGIC = "submit_code_blocks([CodeBlock(priority=40, code='\\ud800', language='python')])"
CASE = [{"name": "input.txt", "content": ODD}, {"name": "correct_output.txt", "content": ODD}]
REQUESTS = [
    ("/run_code", {"code": ODD, "language": "python", "stdin": "\ud800"}),
    ("/run_code", {"code": "", "language": "\ud800"}),
    ("/run_code", {"code": "", "language": "python", "files": {"\ud800": ""}, "fetch_files": ["\ud800"]}),
    ("/run_code", {"code": "", "language": "python", "files": {"a\0b": ""}}),
    ("/run_code", {"code": "", "language": "python", "files": {"a": "no base64!"}}),
    ("/submit", {"dataset": "\ud800", "id": "\ud800", "completion": FENCED, "config": CONFIG}),
    ("/submit", {"dataset": "d", "id": 1, "completion": "", "config": {**CONFIG, "custom_extract_logic": LOGIC}}),
    ("/get_prompt_by_id", {"dataset": "d", "id": 1, "config": CONFIG}),
    ("/get_prompts", {"dataset": "\ud800", "config": {}}),
    ("/run_jupyter", {"cells": [ODD, "x", "raise ValueError(x)"]}),
    ("/api/v2/execute", {"language": "python", "version": "*", "files": [{"content": ODD}], "stdin": "\ud800"}),
    ("/api/v2/execute", {"language": "\ud800", "version": "\ud800", "files": [{"content": ""}]}),
    ("/api/v2/execute", {"language": "cf_python3", "version": "*", "files": [{"name": "a", "content": ODD}, *CASE]}),
    ("/api/v2/execute", {"language": "python", "version": "*", "files": [{"content": ""}], "run_timeout": 1e308}),
    ("/execute_batch", {"scripts": [ODD, "'\ud800'"], "languages": ["python"] * 2, "timeout": 5, "request_timeout": 5}),
    ("/execute_batch", {"scripts": ["1"], "languages": ["\ud800"], "timeout": 1e-9, "request_timeout": 5}),
]


@pytest.fixture(scope="module")
def client():
    """Serve Python."""
    with serving() as client:
        yield client


@pytest.mark.parametrize(("path", "body"), REQUESTS)
def test_odd_texts(client, path, body):
    """A request with odd texts is answered or refused, and never an error of the server."""
    answer = client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400, 422), answer.text
    assert answer.json() is not None


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1", "0", "1e999", '"x"', "null", "[]"])
def test_odd_seconds(client, value):
    """A limit that is no number above 0 is refused."""
    text = f'{{"code": "", "language": "python", "run_timeout": {value}}}'
    answer = client.post("/run_code", content=text, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422), answer.text


HUGE = "9" * 400
HUGE_NUMBERS = [
    ("/run", '{"source": "", "memory_mb": HUGE}'),
    ("/run", '{"source": "", "max_output_bytes": HUGE}'),
    ("/run_code", '{"code": "", "language": "python", "memory_limit_MB": HUGE}'),
    ("/run_jupyter", '{"cells": [], "memory_limit_MB": HUGE}'),
    ("/run_jupyter", '{"cells": [], "total_timeout": HUGE}'),
    ("/api/v2/execute", '{"language": "python", "version": "*", "files": [{"content": ""}], "run_memory_limit": HUGE}'),
]


@pytest.mark.parametrize(("path", "body"), HUGE_NUMBERS)
def test_huge_numbers(client, path, body):
    """A whole number that is no float is refused."""
    content = body.replace("HUGE", HUGE)
    answer = client.post(path, content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422), answer.text


def test_paths_with_a_null_character(client):
    """A path that no file can have is refused, and the session goes on."""
    session = f"/sessions/{client.post('/sessions').json()['id']}"
    for answer in (client.get(f"{session}/files/a%00b"), client.put(f"{session}/files/a%00b", content=b"")):
        assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["path"])
    assert client.put(f"{session}/files/a", content=b"1").status_code == 204
    assert client.get(f"{session}/files/a").content == b"1"
    client.delete(session)


def test_names_of_cells_files_with_a_null_character(client):
    """A name that no file can have is refused where a file is brought, and left out where it is asked for."""
    cells = {"cells": ["1"]}
    assert client.post("/run_jupyter", json={**cells, "files": {"a\0b": ""}}).status_code == 400
    answer = client.post("/run_jupyter", json={**cells, "fetch_files": ["a\0b"]}).json()
    assert (answer["status"], answer["files"]) == ("Success", {})
