"""POST /run: a program runs as it stands, and its end is told."""

import base64

import pytest

from support.server_client import serving


@pytest.fixture(scope="module")
def client():
    """Serve with the defaults."""
    with serving() as client:
        yield client


def run(client, **request):
    """Return the answer to a run that is accepted."""
    answer = client.post("/run", json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_source(client):
    """A source runs with arguments, standard input and variables, and its status is told."""
    source = "import os, sys\nprint(sys.argv[1:], input(), os.environ['A'])\nsys.exit(3)"
    answer = run(client, source=source, arguments=["x"], stdin="in", env={"A": "b"})
    assert answer["compile"] is None
    assert (answer["run"]["exit_status"], answer["run"]["stdout"]) == (3, {"text": "['x'] in b\n"})


def test_a_command_with_files(client):
    """A command reads the files that came along, and files come back, as text or in base64."""
    data = b"\xff\x00"
    files = {"in.bin": {"base64": base64.b64encode(data).decode()}, "a/b.txt": "text"}
    answer = run(
        client,
        argv=["/usr/bin/env", "cp", "-r", "in.bin", "a", "copies"],
        files={**files, "copies/x": ""},
        fetch=["copies/in.bin", "copies/a/b.txt", "nothing"],
    )
    assert answer["run"]["exit_status"] == 0, answer
    assert base64.b64decode(answer["files"]["copies/in.bin"]["base64"]) == data
    assert answer["files"]["copies/a/b.txt"] == {"text": "text"}
    assert answer["missing"].keys() == {"nothing"}


def test_a_limit(client):
    """A run that a limit ended says which."""
    answer = run(client, source="while True: pass", timeout=0.3)
    assert (answer["run"]["exit_status"], answer["run"]["limit"]) == (None, "timed_out")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({}, []),
        ({"source": "x", "argv": ["x"]}, []),
        ({"source": "x", "timeout": 61}, ["timeout"]),
        ({"source": "x", "memory_mb": 1 << 20}, ["memory_mb"]),
        ({"source": "x", "max_processes": 1000}, ["max_processes"]),
        ({"source": "x", "files": {"../x": "y"}}, ["files"]),
        ({"source": "x", "fetch": ["/etc/passwd"]}, ["fetch"]),
        ({"source": "x", "stdin": {}}, ["stdin"]),
        ({"source": "x", "files": {"a": {"base64": "!!!"}}}, ["files", "a", "base64"]),
        ({"source": "x", "language": "cobol"}, ["language"]),
        ({"source": "x", "language": "rust"}, ["language"]),
        ({"source": "x", "cwd": "/"}, ["cwd"]),
    ],
)
def test_an_invalid_field_is_named(client, request_, field):
    """A request that is invalid, or exceeds a limit, is an error that names the field."""
    answer = client.post("/run", json=request_)
    assert answer.status_code in (400, 422), answer.text
    assert field in [each["loc"] for each in answer.json()["detail"]]
