"""The size and the time of requests are bounded, however they come."""

import socket
import time

import pytest

from code_tasks.server import request_bodies
from support.server_client import serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client():
    """Serve with small limits."""
    with serving(max_body_mb=1, body_seconds=1.0) as client:
        yield client


def exchange(client, request, seconds=60.0):
    """Send bytes over a connection of their own, and return what comes back until the server closes it or is silent."""
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=seconds) as connection:
        connection.sendall(request)
        return connection.recv(1 << 16)


HEAD = b"POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_a_long_body(client):
    """A body above the limit is refused."""
    answer = client.post("/evaluate", content=b" " * ((1 << 20) + 1))
    assert answer.status_code == 413
    assert "1 MiB" in answer.json()["detail"][0]["msg"]


def test_a_body_that_announces_its_length(client):
    """A body that announces too much is refused before it is sent."""
    assert exchange(client, HEAD + b"Content-Length: 99999999999\r\n\r\n").startswith(b"HTTP/1.1 413")


def test_a_body_without_a_length(client):
    """A body in chunks is refused as soon as it is too long."""

    def chunks():
        for _ in range(64):
            yield b" " * (1 << 16)

    answer = client.post("/evaluate", content=chunks())
    assert answer.status_code == 413


def test_too_many_large_bodies(monkeypatch):
    """A body without a place in memory is told to come back, in the status that its client tries again on."""
    monkeypatch.setattr("code_tasks.server.request_bodies.BODIES", 0)
    paths = {"/evaluate": 429, "/run": 429, "/sessions/ID/cells": 429, "/run_code": 504, "/api/v2/execute": 504}
    with serving() as client:
        assert {path: client.post(path, content=b" " * (1 << 17)).status_code for path in paths} == paths


def test_a_body_that_comes_slowly(client):
    """A body that does not arrive in time is refused."""
    began = time.monotonic()
    assert exchange(client, HEAD + b"Content-Length: 100\r\n\r\n{").startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 60


PRINTS_MEGABYTES = b'{"source": "print(\'x\' * 8_000_000)"}'


def test_a_client_that_does_not_read(client, monkeypatch):
    """A long answer that its client does not read is given up, and one that is read is whole."""
    request = HEAD.replace(b"/evaluate", b"/run") + b"Content-Length: %d\r\n\r\n" % len(PRINTS_MEGABYTES)
    whole = client.post("/run", content=PRINTS_MEGABYTES)
    assert len(whole.json()["run"]["stdout"]["text"]) == 8_000_001
    monkeypatch.setattr(request_bodies, "SEND_SECONDS", 0.5)
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=60) as connection:
        connection.sendall(request + PRINTS_MEGABYTES)
        # The answer begins, and then nobody reads.
        received = len(connection.recv(1 << 10))
        time.sleep(5)
        while chunk := connection.recv(1 << 20):
            received += len(chunk)
    assert received < len(whole.content)
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"tasks": NaN}'])
def test_a_body_that_is_no_request(client, body):
    """Bytes that are not a request are refused, without an error of the server."""
    assert client.post("/evaluate", content=body).status_code == 422


@pytest.mark.parametrize(
    ("changed", "location", "message"),
    [
        ({"opt": {}}, ["opt"], "there is no such field; GET /docs lists the fields"),
        ({"options": {"time_out": 1}}, ["options", "time_out"], "there is no such field; GET /docs lists the fields"),
        ({"tasks": [{"candidates": ["x = 1"]}]}, ["tasks", 0], "give either tests or cases"),
    ],
)
def test_words_about_fields(client, changed, location, message):
    """Messages about fields have no words of the parser's."""
    body = {"tasks": [{"candidates": ["x = 1"], "tests": "assert x"}], **changed}
    assert client.post("/evaluate", json=body).json() == {"detail": [{"loc": location, "msg": message}]}


def test_an_unknown_method(client):
    """A method that a path does not have is said to be missing, with those that it has."""
    answer = client.get("/evaluate")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["detail"][0]["msg"] == "there is no GET /evaluate here; GET /docs lists the endpoints"


def test_an_unknown_path(client):
    """A path that is not there has the form of other errors, and no details of the server."""
    answer = client.get("/nothing")
    assert answer.status_code == 404
    assert answer.json() == {
        "detail": [{"loc": [], "msg": "there is no GET /nothing here; GET /docs lists the endpoints"}]
    }
