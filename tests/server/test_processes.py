"""The server as a process: its start, its end by a signal, and its end by force."""

import contextlib
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import psutil
import pytest

from support.observers import wait_until
from support.server_process import started

pytestmark = pytest.mark.slow
SECONDS = 120.0
TOKEN = "t" * 32
SLEEPS = "import time\ntime.sleep({})\nx = 1"


class Answer(threading.Thread):
    """A request that runs in a thread of its own."""

    def __init__(self, server, candidate):
        """Send the request."""
        super().__init__()
        self.server, self.candidate, self.answer = server, candidate, None
        self.start()

    def run(self):
        """Wait for the answer. There is none if the server is killed."""
        with contextlib.suppress(httpx.HTTPError):
            self.answer = self.server.evaluate(self.candidate)

    def get(self):
        """Return the answer."""
        self.join(SECONDS)
        return self.answer


def test_a_start_that_fails():
    """A server that can't start says why in one line, without a traceback."""
    command = [sys.executable, "-m", "code_tasks.cli", "serve", "--port", "0", "--allowed-language", "python"]
    ended = subprocess.run([*command, "--benchmark", "nonsense"], capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 2
    assert "unknown benchmark 'nonsense'" in ended.stderr.splitlines()[0]
    assert "Traceback" not in ended.stderr


def test_sigterm_lets_programs_end():
    """After SIGTERM a running program gets its verdict, and the server ends with status 0."""
    with started() as server:
        answer = Answer(server, SLEEPS.format(2))
        assert wait_until(server.is_running, SECONDS)
        server.process.send_signal(signal.SIGTERM)
        assert answer.get().json()["results"][0]["passed"]
        assert server.wait() == 0, server.log.read_text()


def test_sigterm_ends_sessions_that_take_too_long():
    """A cell that runs on for longer than the owner waits is ended, and its client learns that the server ends."""
    cell = {"code": SLEEPS.format(50), "timeout": 60}
    with started("--shutdown-seconds", "1") as server, ThreadPoolExecutor() as threads:

        def post(path, body):
            return httpx.post(f"{server.url}{path}", json=body, timeout=SECONDS, trust_env=False)

        session_id = post("/sessions", {}).json()["id"]
        processes = len(server.guests())
        answers = [
            threads.submit(post, f"/sessions/{session_id}/cells", cell),
            threads.submit(post, "/run_jupyter", {"cells": [cell["code"]], "total_timeout": 60}),
        ]
        # One more process in the open session, and four in the other.
        assert wait_until(lambda: len(server.guests()) >= processes + 5, SECONDS)
        server.process.send_signal(signal.SIGTERM)
        assert [answer.result().status_code for answer in answers] == [503, 504]
        assert server.wait() == 0, server.log.read_text()


def test_sigterm_ends_programs_that_take_too_long():
    """A program that runs on for longer than the owner waits is ended, and its client learns that it has no verdict."""
    with started("--shutdown-seconds", "1") as server:
        answer = Answer(server, SLEEPS.format(50))
        assert wait_until(server.is_running, SECONDS)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert answer.get().status_code == 503
        assert answer.get().headers["connection"] == "close"
        assert server.wait() == 0, server.log.read_text()
        assert time.monotonic() - began < 40


def test_nothing_outlives_a_killed_server():
    """Guests and programs end by themselves when their server is killed."""
    with started() as server:
        answer = Answer(server, SLEEPS.format(50))
        assert wait_until(server.is_running, SECONDS)
        assert server.guests()
        server.process.kill()
        server.wait()
        assert answer.get() is None


def test_several_processes():
    """Several processes answer on one port, and all end with the one that was started, also if it is killed."""
    with started("--processes", "2") as server:
        assert server.evaluate("x = 1").json()["results"][0]["passed"]
        assert wait_until(lambda: server.log.read_text().count("serving on") == 2, SECONDS)
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0, server.log.read_text()
    with started("--processes", "2") as server:
        server.process.kill()
        server.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_a_server_process_ends_with_a_parent_that_has_ended():
    """A server process whose parent was killed before it could ask to be told of that ends by a signal."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    call = f"from sandboxes.private_process import end_with_parent\nend_with_parent({gone.pid})"
    assert run_python(f"import time\n{call}\ntime.sleep(60)").returncode == -signal.SIGTERM


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "--no-auth"),
        (["--token", "short"], "at least 16"),
        (["--allowed-language", "cobol"], "cobol"),
        (["--max-timeout", "0"], "--max-timeout must be"),
        (["--isolation", "none"], "isolation"),
    ],
)
def test_invalid_options(arguments, message):
    """An invalid option is a usage error, before anything is started."""
    command = [sys.executable, "-m", "code_tasks.cli", "serve", "--port", "0", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 2, ended.stderr
    assert message in re.sub(r"[\s│]+", " ", ended.stderr)


def test_a_port_that_is_taken():
    """A port that is taken is one message."""
    with started() as server:
        port = server.url.rpartition(":")[2]
        command = [sys.executable, "-m", "code_tasks.cli", "serve", "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert f"127.0.0.1:{port}" in ended.stderr


def run_python(code):
    """Return what a Python process prints that ran some code."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)


def test_other_commands_import_no_server():
    """The other commands start as quickly as without a server: its packages are imported for `serve` alone."""
    ended = run_python(
        "import sys, code_tasks.cli.main\n"
        "print(sorted({'fastapi', 'starlette', 'uvicorn', 'pydantic', 'prometheus_client'} & {*sys.modules}))"
    )
    assert ended.stdout == "[]\n", ended.stderr


def test_a_missing_extra_is_one_message():
    """Without the packages of the server, the command says what to install."""
    ended = run_python(
        "import sys\nsys.modules['fastapi'] = None\nfrom code_tasks.cli.main import app\napp(['serve', '--port', '0'])"
    )
    assert ended.returncode == 2
    assert ended.stderr == 'code-eval serve needs more packages: pip install "code-eval-sandboxes[serve]"\n'


def test_no_other_process_has_the_tokens(monkeypatch):
    """The server's own helpers don't get the tokens, because programs may be able to read a helper's environment."""
    monkeypatch.setenv("CODE_EVAL_TOKEN", TOKEN)
    with started("--processes", "2") as server:
        address = f"{server.url}/sandboxes"
        assert httpx.get(address, timeout=SECONDS, trust_env=False).status_code == 401
        headers = {"authorization": f"Bearer {TOKEN}"}
        assert httpx.get(address, headers=headers, timeout=SECONDS, trust_env=False).status_code == 200
        commands, with_token = [], []
        for process in psutil.Process(server.process.pid).children(recursive=True):
            # Programs of the canaries may end meanwhile.
            with contextlib.suppress(psutil.NoSuchProcess):
                commands.append(" ".join(process.cmdline()))
                with_token += [process] * ("CODE_EVAL_TOKEN" in process.environ())
        assert any("resource_tracker" in command for command in commands)
        assert not with_token
