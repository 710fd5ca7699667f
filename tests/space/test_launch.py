"""The launch of the Space: on a machine that is too busy for Gradio's check, and one that fails."""

import os
import socket
import subprocess
import sys

import httpx
import pytest

from support.observers import processes_with, wait_until
from support.space_server import ROOT, START_TIMEOUT_SECONDS, environment_of, free_port

pytestmark = pytest.mark.slow

# `python app.py` after a change to what it uses.
CHANGED = "import runpy, sys\n{}\nsys.path.insert(0, '.')\nrunpy.run_path('app.py', run_name='__main__')\n"
BUSY = CHANGED.format("from gradio import networking\nnetworking.url_ok = lambda url: False")
BROKEN = CHANGED.format(
    "from space.available_languages import Languages\n"
    "def fail(languages):\n    raise RuntimeError('broken after the server has started')\n"
    "Languages.start = fail"
)


@pytest.fixture
def launch(folder):
    """Return a function that starts the Space, with its output in a pipe: (arguments, port) -> process."""
    started = []

    def launch_one(arguments, port):
        started.append(
            subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                # Otherwise Gradio tries the next ports too.
                env=environment_of(folder, port, {"GRADIO_NUM_PORTS": "1"}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return started[-1]

    yield launch_one
    for process in started:
        process.kill()
        process.communicate()


def is_served(port):
    """Return whether the page on a port can be had."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", timeout=10).status_code == 200
    except httpx.TransportError:
        return False


def assert_it_fails(process, folder, message):
    """Assert that a process ends by itself, with a status and a message, and leaves nothing."""
    output, _ = process.communicate(timeout=START_TIMEOUT_SECONDS)
    assert process.returncode == 1, output
    assert message in output
    assert not processes_with(f"{folder}/code-eval-")
    assert [name for name in os.listdir(folder) if name.startswith("code-eval-")] == []


def test_a_machine_that_is_too_busy_for_gradios_check_serves_all_the_same(launch):
    """Gradio gives up if its first request takes three seconds. The Space does not."""
    port = free_port()
    process = launch(["-c", BUSY], port)
    assert wait_until(lambda: process.poll() is not None or is_served(port), START_TIMEOUT_SECONDS)
    assert process.poll() is None, process.communicate()[0]
    process.terminate()
    output, _ = process.communicate(timeout=START_TIMEOUT_SECONDS)
    assert process.returncode == 0, output


def test_a_taken_port_ends_the_process(launch, folder):
    """A launch that finds its port in use ends with a status and the port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert_it_fails(launch(["app.py"], port), folder, str(port))


def test_an_error_behind_the_launch_ends_the_server(launch, folder):
    """An error after the server has started ends the server with the process."""
    port = free_port()
    assert_it_fails(launch(["-c", BROKEN], port), folder, "broken after the server has started")
    assert not is_served(port)
