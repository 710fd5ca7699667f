"""The server as its owner runs it: `code-eval serve` in a process of its own, on a free port of loopback."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
import psutil

from support.observers import processes_with, wait_until

# Far more than a server needs, so that a busy machine fails no test.
SECONDS = 120.0


class ServerProcess:
    """A server that was started by its command."""

    def __init__(self, folder, *arguments):
        """Start a server, and wait until it is ready."""
        self.folder = folder
        self.log = Path(folder, "log")
        command = [sys.executable, "-m", "code_tasks.cli", "serve", "--port", "0", "--allowed-language", "python"]
        environment = {**os.environ, "TMPDIR": folder}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([*command, *arguments], stderr=log, stdout=log, env=environment)
        assert wait_until(lambda: self.url or self.process.poll() is not None, SECONDS), self.log.read_text()
        assert self.url, self.log.read_text()

    @property
    def url(self):
        """The address, as soon as the server has said that it is ready."""
        found = re.search(r"serving on (http://\S+)", self.log.read_text())
        return found and found[1]

    def evaluate(self, candidate, timeout=60):
        """Return the answer to a request with one candidate."""
        task = {"tests": "assert True", "candidates": [candidate], "options": {"timeout": timeout}}
        return httpx.post(f"{self.url}/evaluate", json={"tasks": [task]}, timeout=SECONDS, trust_env=False)

    def is_running(self, programs=1):
        """Return whether programs are running."""
        text = httpx.get(f"{self.url}/metrics", timeout=SECONDS, trust_env=False).text
        return f"\ncode_eval_running {float(programs)}\n" in text

    def guests(self):
        """Return the processes of its sandboxes."""
        return processes_with(f"{self.folder}/code-eval-")

    def workers(self):
        """Return the first process of each sandbox."""
        servers = {self.process.pid, *(process.pid for process in self.server_processes())}
        return [process for process in self.guests() if process.ppid() in servers]

    def server_processes(self):
        """Return the processes that serve, if there are several."""
        children = psutil.Process(self.process.pid).children()
        return [child for child in children if "multiprocessing.spawn" in " ".join(child.cmdline())]

    def wait(self):
        """Return the status with which the server ends."""
        return self.process.wait(SECONDS)


@contextlib.contextmanager
def started(*arguments):
    """Start a server. At the end nothing of it may be left."""
    with tempfile.TemporaryDirectory(prefix="server-of-tests-") as folder:
        server = ServerProcess(folder, *arguments)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()
        assert wait_until(lambda: not server.guests(), SECONDS), server.guests()
        assert wait_until(lambda: not list(Path(folder).glob("code-eval-*")), SECONDS), os.listdir(folder)
