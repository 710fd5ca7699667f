"""POST /run_code runs programs as SandboxFusion does, and verl gives its answers the right numbers."""

import base64

import pytest

from support.languages import require_languages
from support.server_client import serving
from support.verl_status import COMPILE_ERROR, RUNTIME_ERROR, TIMED_OUT, verl_status

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client():
    """Serve Python, C++ and Bash."""
    require_languages("cpp")
    with serving(allowed_languages=("python", "cpp", "bash"), max_timeout=30.0) as client:
        yield client


def run_code(client, code, language="python", **fields):
    """Return the answer for a program, as parsed JSON. The fields are those that verl sends."""
    body = {"compile_timeout": 30, "run_timeout": 20, "code": code, "stdin": "3\n", "memory_limit_MB": 1024}
    answer = client.post("/run_code", json={**body, "language": language, "files": {}, "fetch_files": [], **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("print(int(input()) * 2)", True),
        ("print(7)", False),
        ("print(6)\nraise SystemExit(3)", RUNTIME_ERROR),
        ("print(6", RUNTIME_ERROR),
        ("import os\nprint(6, flush=True)\nos.kill(os.getpid(), 11)", RUNTIME_ERROR),
        ("print(6, flush=True)\nx = bytearray(3 << 30)", RUNTIME_ERROR),
        ("while True: print('6' * 100000)", RUNTIME_ERROR),
    ],
)
def test_verl_s_numbers(client, code, status):
    """Each end of a program has verl's number for it."""
    assert verl_status(run_code(client, code), "6") is status


def test_verl_s_number_for_a_time_out(client):
    """A program that runs for too long has timed out, and what it has written is there."""
    answer = run_code(client, "print(6, flush=True)\nwhile True: pass", run_timeout=1)
    assert verl_status(answer, "6") == TIMED_OUT
    assert (answer["run_result"]["stdout"], answer["run_result"]["return_code"]) == ("6\n", None)


@pytest.mark.parametrize(
    ("code", "status"),
    [('#include <cstdio>\nint main() { puts("6"); }', True), ("int main() { return x; }", COMPILE_ERROR)],
)
def test_verl_s_numbers_in_cpp(client, code, status):
    """A compiler's error is a number of its own, and there is no run."""
    answer = run_code(client, code, "cpp")
    assert verl_status(answer, "6") is status
    assert (answer["run_result"] is None) == (status == COMPILE_ERROR)


def test_output_comes_whole(client):
    """Megabytes of output come back whole."""
    answer = run_code(client, "print('x' * 5_000_000)")
    assert verl_status(answer, "x" * 5_000_000) is True


def test_the_memory_limit_is_told(client):
    """The memory limit has a field and a message of ours, in an answer that clients understand."""
    answer = run_code(client, "x = bytearray(300 << 20)", memory_limit_MB=200)
    assert answer["run_result"]["limit"] == "out_of_memory"
    assert answer["message"] == "the program exceeded its memory limit"


def test_no_memory_limit_is_the_owner_s(client):
    """Without a limit a program has as much memory as the owner allows."""
    assert run_code(client, "x = bytearray(1500 << 20)", memory_limit_MB=-1)["status"] == "Success"


def test_files_go_in_and_out(client):
    """Files go in below the program's folder, and come out by the names that were asked for."""
    code = "open('out/b.txt', 'w').write(open('in/a.txt').read().upper())"
    files = {"in/a.txt": base64.b64encode(b"abc").decode(), "out/x": "", "none": None}
    answer = run_code(client, code, files=files, fetch_files=["./out/b.txt", "missing", "/etc/passwd"])
    assert {name: base64.b64decode(data) for name, data in answer["files"].items()} == {"./out/b.txt": b"ABC"}


def test_a_name_that_leaves_the_folder(client):
    """A file outside of the program's folder is refused."""
    answer = client.post("/run_code", json={"code": "", "language": "python", "files": {"../x": ""}})
    assert (answer.status_code, "'../x'" in answer.json()["detail"]) == (400, True)


@pytest.mark.parametrize(
    "fields", [{"run_timeout": 31}, {"compile_timeout": 61}, {"memory_limit_MB": 5000}, {"language": "cobol"}]
)
def test_requests_that_are_refused(client, fields):
    """A request beyond the owner's limits is refused with the field's name. Its limits are never lowered in silence."""
    answer = client.post("/run_code", json={"code": "", "language": "python", **fields})
    assert (answer.status_code, answer.json()["detail"].startswith(next(iter(fields)))) == (400, True)


def test_a_language_that_is_not_there(client):
    """A language of SandboxFusion's that the server lacks is an error of the sandbox, not of the program."""
    answer = run_code(client, "puts 6", "ruby")
    assert (answer["status"], answer["run_result"]) == ("SandboxError", None)
    assert "choose" not in answer["message"] and "python, cpp, bash" in answer["message"]


def test_tests_of_pytest(client):
    """The language pytest runs a file's tests, and its output is pytest's."""
    passed, failed = (run_code(client, f"def test(): assert {value}", "pytest") for value in (1, 0))
    assert (passed["status"], failed["status"]) == ("Success", "Failed")
    assert "1 passed" in passed["run_result"]["stdout"]


def test_ping(client):
    """The server says that it runs, in SandboxFusion's way."""
    assert client.get("/v1/ping").json() == "pong"
