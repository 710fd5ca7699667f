"""The Space as users run it: `python app.py` in a separate process, on a port of this machine."""

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

from sandboxes.languages.compilers.compiled_libraries import cache_folder
from support.observers import all_gone, processes_with, wait_until

ROOT = Path(__file__).resolve().parents[2]
# Far more than the server needs, so that a busy machine fails no test.
START_TIMEOUT_SECONDS = 180
END_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A Space that is being served."""

    url: str
    """The address, without a slash at the end."""

    process: subprocess.Popen
    """The process of `python app.py`."""

    folder: str
    """The server's folder for temporary files, with guests and results. It is removed with the server."""

    def guests(self) -> list[psutil.Process]:
        """Return the processes of its sandboxes: supervisors, fork servers and programs."""
        # A guest's command line has its scratch folder, and so have those of the processes that it forks.
        return processes_with(f"{self.folder}/code-eval-")

    def log(self) -> str:
        """Return the server's output so far."""
        return Path(self.folder, "log").read_text(encoding="utf-8")


@contextlib.contextmanager
def serving(*, without="", user=None, **environment):
    """Serve the Space, from its first answer until the block is left. Fail if a process or file of it is left then.

    Args:
        without: system calls that are refused to it, as tests/support/denied_syscalls.py names them.
        user: the number of the user that runs the server, if not this one.
        **environment: variables to set for it; those with None are unset.
    """
    folder = tempfile.mkdtemp(prefix="space-of-tests-")
    # Programs may run as another user, who needs the files in the folder.
    os.chmod(folder, 0o755)
    identity = {}
    if user is not None:
        os.chown(folder, user, user)
        identity = {"user": user, "group": user, "extra_groups": []}
        # What languages need is compiled already.
        cache = str(cache_folder().parent)
        environment = {"HOME": folder, "HF_HOME": f"{folder}/hf", "XDG_CACHE_HOME": cache, **environment}
    refusing = [str(ROOT / "tests" / "support" / "denied_syscalls.py"), without] if without else []
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
            assert wait_until(lambda: process.poll() is not None or answers(server), START_TIMEOUT_SECONDS), (
                server.log()
            )
            assert process.poll() is None, server.log()
            yield server
        finally:
            end(server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment_of(folder, port, environment):
    """Return the environment of a server."""
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
    """Return a port of this machine that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def answers(server):
    """Return whether a server answers."""
    try:
        with urllib.request.urlopen(f"{server.url}/config", timeout=10) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def end(server):
    """End a server as the Hub ends a Space. Fail if its status is not 0, or if a process or a file is left."""
    server.process.terminate()
    try:
        status = server.process.wait(END_TIMEOUT_SECONDS)
    finally:
        server.process.kill()
        server.process.wait()
    assert status == 0, server.log()
    assert all_gone(f"{server.folder}/code-eval-"), [process.cmdline() for process in server.guests()]
    assert not glob.glob(f"{server.folder}/code-eval-*"), os.listdir(server.folder)
