"""The Space as its users meet it: `python app.py` in a process of its own, on a port of this machine."""

import contextlib
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import psutil
from watching import all_gone, processes_with, wait_until

ROOT = Path(__file__).resolve().parent.parent
# Far more than it needs, so that a busy machine fails no test.
SECONDS_TO_START = 180
SECONDS_TO_END = 60


@dataclass(frozen=True)
class Server:
    """A Space that is being served."""

    url: str
    """Where, without a slash at the end."""

    process: subprocess.Popen
    """Of `python app.py`."""

    folder: str
    """Its folder for temporary files, which guests and results are in. It is gone with the server."""

    def guests(self) -> list[psutil.Process]:
        """The processes of its sandboxes: supervisors, fork servers, and the programs that run."""
        # A guest has its scratch folder in its command line, and so has what it forks.
        return processes_with(f"{self.folder}/code-eval-")

    def log(self) -> str:
        """What it wrote so far."""
        return Path(self.folder, "log").read_text(encoding="utf-8")


@contextlib.contextmanager
def serving(*, without="", user=None, **environment):
    """Serves the Space, from when it answers until the block is left; then nothing that it started may be left.

    Args:
        without: system calls that are refused to it, as tests/without_calls.py names them.
        user: the number of the user that it runs as, if not this one.
        **environment: variables to set for it; those with None are unset.
    """
    folder = tempfile.mkdtemp(prefix="space-of-tests-")
    # Programs may run as another user, who has to get at what is in there.
    os.chmod(folder, 0o755)
    identity = {}
    if user is not None:
        os.chown(folder, user, user)
        identity = {"user": user, "group": user, "extra_groups": []}
        environment = {"HOME": folder, "HF_HOME": f"{folder}/hf", **environment}
    refusing = [str(ROOT / "tests" / "without_calls.py"), without] if without else []
    port = free_port()
    try:
        with open(f"{folder}/log", "wb") as log:
            process = subprocess.Popen(
                [sys.executable, *refusing, "app.py"],
                cwd=ROOT,
                env=environment_of(folder, port, environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                **identity,
            )
        server = Server(f"http://127.0.0.1:{port}", process, folder)
        try:
            assert wait_until(lambda: process.poll() is not None or answers(server), SECONDS_TO_START), server.log()
            assert process.poll() is None, server.log()
            yield server
        finally:
            end(server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment_of(folder, port, environment):
    """The environment of a server."""
    changed = {
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "GRADIO_TEMP_DIR": f"{folder}/gradio",
        "HF_ALLOW_CODE_EVAL": "1",
        "HF_HUB_OFFLINE": "1",
        "PYTHONUNBUFFERED": "1",
        "SPACE_ID": None,
        "TMPDIR": folder,
        **environment,
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CODE_EVAL_")}
    return {name: value for name, value in {**kept, **changed}.items() if value is not None}


def free_port():
    """A port of this machine that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def answers(server):
    """Whether a server answers."""
    try:
        with urllib.request.urlopen(f"{server.url}/config", timeout=10) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def end(server):
    """Ends a server as a Space is ended. Fails if it does not end well, or leaves something."""
    server.process.terminate()
    try:
        status = server.process.wait(SECONDS_TO_END)
    finally:
        server.process.kill()
        server.process.wait()
    assert status == 0, server.log()
    assert all_gone(f"{server.folder}/code-eval-"), [process.cmdline() for process in server.guests()]
    assert not glob.glob(f"{server.folder}/code-eval-*"), os.listdir(server.folder)
