"""The endpoints of sessions: cells, commands and files in a folder that outlives a request."""

import json
import threading
import time

import pytest

from support.observers import wait_until
from support.server_client import serving

pytestmark = pytest.mark.slow
TOKENS = {"one": "secret-of-the-first-client", "two": "secret-of-the-other-client"}


@pytest.fixture(scope="module")
def client():
    """Serve two clients, with room for four sessions. The first client is the default."""
    with serving(max_sessions=4, max_timeout=30.0, tokens=TOKENS) as client:
        client.headers["authorization"] = f"Bearer {TOKENS['one']}"
        yield client


@pytest.fixture
def session(client):
    """Open a session, and return its address."""
    opened = client.post("/sessions")
    assert opened.status_code == 201, opened.text
    address = f"/sessions/{opened.json()['id']}"
    yield address
    client.delete(address)


def test_a_new_session_tells_of_itself(client, session):
    """A session tells its limits and its layers."""
    values = client.get(session).json()
    assert values["limits"]["call_seconds"] == 30.0
    assert "rlimits" in values["layers"]


def test_cells_share_variables(client, session):
    """A cell finds the variables of earlier ones, and tells the value of its last expression."""
    client.post(f"{session}/cells", json={"code": "x = 20"})
    values = client.post(f"{session}/cells", json={"code": "print(x)\nx + 1"}).json()
    assert (values["stdout"], values["value"], values["error"], values["limit"]) == ("20\n", "21", None, None)


def test_an_exception(client, session):
    """An exception has a name, a message and a traceback."""
    error = client.post(f"{session}/cells", json={"code": "1 / 0"}).json()["error"]
    assert (error["name"], error["message"]) == ("ZeroDivisionError", "division by zero")
    assert "Traceback" in error["traceback"]


def test_commands(client, session):
    """A command may be words or a text for the shell, and its end and its output are told."""
    values = client.post(f"{session}/commands", json={"command": ["cat"], "stdin": "abc"}).json()
    assert (values["exit_status"], values["stdout"]) == (0, {"text": "abc"})
    shell = {"command": "echo $A >&2; exit 3", "env": {"A": "b"}}
    values = client.post(f"{session}/commands", json=shell).json()
    assert (values["exit_status"], values["stderr"]) == (3, {"text": "b\n"})


def test_bytes_of_commands(client, session):
    """Bytes that are no text go in and out in base64."""
    body = {"command": ["cat"], "stdin": {"base64": "AP8="}}
    assert client.post(f"{session}/commands", json=body).json()["stdout"] == {"base64": "AP8="}


@pytest.mark.parametrize(
    ("field", "value"), [("stdin", {"base64": "no base64!"}), ("stdin", "\ud800"), ("encoding", "")]
)
def test_invalid_fields_of_commands(client, session, field, value):
    """A field that is invalid, or that no command has, is an error with its name."""
    headers = {"Content-Type": "application/json"}
    answer = client.post(f"{session}/commands", content=json.dumps({"command": "cat", field: value}), headers=headers)
    assert (answer.status_code, answer.json()["detail"][0]["loc"][:1]) == (422, [field])


def test_a_command_that_is_not_there(client, session):
    """A command that can't be started is 404, without a path of the server."""
    answer = client.post(f"{session}/commands", json={"command": ["no-such-command"]})
    assert (answer.status_code, answer.json()["detail"][0]["msg"]) == (404, "No such file or directory")


def test_files(client, session):
    """A file is written and read as it is, and cells find it."""
    content = bytes(range(256))
    assert client.put(f"{session}/files/data/in.bin", content=content).status_code == 204
    assert client.get(f"{session}/files/data/in.bin").content == content
    assert (
        client.post(f"{session}/cells", json={"code": "len(open('data/in.bin', 'rb').read())"}).json()["value"] == "256"
    )
    assert client.get(f"{session}/files/none").status_code == 404
    assert client.get(f"{session}/files/data").status_code == 400


@pytest.mark.parametrize("path", ["", "a%00b"])
def test_names_that_no_file_can_have(client, session, path):
    """A path that is empty or has a null character is an error that names the field."""
    for answer in (client.get(f"{session}/files/{path}"), client.put(f"{session}/files/{path}", content=b"x")):
        assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["path"])


def test_a_cell_that_takes_too_long(client, session):
    """A cell is interrupted after its seconds, and the variables stay."""
    client.post(f"{session}/cells", json={"code": "x = 1"})
    values = client.post(f"{session}/cells", json={"code": "while True: pass", "timeout": 0.5}).json()
    assert (values["limit"], values["state_lost"]) == ("timed_out", False)
    assert client.post(f"{session}/cells", json={"code": "x"}).json()["value"] == "1"


def test_an_interrupt(client, session):
    """A cell that runs can be interrupted by another request."""
    ended = []
    cell = {"code": "print('on', flush=True)\nopen('on', 'w')\nwhile True: pass"}
    thread = threading.Thread(target=lambda: ended.append(client.post(f"{session}/cells", json=cell).json()))
    thread.start()
    assert wait_until(lambda: client.get(f"{session}/files/on").status_code == 200, 60)
    assert client.post(f"{session}/interrupt").status_code == 204
    thread.join(60)
    assert ended[0]["error"]["name"] == "KeyboardInterrupt"


def test_the_owner_s_seconds(client, session):
    """A call can't have more seconds than the owner allows."""
    answer = client.post(f"{session}/cells", json={"code": "1", "timeout": 31})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (400, ["timeout"])


def test_a_session_is_its_client_s(client, session):
    """Another client finds no such session, and can't end it."""
    other = {"authorization": f"Bearer {TOKENS['two']}"}
    assert client.get(session, headers=other).status_code == 404
    assert client.delete(session, headers=other).status_code == 404
    assert client.get(session).status_code == 200


def test_a_closed_session(client):
    """A session that was closed is not there any more, and what it started has ended."""
    address = f"/sessions/{client.post('/sessions').json()['id']}"
    client.post(f"{address}/commands", json={"command": "sleep 1000 >/dev/null 2>&1 &"})
    assert client.delete(address).status_code == 204
    assert client.post(f"{address}/cells", json={"code": "1"}).status_code == 404
    assert client.delete(address).status_code == 404


def test_the_number_of_sessions(client):
    """A client has as many sessions as there are places left besides, and then is told when to come back."""
    addresses, answer = [], None
    for _ in range(4):
        answer = client.post("/sessions")
        if answer.status_code != 201:
            break
        addresses.append(f"/sessions/{answer.json()['id']}")
    other = client.post("/sessions", headers={"authorization": f"Bearer {TOKENS['two']}"})
    assert (len(addresses), answer.status_code, int(answer.headers["retry-after"]) > 0) == (2, 429, True)
    assert other.status_code == 201
    for address in addresses:
        assert client.delete(address).status_code == 204


def test_the_number_of_calls(client, session):
    """A client has as many calls at once as there are places left besides, and others find a place for theirs."""
    statuses = []

    def sleep():
        statuses.append(client.post(f"{session}/commands", json={"command": "sleep 1000"}).status_code)

    threads = [threading.Thread(target=sleep) for _ in range(6)]
    for thread in threads:
        thread.start()
    # A call that asks would take a place meanwhile, and one of these would be refused for it.
    assert wait_until(lambda: len(statuses) == 2, 60)
    assert client.get(f"{session}/files/none").status_code == 429
    assert client.post(f"{session}/interrupt").status_code == 204
    other = {"authorization": f"Bearer {TOKENS['two']}"}
    address = f"/sessions/{client.post('/sessions', headers=other).json()['id']}"
    assert client.post(f"{address}/cells", json={"code": "1"}, headers=other).status_code == 200
    client.delete(address, headers=other)
    client.delete(session)
    for thread in threads:
        thread.join(60)
    assert sorted(statuses) == [404] * 4 + [429] * 2


def test_a_session_that_nobody_uses():
    """A session ends after its idle seconds, and gives its place to another."""
    with serving(max_sessions=1, session_idle_seconds=0.5) as client:
        address = f"/sessions/{client.post('/sessions').json()['id']}"
        began = time.monotonic()
        assert wait_until(lambda: client.post("/sessions").status_code == 201, 60)
        assert time.monotonic() - began > 0.3
        assert client.get(address).status_code == 404
