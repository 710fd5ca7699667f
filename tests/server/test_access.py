"""Who may speak to a server: tokens, the header Host, and requests of web pages."""

import base64
import socket

import pytest

from code_tasks.server.settings import ServerSettings
from code_tasks.server.tokens import parse_tokens
from support.server_client import serving

SECRET = "correct-horse-battery-staple"


@pytest.fixture(scope="module")
def guarded():
    """Serve with two tokens."""
    with serving(tokens=parse_tokens([f"alice:{SECRET}", "another-secret-of-16-chars"])) as client:
        yield client


@pytest.fixture(scope="module")
def open_server():
    """Serve without tokens, on loopback."""
    with serving() as client:
        yield client


@pytest.mark.parametrize(
    "header",
    [
        f"Bearer {SECRET}",
        f"bearer {SECRET}",
        "Bearer another-secret-of-16-chars",
        "Basic " + base64.b64encode(f"anybody:{SECRET}".encode()).decode(),
    ],
)
def test_a_token_is_accepted(guarded, header):
    """A token may come as a bearer token, or as the password of a URL."""
    assert guarded.get("/sandboxes", headers={"authorization": header}).status_code == 200


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", f"Bearer {SECRET}x", f"Token {SECRET}", "Basic !", "Basic YQ=="]
)
@pytest.mark.parametrize("path", ["/sandboxes", "/metrics", "/docs", "/openapi.json", "/evaluate", "/nothing"])
def test_other_requests_are_refused(guarded, header, path):
    """Without a token nothing but the server's health is told, whatever the path."""
    answer = guarded.get(path, headers={} if header is None else {"authorization": header})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("header", "said"), [(None, "asks for a token"), ("Bearer wrong", "has no token of this server")]
)
def test_no_token_and_a_wrong_one(guarded, header, said):
    """The answer says whether a token is missing or wrong, and does not repeat it."""
    message = guarded.get("/sandboxes", headers={"authorization": header} if header else {}).json()["detail"][0]["msg"]
    assert said in message and "wrong" not in message


def test_health_needs_no_token(guarded):
    """Whoever watches a server has no token."""
    assert guarded.get("/health").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "10.0.0.1"])
def test_another_host_is_refused(open_server, host):
    """A page whose name was pointed at this machine can't reach the server. The answer names it, and the option."""
    answer = open_server.get("/sandboxes", headers={"host": host})
    assert answer.status_code == 421
    assert f"Host is {host!r}, and does not name this server: its owner can add --allowed-host" in answer.text


def test_two_hosts_are_refused(open_server):
    """A request that names two hosts names none."""
    request = b"GET /sandboxes HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1\r\n\r\n"
    with socket.create_connection((open_server.base_url.host, open_server.base_url.port), timeout=60) as connection:
        connection.sendall(request)
        assert connection.recv(1 << 16).split()[1] in (b"400", b"421")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:8080"])
def test_the_names_of_loopback_are_hosts(open_server, host):
    """This machine's own names are accepted with any port."""
    assert open_server.get("/sandboxes", headers={"host": host}).status_code == 200


def test_an_allowed_host():
    """The owner can name more hosts."""
    with serving(allowed_hosts=("judge.example",)) as client:
        assert client.get("/sandboxes", headers={"host": "judge.example"}).status_code == 200


def test_a_web_page_needs_a_token(open_server, guarded):
    """A request with an Origin is a page's, which can't know a token."""
    origin = {"origin": "https://evil.example"}
    body = {"tasks": [{"tests": "assert True", "candidates": ["x = 1"]}]}
    assert open_server.post("/evaluate", json=body, headers=origin).status_code == 403
    password = "Basic " + base64.b64encode(f":{SECRET}".encode()).decode()
    assert guarded.post("/evaluate", json=body, headers={**origin, "authorization": password}).status_code == 403
    answer = guarded.post("/evaluate", json=body, headers={**origin, "authorization": f"Bearer {SECRET}"})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "judge.example"])
def test_a_reachable_host_needs_a_token(host):
    """A server that others can reach is refused without a token, unless the owner says so."""
    with pytest.raises(ValueError, match="--no-auth"):
        ServerSettings(host=host)
    assert ServerSettings(host=host, no_auth=True).host == host
    assert ServerSettings(host=host, tokens={"a": SECRET}).host == host


@pytest.mark.parametrize(
    "texts", [["short"], ["with spaces in the token"], [SECRET, f"b:{SECRET}"], [f"a:{SECRET}", "a:" + "x" * 20]]
)
def test_invalid_tokens(texts):
    """A token that can be guessed, or is not one, is refused, and the message does not have it."""
    with pytest.raises(ValueError) as error:
        parse_tokens(texts)
    assert not any(text in str(error.value) for text in texts)


def test_answers_do_not_name_the_software(open_server):
    """Answers have no header that names the server's software."""
    assert "server" not in open_server.get("/health").headers
