"""The server in its container: the image, Docker's default profile, the options that give all layers, and its end."""

import re
import time

import pytest

from support.docker_engines import require_image
from support.server_container import BASE, compose_options, docker, server_container, server_image

pytestmark = [pytest.mark.slow, pytest.mark.docker]

MISSING_BY_DEFAULT = {"user", "pid", "mount", "net", "ipc", "uts"}
"""The layers that docs/server-container.md says Docker's default profile has not."""

HELLO = {
    "python": "print('hello')",
    "bash": "echo hello",
    "javascript": "console.log('hello')",
    "cpp": '#include <iostream>\nint main() { std::cout << "hello" << std::endl; }',
    "go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello") }',
    "java": 'public class Main {\n    public static void main(String[] args) { System.out.println("hello"); }\n}',
    "rust": 'fn main() { println!("hello"); }',
    "typescript": "const text: string = 'hello';\nconsole.log(text);",
}
"""A program for each language."""

SPY = """
import contextlib, os, signal
with contextlib.suppress(PermissionError):
    os.kill(1, signal.SIGTERM)
try:
    with open("/proc/1/environ") as file:
        print("seen" if "CODE_EVAL_TOKEN" in file.read() else "hello")
except OSError:
    print("hello")
"""
"""A candidate that wants to end the server, and to read its token."""


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """Provide the image of the server, made from the repository's Dockerfile."""
    require_image(BASE)
    with server_image(tmp_path_factory.mktemp("context")) as name:
        yield name


@pytest.fixture(scope="module")
def by_default(image):
    """Provide a server under Docker's default profile."""
    with server_container(image) as server:
        yield server


@pytest.fixture(scope="module")
def as_root(image):
    """Provide a server under Docker's default profile that is root."""
    with server_container(image, ["--user", "root"]) as server:
        yield server


@pytest.fixture(scope="module")
def with_all_layers(image):
    """Provide a server with the options of docker/compose.yaml."""
    with server_container(image, *compose_options()) as server:
        yield server


@pytest.fixture(params=["by_default", "with_all_layers"])
def server(request):
    """Provide each of both servers."""
    return request.getfixturevalue(request.param)


def missing_layers(log):
    """Return the names of the layers that the log of a container says are missing."""
    return set(re.findall(r"^  missing  (\w+) ", log, re.MULTILINE))


def verdict_of(server, language, code):
    """Run a program that has to print "hello". Return its result."""
    task = {"language": language, "cases": [{"input": "", "output": "hello"}], "candidates": [code]}
    limits = {"timeout": 60.0, "compile_timeout": 60.0}
    [result] = server.post("/evaluate", {"tasks": [task], "options": limits})["results"]
    return result


def test_missing_layers_by_default(by_default):
    """Under Docker's default profile the log says which layers are missing."""
    assert missing_layers(by_default.logs()) == MISSING_BY_DEFAULT


def test_all_layers(with_all_layers):
    """With the options of docker/compose.yaml no layer is missing."""
    log = with_all_layers.logs()
    assert "  on       mount " in log
    assert missing_layers(log) == set()


def test_missing_layers_as_root(as_root):
    """Root's candidates are another user, without namespaces."""
    assert missing_layers(as_root.logs()) == MISSING_BY_DEFAULT - {"user"}


@pytest.mark.parametrize("server", ["as_root", "with_all_layers"], indirect=True)
def test_secret_of_the_server(server):
    """Where candidates have a user or namespaces of their own, they can neither read its token nor end it."""
    assert verdict_of(server, "python", SPY)["passed"]
    assert verdict_of(server, "python", HELLO["python"])["passed"]


def test_ordinary_user(server):
    """The server is process 1, and an ordinary user's."""
    assert server.inside("stat", "--format", "%u %g", "/proc/1").split() == ["1000", "1000"]
    assert b"serve" in server.inside("cat", "/proc/1/cmdline").encode()


def test_ping(server):
    """The server answers whoever watches it."""
    assert "pong" in server.get("/v1/ping")


@pytest.mark.parametrize("language", HELLO)
def test_languages(server, language):
    """A program of each language runs."""
    result = verdict_of(server, language, HELLO[language])
    assert result["passed"], result


def test_crates_of_rust(server):
    """The server's user can link programs in Rust with the crates that HumanEval-X needs."""
    candidate = 'use regex::Regex;\nfn f() -> bool { Regex::new("a").unwrap().is_match("a") }'
    tests = "fn main() { assert!(f()); }"
    task = {"language": "rust", "tests": tests, "candidates": [candidate]}
    limits = {"timeout": 60.0, "compile_timeout": 60.0}
    [result] = server.post("/evaluate", {"tasks": [task], "options": limits})["results"]
    assert result["passed"], result


def test_run_code(server):
    """SandboxFusion's clients get the output of a program."""
    answer = server.post("/run_code", {"language": "python", "code": "print(1 + 1)"})
    assert (answer["status"], answer["run_result"]["stdout"]) == ("Success", "2\n")


def test_nothing_is_left(server):
    """A process that a program started in the background ends with the program."""
    code = "import subprocess\nsubprocess.Popen(['sleep', '987654'], start_new_session=True)\nprint('hello')"
    assert verdict_of(server, "python", code)["passed"]
    assert "987654" not in docker("top", server.name)


@pytest.mark.parametrize("options", [((), ()), compose_options()], ids=["by_default", "with_all_layers"])
def test_end(image, options):
    """SIGTERM ends the server well and soon, with nothing to wait for."""
    with server_container(image, *options) as server:
        begin = time.monotonic()
        docker("stop", "--time", 60, server.name)
        seconds = time.monotonic() - begin
        assert server.state()["ExitCode"] == 0, server.logs()
    # Killed after 60 seconds it would have another status. The bound is that of a busy machine.
    assert seconds < 30


def test_strict_without_layers(image):
    """Where layers are missing, `--isolation strict` ends the container, and the log says what is missing."""
    name = "code-eval-test-strict"
    docker("run", "--detach", "--name", name, "--env", "CODE_EVAL_TOKEN=" + "x" * 16, image, "--isolation", "strict")
    try:
        assert docker("wait", name).strip() != "0"
        assert missing_layers(docker("logs", name)) == MISSING_BY_DEFAULT
    finally:
        docker("rm", "--force", name)
